/* cold.h - makes inputs come from memory: fills the cores' caches with other data first.
 *
 * A run that begins a millisecond after its inputs were written finds part of them in the caches: a
 * third, where caches have hundreds of megabytes. How much depends on which cores wrote them.
 */
#ifndef YOKE_APPS_COLD_H
#define YOKE_APPS_COLD_H

#include <stdint.h>
#include <yoke/yoke.h>

/* Memory of twice the size of all caches, at least 64 MiB. */
struct app_cold {
    char *bytes; /* NULL: not open */
    int64_t count;
};

/* On failure returns YOKE_ENOMEM, and there is nothing to close. */
yoke_status app_cold_open(struct app_cold *out);
/* All cores read all of it once. They write nothing, so no run has to write back. */
yoke_status app_cold_evict(const struct app_cold *cold);
void app_cold_close(struct app_cold *cold);

#endif
