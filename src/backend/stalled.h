/* stalled.h - abandoning a device whose work never ends. */
#ifndef YK_BACKEND_STALLED_H
#define YK_BACKEND_STALLED_H

#include "backend.h"

/* From now on every call returns at once that the device is lost, and work under way counts as
 * failed. If the backend cannot break off the work, nothing is returned to the driver, because that
 * would wait for the work: memory, queues, the device and the driver's threads stay until the
 * process ends; those threads may still call notify's functions. Call once; any thread. */
void yk_device_break_off(struct yk_device *device);
/* Whether it was abandoned in that way: then keep everything that its driver may still call. */
int yk_device_is_left(const struct yk_device *device);

#endif
