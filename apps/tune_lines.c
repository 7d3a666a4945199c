/* tune_lines.c - see tune_lines.h. */
#include "tune_lines.h"

#include <stdlib.h>
#include <string.h>

/* --- kinds of jobs --- */

static int is_same_range(const yoke_job *a, const yoke_job *b)
{
    return a->range.first == b->range.first && a->range.last == b->range.last &&
           !memcmp(a->range.extent, b->range.extent, sizeof a->range.extent) &&
           a->range.second.first == b->range.second.first &&
           a->range.second.last == b->range.second.last &&
           a->range.third.first == b->range.third.first &&
           a->range.third.last == b->range.third.last;
}

/* Arrays differ from session to session; how they are used does not. */
static int is_of_kind(const yoke_job *a, const yoke_job *b)
{
    int same = a->kernel == b->kernel && a->alternative == b->alternative && is_same_range(a, b);
    for (int p = 0; same && p < a->kernel->param_count; p++)
        same = a->args[p].mode == b->args[p].mode && a->args[p].shape == b->args[p].shape &&
               a->args[p].home == b->args[p].home;
    return same;
}

static struct tune_kind *find(struct tune_lines *lines, const yoke_job *job)
{
    for (int k = 0; k < lines->count; k++)
        if (is_of_kind(&lines->kinds[k].job, job))
            return &lines->kinds[k];
    return NULL;
}

/* Returns NULL if there is no room; such jobs then have no line. */
static struct tune_kind *add(struct tune_lines *lines, const yoke_job *job)
{
    yoke_line *own =
        lines->count < TUNE_KINDS_MOST ? calloc((size_t)lines->device_count, sizeof *own) : NULL;
    if (!own)
        return NULL;
    lines->kinds[lines->count] = (struct tune_kind){ .job = *job, .lines = own };
    return &lines->kinds[lines->count++];
}

/* --- measuring --- */

static void note(void *context, const yoke_job *job, const yoke_result *result)
{
    struct tune_lines *lines = context;
    struct tune_kind *kind = find(lines, job);
    if (!kind)
        kind = add(lines, job);
    if (!kind || kind->jobs == APP_REPEAT_MAX)
        return;
    kind->items = 0;
    for (int d = 0; d < result->device_count; d++)
        kind->items += result->devices[d].items;
    kind->seconds[kind->jobs++] = result->seconds;
}

void tune_lines_end_block(struct tune_lines *lines)
{
    for (int k = 0; k < lines->count; k++) {
        struct tune_kind *kind = &lines->kinds[k];
        if (kind->jobs)
            kind->samples[kind->sample_count++] =
                (yoke_sample){ (double)kind->items, yoke_mean(kind->seconds, kind->jobs, NULL) };
        kind->jobs = 0;
    }
}

yoke_status tune_lines_end_device(struct tune_lines *lines, int device)
{
    yoke_status status = YOKE_OK;
    for (int k = 0; status == YOKE_OK && k < lines->count; k++) {
        struct tune_kind *kind = &lines->kinds[k];
        status = yoke_line_fit(kind->samples, kind->sample_count, &kind->lines[device]);
        kind->sample_count = 0;
    }
    return status == YOKE_OK ? status : app_fail(status, "%s", yoke_error_text());
}

void tune_lines_copy(struct tune_lines *lines, int device, int like)
{
    for (int k = 0; k < lines->count; k++)
        lines->kinds[k].lines[device] = lines->kinds[k].lines[like];
}

/* --- keeping --- */

/* Keeps the lines of a kind before its first job on all devices together. If this fails for one
 * kind, it is not tried for others. */
static void keep(void *context, yoke_runtime *runtime, const yoke_job *job)
{
    struct tune_lines *lines = context;
    struct tune_kind *kind = find(lines, job);
    if (!kind || kind->kept || lines->status != YOKE_OK)
        return;
    lines->status = yoke_keep_lines(runtime, job, kind->lines, lines->device_count);
    kind->kept = lines->status == YOKE_OK;
    if (!kind->kept)
        snprintf(lines->why, sizeof lines->why, "the lines are not kept: %s", yoke_error_text());
}

yoke_status tune_lines_open(int device_count, struct tune_lines *out)
{
    *out = (struct tune_lines){ .device_count = device_count,
                                .kinds = calloc(TUNE_KINDS_MOST, sizeof *out->kinds),
                                .measure = { .context = out, .ended = note },
                                .keep = { .context = out, .begins = keep } };
    return out->kinds ? YOKE_OK : app_fail(YOKE_ENOMEM, "no memory for the lines of jobs");
}

void tune_lines_close(struct tune_lines *lines)
{
    for (int k = 0; k < lines->count; k++)
        free(lines->kinds[k].lines);
    free(lines->kinds);
    *lines = (struct tune_lines){ .count = 0 };
}
