/* host_lane.c - lanes of the CPU that stand for threads that drive a GPU.
 *
 * Some partitioners count the threads that drive a GPU as lanes of the CPU (enum yk_hosts). In yoke
 * a separate host thread drives a GPU and sleeps most of the time. Its `host lane` is a lane of the
 * CPU which, while the GPU works, gets nothing or gets chunks beside the GPU's. Such a chunk is
 * done piece by piece. After each piece the lane checks, without a lock, whether the GPU's chunk
 * was reported. If so, it reports the pieces that it has done. Every piece is a separate flight, so
 * rows of pieces that were not done never count as written.
 */

#include "host_lane.h"

#include "../job/wake.h"
#include "../partition/partitioner.h"

/* Returns the first device that works in host memory; -1: none. */
static int first_cpu(const struct yk_split_device *known, int count)
{
    int d = 0;
    while (d < count && !known[d].host_memory)
        d++;
    return d < count ? d : -1;
}

/* Gives the GPUs host lanes, one to each in turn, until all have enough or one lane is left. */
static void count_hosts(struct yk_split_device *known, int count, int lanes, int64_t streams)
{
    int d, left = lanes - 1, before;
    do {
        before = left;
        for (d = 0; d < count && left > 0; d++)
            if (!known[d].host_memory && known[d].hosts < known[d].lanes &&
                known[d].hosts < streams) {
                known[d].hosts++;
                left--;
            }
    } while (left < before);
}

yoke_status yk_host_lanes_plan(struct yk_job *job, struct yk_split_device *known, int count)
{
    int64_t streams;
    int d, next, cpu = first_cpu(known, count);
    yoke_status status = yk_partitioner_streams(job->split.partitioner, &streams);
    if (status != YOKE_OK || streams < 1 || cpu < 0)
        return status;
    job->lanes.hosting = cpu;
    job->lanes.hosts_work = yk_partitioner_find(job->split.partitioner)->hosts == YK_HOSTS_WORK;
    next = known[cpu].lanes;
    count_hosts(known, count, next, streams);
    for (d = 0; d < count; d++) {
        next -= known[d].hosts;
        known[d].host_lane = known[d].hosts ? next : 0;
        job->devices[d].hosts = known[d].hosts;
        job->devices[d].host_lane = known[d].host_lane;
    }
    return YOKE_OK;
}

/* Returns the device for which the lane stands, and sets *which to the number of that device's
 * lane. NULL: none. */
static struct yk_job_device *driven_by(const struct yk_job *job, int device, int lane, int *which)
{
    int d;
    for (d = 0; device == job->lanes.hosting && d < job->device_count; d++) {
        struct yk_job_device *jd = &job->devices[d];
        *which = lane - jd->host_lane;
        if (*which >= 0 && *which < jd->hosts)
            return jd;
    }
    return NULL;
}

int yk_host_lane_rests(const struct yk_job *job, int device, int lane)
{
    int which;
    const struct yk_job_device *gpu = driven_by(job, device, lane, &which);
    return gpu && atomic_load_explicit(&gpu->flights[which].out, memory_order_relaxed) != 0;
}

void yk_host_lane_call(struct yk_job *job, int device, int lane, int got)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    int again = !got && flight->refused;
    struct yk_worker *workers;
    flight->refused = !got;
    if (lane >= jd->hosts || again || (got && !job->lanes.hosts_work))
        return;
    workers = job->runtime->devices[job->lanes.hosting].workers;
    if (workers) /* NULL: one thread steps all lanes */
        yk_wake(job->runtime, &workers[jd->host_lane + lane]);
}

/* Returns `out` of the GPU's lane that has the chunk with this serial. NULL: none. With job.lock
 * held. */
static const _Atomic uint32_t *find_out(const struct yk_job *job, uint32_t serial)
{
    int d, lane;
    for (d = 0; d < job->device_count; d++) {
        const struct yk_job_device *jd = &job->devices[d];
        for (lane = 0; lane < jd->device->lanes; lane++)
            if (atomic_load_explicit(&jd->flights[lane].out, memory_order_relaxed) == serial)
                return &jd->flights[lane].out;
    }
    return NULL;
}

void yk_beside_open(const struct yk_job *job, struct yk_flight *flight,
                    const struct yk_chunk *chunk, int64_t now)
{
    flight->beside = (struct yk_beside){ .chunk = *chunk,
                                         .next = chunk->first,
                                         .issued_ns = now,
                                         .other = find_out(job, chunk->beside) };
    yk_beside_cut(flight);
}

void yk_beside_cut(struct yk_flight *flight)
{
    const struct yk_beside *beside = &flight->beside;
    int64_t left = beside->chunk.last - beside->next;
    flight->slot = -1;
    flight->chunk = beside->chunk;
    flight->chunk.first = beside->next;
    if (left > beside->chunk.piece)
        flight->chunk.last = beside->next + beside->chunk.piece;
}

int yk_beside_ended(struct yk_flight *flight, int64_t now)
{
    struct yk_beside *beside = &flight->beside;
    beside->next = flight->chunk.last;
    beside->work_ns += now - flight->issued_ns;
    /* relaxed: only a hint; no other data are read because of it */
    return beside->next == beside->chunk.last || !beside->other ||
           atomic_load_explicit(beside->other, memory_order_relaxed) != beside->chunk.beside;
}
