/* mm_devices.h - what a runtime's devices mean for a product: which of them uses which library, and
 * how narrow panels must be for their memory.
 */
#ifndef YOKE_APPS_MM_DEVICES_H
#define YOKE_APPS_MM_DEVICES_H

#include <stdio.h>
#include <yoke/yoke.h>

#include "mm_stream.h"

struct mm_devices {
    int cores;  /* of all processors */
    int others; /* devices that are not processors */
    int nvidia; /* number of these that are NVIDIA's, with CUDA */
};
yoke_status mm_devices_count(yoke_runtime *runtime, struct mm_devices *out);

enum { MM_DEVICES_TEXT = 320 };
struct mm_devices_need {
    int panels; /* the most panels that a device's memory requires, those of `device`; 0: none
                 * requires any */
    char device[YOKE_DEVICE_NAME_MAX];
    double memory_bytes;
    char without[MM_DEVICES_TEXT]; /* why a device cannot take part, and what to do; "": all can */
};
/* Finds what the devices' memory requires for spec->rows rows of the product, with `asked` panels
 * if that is not 0; sets the devices' fields of `spec` itself. A device without room for any panel,
 * or for panels of that width, requires nothing, because yoke leaves it out. If there are no other
 * devices, this fails with a text that says what to do. */
yoke_status mm_devices_panels(yoke_runtime *runtime, struct mm_stream_spec spec, int asked,
                              struct mm_devices_need *out);
/* Prints a line about the panels required and one about a device left out, if there are such. */
void mm_devices_report(const struct mm_devices_need *need, FILE *out);

#endif
