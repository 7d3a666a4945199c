/* oracle.h - what the CUDA programs of bench/ share: a clock, a median, and an end with a message.
 */
#ifndef YOKE_BENCH_ORACLE_H
#define YOKE_BENCH_ORACLE_H

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cuda_runtime.h>
#include <vector>

static inline double seconds(clockid_t clock = CLOCK_MONOTONIC)
{
    timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    size_t count = values.size();
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

[[noreturn]] __attribute__((format(printf, 1, 2))) static inline void end_with(const char *format,
                                                                               ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

/* Every CUDA call goes through here: a figure from a run with a failed call would be wrong. */
#define MUST(call)                                                                                 \
    do {                                                                                           \
        cudaError_t code = (call);                                                                 \
        if (code != cudaSuccess)                                                                   \
            end_with("%s:%d: %s: %s", __FILE__, __LINE__, #call, cudaGetErrorString(code));        \
    } while (0)

#endif
