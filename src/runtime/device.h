/* device.h - see device.c. */
#ifndef YK_RUNTIME_DEVICE_H
#define YK_RUNTIME_DEVICE_H

#include "../job/job.h"

/* 1: every device opened from now on is wrapped by backend/check/. Set in checked builds and by
 * tests. */
extern int yk_check_devices;
/* Adds an open device, with its queues and threads, to the runtime; closes it after an error. By
 * one thread at a time: yoke_open's, or the loader's with loader.lock held. */
yoke_status yk_runtime_add_device(yoke_runtime *runtime, struct yk_device *device);
/* Joins all threads and closes all devices. Call it with runtime.stop set, when no job is left. */
void yk_runtime_close_devices(yoke_runtime *runtime);
/* Opens the devices of the list. If that is NULL or empty, opens the cores, and `loading` says when
 * GPU drivers are loaded; but if the number of CPU threads depends on the GPUs, opens all devices
 * at once. */
yoke_status yk_runtime_start_devices(yoke_runtime *runtime, const char *devices,
                                     yoke_loading loading);
/* Opens a device that no runtime has yet. */
yoke_status yk_runtime_open_device(const struct yk_device_desc *desc, struct yk_device **out);
/* Logs that a device which was not named could not be opened or added. The thread's error text must
 * be the reason. */
void yk_runtime_say_left_out(const struct yk_device_desc *desc);

#endif
