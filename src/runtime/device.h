/* device.h - see device.c. */
#ifndef YK_RUNTIME_DEVICE_H
#define YK_RUNTIME_DEVICE_H

#include "../job/job.h"

/* 1: every device opened from now on is wrapped by backend/check.c. Set in checked builds, and by
 * tests. */
extern int yk_check_devices;
yoke_status yk_runtime_add_device(yoke_runtime *runtime, struct yk_device *device);
void yk_runtime_close_devices(yoke_runtime *runtime);
/* `loading`: when those are loaded that no device was named of. */
yoke_status yk_runtime_start_devices(yoke_runtime *runtime, const char *devices,
                                     yoke_loading loading);
yoke_status yk_runtime_open_device(const struct yk_device_desc *desc, struct yk_device **out);
/* A device that was not named could not be opened or added: logs why. */
void yk_runtime_say_left_out(const struct yk_device_desc *desc);

#endif
