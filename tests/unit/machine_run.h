/* machine_run.h - runs one job on a machine of dispatch_machine.h, from the first request to the
 * last report, in virtual time. Each lane requests work, does it and reports. Lanes of a CPU device
 * cut leases. A GPU does its copies one after another, and so its kernels; its lanes overlap
 * the two.
 *
 * Every item is counted, so a test notices if an item was lost or done twice. */
#ifndef MACHINE_RUN_H
#define MACHINE_RUN_H

#include <stdio.h>
#include <stdlib.h>

#include "machine_device.h"

/* --- requests and reports --- */

static inline void complete(struct machine *m, int d, int64_t first, int64_t last)
{
    unsigned char *done = m->times_done + (first - m->first);
    size_t items = (size_t)(last - first), i;
    memset(m->by + (first - m->first), d, items);
    if (memchr(done, 1, items)) /* some were done before: keep the count; the run is wrong */
        for (i = 0; i < items; i++)
            done[i]++;
    else
        memset(done, 1, items);
}

static inline uint64_t lane_bit(int l)
{
    return (uint64_t)1 << l;
}

/* The first of the lanes `wanted`, starting at l. */
static inline int next_lane(uint64_t wanted, int l)
{
    wanted = l < LANES_MAX ? wanted & (UINT64_MAX << l) : 0;
    return wanted ? __builtin_ctzll(wanted) : LANES_MAX;
}

static inline void set_end(struct device_run *run, int l, int64_t end)
{
    int i = LANES_MAX + l;
    for (run->soonest[i] = end; i > 1; i /= 2) {
        const int64_t mine = run->soonest[i], other = run->soonest[i ^ 1];
        run->soonest[i / 2] = mine < other ? mine : other;
    }
}

static inline void begin(struct device_run *run, int l, int64_t end)
{
    run->busy |= lane_bit(l);
    set_end(run, l, end);
}

static inline void end(struct device_run *run, int l)
{
    run->busy &= ~lane_bit(l);
    set_end(run, l, INT64_MAX);
}

/* The first busy lane that has ended at `now`; LANES_MAX: none has. */
static inline int due_lane(const struct device_run *run, int64_t now)
{
    int i = 1;
    while (i < LANES_MAX && run->soonest[i] <= now)
        i = 2 * i + (run->soonest[2 * i] > now);
    return i < LANES_MAX ? LANES_MAX : i - LANES_MAX;
}

static inline void all_idle(struct device_run *run)
{
    run->busy = 0;
    for (int i = 0; i < 2 * LANES_MAX; i++)
        run->soonest[i] = INT64_MAX;
}

static inline int cut_lease(struct machine *m, int d, int l)
{
    struct device_run *run = &m->runs[d];
    struct lane *lane = &run->lanes[l];
    const struct model *model = &m->models[d];
    struct lease *lease = run->current < 0 ? NULL : &run->leases[run->current];
    if (!lease || lease->next >= lease->chunk.last)
        return 0;
    lane->first = lease->next;
    lane->last = lease->next + lease->chunk.piece;
    if (lane->last > lease->chunk.last)
        lane->last = lease->chunk.last;
    lease->next = lane->last;
    lane->lease = run->current;
    begin(run, l,
          m->now + 100 +
              (int64_t)ceil(model->item_ns * model->known.lanes *
                            whole_vectors(model, lane->last - lane->first) * uneven(m, model)));
    return 1;
}

static inline void publish(struct machine *m, int d, const struct yk_chunk *chunk)
{
    struct device_run *run = &m->runs[d];
    int slot = 0;
    while (run->leases[slot].pieces_left > 0)
        slot++;
    run->leases[slot] =
        (struct lease){ .chunk = *chunk,
                        .next = chunk->first,
                        .issued = m->now,
                        .pieces_left = (chunk->last - chunk->first - 1) / chunk->piece + 1 };
    run->current = slot;
}

static inline int ask(struct machine *m, int d, int l)
{
    struct device_run *run = &m->runs[d];
    struct lane *lane = &run->lanes[l];
    struct yk_chunk chunk;
    enum yk_verdict verdict;
    int host = m->models[d].known.host_memory;
    if (host && cut_lease(m, d, l))
        return 1;
    m->asked++;
    verdict =
        yk_dispatch_next(m->dispatch, &(struct yk_request){ d, l, m->now }, &chunk, &run->wake[l]);
    if (verdict != YK_TAKE)
        return 0;
    m->got++;
    if (m->trace)
        printf("%12lld dev %d lane %d [%lld, %lld) %lld piece %lld %s\n", (long long)m->now, d, l,
               (long long)chunk.first, (long long)chunk.last, (long long)(chunk.last - chunk.first),
               (long long)chunk.piece, chunk.reason);
    if (host) {
        publish(m, d, &chunk);
        return cut_lease(m, d, l);
    }
    lane->chunk = chunk;
    lane->first = chunk.first;
    lane->last = chunk.last;
    lane->lease = -1;
    lane->issued = m->now;
    begin(run, l,
          m->models[d].memory > 0 && chunk.last - chunk.first > m->models[d].memory
              ? m->now + 1000
              : gpu_end(m, d, chunk.last - chunk.first));
    return 1;
}

static inline void answer(struct machine *m, int d, int l)
{
    struct device_run *run = &m->runs[d];
    struct lane *lane = &run->lanes[l];
    struct yk_chunk_times times = { .issued = lane->issued, .ended = m->now };
    int64_t items = lane->last - lane->first, memory = m->models[d].memory;
    end(run, l);
    m->end_ns[d] = (double)m->now;
    if (lane->lease < 0 && memory > 0 && items > memory) {
        yk_dispatch_returned(m->dispatch, &lane->chunk, items / 2);
        return;
    }
    complete(m, d, lane->first, lane->last);
    if (lane->lease < 0) {
        yk_dispatch_done(m->dispatch, &lane->chunk, items, &times);
        return;
    }
    if (--run->leases[lane->lease].pieces_left == 0) {
        const struct lease *lease = &run->leases[lane->lease];
        times.issued = lease->issued;
        yk_dispatch_done(m->dispatch, &lease->chunk, lease->chunk.last - lease->chunk.first,
                         &times);
    }
}

/* A device fails: its work in progress is undone; with all_or_nothing, all it ever did. */
static inline void fail_device(struct machine *m, int d)
{
    struct device_run *run = &m->runs[d];
    int64_t i;
    int l;
    run->gone = run->failed = 1;
    for (i = m->first; i < m->last; i++)
        if (m->all_or_nothing && m->by[i - m->first] == d) {
            m->times_done[i - m->first] = 0;
            m->by[i - m->first] = -1;
        }
    /* Pieces of leases that were not reported as a whole are done again too. */
    for (l = 0; l < LEASES_MAX; l++)
        if (run->leases[l].pieces_left > 0) {
            for (i = run->leases[l].chunk.first; i < run->leases[l].chunk.last; i++) {
                m->times_done[i - m->first] = 0;
                m->by[i - m->first] = -1;
            }
            run->leases[l].pieces_left = 0;
        }
    run->current = -1;
    all_idle(run);
    yk_dispatch_failed(m->dispatch, d, "it was unplugged");
}

static inline void leave_device(struct machine *m, int d)
{
    m->runs[d].gone = 1;
    yk_dispatch_leave(m->dispatch, d, "it was told to go");
}

/* --- time --- */

static inline int due(int64_t when, int64_t now)
{
    return when != NEVER && when <= now;
}

static inline void happen(struct machine *m)
{
    int d, l;
    for (d = 0; d < m->count; d++) {
        struct device_run *run = &m->runs[d];
        const struct model *model = &m->models[d];
        if (!run->joined && !run->gone && due(model->join_ns, m->now)) {
            run->joined = 1;
            yk_dispatch_join(m->dispatch, d, m->now);
        }
        while ((l = due_lane(run, m->now)) < LANES_MAX)
            answer(m, d, l);
        if (!run->failed && due(model->fail_ns, m->now))
            fail_device(m, d);
        if (!run->gone && due(model->leave_ns, m->now))
            leave_device(m, d);
    }
}

static inline void ask_all(struct machine *m)
{
    int d, l, more = 1;
    while (more) {
        more = 0;
        for (d = 0; d < m->count; d++) {
            const struct device_run *run = &m->runs[d];
            for (l = 0; l < m->models[d].known.lanes && run->joined && !run->failed; l++) {
                l = next_lane(~run->busy, l);
                if (l < m->models[d].known.lanes && ask(m, d, l))
                    more = 1;
            }
        }
    }
}

static inline void sooner(int64_t *next, int64_t when, int64_t now)
{
    if (when > now && (*next == NEVER || when < *next))
        *next = when;
}

static inline int64_t next_event(const struct machine *m)
{
    int64_t next = NEVER;
    int d, l;
    for (d = 0; d < m->count; d++) {
        const struct device_run *run = &m->runs[d];
        if (run->busy)
            sooner(&next, run->soonest[1], m->now);
        for (l = next_lane(~run->busy, 0); l < m->models[d].known.lanes;
             l = next_lane(~run->busy, l + 1))
            sooner(&next, run->wake[l], m->now);
        if (!run->joined && !run->gone)
            sooner(&next, m->models[d].join_ns, m->now);
        if (!run->failed)
            sooner(&next, m->models[d].fail_ns, m->now);
        if (!run->gone)
            sooner(&next, m->models[d].leave_ns, m->now);
    }
    return next;
}

/* 0: every item was done exactly once. Otherwise the number of items that were not; -1: the run got
 * stuck; -2: the dispatcher's bookkeeping is inconsistent. */
static inline int64_t check_run(struct machine *m)
{
    int64_t i, wrong = 0, items = m->last - m->first;
    unsigned char *done = m->times_done;
    /* all equal to the first, which is 1 */
    if (items > 0 && (done[0] != 1 || memcmp(done, done + 1, (size_t)items - 1) != 0))
        for (i = 0; i < items; i++)
            wrong += done[i] != 1;
    if (wrong)
        return wrong;
    if (yk_dispatch_left(m->dispatch) != 0)
        return -1;
    return yk_dispatch_check(m->dispatch) ? 0 : -2;
}

static inline void note_outcomes(struct machine *m)
{
    int d;
    for (d = 0; d < m->count; d++) {
        yk_dispatch_outcome(m->dispatch, d, &m->outcomes[d]);
        const char *reason = yk_dispatch_reason(m->dispatch, d);
        snprintf(m->reasons[d], sizeof m->reasons[d], "%s", reason ? reason : "");
    }
    yk_dispatch_decisions(m->dispatch, &m->decisions);
}

static inline int64_t run_machine(struct machine *m)
{
    struct yk_split_device known[DEVICES_MAX];
    struct yk_split_spec spec = { .first = m->first,
                                  .last = m->last,
                                  .unit = m->unit,
                                  .devices = known,
                                  .device_count = m->count,
                                  .partitioner = m->partitioner,
                                  .all_or_nothing = m->all_or_nothing };
    size_t items = (size_t)(m->last - m->first);
    int64_t next = 0, wrong;
    int d;
    for (d = 0; d < m->count; d++)
        known[d] = m->models[d].known;
    memset(m->runs, 0, sizeof m->runs);
    memset(m->end_ns, 0, sizeof m->end_ns);
    for (d = 0; d < m->count; d++) {
        m->runs[d].current = -1;
        all_idle(&m->runs[d]);
    }
    m->asked = m->got = 0;
    m->seconds_ns = 0;
    if (yk_dispatch_open(&spec, &m->dispatch) != YOKE_OK)
        return -3;
    m->times_done = calloc(items + 1, 1);
    m->by = malloc(items + 1);
    memset(m->by, -1, items + 1);
    for (m->now = 1000000000; next != NEVER; m->now = next) {
        happen(m);
        ask_all(m);
        if (yk_dispatch_left(m->dispatch) == 0)
            break;
        next = next_event(m);
    }
    m->seconds_ns = (double)(m->now - 1000000000);
    wrong = check_run(m);
    note_outcomes(m);
    yk_dispatch_close(m->dispatch);
    free(m->times_done);
    free(m->by);
    return wrong;
}

#endif
