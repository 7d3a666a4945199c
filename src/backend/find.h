/* find.h - what the find() of every backend with numbered devices needs. */
#ifndef YK_BACKEND_FIND_H
#define YK_BACKEND_FIND_H

#include "backend.h"

/* Adds to the line that find() leaves in `why` (of the capacity backend.h states); NULL is fine. */
void yk_find_say(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether drivers of GPUs that were not named are worth loading: the machine shows a GPU, or the
 * user names a driver (YOKE_CUDA_LIBRARY). A few system calls. */
int yk_find_sees_gpu(void);
/* Before a driver is loaded. 0: it may not be, in a child of fork; *status is what find() returns.
 */
int yk_find_may_load(int asked, char *why, yoke_status *status);
/* The number in a selector, -1 for "" (all). `thing` is what the numbers stand for: "GPU". */
yoke_status yk_find_number(const struct yk_device_spec *spec, const char *thing, int *wanted);
/* Rough speed of copies from pinned memory, bytes per ns, to an NVIDIA GPU of that compute
 * capability; of an unknown one for 0. */
double yk_find_nvidia_link(int major);
/* Single-precision operations that one of its multiprocessors begins in a cycle, a fused
 * multiply-add being two; 0: of an unknown one. */
int yk_find_nvidia_width(int major, int minor);

/* copies=N, or `initial` for 0; the text names the device. */
yoke_status yk_find_copies(struct yk_device_desc *desc, int64_t wanted, int initial);

#endif
