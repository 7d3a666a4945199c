/* nvrtc.h - what the two files of the stand-in NVRTC share: nvrtc.c, its calls, and
 * nvrtc_compile.c, the host's compiler at work. */
#ifndef STANDIN_NVRTC_H
#define STANDIN_NVRTC_H

#include "backend/cuda/cuda_api.h"
#include "image.h"

struct _nvrtcProgram {
    char *text, *name;
    char *log; /* NULL: nothing to say */
    struct standin_image *image;
    size_t image_bytes;
};

/* Fills the program's log and, when it goes well, its image with what `header` says it is. An
 * NVRTC code. */
int standin_compile(nvrtcProgram program, const struct standin_image *header);
/* A whole file with a 0 behind it, NULL if it cannot be read; freed by the caller. */
char *standin_file_read(const char *path, size_t *bytes);

#pragma GCC visibility push(default)
#define STANDIN_EXPORT(result, name, symbol, parameters) result nvrtc##name parameters;
YK_NVRTC_FUNCTIONS(STANDIN_EXPORT)
#undef STANDIN_EXPORT
#pragma GCC visibility pop

#endif
