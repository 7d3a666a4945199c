/* stalled.h - abandoning a device whose work never ends. */
#ifndef YK_BACKEND_STALLED_H
#define YK_BACKEND_STALLED_H

#include "backend.h"

/* Declares the device lost: every later call fails at once, and operations in flight count as
 * failed. If the backend cannot break them off, memory, queues, the device and the driver's threads
 * stay until the process ends, because freeing them would wait for the operations. Those threads
 * may still call functions passed to notify. Call it once, from any thread. */
void yk_device_break_off(struct yk_device *device);
/* Returns 1 if the device was left in that way: keep all that its driver may still call. */
int yk_device_is_left(const struct yk_device *device);

#endif
