/* mm_openblas.c - OpenBLAS on cores: each core calls it for its own rows, with one thread.
 *
 * In every call OpenBLAS's own threads would wait for the slowest of them; yoke's cores take pieces
 * as they become ready. The cost is that every call rearranges ("packs") all of B for itself, so a
 * piece should have hundreds of rows.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mm_blas.h"
#include "mm_core.h"

/* The parts of cblas.h that are used; its enumerations have the size of an int. */
enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111 };

static struct {
    void (*set_num_threads)(int threads);
    char *(*get_config)(void);
    char *(*get_corename)(void);
    void (*dgemm)(int order, int turn_a, int turn_b, int m, int n, int k, double alpha,
                  const double *a, int lda, const double *b, int ldb, double beta, double *c,
                  int ldc);
    void (*sgemm)(int order, int turn_a, int turn_b, int m, int n, int k, float alpha,
                  const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
} blas;
static char words[256]; /* the library's description of itself; "": there is no OpenBLAS */

/* dlsym returns an object pointer; POSIX permits storing a function's address like this. */
static int find(void *library, const char *name, void *slot)
{
    *(void **)slot = dlsym(library, name);
    return *(void **)slot != NULL;
}

static void *open_library(void)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library && find(library, "openblas_set_num_threads", &blas.set_num_threads) &&
        find(library, "openblas_get_config", &blas.get_config) &&
        find(library, "openblas_get_corename", &blas.get_corename) &&
        find(library, "cblas_dgemm", &blas.dgemm) && find(library, "cblas_sgemm", &blas.sgemm))
        return library;
    if (library)
        dlclose(library);
    return NULL;
}

/* OpenBLAS reads the variable when it is loaded, so it is loaded again; this has no effect if other
 * code has loaded it, too. A value set by the user is kept. The variable stays set: other threads
 * may be reading the environment, and removing a variable would move what they read. Adding the
 * first one makes a new table and leaves the old one in place. */
static void *open_for(const char *core, void *library)
{
    dlclose(library);
    setenv(MM_CORE_VARIABLE, core, 0);
    return open_library();
}

/* The library stays loaded: otherwise its threads would have to be ended. */
static void load(void)
{
    void *library = open_library();
    const char *core = NULL;
    char chosen[64] = "";
    if (library) {
        snprintf(chosen, sizeof chosen, "%s", blas.get_corename());
        core = mm_core_instead(chosen, mm_core_of_processor());
    }
    if (core)
        library = open_for(core, library);
    if (!library)
        return;
    blas.set_num_threads(1);
    snprintf(words, sizeof words, "%s", blas.get_config());
    if (core && strcmp(chosen, blas.get_corename()) != 0)
        snprintf(words + strlen(words), sizeof words - strlen(words),
                 " (which took the processor for %s)", chosen);
}

static void rows_double(void *const *args, const yoke_chunk *chunk)
{
    const struct mm_shape s = mm_shape_of(args, chunk);
    const double *a = args[MM_A], *b = args[MM_B];
    double *c = args[MM_C];
    blas.dgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, s.rows, s.width, s.inner, 1, a + s.a,
               s.inner, b + s.b, s.b_row, 0, c + s.c, s.c_row);
}

static void rows_single(void *const *args, const yoke_chunk *chunk)
{
    const struct mm_shape s = mm_shape_of(args, chunk);
    const float *a = args[MM_A], *b = args[MM_B];
    float *c = args[MM_C];
    blas.sgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, s.rows, s.width, s.inner, 1, a + s.a,
               s.inner, b + s.b, s.b_row, 0, c + s.c, s.c_row);
}

const char *mm_openblas_use(yoke_kernel *kernel, int single)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int v;
    pthread_once(&once, load);
    if (!words[0])
        return NULL;
    /* OpenBLAS chooses the instructions itself (load), so one variant serves all processors. */
    for (v = 1; v < YOKE_CPU_VARIANTS; v++)
        kernel->cpu.variant[v] = NULL;
    kernel->cpu.variant[0] = single ? rows_single : rows_double;
    return words;
}
