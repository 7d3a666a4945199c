/* mm_devices.h - what a runtime's devices mean for a product: who makes it with which library, and
 * how narrow panels have to be for the memory there is.
 */
#ifndef YOKE_APPS_MM_DEVICES_H
#define YOKE_APPS_MM_DEVICES_H

#include <stdio.h>
#include <yoke/yoke.h>

#include "mm_stream.h"

struct mm_devices {
    int cores;  /* of all processors */
    int others; /* devices that are none, */
    int nvidia; /* and of these NVIDIA's by CUDA */
};
yoke_status mm_devices_count(yoke_runtime *runtime, struct mm_devices *out);

enum { MM_DEVICES_TEXT = 320 };
struct mm_devices_need {
    int panels; /* the most that a device's memory asks for, that of `device`; 0: nobody asks */
    char device[YOKE_DEVICE_NAME_MAX];
    double memory_bytes;
    char without[MM_DEVICES_TEXT]; /* why one cannot take part, and what to do; "": all can */
};
/* For spec->rows of the product, which has `asked` panels if that is not 0; what of the
 * spec is the devices' is filled in here. Devices without room for any panel, or for so wide ones,
 * ask for nothing: yoke leaves them out. Fails if there are no others, with what to do. */
yoke_status mm_devices_panels(yoke_runtime *runtime, struct mm_stream_spec spec, int asked,
                              struct mm_devices_need *out);
/* A line for each of these. */
void mm_devices_report(const struct mm_devices_need *need, FILE *out);

#endif
