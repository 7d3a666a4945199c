/* mm_core.c - see mm_core.h. */
#include "mm_core.h"

#include <stddef.h>
#include <strings.h>

/* OpenBLAS's cores, by the instructions that their products use. Cores that are missing here are
 * newer than this list. */
static const struct {
    const char *name;
    enum mm_core_level level;
} cores[] = {
    { "Katmai", MM_CORE_OLD },        { "Coppermine", MM_CORE_OLD },
    { "Northwood", MM_CORE_OLD },     { "Prescott", MM_CORE_OLD },
    { "Banias", MM_CORE_OLD },        { "Atom", MM_CORE_OLD },
    { "Core2", MM_CORE_OLD },         { "Penryn", MM_CORE_OLD },
    { "Dunnington", MM_CORE_OLD },    { "Nehalem", MM_CORE_OLD },
    { "Sandybridge", MM_CORE_OLD },   { "Athlon", MM_CORE_OLD },
    { "Opteron", MM_CORE_OLD },       { "Opteron_SSE3", MM_CORE_OLD },
    { "Barcelona", MM_CORE_OLD },     { "Bobcat", MM_CORE_OLD },
    { "Bulldozer", MM_CORE_OLD },     { "Piledriver", MM_CORE_OLD },
    { "Steamroller", MM_CORE_OLD },   { "Excavator", MM_CORE_OLD },
    { "Nano", MM_CORE_OLD },          { "Haswell", MM_CORE_AVX2 },
    { "Zen", MM_CORE_AVX2 },          { "SkylakeX", MM_CORE_AVX512 },
    { "Cooperlake", MM_CORE_AVX512 }, { "SapphireRapids", MM_CORE_AVX512 },
};

enum mm_core_level mm_core_of_processor(void)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return MM_CORE_OLD;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return MM_CORE_AVX2;
    return MM_CORE_AVX512;
#else
    return MM_CORE_OLD;
#endif
}

const char *mm_core_instead(const char *chosen, enum mm_core_level processor)
{
    /* Known to every OpenBLAS since 2018. */
    static const char *const best[] = { [MM_CORE_AVX2] = "Haswell", [MM_CORE_AVX512] = "SkylakeX" };
    size_t i;
    for (i = 0; i < sizeof cores / sizeof *cores; i++)
        if (strcasecmp(cores[i].name, chosen) == 0)
            return cores[i].level < processor ? best[processor] : NULL;
    return NULL;
}
