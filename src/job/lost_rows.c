/* lost_rows.c - marks rows that a stopped job may have changed as lost, until they are written
 * again.
 */
#include "lost_rows.h"

#include "rows.h"

void yk_job_lose_rows(struct yk_job *job)
{
    const struct yk_interval all = { job->first, job->last };
    int p, place, count = atomic_load(&job->runtime->places.count);
    int64_t lost;
    for (p = 0; p < job->arg_count; p++) {
        struct yk_interval rows;
        if (!job->lanes.handed_out || !yk_writes_rows(job->args[p].mode))
            continue;
        rows = yk_job_rows(job, p, all);
        yk_transfer_spoilt(job->args[p].array, YK_HOST, rows, &lost);
        for (place = 0; place < count; place++)
            if (!job->runtime->places.items[place].device->desc.host_memory)
                yk_transfer_spoilt(job->args[p].array, job->runtime->places.items[place].number,
                                   rows, &lost);
    }
}
