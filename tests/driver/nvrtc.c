/* nvrtc.c - the stand-in for NVRTC: its calls.
 *
 *   YOKE_STANDIN_NVRTC=13.0      the version that it reports
 *   YOKE_STANDIN_ARCHS=75,80,90  the compute capabilities that it supports
 *   YOKE_STANDIN_NVRTC_FAIL=1    the code with which each compilation fails */
#include "nvrtc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NVRTC_INVALID_INPUT = 3, NVRTC_INVALID_OPTION = 5, ARCHS_MOST = 16 };

static void read_version(int *major, int *minor)
{
    const char *text = getenv("YOKE_STANDIN_NVRTC");
    *major = 13;
    *minor = 0;
    if (text)
        sscanf(text, "%d.%d", major, minor);
}

static int read_archs(int archs[ARCHS_MOST])
{
    const char *text = getenv("YOKE_STANDIN_ARCHS");
    int count = 0, length;
    for (text = text ? text : "75,80,86,90"; count < ARCHS_MOST; text += length) {
        if (sscanf(text, "%d%n", &archs[count], &length) != 1)
            break;
        ++count;
        length += text[length] == ',';
    }
    return count;
}

int nvrtcVersion(int *major, int *minor)
{
    read_version(major, minor);
    return NVRTC_SUCCESS;
}

int nvrtcGetNumSupportedArchs(int *count)
{
    int archs[ARCHS_MOST];
    *count = read_archs(archs);
    return NVRTC_SUCCESS;
}

int nvrtcGetSupportedArchs(int *archs)
{
    int known[ARCHS_MOST], count = read_archs(known);
    memcpy(archs, known, (size_t)count * sizeof *archs);
    return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(int code)
{
    switch (code) {
    case NVRTC_SUCCESS:
        return "NVRTC_SUCCESS";
    case NVRTC_ERROR_OUT_OF_MEMORY:
        return "NVRTC_ERROR_OUT_OF_MEMORY";
    case NVRTC_INVALID_INPUT:
        return "NVRTC_ERROR_INVALID_INPUT";
    case NVRTC_INVALID_OPTION:
        return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION:
        return "NVRTC_ERROR_COMPILATION";
    default:
        return "NVRTC_ERROR unknown";
    }
}

int nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *name, int header_count,
                       const char *const *headers, const char *const *header_names)
{
    (void)headers;
    (void)header_names;
    if (!text || header_count)
        return NVRTC_INVALID_INPUT;
    nvrtcProgram made = calloc(1, sizeof *made);
    if (!made)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    made->text = strdup(text);
    made->name = strdup(name ? name : "default_program");
    if (!made->text || !made->name) {
        nvrtcDestroyProgram(&made);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    *program = made;
    return NVRTC_SUCCESS;
}

int nvrtcDestroyProgram(nvrtcProgram *program)
{
    nvrtcProgram old = *program;
    free(old->text);
    free(old->name);
    free(old->log);
    free(old->image);
    free(old);
    *program = NULL;
    return NVRTC_SUCCESS;
}

static int refuse(nvrtcProgram program, const char *option)
{
    size_t bytes = strlen(option) + 64;
    program->log = malloc(bytes);
    if (!program->log)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    snprintf(program->log, bytes, "nvrtc: error: invalid option or value: %s\n", option);
    return NVRTC_INVALID_OPTION;
}

static int read_option(const char *option, struct standin_image *header)
{
    int archs[ARCHS_MOST], count = read_archs(archs);
    if (strncmp(option, "--std=c++", 9) == 0 || strcmp(option, "--fmad=false") == 0)
        return 1;
    if (sscanf(option, "--gpu-architecture=sm_%d", &header->arch) == 1)
        header->kind = STANDIN_CUBIN;
    else if (sscanf(option, "--gpu-architecture=compute_%d", &header->arch) == 1)
        header->kind = STANDIN_PTX;
    else
        return 0;
    for (int i = 0; i < count; ++i)
        if (archs[i] == header->arch)
            return 1;
    return 0;
}

/* The text of an EXACT kernel says so; then the matching option must be given. */
static int is_told(const struct _nvrtcProgram *program, int count, const char *const *options)
{
    for (int i = 0; i < count; ++i)
        if (strcmp(options[i], "--fmad=false") == 0)
            return 1;
    return !strstr(program->text, "yk_exact");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static const char *counted; /* under lock, as are the next two */
static long compilations;
static int holds;

void standin_count_compilations(const char *name)
{
    pthread_mutex_lock(&lock);
    counted = name;
    compilations = 0;
    pthread_mutex_unlock(&lock);
}

void standin_hold_compilations(int hold)
{
    pthread_mutex_lock(&lock);
    holds = hold;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

long standin_compilations(void)
{
    pthread_mutex_lock(&lock);
    const long result = compilations;
    pthread_mutex_unlock(&lock);
    return result;
}

static void count(const char *name)
{
    pthread_mutex_lock(&lock);
    if (counted && strcmp(counted, name) == 0) {
        ++compilations;
        while (holds)
            pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

int nvrtcCompileProgram(nvrtcProgram program, int option_count, const char *const *options)
{
    struct standin_image header = { .magic = STANDIN_MAGIC, .kind = STANDIN_PTX, .arch = 75 };
    const char *fail = getenv("YOKE_STANDIN_NVRTC_FAIL");
    int major, minor;
    count(program->name);
    free(program->log);
    free(program->image);
    program->log = NULL;
    program->image = NULL;
    if (fail && *fail)
        return atoi(fail);
    for (int i = 0; i < option_count; ++i)
        if (!read_option(options[i], &header))
            return refuse(program, options[i]);
    if (!is_told(program, option_count, options))
        return refuse(program, "fmad is true for a kernel that is EXACT");
    read_version(&major, &minor);
    header.version = 1000 * major + 10 * minor;
    return standin_compile(program, &header);
}

int nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size)
{
    *size = program->log ? strlen(program->log) + 1 : 1;
    return NVRTC_SUCCESS;
}

int nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    strcpy(log, program->log ? program->log : "");
    return NVRTC_SUCCESS;
}

static int image_size(const struct _nvrtcProgram *program, int kind, size_t *size)
{
    int has = program->image && program->image->kind == kind;
    *size = has ? program->image_bytes : 0;
    return has ? NVRTC_SUCCESS : NVRTC_INVALID_INPUT;
}

static int image_copy(const struct _nvrtcProgram *program, int kind, char *to)
{
    size_t size;
    int code = image_size(program, kind, &size);
    if (code == NVRTC_SUCCESS)
        memcpy(to, program->image, size);
    return code;
}

int nvrtcGetPTXSize(nvrtcProgram program, size_t *size)
{
    return image_size(program, STANDIN_PTX, size);
}

int nvrtcGetPTX(nvrtcProgram program, char *ptx)
{
    return image_copy(program, STANDIN_PTX, ptx);
}

int nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
    return image_size(program, STANDIN_CUBIN, size);
}

int nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
    return image_copy(program, STANDIN_CUBIN, cubin);
}
