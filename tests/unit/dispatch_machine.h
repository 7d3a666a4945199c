/* dispatch_machine.h - machines in virtual time that drive a dispatcher as the runtime does
 * (machine_run.h): fixed or random machines, the time of the best partition, and what is kept from
 * job to job. Deterministic. */
#ifndef DISPATCH_MACHINE_H
#define DISPATCH_MACHINE_H

#include "machine_run.h"

/* --- machines and their best times --- */

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

/* --- random machines --- */

static inline double fraction(unsigned *seed)
{
    return (machine_random(seed) % 1000) / 1000.0;
}

/* Number of queues; sometimes little memory or a chunk limit. */
static inline void draw_limits(struct machine *m, struct model *gpu, unsigned *seed)
{
    gpu->known.lanes = 1 + (int)(machine_random(seed) % 3);
    if (machine_random(seed) % 5 == 0)
        gpu->memory = m->unit + machine_random(seed) % 2000;
    if (machine_random(seed) % 6 == 0)
        gpu->known.limit = 1 + machine_random(seed) % 500;
}

/* The device is late, fails or leaves within `length` ns, unless it must stay, and its known speed
 * is wrong. */
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

/* A device's time for `items` alone, in the largest possible chunks. */
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

/* The time at which all devices end together, by bisection. */
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

/* Stores what the runtime keeps from job to job. */
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
                                                  .all_asked = 1,
                                                  .forgives = !known->host_memory });
        known->rate = 0;
        known->fixed_ns = model->told_ns;
        yk_learned_tell(&model->learned, known);
    }
}

#endif
