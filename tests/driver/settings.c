/* settings.c - the simulated machine, from the environment.
 *
 *   YOKE_STANDIN_GPUS=2         number of GPUs; CUDA_VISIBLE_DEVICES selects from them by number
 *   YOKE_STANDIN_CORES=2        multiprocessors of each GPU, of 256 threads
 *   YOKE_STANDIN_MEMORY=256M    memory of each GPU
 *   YOKE_STANDIN_PINNED=1G      host memory that can be pinned
 *   YOKE_STANDIN_ARCH=80        compute capability 8.0
 *   YOKE_STANDIN_DRIVER=13000   the driver supports CUDA 13.0
 *   YOKE_STANDIN_PEERS=0        no GPU can access another's memory
 *   YOKE_STANDIN_UNIFIED=0      host memory has other addresses on GPUs
 *   YOKE_STANDIN_MODE=2         compute mode: prohibited
 *   YOKE_STANDIN_INIT=803       result of cuInit
 *   YOKE_STANDIN_INIT_MS=150    duration of cuInit
 *   YOKE_STANDIN_CONTEXT=46     result of cuCtxCreate
 *   YOKE_STANDIN_FAIL=700,5,for-good,cuMemAlloc   code, nth call, once | for-good | hangs | later,
 *                               function */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static struct standin_settings settings;
static char failing_function[64];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static long number(const char *variable, long initial)
{
    const char *text = getenv(variable);
    return text && *text ? strtol(text, NULL, 10) : initial;
}

static size_t bytes(const char *variable, size_t initial)
{
    const char *text = getenv(variable);
    char *end;
    if (!text || !*text)
        return initial;
    size_t value = strtoull(text, &end, 10);
    return value << (*end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0);
}

/* Like the driver: a word that is not a GPU's number, or a repeated number, ends the list. */
static void read_visible(const char *text)
{
    while (*text) {
        char *end;
        long index = strtol(text, &end, 10);
        if (end == text || index < 0 || index >= settings.gpus)
            return;
        for (int i = 0; i < settings.visible_count; ++i)
            if (settings.visible[i] == index)
                return;
        settings.visible[settings.visible_count++] = (int)index;
        if (*end != ',')
            return;
        text = end + 1;
    }
}

static void read_failure(const char *text)
{
    char kind[16] = "once";
    struct standin_failure *failure = &settings.failure;
    if (sscanf(text, "%d,%ld,%15[^,],%63s", &failure->code, &failure->nth, kind,
               failing_function) == 4)
        failure->function = failing_function;
    failure->kind = strcmp(kind, "later") == 0      ? STANDIN_LATER
                    : strcmp(kind, "hangs") == 0    ? STANDIN_HANGS
                    : strcmp(kind, "for-good") == 0 ? STANDIN_FOR_GOOD
                                                    : STANDIN_ONCE;
}

static void read_all(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES"), *failure = getenv("YOKE_STANDIN_FAIL");
    settings.gpus = (int)number("YOKE_STANDIN_GPUS", 1);
    if (settings.gpus > STANDIN_GPUS_MOST)
        settings.gpus = STANDIN_GPUS_MOST;
    read_visible(visible ? visible : "0,1,2,3,4,5,6,7");
    settings.memory_bytes = bytes("YOKE_STANDIN_MEMORY", (size_t)256 << 20);
    settings.cores = (int)number("YOKE_STANDIN_CORES", 2);
    settings.pinned_bytes = bytes("YOKE_STANDIN_PINNED", (size_t)1 << 40);
    settings.arch = (int)number("YOKE_STANDIN_ARCH", 80);
    settings.version = (int)number("YOKE_STANDIN_DRIVER", 13000);
    settings.peers = (int)number("YOKE_STANDIN_PEERS", 1);
    settings.unified = (int)number("YOKE_STANDIN_UNIFIED", 1);
    settings.compute_mode = (int)number("YOKE_STANDIN_MODE", 0);
    settings.init_code = (int)number("YOKE_STANDIN_INIT", 0);
    settings.init_ms = (int)number("YOKE_STANDIN_INIT_MS", 0);
    settings.context_code = (int)number("YOKE_STANDIN_CONTEXT", 0);
    if (failure)
        read_failure(failure);
}

const struct standin_settings *standin_settings(void)
{
    pthread_once(&once, read_all);
    return &settings;
}
