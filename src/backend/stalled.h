/* stalled.h - taking out a device that never ends what it has. */
#ifndef YK_BACKEND_STALLED_H
#define YK_BACKEND_STALLED_H

#include "backend.h"

/* From here on every call says at once that the device is lost, and what is under way counts as
 * failed. Where the backend cannot break it off nothing is given back to the driver either, which
 * would wait for it: memory, queues and the device are left until the process ends, as are the
 * driver's threads, which may still call who asked to be notified. Once; any thread. */
void yk_device_break_off(struct yk_device *device);
/* It was left to itself like that: what it may still call has to stay. */
int yk_device_is_left(const struct yk_device *device);

#endif
