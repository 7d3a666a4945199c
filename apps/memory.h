/* memory.h - host memory for the applications' data: page aligned, as large as the machine.
 */
#ifndef YOKE_APPS_MEMORY_H
#define YOKE_APPS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/status.h>

/* `count` elements of `size` bytes, not zeroed, to be freed with free(). On failure YOKE_ENOMEM,
 * with a text that names `what` and says to try a smaller --size. */
yoke_status app_alloc(const char *what, int64_t count, size_t size, void **out);
/* What this process can still have without swapping, by machine and cgroup. */
yoke_status app_memory_available(int64_t *out);

#endif
