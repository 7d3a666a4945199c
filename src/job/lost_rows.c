/* lost_rows.c - marks rows that a job should have written and did not as lost, until they are
 * written again. A program that does not look at its tickets then gets an error and not old rows.
 * Only if the program itself stopped the job before anything began are its rows what they were.
 */
#include "lost_rows.h"

#include "rows.h"

int yk_job_loses_rows(const struct yk_job *job)
{
    return job->lanes.handed_out || job->order.misses_rows ||
           atomic_load(&job->lanes.stop) == YK_STOP_FAILED;
}

void yk_job_lose_rows(struct yk_job *job)
{
    const struct yk_interval all = { job->first, job->last };
    int p, place, count = atomic_load(&job->runtime->places.count);
    int64_t lost;
    for (p = 0; p < job->arg_count; p++) {
        struct yk_interval rows;
        if (!yk_job_loses_rows(job) || !yk_writes_rows(job->args[p].mode))
            continue;
        rows = yk_job_rows(job, p, all);
        yk_transfer_spoilt(job->args[p].array, YK_HOST, rows, &lost);
        for (place = 0; place < count; place++)
            if (!job->runtime->places.items[place].device->desc.host_memory)
                yk_transfer_spoilt(job->args[p].array, job->runtime->places.items[place].number,
                                   rows, &lost);
    }
}
