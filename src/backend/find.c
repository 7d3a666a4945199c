/* find.c - see find.h. */
#include "find.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/option.h"
#include "../base/status.h"
#include "../platform/fork.h"
#include "../platform/topology.h"

enum { WHY_CAPACITY = 512, NUMBER_MOST = 1 << 20 };

void yk_find_say(char *why, const char *format, ...)
{
    if (!why)
        return;
    size_t used = strlen(why);
    va_list values;
    va_start(values, format);
    vsnprintf(why + used, WHY_CAPACITY - used, format, values);
    va_end(values);
}

int yk_find_sees_gpu(void)
{
    const char *named = yk_environment("YOKE_CUDA_LIBRARY");
    return (named && *named) || yk_gpu_present();
}

int yk_find_may_load(int asked, char *why, yoke_status *status)
{
    static const char text[] = "this process was forked from one that had opened GPU drivers, "
                               "which do not work in a child; "
                               "use the cores (devices=cpu), or fork before the first yoke_open";
    if (!yk_drivers_are_lost()) {
        yk_driver_opens();
        return 1;
    }
    yk_find_say(why, "%s", text);
    *status = asked ? yk_fail(YOKE_ENODEV, "%s", text) : YOKE_OK;
    return 0;
}

yoke_status yk_find_number(const struct yk_device_spec *spec, const char *thing, int *wanted)
{
    const char *text = spec->selector, *name = spec->backend->name;
    char *end;
    long number = strtol(text, &end, 10);
    *wanted = -1;
    if (!*text)
        return YOKE_OK;
    if (*end || text[0] < '0' || text[0] > '9' || number > NUMBER_MOST)
        return yk_fail(YOKE_EINVAL, "%s:%s: a %s is named by its number, as %s:0", name, text,
                       thing, name);
    *wanted = (int)number;
    return YOKE_OK;
}

double yk_find_nvidia_link(int major)
{
    /* PCI Express 5 from compute capability 9 on, 4 from 8 on, else 3 */
    return major >= 9 ? 50 : major >= 8 ? 24 : 12;
}

/* CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions", 32-bit floating-point
 * multiply-add. */
int yk_find_nvidia_width(int major, int minor)
{
    switch (major) {
    case 7:
        return 2 * 64;
    case 6:
    case 8:
        return minor == 0 ? 2 * 64 : 2 * 128;
    case 5:
    case 9:
    case 10:
    case 12:
        return 2 * 128;
    default:
        return 0;
    }
}

yoke_status yk_find_copies(struct yk_device_desc *desc, int64_t wanted, int initial)
{
    if (wanted > YK_COPIES_MOST || (wanted & (wanted - 1)))
        return yk_fail(YOKE_EINVAL, "%s: copies=%lld is not a power of two up to %d", desc->name,
                       (long long)wanted, YK_COPIES_MOST);
    desc->copies = wanted ? (int)wanted : initial;
    return YOKE_OK;
}
