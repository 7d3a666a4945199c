/* cold.h - inputs that come from memory: the cores' caches are filled with something else first.
 *
 * A run that begins a millisecond after its inputs were written finds a part of them in the caches,
 * a third of them where caches have hundreds of megabytes, and how much depends on who wrote them.
 */
#ifndef YOKE_APPS_COLD_H
#define YOKE_APPS_COLD_H

#include <stdint.h>
#include <yoke/yoke.h>

/* Twice what all caches hold. */
struct app_cold {
    char *bytes; /* NULL: not open */
    int64_t count;
};

/* On failure YOKE_ENOMEM, and nothing is to be closed. */
yoke_status app_cold_open(struct app_cold *out);
/* All cores read all of it, once; they write nothing, so no run has to make room for it. */
yoke_status app_cold_evict(const struct app_cold *cold);
void app_cold_close(struct app_cold *cold);

#endif
