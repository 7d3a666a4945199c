/* find.h - what find() needs in every backend with numbered devices. */
#ifndef YK_BACKEND_FIND_H
#define YK_BACKEND_FIND_H

#include "backend.h"

/* Appends to the line that find() leaves in `why` (capacity: see backend.h); NULL is allowed. */
void yk_find_say(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether drivers of GPUs that were not named are worth loading: the machine has a GPU, or the user
 * names a driver (YOKE_CUDA_LIBRARY). Costs a few system calls. */
int yk_find_sees_gpu(void);
/* Call before a driver is loaded. 0: loading is not allowed (in a child of fork); *status is then
 * what find() returns.
 */
int yk_find_may_load(int asked, char *why, yoke_status *status);
/* The number in a selector, -1 for "" (all). `thing` is what is numbered: "GPU". */
yoke_status yk_find_number(const struct yk_device_spec *spec, const char *thing, int *wanted);
/* Rough speed of copies from pinned memory, in bytes per ns, to an NVIDIA GPU of that compute
 * capability; 0: unknown capability. */
double yk_find_nvidia_link(int major);
/* Single-precision operations that one of its multiprocessors begins per cycle; a fused
 * multiply-add counts as two. 0: unknown capability. */
int yk_find_nvidia_width(int major, int minor);

/* Sets desc->copies to copies=N, or to `initial` if `wanted` is 0; the text names the device. */
yoke_status yk_find_copies(struct yk_device_desc *desc, int64_t wanted, int initial);

#endif
