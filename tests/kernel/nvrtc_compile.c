/* nvrtc_compile.c - nvrtc_compile SOURCE PTX: compiles with NVRTC, which is loaded at run time.
 * Exit status 77 if it does not exist. The few declarations are repeated here, so no CUDA header is
 * needed. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *program_t;
static struct {
    int (*create)(program_t *, const char *source, const char *name, int, const char *const *,
                  const char *const *);
    int (*compile)(program_t, int, const char *const *);
    int (*log_size)(program_t, size_t *), (*log)(program_t, char *);
    int (*ptx_size)(program_t, size_t *), (*ptx)(program_t, char *);
} nvrtc;

static void *library_open(void)
{
    static const char *const names[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                         "/usr/local/cuda/lib64/libnvrtc.so",
                                         "/usr/local/cuda/lib/libnvrtc.so" };
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW);
    if (!library)
        return NULL;
    *(void **)&nvrtc.create = dlsym(library, "nvrtcCreateProgram");
    *(void **)&nvrtc.compile = dlsym(library, "nvrtcCompileProgram");
    *(void **)&nvrtc.log_size = dlsym(library, "nvrtcGetProgramLogSize");
    *(void **)&nvrtc.log = dlsym(library, "nvrtcGetProgramLog");
    *(void **)&nvrtc.ptx_size = dlsym(library, "nvrtcGetPTXSize");
    *(void **)&nvrtc.ptx = dlsym(library, "nvrtcGetPTX");
    return library;
}

static char *file_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return text;
}

int main(int count, char **words)
{
    if (count != 3 || !library_open())
        return count == 3 ? 77 : 2;
    char *source = file_read(words[1]);
    const char *const options[] = { "--gpu-architecture=compute_80", "-std=c++17" };
    program_t program;
    size_t size = 0;
    if (nvrtc.create(&program, source, words[1], 0, NULL, NULL))
        return 1;
    int failed = nvrtc.compile(program, 2, options);
    nvrtc.log_size(program, &size);
    char *log = calloc(size + 1, 1);
    nvrtc.log(program, log);
    if (size > 1)
        fprintf(stderr, "%s\n", log);
    free(log);
    free(source);
    if (failed)
        return 1;
    nvrtc.ptx_size(program, &size);
    char *ptx = calloc(size + 1, 1);
    nvrtc.ptx(program, ptx);
    FILE *file = fopen(words[2], "wb");
    if (!file || fputs(ptx, file) < 0 || fclose(file)) {
        perror(words[2]);
        return 1;
    }
    free(ptx);
    return 0;
}
