/* work.c - see work.h. */
#include "work.h"

#include "work_kernels.h"

const char *const work_names[WORK_KINDS] = { "scale", "add", "stencil", "table" };

enum { HALO = 256, TABLE_PART = 16 };

static int64_t entries_of(const struct work_spec *spec)
{
    return spec->kind == WORK_TABLE ? spec->items / TABLE_PART + 1 : 0;
}

int64_t work_bytes(const struct work_spec *spec)
{
    return 4 * (2 * spec->items + entries_of(spec));
}

int64_t work_bytes_in(const struct work_spec *spec)
{
    return 4 * ((spec->kind == WORK_ADD ? 2 : 1) * spec->items + entries_of(spec));
}

int64_t work_bytes_out(const struct work_spec *spec)
{
    return 4 * spec->items;
}

static void fill(struct work *work)
{
    int64_t i, count = work->entries + 2 * work->spec.items;
    for (i = 0; i < count; i++)
        work->memory[i] = (uint32_t)i * 2654435761u >> 7;
}

yoke_status work_open(yoke_runtime *rt, const struct work_spec *spec, struct work *out)
{
    yoke_status status = YOKE_OK;
    *out = (struct work){ .rt = rt, .spec = *spec, .entries = entries_of(spec), .width = HALO };
    out->memory = yoke_alloc(rt, (size_t)work_bytes(spec));
    if (!out->memory)
        return YOKE_ENOMEM;
    fill(out);
    if (out->entries)
        status = yoke_array_wrap(rt, out->memory, out->entries, 4, &out->table);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, out->memory + out->entries, spec->items, 4, &out->x);
    if (status == YOKE_OK)
        status =
            yoke_array_wrap(rt, out->memory + out->entries + spec->items, spec->items, 4, &out->z);
    return status;
}

void work_close(struct work *work)
{
    yoke_array_close(work->table);
    yoke_array_close(work->x);
    yoke_array_close(work->z);
    yoke_free(work->rt, work->memory);
}

yoke_status work_run(struct work *work, int64_t first, int64_t last, yoke_result **result)
{
    const strip_t strip = { 0, work->spec.items, work->width };
    yoke_job job = { .range = { first, last }, .partitioner = work->spec.partitioner };
    yoke_arg *arg = job.args;
    yoke_status status;
    *arg++ = (yoke_arg)yoke_value(work->spec.rounds);
    switch (work->spec.kind) {
    case WORK_SCALE:
        job.kernel = &w_scale;
        *arg++ = (yoke_arg)yoke_in(work->x);
        *arg = (yoke_arg)yoke_out(work->z);
        break;
    case WORK_ADD:
        job.kernel = &w_add;
        *arg++ = (yoke_arg)yoke_in(work->x);
        *arg = (yoke_arg)yoke_inout(work->z);
        break;
    case WORK_STENCIL:
        job.kernel = &w_stencil;
        *arg++ = (yoke_arg)yoke_value(strip);
        *arg++ = (yoke_arg)yoke_in_halo(work->x, work->width, work->width);
        *arg = (yoke_arg)yoke_out(work->z);
        break;
    default:
        job.kernel = &w_table;
        *arg++ = (yoke_arg)yoke_value(work->entries);
        *arg++ = (yoke_arg)yoke_in_whole(work->table);
        *arg++ = (yoke_arg)yoke_in(work->x);
        *arg = (yoke_arg)yoke_out(work->z);
    }
    status = yoke_run(work->rt, &job, result);
    work->times += status == YOKE_OK;
    return status;
}

static uint32_t churned(uint32_t s, int32_t rounds)
{
    int32_t r;
    for (r = 0; r < rounds; ++r)
        s = s * 1664525u + 1013904223u;
    return s;
}

/* z[i] after the jobs so far. */
static uint32_t expected(const struct work *work, int64_t i)
{
    const struct work_spec *spec = &work->spec;
    const uint32_t *x = work->memory + work->entries;
    int64_t at = work->entries + spec->items + i;
    uint32_t s = x[i];
    if (spec->kind == WORK_ADD)
        return ((uint32_t)at * 2654435761u >> 7) + (uint32_t)work->times * churned(s, spec->rounds);
    if (spec->kind == WORK_STENCIL) {
        s += i >= work->width ? x[i - work->width] : 0;
        s += i + work->width < spec->items ? x[i + work->width] : 0;
    }
    if (spec->kind == WORK_TABLE)
        s += work->memory[(int64_t)s % work->entries];
    return churned(s, spec->rounds);
}

yoke_status work_check(struct work *work, int *right)
{
    /* Checks only some elements: `rounds` steps for each would take the host too long. */
    int64_t step = 1 + work->spec.rounds, i;
    const uint32_t *z = work->memory + work->entries + work->spec.items;
    yoke_status status = yoke_array_acquire(work->z, YOKE_READ);
    if (status != YOKE_OK)
        return status;
    *right = 1;
    for (i = 0; i < work->spec.items; i += step)
        *right &= z[i] == expected(work, i);
    return yoke_array_release(work->z);
}
