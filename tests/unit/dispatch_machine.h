/* dispatch_machine.h - a machine in virtual time that drives a dispatcher as the runtime does: each
 * lane asks, works, answers; lanes of a CPU device cut leases; a GPU copies and computes, each in
 * turn, and its lanes overlap the two. Deterministic: noise comes from a seed.
 *
 * Every item is counted, so a test sees at once if one was lost or done twice.
 */
#ifndef DISPATCH_MACHINE_H
#define DISPATCH_MACHINE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partition/learned.h"

enum { LANES_MAX = 64, DEVICES_MAX = 16, LEASES_MAX = LANES_MAX + 1, NEVER = -1 };

struct model {
    struct yk_split_device known;
    double item_ns;                     /* of the whole device, filled */
    double fixed_ns;                    /* before a GPU chunk's kernel starts; lanes overlap it */
    double copy_ns;                     /* an item, GPU; overlaps the kernels of other lanes */
    int staircase;                      /* GPU: whole fills only */
    double noise;                       /* a chunk's time is off by up to this fraction */
    double cold_ns;                     /* once, in the first chunk */
    int64_t join_ns, fail_ns, leave_ns; /* NEVER, or when */
    int64_t memory;                     /* items that fit; larger chunks are returned; 0: any */
    struct yk_learned learned;          /* by learn() */
    double told_ns;                     /* of a chunk's cost, before anything was learned */
    int taught;
};

struct lease {
    struct yk_chunk chunk;
    int64_t next, pieces_left, issued;
};

struct lane {
    int busy;
    int lease; /* -1: a chunk of its own */
    int64_t first, last, end, issued, wake;
    struct yk_chunk chunk;
};

struct device_run {
    struct lane lanes[LANES_MAX];
    struct lease leases[LEASES_MAX];
    int current; /* lease being cut; -1: none */
    double copy_free, kernel_free;
    int joined, gone, failed, warm;
};

struct machine {
    struct model models[DEVICES_MAX];
    int count;
    int64_t first, last, unit;
    int all_or_nothing;
    const char *partitioner;
    unsigned seed;
    /* after a run */
    double seconds_ns;
    struct yk_split_outcome outcomes[DEVICES_MAX];
    char reasons[DEVICES_MAX][256];
    size_t decisions;
    int asked, got; /* calls of next, chunks */
    int trace;
    double end_ns[DEVICES_MAX]; /* when it was last busy */
    /* while running */
    struct device_run runs[DEVICES_MAX];
    unsigned char *times_done; /* of each item */
    signed char *by;           /* the device that did it */
    struct yk_dispatch *dispatch;
    int64_t now;
};

static inline unsigned machine_random(unsigned *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static inline double uneven(struct machine *m, const struct model *model)
{
    double unit = (double)(machine_random(&m->seed) & 0xffff) / 32767.5 - 1;
    return 1 + model->noise * unit;
}

/* --- work --- */

static inline double kernel_ns(const struct model *model, int64_t items)
{
    double v = (double)items, fill = (double)model->known.fill;
    if (model->staircase)
        return ceil(v / fill) * fill * model->item_ns;
    return model->item_ns * (v < fill ? 0.2 * fill + 0.8 * v : v);
}

static inline int64_t gpu_end(struct machine *m, int d, int64_t items)
{
    const struct model *model = &m->models[d];
    struct device_run *run = &m->runs[d];
    double start = fmax((double)m->now, run->copy_free), kernel;
    run->copy_free = start + (double)items * model->copy_ns;
    kernel = fmax(fmax(run->copy_free, (double)m->now + model->fixed_ns), run->kernel_free);
    run->kernel_free = kernel + kernel_ns(model, items) * uneven(m, model);
    if (!run->warm)
        run->kernel_free += model->cold_ns;
    run->warm = 1;
    return (int64_t)ceil(run->kernel_free);
}

static inline void complete(struct machine *m, int d, int64_t first, int64_t last)
{
    unsigned char *done = m->times_done + (first - m->first);
    size_t items = (size_t)(last - first), i;
    memset(m->by + (first - m->first), d, items);
    if (memchr(done, 1, items)) /* done before: keep the count, the run is wrong */
        for (i = 0; i < items; i++)
            done[i]++;
    else
        memset(done, 1, items);
}

/* A core's vectors last as long when they are not full. */
static inline double whole_vectors(const struct model *model, int64_t items)
{
    double fill = fmax(1, (double)model->known.lane_fill);
    return ceil((double)items / fill) * fill;
}

static inline int cut_lease(struct machine *m, int d, struct lane *lane)
{
    struct device_run *run = &m->runs[d];
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
    lane->busy = 1;
    lane->end = m->now + 100 +
                (int64_t)ceil(model->item_ns * model->known.lanes *
                              whole_vectors(model, lane->last - lane->first) * uneven(m, model));
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
    if (host && cut_lease(m, d, lane))
        return 1;
    m->asked++;
    verdict = yk_dispatch_next(m->dispatch, d, l, m->now, &chunk, &lane->wake);
    if (verdict != YK_TAKE)
        return 0;
    m->got++;
    if (m->trace)
        printf("%12lld dev %d lane %d [%lld, %lld) %lld piece %lld %s\n", (long long)m->now, d, l,
               (long long)chunk.first, (long long)chunk.last, (long long)(chunk.last - chunk.first),
               (long long)chunk.piece, chunk.reason);
    if (host) {
        publish(m, d, &chunk);
        return cut_lease(m, d, lane);
    }
    lane->chunk = chunk;
    lane->first = chunk.first;
    lane->last = chunk.last;
    lane->lease = -1;
    lane->busy = 1;
    lane->issued = m->now;
    lane->end = m->models[d].memory > 0 && chunk.last - chunk.first > m->models[d].memory
                    ? m->now + 1000
                    : gpu_end(m, d, chunk.last - chunk.first);
    return 1;
}

static inline void answer(struct machine *m, int d, struct lane *lane)
{
    struct yk_chunk_times times = { .issued = lane->issued, .ended = m->now };
    struct device_run *run = &m->runs[d];
    int64_t items = lane->last - lane->first, memory = m->models[d].memory;
    lane->busy = 0;
    m->end_ns[d] = (double)m->now;
    if (lane->lease < 0 && memory > 0 && items > memory) {
        yk_dispatch_returned(m->dispatch, d, &lane->chunk, items / 2);
        return;
    }
    complete(m, d, lane->first, lane->last);
    if (lane->lease < 0) {
        yk_dispatch_done(m->dispatch, d, &lane->chunk, items, &times);
        return;
    }
    if (--run->leases[lane->lease].pieces_left == 0) {
        const struct lease *lease = &run->leases[lane->lease];
        times.issued = lease->issued;
        yk_dispatch_done(m->dispatch, d, &lease->chunk, lease->chunk.last - lease->chunk.first,
                         &times);
    }
}

/* A device fails: what it has under way is undone, and with all_or_nothing all it ever did. */
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
    /* Pieces of leases that were not answered as a whole are done again too. */
    for (l = 0; l < LEASES_MAX; l++)
        if (run->leases[l].pieces_left > 0) {
            for (i = run->leases[l].chunk.first; i < run->leases[l].chunk.last; i++) {
                m->times_done[i - m->first] = 0;
                m->by[i - m->first] = -1;
            }
            run->leases[l].pieces_left = 0;
        }
    run->current = -1;
    for (l = 0; l < m->models[d].known.lanes; l++)
        run->lanes[l].busy = 0;
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
        for (l = 0; l < model->known.lanes; l++)
            if (run->lanes[l].busy && run->lanes[l].end <= m->now)
                answer(m, d, &run->lanes[l]);
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
        for (d = 0; d < m->count; d++)
            for (l = 0; l < m->models[d].known.lanes; l++)
                if (m->runs[d].joined && !m->runs[d].lanes[l].busy && !m->runs[d].failed &&
                    ask(m, d, l))
                    more = 1;
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
        for (l = 0; l < m->models[d].known.lanes; l++) {
            if (run->lanes[l].busy)
                sooner(&next, run->lanes[l].end, m->now);
            else
                sooner(&next, run->lanes[l].wake, m->now);
        }
        if (!run->joined && !run->gone)
            sooner(&next, m->models[d].join_ns, m->now);
        if (!run->failed)
            sooner(&next, m->models[d].fail_ns, m->now);
        if (!run->gone)
            sooner(&next, m->models[d].leave_ns, m->now);
    }
    return next;
}

/* 0: every item is done exactly once. Else the number of items that are not, or -1 for a run that
 * got stuck, or -2 if the dispatcher's books are out of order. */
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
    for (d = 0; d < m->count; d++)
        m->runs[d].current = -1;
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

/* --- machines and what is best on them --- */

static inline int64_t at_ns(double when)
{
    return 1000000000 + (int64_t)when;
}

static inline void add_cores(struct machine *m, int cores, double item_ns)
{
    struct model *model = &m->models[m->count++];
    *model = (struct model){
        .known = { .name = "cpu", .lanes = cores, .host_memory = 1, .fill = cores, .share = -1 },
        .item_ns = item_ns,
        .join_ns = at_ns(0),
        .fail_ns = NEVER,
        .leave_ns = NEVER
    };
}

static inline struct model *add_gpu(struct machine *m, double item_ns, int64_t fill)
{
    struct model *model = &m->models[m->count++];
    *model = (struct model){
        .known = { .name = "gpu", .lanes = 2, .fill = fill, .fixed_ns = 10000, .share = -1 },
        .item_ns = item_ns,
        .fixed_ns = 10000,
        .join_ns = at_ns(0),
        .fail_ns = NEVER,
        .leave_ns = NEVER
    };
    return model;
}

/* --- machines drawn at random --- */

static inline double fraction(unsigned *seed)
{
    return (machine_random(seed) % 1000) / 1000.0;
}

/* Its queues; and now and then it has little memory, or a limit. */
static inline void draw_limits(struct machine *m, struct model *gpu, unsigned *seed)
{
    gpu->known.lanes = 1 + (int)(machine_random(seed) % 3);
    if (machine_random(seed) % 5 == 0)
        gpu->memory = m->unit + machine_random(seed) % 2000;
    if (machine_random(seed) % 6 == 0)
        gpu->known.limit = 1 + machine_random(seed) % 500;
}

/* It comes late, fails or leaves within `length` ns, unless all rely on it, and what is known of
 * its speed is wrong. */
static inline void draw_mishap(struct model *model, int may_go, double length, unsigned *seed)
{
    model->noise = 0.3;
    if (machine_random(seed) % 3 == 0)
        model->join_ns = at_ns(length * fraction(seed));
    if (may_go && machine_random(seed) % 3 == 0)
        model->fail_ns = at_ns(length * fraction(seed));
    else if (may_go && machine_random(seed) % 4 == 0)
        model->leave_ns = at_ns(length * fraction(seed));
    if (machine_random(seed) % 2)
        model->known.rate = exp(2 * fraction(seed) - 1) / model->item_ns;
}

/* A device's time for `items`, in chunks as large as can be. */
static inline double alone_ns(const struct model *model, double items)
{
    if (model->known.host_memory)
        return items * model->item_ns;
    return model->fixed_ns + fmax(items * model->copy_ns, kernel_ns(model, (int64_t)(items + 0.5)));
}

static inline double best_alone_ns(const struct machine *m)
{
    double best = INFINITY;
    int d;
    for (d = 0; d < m->count; d++)
        best = fmin(best, alone_ns(&m->models[d], (double)(m->last - m->first)));
    return best;
}

/* All devices end together: found by halving, on its own terms. */
static inline double ideal_ns(const struct machine *m)
{
    double low = 0, high = best_alone_ns(m), items = (double)(m->last - m->first);
    int step, d;
    for (step = 0; step < 60; step++) {
        double middle = (low + high) / 2, done = 0;
        for (d = 0; d < m->count; d++) {
            const struct model *model = &m->models[d];
            double from = model->known.host_memory ? 0 : model->fixed_ns;
            double item = fmax(model->item_ns, model->copy_ns);
            done += fmax(0, middle - from) / item;
        }
        *(done >= items ? &high : &low) = middle;
    }
    return high;
}

/* What the runtime keeps from job to job. */
static inline void learn(struct machine *m)
{
    int d;
    for (d = 0; d < m->count; d++) {
        struct model *model = &m->models[d];
        struct yk_split_device *known = &model->known;
        if (!model->taught) {
            yk_learned_open(&model->learned);
            model->learned.rate = known->rate;
            model->told_ns = known->fixed_ns;
            model->taught = 1;
        }
        yk_learned_note(&model->learned, &m->outcomes[d],
                        &(struct yk_learned_job){ .items = m->last - m->first,
                                                  .told_ns = model->told_ns,
                                                  .everybodys = 1,
                                                  .forgives = !known->host_memory });
        known->rate = 0;
        known->fixed_ns = model->told_ns;
        yk_learned_tell(&model->learned, known);
    }
}

#endif
