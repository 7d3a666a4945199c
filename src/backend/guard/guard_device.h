/* guard_device.h - the device that checks what kernels touch. In checking mode a runtime has this
 * device instead of all others; no device specification names it. */
#ifndef YK_BACKEND_GUARD_DEVICE_H
#define YK_BACKEND_GUARD_DEVICE_H

#include "../backend.h"

extern const struct yk_backend yk_backend_guard;

void yk_guard_describe(struct yk_device_desc *out);

#endif
