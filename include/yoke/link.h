/* yoke/link.h - how fast data reach a device, measured.
 */
#ifndef YOKE_LINK_H
#define YOKE_LINK_H

#include <yoke/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies between host and device, in bytes per second; 0: not measured. */
typedef struct yoke_link_speed {
    double to_device, from_device; /* one direction at a time */
    double both;                   /* sum of both directions at once */
} yoke_link_speed;

/* What was measured for a device; 0: not measured, because it does not apply or is impossible. */
typedef struct yoke_link {
    yoke_link_speed pinned;         /* the driver's own host memory */
    yoke_link_speed pageable;       /* host memory of malloc */
    double copy_seconds;            /* from issuing a copy of 4 bytes until the waiting thread runs
                                     * again */
    double launch_seconds;          /* the same for a kernel that does nothing */
    double memory_bytes_per_second; /* CPU devices: all cores at once, a[i] = b[i] + s * c[i]; 24
                                     * bytes per element, as STREAM counts */
} yoke_link;

/* Measures one device. Waits for the jobs submitted so far, then takes about a second of real time;
 * jobs and other programs that run meanwhile disturb it. Needs host and device memory for its
 * copies, up to 256 MB each. A simulated CPU has no memory to measure. YOKE_EINVAL if there is no
 * device `index`; YOKE_EDEVICE if it is lost. */
YOKE_API yoke_status yoke_link_measure(yoke_runtime *runtime, int index, yoke_link *out);

#ifdef __cplusplus
}
#endif
#endif
