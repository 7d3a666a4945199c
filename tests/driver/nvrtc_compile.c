/* nvrtc_compile.c - CUDA C++ to a shared object for the host, by the host's own compiler.
 *
 *     text --(preprocessor, emulation.h)--> entries found --> + a descriptor each --> shared object
 *
 * Entries are searched after preprocessing, because macros make their names. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvrtc.h"

extern char **environ;

/* The expansion of __global__ in emulation.h. */
static const char mark[] = "__attribute__((used, visibility(\"default\")))";

enum { PATH_BYTES = 64 };
struct folder {
    char path[PATH_BYTES / 2];
    char source[PATH_BYTES], middle[PATH_BYTES], object[PATH_BYTES], log[PATH_BYTES];
};

static int folder_open(struct folder *folder)
{
    strcpy(folder->path, "/tmp/standin-XXXXXX");
    if (!mkdtemp(folder->path))
        return 0;
    snprintf(folder->source, PATH_BYTES, "%s/kernel.cu", folder->path);
    snprintf(folder->middle, PATH_BYTES, "%s/kernel.ii", folder->path);
    snprintf(folder->object, PATH_BYTES, "%s/kernel.so", folder->path);
    snprintf(folder->log, PATH_BYTES, "%s/log", folder->path);
    return 1;
}

static void folder_close(const struct folder *folder)
{
    unlink(folder->source);
    unlink(folder->middle);
    unlink(folder->object);
    unlink(folder->log);
    rmdir(folder->path);
}

char *standin_file_read(const char *path, size_t *bytes)
{
    struct stat about;
    char *text = NULL;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return NULL;
    if (fstat(fileno(file), &about) == 0)
        text = malloc((size_t)about.st_size + 1);
    if (text) {
        *bytes = fread(text, 1, (size_t)about.st_size, file);
        text[*bytes] = 0;
    }
    fclose(file);
    return text;
}

/* Runs a program; 1 if its exit status is 0. Its output goes to the log. */
static int run(const struct folder *folder, char *const *words)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t child;
    int status = -1;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none); /* do not inherit the mask of a worker thread */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, folder->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (posix_spawnp(&child, words[0], &actions, &attributes, words, environ) == 0)
        waitpid(child, &status, 0);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int preprocess(const struct _nvrtcProgram *program, const struct folder *folder, int arch)
{
    char define[32];
    snprintf(define, sizeof define, "-D__CUDA_ARCH__=%d", 10 * arch);
    char *const words[] = { STANDIN_COMPILER,
                            "-E",
                            "-w",
                            "-x",
                            "c++",
                            "-std=c++17",
                            "-nostdinc++",
                            "-D__CUDACC__",
                            "-D__CUDACC_RTC__",
                            define,
                            "-include",
                            STANDIN_EMULATION,
                            (char *)folder->source,
                            "-o",
                            (char *)folder->middle,
                            NULL };
    FILE *file = fopen(folder->source, "we");
    if (!file)
        return 0;
    fprintf(file, "#line 1 \"%s\"\n%s\n", program->name, program->text);
    return fclose(file) == 0 && run(folder, words);
}

/* Kernels may get the program's sanitizer (CMakeLists.txt). With it compiling takes longer than
 * running, so it is done without optimization. */
static int compile(const struct folder *folder)
{
    char *const words[] = { STANDIN_COMPILER,
                            "-x",
                            "c++-cpp-output",
                            "-std=c++17",
                            "-w",
                            STANDIN_OPTIMIZE,
                            "-fPIC",
                            "-fno-strict-aliasing",
                            "-fno-exceptions",
                            "-fno-gnu-unique", /* so that dlclose unloads the module */
                            STANDIN_SANITIZE,
                            (char *)folder->middle,
                            "-x",
                            "none",
                            "-shared",
                            "-nodefaultlibs",
                            "-Wl,-Bsymbolic",
                            "-lm",
                            "-lc",
                            "-o",
                            (char *)folder->object,
                            NULL };
    return run(folder, words);
}

static int is_word(char letter)
{
    return letter == '_' || (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z');
}

/* The name before the first "(" in `text`; 0: none. */
static int entry_name(const char *text, char *name, size_t capacity)
{
    const char *end = strchr(text, '(');
    if (!end)
        return 0;
    while (end > text && !is_word(end[-1]))
        --end;
    const char *start = end;
    while (start > text && is_word(start[-1]))
        --start;
    size_t length = (size_t)(end - start);
    if (!length || length >= capacity)
        return 0;
    memcpy(name, start, length);
    name[length] = 0;
    return 1;
}

/* Writes, for each entry, a function that calls it with parameters from an array, and a descriptor.
 * A declaration and its definition count as one entry. */
static int describe_entries(const struct folder *folder)
{
    char name[128];
    size_t bytes = 0;
    char *text = standin_file_read(folder->middle, &bytes);
    FILE *file = fopen(folder->middle, "ae");
    if (!text || !file) {
        free(text);
        if (file)
            fclose(file);
        return 0;
    }
    for (const char *at = text; (at = strstr(at, mark));) {
        at += sizeof mark - 1;
        if (entry_name(at, name, sizeof name))
            fprintf(file,
                    "\n# 1 \"entries\"\n"
                    "extern \"C\" void standin_call_%s(void *const *args)\n"
                    "{ standin_run(%s, args); }\n"
                    "extern \"C\" const standin_entry standin_entry_%s =\n"
                    "standin_describe(%s, standin_call_%s);\n",
                    name, name, name, name, name);
    }
    free(text);
    return fclose(file) == 0;
}

/* What this process has compiled, kept for as long as it lives: a walk over failing calls discards
 * kernels again and again, and compiling them took most of its time. */
struct compiled {
    const struct compiled *next;
    char *text, *object;
    size_t bytes;
    int arch;
};
static const struct compiled *all_compiled;
static pthread_mutex_t compiled_lock = PTHREAD_MUTEX_INITIALIZER;

static const struct compiled *compiled_before(const char *text, int arch)
{
    pthread_mutex_lock(&compiled_lock);
    const struct compiled *found = all_compiled;
    while (found && (found->arch != arch || strcmp(found->text, text) != 0))
        found = found->next;
    pthread_mutex_unlock(&compiled_lock);
    return found;
}

static const struct compiled *remember(const char *text, int arch, const struct folder *folder)
{
    struct compiled *new = calloc(1, sizeof *new);
    if (new) {
        new->text = strdup(text);
        new->object = standin_file_read(folder->object, &new->bytes);
        new->arch = arch;
    }
    if (!new || !new->text || !new->object) {
        if (new)
            free(new->text), free(new->object);
        free(new);
        return NULL;
    }
    pthread_mutex_lock(&compiled_lock);
    new->next = all_compiled;
    all_compiled = new;
    pthread_mutex_unlock(&compiled_lock);
    return new;
}

static int make_image(nvrtcProgram program, const struct compiled *compiled,
                      const struct standin_image *header)
{
    program->image = malloc(sizeof *header + compiled->bytes);
    if (!program->image)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    *program->image = *header;
    program->image->bytes = compiled->bytes;
    memcpy(program->image + 1, compiled->object, compiled->bytes);
    program->image_bytes = sizeof *header + compiled->bytes;
    return NVRTC_SUCCESS;
}

int standin_compile(nvrtcProgram program, const struct standin_image *header)
{
    const struct compiled *compiled = compiled_before(program->text, header->arch);
    struct folder folder;
    size_t bytes;
    int code = NVRTC_ERROR_COMPILATION;
    if (compiled)
        return make_image(program, compiled, header);
    if (!folder_open(&folder))
        return NVRTC_ERROR_OUT_OF_MEMORY;
    if (preprocess(program, &folder, header->arch) && describe_entries(&folder) &&
        compile(&folder)) {
        compiled = remember(program->text, header->arch, &folder);
        code = compiled ? make_image(program, compiled, header) : NVRTC_ERROR_OUT_OF_MEMORY;
    }
    program->log = standin_file_read(folder.log, &bytes);
    folder_close(&folder);
    return code;
}
