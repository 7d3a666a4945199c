/* storm_job.c - see storm_job.h. */
#include "storm_job.h"

#include <string.h>

#include "storm_kernels.h"

uint32_t storm_draw(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

int64_t storm_below(uint64_t *state, int64_t most)
{
    return (int64_t)(storm_draw(state) % (uint64_t)most);
}

int storm_one_in(uint64_t *state, int times)
{
    return storm_below(state, times) == 0;
}

enum form { MAKE, COPY, MIX, HALO, WHOLE, ADD, PAIRS, FORMS };

static const char *const partitioners[] = {
    NULL,     NULL,    "auto",           "even",    "static",         "dynamic:chunk=3",
    "guided", "nc-ht", "c-ht:grains=20", "c-ht",    "demand",         "demand:dd=10:window=1",
    "guided", "alone", "dynamic",        "dynamic", "dynamic:chunk=9"
};
enum { PARTITIONERS = sizeof partitioners / sizeof *partitioners };

void storm_job_draw(uint64_t *state, int64_t rows, struct storm_job *out)
{
    struct storm_job job = { .form = (int)storm_below(state, FORMS),
                             .rows = rows,
                             .a = storm_draw(state) };
    int64_t most;
    job.from = (int)storm_below(state, STORM_ARRAYS);
    job.to = (job.from + 1 + (int)storm_below(state, STORM_ARRAYS - 1)) % STORM_ARRAYS;
    most = job.form == PAIRS ? rows / 2 : rows;
    if (storm_one_in(state, 3)) { /* large jobs too; small ones are rarely split */
        job.last = most;
    } else {
        job.first = storm_below(state, most + 1);
        job.last = job.first + storm_below(state, most - job.first + 1);
    }
    *out = job;
}

/* Rows of the indexes first .. last - 1, two per index. */
static yoke_rows two_rows(const void *context, yoke_rows range)
{
    (void)context;
    return (yoke_rows){ 2 * range.first, 2 * range.last };
}

#define IN(...)  out->args[1] = (yoke_arg)__VA_ARGS__
#define OUT(...) out->args[2] = (yoke_arg)__VA_ARGS__

void storm_job_state(const struct storm_job *job, yoke_array *const *arrays, uint64_t *state,
                     yoke_job *out)
{
    static const yoke_kernel *const kernels[FORMS] = { &s_make,  &s_copy, &s_mix,  &s_halo,
                                                       &s_whole, &s_add,  &s_pairs };
    yoke_array *x = arrays[job->from], *y = arrays[job->to];
    int counts = job->form == HALO || job->form == WHOLE || job->form == ADD;
    *out = (yoke_job){ .kernel = kernels[job->form],
                       .range = { job->first, job->last, { 0, 0 } },
                       .partitioner = partitioners[storm_below(state, PARTITIONERS)] };
    if (counts)
        out->args[0] = (yoke_arg)yoke_value(job->rows);
    else
        out->args[0] = (yoke_arg)yoke_value(job->a);
    IN(yoke_in(x));
    OUT(yoke_inout(y));
    if (job->form == COPY || job->form == HALO)
        OUT(yoke_out(y));
    if (job->form == HALO)
        IN(yoke_in_halo(x, 1, 2));
    if (job->form == WHOLE)
        IN(yoke_in_whole(x));
    if (job->form == ADD)
        OUT(yoke_add_to(y));
    if (job->form == PAIRS) {
        IN(yoke_in_custom(x, two_rows, NULL));
        out->args[2].shape = YOKE_CUSTOM;
        out->args[2].rows = two_rows;
    }
    if (job->form == MAKE) {
        IN(yoke_out(y));
        memset(&out->args[2], 0, sizeof out->args[2]);
    }
    if (job->form != ADD && storm_one_in(state, 4))
        out->args[job->form == MAKE ? 1 : 2].home = YOKE_HOME_NOW;
}

/* --- which rows --- */

static yoke_rows within(const struct storm_job *job, int64_t first, int64_t last)
{
    if (job->first == job->last)
        return (yoke_rows){ 0, 0 };
    return (yoke_rows){ first < 0 ? 0 : first, last > job->rows ? job->rows : last };
}

yoke_rows storm_job_writes(const struct storm_job *job)
{
    if (job->form == ADD)
        return within(job, 0, job->rows);
    if (job->form == PAIRS)
        return within(job, 2 * job->first, 2 * job->last);
    return within(job, job->first, job->last);
}

yoke_rows storm_job_reads(const struct storm_job *job, int array)
{
    int only_writes = job->form == MAKE || job->form == COPY || job->form == HALO;
    if (array == job->to)
        return only_writes ? (yoke_rows){ 0, 0 } : storm_job_writes(job);
    if (array != job->from || job->form == MAKE)
        return (yoke_rows){ 0, 0 };
    if (job->form == HALO)
        return within(job, job->first - 1, job->last + 2);
    if (job->form == WHOLE)
        return within(job, 0, job->rows);
    if (job->form == PAIRS)
        return within(job, 2 * job->first, 2 * job->last);
    return within(job, job->first, job->last);
}

/* --- by hand --- */

static void halo(const struct storm_job *job, const struct storm_rows *x, struct storm_rows *y,
                 int64_t i)
{
    uint32_t s = x->value[i];
    unsigned char undefined = x->undefined[i];
    if (i >= 1) {
        s += 3 * x->value[i - 1];
        undefined |= x->undefined[i - 1];
    }
    if (i + 2 < job->rows) {
        s += 5 * x->value[i + 2];
        undefined |= x->undefined[i + 2];
    }
    y->value[i] = s;
    y->undefined[i] = undefined;
}

static void pair(const struct storm_job *job, const struct storm_rows *x, struct storm_rows *y,
                 int64_t i)
{
    int64_t r = 2 * i, s = r + 1;
    uint32_t was = y->value[r];
    unsigned char undefined = y->undefined[r];
    y->value[r] = y->value[s] + x->value[r] * job->a;
    y->undefined[r] = y->undefined[s] | x->undefined[r];
    y->value[s] = was * 3 + x->value[s];
    y->undefined[s] = undefined | x->undefined[s];
}

static void one_by_hand(const struct storm_job *job, const struct storm_rows *x,
                        struct storm_rows *y, int64_t i)
{
    int64_t other = (i * 7 + 1) % job->rows;
    switch ((enum form)job->form) {
    case MAKE:
        y->value[i] = job->a * (uint32_t)i + 7;
        y->undefined[i] = 0;
        break;
    case COPY:
        y->value[i] = x->value[i] * 5 + job->a;
        y->undefined[i] = x->undefined[i];
        break;
    case MIX:
        y->value[i] = y->value[i] * 3 + x->value[i] * job->a + 1;
        y->undefined[i] |= x->undefined[i];
        break;
    case HALO:
        halo(job, x, y, i);
        break;
    case WHOLE:
        y->value[i] = y->value[i] * 3 + x->value[other];
        y->undefined[i] |= x->undefined[other];
        break;
    case ADD:
        y->value[other] += x->value[i] + 1;
        y->undefined[other] |= x->undefined[i];
        break;
    case PAIRS:
        pair(job, x, y, i);
        break;
    case FORMS:
        break;
    }
}

void storm_job_by_hand(const struct storm_job *job, struct storm_rows *arrays)
{
    int64_t i;
    for (i = job->first; i < job->last; i++)
        one_by_hand(job, &arrays[job->from], &arrays[job->to], i);
}

void storm_job_undefine(const struct storm_job *job, struct storm_rows *arrays)
{
    yoke_rows rows = storm_job_writes(job);
    memset(arrays[job->to].undefined + rows.first, 1, (size_t)(rows.last - rows.first));
}
