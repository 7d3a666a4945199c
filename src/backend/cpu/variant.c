/* variant.c - which of a kernel's CPU variants this processor can run.
 *
 * The levels are those of the x86-64 psABI. __builtin_cpu_supports covers the features that need
 * the operating system's help (wide registers). A few features, whose names gcc and clang do not
 * both know, are read from cpuid. clang 14 does not accept the names of the levels.
 */
#include "variant.h"

#include <stdatomic.h>
#include <stddef.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* MOVBE, F16C and LZCNT, which are part of v3. */
static int has_small_features(void)
{
    unsigned a, b, c, d;
    const unsigned movbe_f16c = 1u << 22 | 1u << 29, lzcnt = 1u << 5;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & movbe_f16c) != movbe_f16c)
        return 0;
    return __get_cpuid(0x80000001u, &a, &b, &c, &d) && (c & lzcnt);
}

static int detect(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx") || !__builtin_cpu_supports("avx2") ||
        !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !has_small_features())
        return 0;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return 1;
    return 2;
}
#else
static int detect(void)
{
    return 0;
}
#endif

int yk_cpu_variant_best(void)
{
    static atomic_int known; /* variant + 1; in a race both threads store the same value */
    int best = atomic_load_explicit(&known, memory_order_relaxed) - 1;
    if (best < 0) {
        best = detect();
        atomic_store_explicit(&known, best + 1, memory_order_relaxed);
    }
    return best;
}

const char *yk_cpu_variant_name(int variant)
{
    static const char *const names[YOKE_CPU_VARIANTS] = { "base", "v3", "v4" };
    return names[variant];
}

int64_t yk_cpu_variant_vector(const yoke_kernel *kernel, int highest)
{
    const int64_t bytes = INT64_C(16) << highest;
    int64_t element = bytes;
    if (kernel->dimensions > 1 || kernel->lanes > 0)
        return 1;
    for (int p = 0; p < kernel->param_count; p++)
        if (kernel->params[p].mode != YOKE_PARAM_VALUE && kernel->params[p].alignment > 0 &&
            kernel->params[p].alignment < element)
            element = kernel->params[p].alignment;
    return bytes / element;
}

yoke_cpu_fn *yk_cpu_variant_choose(const yoke_kernel *kernel, int highest)
{
    for (int variant = highest; variant >= 0; variant--)
        if (kernel->cpu.variant[variant])
            return kernel->cpu.variant[variant];
    return NULL;
}
