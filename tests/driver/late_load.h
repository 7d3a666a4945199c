/* late_load.h - runtimes that name no devices, so GPU drivers are loaded later. */
#ifndef LATE_LOAD_H
#define LATE_LOAD_H

#include <yoke/yoke.h>

#include "platform/clock.h"
#include "runtime/loader.h"
#include "scenes.h"

static const int64_t ms = 1000000; /* in ns */

static inline yoke_runtime *open_default(void)
{
    yoke_runtime *runtime;
    must(yoke_open(NULL, &runtime) == YOKE_OK);
    return runtime;
}

/* A runtime that closes leaves a load behind (runtime/loader.h). */
static inline void close_and_wait(yoke_runtime *runtime)
{
    must(yoke_close(runtime) == YOKE_OK);
    while (yk_loaders_left())
        yk_clock_sleep_ns(ms / 10);
}

#endif
