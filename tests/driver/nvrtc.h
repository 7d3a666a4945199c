/* nvrtc.h - shared by the two files of the stand-in NVRTC: nvrtc.c, its calls, and nvrtc_compile.c,
 * which runs the host's compiler. */
#ifndef STANDIN_NVRTC_H
#define STANDIN_NVRTC_H

#include "backend/cuda/cuda_api.h"
#include "image.h"

struct _nvrtcProgram {
    char *text, *name;
    char *log; /* NULL: empty */
    struct standin_image *image;
    size_t image_bytes;
};

/* Fills the program's log and, if it succeeds, its image with the target that `header` names.
 * Returns an NVRTC code. */
int standin_compile(nvrtcProgram program, const struct standin_image *header);
/* Reads a whole file and appends a 0; NULL if it cannot be read. The caller frees it. */
char *standin_file_read(const char *path, size_t *bytes);

#pragma GCC visibility push(default)
#define STANDIN_EXPORT(result, name, symbol, parameters) result nvrtc##name parameters;
YK_NVRTC_FUNCTIONS(STANDIN_EXPORT)
#undef STANDIN_EXPORT
/* standin_compilations: compilations of the kernel with the latest name begun since it was set. */
void standin_count_compilations(const char *name); /* borrowed; NULL: count none */
long standin_compilations(void);
/* 1: threads wait in those that are counted until it is 0 again. */
void standin_hold_compilations(int hold);
#pragma GCC visibility pop

#endif
