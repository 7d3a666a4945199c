/* cold.c - see cold.h. */
#include "cold.h"

#include <stdlib.h>
#include <string.h>
#include <yoke/doctor.h>

#include "cores.h"
#include "memory.h"

enum { BLOCKS = 256, LINE = 64, LEAST = 64 << 20 };

/* Each core has its own L2; each NUMA node, or processor, an L3. */
static yoke_status cache_bytes(int64_t *out)
{
    yoke_machine machine;
    yoke_status status = yoke_machine_get(&machine);
    if (status == YOKE_OK)
        *out = machine.l3_bytes * (machine.numa_nodes > 1 ? machine.numa_nodes : 1) +
               machine.l2_bytes * machine.cores;
    return status;
}

yoke_status app_cold_open(struct app_cold *out)
{
    struct app_cold cold = { 0 };
    yoke_status status = cache_bytes(&cold.count);
    if (status != YOKE_OK)
        return status;
    cold.count = cold.count < LEAST / 2 ? LEAST : 2 * cold.count;
    status = app_alloc("what fills the caches", cold.count, 1, (void **)&cold.bytes);
    if (status != YOKE_OK)
        return status;
    memset(cold.bytes, 1, (size_t)cold.count); /* pages that were never written would all map to the
                                                * same page of zeros */
    *out = cold;
    return YOKE_OK;
}

static void read_block(void *context, int64_t block)
{
    const struct app_cold *cold = context;
    struct cores_span span = cores_span(cold->count, BLOCKS, block);
    const volatile char *bytes = cold->bytes;
    for (int64_t at = span.first; at < span.last; at += LINE)
        (void)bytes[at];
}

yoke_status app_cold_evict(const struct app_cold *cold)
{
    const struct cores_work work = { "evict", read_block, (void *)cold, BLOCKS };
    return cores_run_once(&work);
}

void app_cold_close(struct app_cold *cold)
{
    free(cold->bytes);
    cold->bytes = NULL;
}
