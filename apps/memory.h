/* memory.h - host memory for the applications: page aligned, for sizes up to the machine's.
 *
 * Data that devices work on come from app_data_alloc, of the kind that the user chose with
 * --memory; data that only the application uses come from app_alloc.
 */
#ifndef YOKE_APPS_MEMORY_H
#define YOKE_APPS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/yoke.h>

enum app_memory_kind {
    APP_MEMORY_PINNED,  /* yoke_alloc: devices reach it at full speed */
    APP_MEMORY_PAGEABLE /* as in programs that know nothing of devices */
};

/* Where an application's data are. `runtime` must outlive them; other runtimes may work on them,
 * too. Without a runtime all memory is pageable. */
struct app_memory {
    enum app_memory_kind kind;
    yoke_runtime *runtime;
};

/* `count` elements of `size` bytes, not zeroed; free with free(). On failure YOKE_ENOMEM, with a
 * text that names `what` and suggests a smaller --size. */
yoke_status app_alloc(const char *what, int64_t count, size_t size, void **out);
struct app_data {
    const char *what;
    int64_t count;
    size_t size;
};
/* Allocates data that devices work on; free them with app_data_free. */
yoke_status app_data_alloc(const struct app_memory *memory, const struct app_data *data,
                           void **out);
void app_data_free(const struct app_memory *memory, void *block); /* NULL is allowed */
/* Call before allocating memory whose size a file determines. Returns YOKE_ENOMEM if `bytes` are
 * not available, with a text that names the file, its need and what is available. Costs some 100
 * us. */
yoke_status app_memory_for_file(const char *path, int64_t bytes);
/* Sets *out to the bytes still free without swapping, by machine, cgroup and ulimit -v. */
yoke_status app_memory_available(int64_t *out);

#endif
