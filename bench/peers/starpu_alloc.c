/* starpu_alloc.c - preloaded into a StarPU program, says how long starpu_malloc took in all, and
 * the time from its last return to the first vector's registration, in which the program fills
 * memory.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

int starpu_malloc(void **memory, size_t bytes);
void starpu_vector_data_register(void *handle, int node, uintptr_t memory, uint32_t count,
                                 size_t element);

static double allocated_ms, returned_ms;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int starpu_malloc(void **memory, size_t bytes)
{
    int (*const next)(void **, size_t) =
        (int (*)(void **, size_t))dlsym(RTLD_NEXT, "starpu_malloc");
    const double start = now_ms();
    const int outcome = next(memory, bytes);
    returned_ms = now_ms();
    allocated_ms += returned_ms - start;
    return outcome;
}

void starpu_vector_data_register(void *handle, int node, uintptr_t memory, uint32_t count,
                                 size_t element)
{
    void (*const next)(void *, int, uintptr_t, uint32_t, size_t) =
        (void (*)(void *, int, uintptr_t, uint32_t, size_t))dlsym(RTLD_NEXT,
                                                                  "starpu_vector_data_register");
    static int told;
    if (!told++)
        printf("alloc %.3f fill %.3f\n", allocated_ms, now_ms() - returned_ms);
    next(handle, node, memory, count, element);
}
