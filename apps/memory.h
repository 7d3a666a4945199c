/* memory.h - host memory for the applications: page aligned, as large as the machine.
 *
 * What devices work on comes from app_data_alloc, as the user chose it with --memory; what only the
 * application itself looks at comes from app_alloc.
 */
#ifndef YOKE_APPS_MEMORY_H
#define YOKE_APPS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/yoke.h>

enum app_memory_kind {
    APP_MEMORY_PINNED,  /* yoke_alloc: devices reach it at full speed */
    APP_MEMORY_PAGEABLE /* as programs get it that know nothing of devices */
};

/* Where an application's data lie. `runtime` outlives them; other runtimes may work on them
 * meanwhile. Without one all memory is pageable. */
struct app_memory {
    enum app_memory_kind kind;
    yoke_runtime *runtime;
};

/* `count` elements of `size` bytes, not zeroed, to be freed with free(). On failure YOKE_ENOMEM,
 * with a text that names `what` and says to try a smaller --size. */
yoke_status app_alloc(const char *what, int64_t count, size_t size, void **out);
struct app_data {
    const char *what;
    int64_t count;
    size_t size;
};
/* The same for data that devices work on; to be freed with app_data_free. */
yoke_status app_data_alloc(const struct app_memory *memory, const struct app_data *data,
                           void **out);
void app_data_free(const struct app_memory *memory, void *block); /* NULL is fine */
/* Before memory is taken that a file's contents ask for: YOKE_ENOMEM if `bytes` more are not to be
 * had, with the file, what it needs and what is available. Costs some 100 us. */
yoke_status app_memory_for_file(const char *path, int64_t bytes);
/* What this process can still have without swapping, by machine, cgroup and ulimit -v. */
yoke_status app_memory_available(int64_t *out);

#endif
