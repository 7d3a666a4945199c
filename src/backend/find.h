/* find.h - what find() needs in every backend with numbered devices. */
#ifndef YK_BACKEND_FIND_H
#define YK_BACKEND_FIND_H

#include "backend.h"

/* Appends to the line in `why`, an argument of find() (backend.h); NULL is allowed. */
void yk_find_say(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns whether to load drivers although the user named no GPU: the machine has one, or the user
 * names a driver (YOKE_CUDA_LIBRARY). Takes a few system calls. */
int yk_find_sees_gpu(void);
/* Call it before a driver is loaded. Returns 0 if loading is not allowed (in a child of fork);
 * find() then returns *status. */
int yk_find_may_load(int asked, char *why, yoke_status *status);
/* Reads the number in a selector, -1 for "" (all). `thing` is for error texts, such as "GPU". */
yoke_status yk_find_number(const struct yk_device_spec *spec, const char *thing, int *wanted);
/* Rough speed of copies from pinned memory, in bytes per ns, to an NVIDIA GPU of that compute
 * capability. */
double yk_find_nvidia_link(int major);
/* Single-precision operations that one multiprocessor of an NVIDIA GPU begins per cycle; a fused
 * multiply-add counts as two. 0 if the compute capability is unknown. */
int yk_find_nvidia_width(int major, int minor);

/* Sets desc->copies to `wanted` (from copies=), or to `initial` if that is 0. */
yoke_status yk_find_copies(struct yk_device_desc *desc, int64_t wanted, int initial);

#endif
