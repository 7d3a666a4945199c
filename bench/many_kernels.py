#!/usr/bin/env python3
"""Prints a C program whose file has N kernels, and which runs each of them once.

    bench/many_kernels.py 20 > many.c
    yoke-embed -o many.texts.h many.c
    cc -O2 -std=c11 -I. $(yoke-embed --flags) -DYOKE_SOURCE_FILE='"many.texts.h"' -o many many.c -lyoke -lpthread -lm
    YOKE_KB=off YOKE_CACHE=/tmp/empty ./many cuda:0

The time is that of the first jobs, which compile the kernels if the cache is empty.
"""
import sys

KERNEL = """YOKE_KERNEL2(k{k}, i, j, YOKE_IN(float, x), YOKE_OUT(float, y), YOKE_VALUE(int64_t, m))
{{
    float s = 0;
    for (int t = -3; t <= 3; t++) {{
        int64_t at = j + t < 0 ? 0 : j + t >= m ? m - 1 : j + t;
        s += x[i * m + at] * expf(-{k}.5f * t * t);
    }}
    y[i * m + j] = sqrtf(s) + {k};
}}
"""

PROGRAM = """#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <yoke/yoke.h>

enum {{ N = 4096, M = 256, KERNELS = {count} }};
static const yoke_kernel *const kernels[] = {{ {names} }};

static double now(void)
{{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}}

int main(int argc, char **argv)
{{
    float *x = calloc(N * M, sizeof *x), *y = calloc(N * M, sizeof *y);
    double sum = 0, begin;
    yoke_runtime *rt;
    int i, k;
    if (!x || !y || yoke_open(&(yoke_config){{ .devices = argc > 1 ? argv[1] : NULL }}, &rt) != YOKE_OK) {{
        fprintf(stderr, "%s\\n", yoke_error_text());
        return 1;
    }}
    for (i = 0; i < N * M; i++)
        x[i] = (float)(i % 97) * 0.01f;
    begin = now();
    for (k = 0; k < KERNELS; k++)
        if (yoke_for2(rt, kernels[k], N, M, yoke_row(x, M), yoke_row(y, M), (int64_t)M) != YOKE_OK) {{
            fprintf(stderr, "%s\\n", yoke_error_text());
            return 1;
        }}
    printf("%d kernels: %.2f s", KERNELS, now() - begin);
    for (i = 0; i < N * M; i++)
        sum += (double)y[i];
    printf(", sum %.6g\\n", sum);
    yoke_close(rt);
    free(x);
    free(y);
    return 0;
}}
#endif
"""


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit() or int(sys.argv[1]) < 1:
        sys.exit("usage: many_kernels.py NUMBER_OF_KERNELS > FILE.c")
    count = int(sys.argv[1])
    print("/* Made by bench/many_kernels.py. */\n#include <math.h>\n#include <yoke/kernel.h>\n")
    for k in range(count):
        print(KERNEL.format(k=k))
    print(PROGRAM.format(count=count, names=", ".join(f"&k{k}" for k in range(count))), end="")


main()
