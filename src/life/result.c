/* result.c - what a job did, in one block of memory that its owner frees with one call. A job that
 * no longer has its workspace has only numbers, no sentences. */

#include "result.h"

#include "../base/alloc.h"
#include "../base/carve.h"
#include "../base/words.h"
#include "../flight/alternative.h"
#include "../job/kernel.h"
#include "../job/workspace.h"
#include "../partition/device_account.h"
#include "remembered.h"
#include "wait_text.h"

static const char *kernel_name(const struct yk_job *job, int form)
{
    return yk_job_kernel(job, form)->kernel.name;
}

/* Returns the bytes of the longer kernel name. */
static size_t name_bytes(const struct yk_job *job)
{
    const size_t mine = yk_carved_text(kernel_name(job, 0));
    const size_t other = job->pair ? yk_carved_text(kernel_name(job, 1)) : 0;
    return mine > other ? mine : other;
}

static size_t fixed_bytes(const struct yk_job *job, size_t decisions)
{
    size_t devices = (size_t)job->device_count;
    char text[YK_PARTITIONER_TEXT];
    return yk_carved(sizeof(yoke_result)) + yk_carved_text(yk_job_partitioner_text(job, text)) +
           yk_carved(devices * sizeof(yoke_device_result)) +
           yk_carved(devices * sizeof(yoke_wait_result)) +
           yk_carved(devices * sizeof(yoke_kernel_result)) + devices * name_bytes(job) +
           yk_carved(devices * sizeof(yoke_model_result)) +
           yk_carved(decisions * sizeof(yoke_decision));
}

/* Adds what the plan said of the device's part, and why the rows stay where they are. */
static const char *explain_plan(const struct yk_job *job, int device, char text[YK_REASON_TEXT])
{
    const struct yk_job_device *jd = &job->devices[device];
    const struct yk_plan_move *move = &job->workspace->weighed;
    int at = snprintf(text, YK_REASON_TEXT, "%s", yk_dispatch_reason(job->dispatch, device));
    if (jd->planned_ns > 0 && at < YK_REASON_TEXT)
        at += snprintf(text + at, (size_t)(YK_REASON_TEXT - at), "; planned to end after %s",
                       yk_time_words(jd->planned_ns).text);
    if (jd->outcome.fetch_ns > 0 && at < YK_REASON_TEXT)
        at += snprintf(text + at, (size_t)(YK_REASON_TEXT - at),
                       ", waited %s for rows from elsewhere",
                       yk_time_words((double)jd->outcome.fetch_ns).text);
    if (move->gain_ns > 0 && move->move_ns > 0 && at < YK_REASON_TEXT)
        snprintf(text + at, (size_t)(YK_REASON_TEXT - at),
                 "; its rows stay: other bounds may save %s a job, moving the rows costs %s",
                 yk_time_words(move->gain_ns).text, yk_time_words(move->move_ns).text);
    return text;
}

static const char *explain_late(const struct yk_job *job, int device, char text[YK_REASON_TEXT])
{
    const int64_t after_ns = job->devices[device].admitted_ns - job->outcome.submitted_ns;
    const char *share = yk_dispatch_reason(job->dispatch, device);
    snprintf(text, YK_REASON_TEXT, "came after %s, when its driver was loaded%s%s",
             yk_time_words((double)after_ns).text, share ? "; " : "", share ? share : "");
    return text;
}

/* Why a device that takes part got its share. */
static const char *explain_share(const struct yk_job *job, int device, char text[YK_REASON_TEXT])
{
    if (job->devices[device].admitted_ns)
        return explain_late(job, device, text);
    return job->split.planned ? explain_plan(job, device, text)
                              : yk_dispatch_reason(job->dispatch, device);
}

const char *yk_job_reason(const struct yk_job *job, int device, char text[YK_REASON_TEXT])
{
    const int number = job->devices[device].device->number;
    const char *trouble = yk_kernel_trouble(job->kernel, number);
    if (trouble && (!job->pair || yk_kernel_trouble(job->pair->alternative, number))) {
        snprintf(text, YK_REASON_TEXT, "did nothing: %s", trouble);
        return text;
    }
    if (job->devices[device].benched &&
        yk_place_check(job->devices[device].device->place) != YOKE_OK) {
        snprintf(text, YK_REASON_TEXT, "%s", yoke_error_text());
        return text;
    }
    if (!job->devices[device].benched || !yk_job_splits_freely(job->split.partitioner))
        return explain_share(job, device, text);
    if (job->split.unbuilt & yk_team_bit(device))
        return "not asked: its kernel is still being built, which takes longer than the job";
    if (job->split.planned)
        yk_explore_explain(&job->workspace->team.explorer,
                           &(struct yk_left_out){ .asked = job->split.team, .device = device },
                           text, YK_REASON_TEXT);
    else
        yk_team_explain(&job->workspace->team, job->split.team, text, YK_REASON_TEXT);
    return text;
}

/* Bytes for all sentences of the result. Each has its full room, so that none is made twice. */
static size_t sentence_bytes(const struct yk_job *job)
{
    return (size_t)job->device_count *
           (yk_carved(YK_REASON_TEXT) + yk_carved(YK_WAIT_TEXT) + yk_carved(YK_TURN_TEXT));
}

static struct yk_figures figures_of(const struct yk_job *job, int device)
{
    return job->life.keeps ? yk_job_figures(job, device) : job->life.figures[device];
}

static const char *carve_reason(const struct yk_job *job, int device, char **next)
{
    char *text = yk_carve(next, YK_REASON_TEXT);
    const char *reason = yk_job_reason(job, device, text);
    if (reason && reason != text)
        snprintf(text, YK_REASON_TEXT, "%s", reason);
    return text;
}

static void fill_devices(const struct yk_job *job, char **next, yoke_result *result)
{
    yoke_device_result *devices =
        yk_carve(next, (size_t)job->device_count * sizeof(yoke_device_result));
    double all = (double)(job->last - job->first);
    int d;
    for (d = 0; d < job->device_count; d++) {
        struct yk_figures figures = figures_of(job, d);
        devices[d].device = d;
        devices[d].items = figures.items;
        devices[d].share = all > 0 ? (double)figures.items / all : 0;
        devices[d].busy_seconds = (double)figures.busy_ns * 1e-9;
        devices[d].chunks = figures.chunks;
        devices[d].reason = job->life.keeps ? carve_reason(job, d, next) : "";
    }
    result->devices = devices;
    result->device_count = job->device_count;
}

static void fill_waits(const struct yk_job *job, char **next, yoke_result *result)
{
    yoke_wait_result *waits = yk_carve(next, (size_t)job->device_count * sizeof *waits);
    int d;
    for (d = 0; d < job->device_count; d++) {
        char *text = job->life.keeps ? yk_carve(next, YK_WAIT_TEXT) : NULL;
        waits[d].waiting = text ? yk_wait_explain(job, d, text) : YOKE_WAIT_AUTO;
        waits[d].reason = text ? text : "";
    }
    result->waits = waits;
}

/* Includes what other jobs found out before the result was asked for. */
static void fill_kernels(const struct yk_job *job, char **next, yoke_result *result)
{
    yoke_kernel_result *kernels = yk_carve(next, (size_t)job->device_count * sizeof *kernels);
    int d;
    for (d = 0; d < job->device_count; d++) {
        const struct yk_figures figures = figures_of(job, d);
        char *text = job->life.keeps && job->pair ? yk_carve(next, YK_TURN_TEXT) : NULL;
        /* Other devices may have done the items of a lost device again. */
        kernels[d].items[1] = figures.items > 0 ? figures.by_alternative : 0;
        kernels[d].items[0] = figures.items - kernels[d].items[1];
        kernels[d].name =
            yk_carve_text(next, kernel_name(job, kernels[d].items[1] > kernels[d].items[0]));
        if (text)
            yk_alternative_explain(job, d, text);
        kernels[d].reason = text ? text : "";
    }
    result->kernels = kernels;
}

yoke_status yk_job_account(const struct yk_job *job, struct yk_account *accounts)
{
    uint64_t gone = 0;
    int d;
    for (d = 0; d < job->device_count; d++)
        if (job->devices[d].failed)
            gone |= (uint64_t)1 << d;
    return yk_dispatch_account(job->dispatch, job->outcome.ended_ns - yk_job_since(job), gone,
                               accounts);
}

static double ended_seconds(const struct yk_job *job, int device)
{
    const struct yk_split_outcome *outcome = &job->devices[device].outcome;
    return outcome->items > 0 ? (double)(outcome->ended_ns - job->outcome.submitted_ns) * 1e-9 : 0;
}

static yoke_status fill_models(const struct yk_job *job, char **next, yoke_result *result)
{
    yoke_model_result *models = yk_carve(next, (size_t)job->device_count * sizeof *models);
    struct yk_account accounts[YK_PLACES];
    yoke_status status = job->life.keeps ? yk_job_account(job, accounts) : YOKE_OK;
    int d;
    for (d = 0; job->life.keeps && status == YOKE_OK && d < job->device_count; d++)
        models[d] = (yoke_model_result){
            .ended_seconds = ended_seconds(job, d),
            .item_seconds = accounts[d].line.item_ns * 1e-9,
            .fixed_seconds = accounts[d].line.item_ns > 0 ? accounts[d].line.fixed_ns * 1e-9 : 0,
            .link_bytes_per_second = job->devices[d].device->device->desc.link_bytes_per_ns * 1e9,
            .chunk_items = accounts[d].grain,
            .without_seconds = accounts[d].without_ns * 1e-9
        };
    result->models = models;
    return status;
}

static void fill_decisions(const struct yk_job *job, char **next, yoke_result *result)
{
    size_t count, i;
    const struct yk_decision *from = yk_dispatch_decisions(job->dispatch, &count);
    yoke_decision *to = yk_carve(next, count * sizeof *to);
    for (i = 0; i < count; i++) {
        to[i].seconds = (double)(from[i].when - job->outcome.submitted_ns) * 1e-9;
        to[i].device = from[i].device;
        to[i].lane = from[i].lane;
        to[i].first = from[i].first;
        to[i].last = from[i].last;
        to[i].reason = from[i].reason;
    }
    result->decisions = to;
    result->decision_count = (int64_t)count;
}

yoke_status yk_result_open(struct yk_job *job, yoke_result **out)
{
    yoke_result *result;
    yoke_status status;
    size_t decisions = 0;
    char *next, text[YK_PARTITIONER_TEXT];
    if (job->life.keeps)
        yk_dispatch_decisions(job->dispatch, &decisions);
    next = yk_calloc(1, fixed_bytes(job, decisions) + (job->life.keeps ? sentence_bytes(job) : 0));
    if (!next)
        return YOKE_ENOMEM;
    result = yk_carve(&next, sizeof *result);
    result->version = 4;
    result->seconds = (double)(job->outcome.ended_ns - yk_job_since(job)) * 1e-9;
    result->partitioner = yk_carve_text(&next, yk_job_partitioner_text(job, text));
    result->traffic.to_devices = atomic_load(&job->outcome.bytes_to);
    result->traffic.from_devices = atomic_load(&job->outcome.bytes_from);
    result->traffic.between_devices = atomic_load(&job->outcome.bytes_between);
    fill_devices(job, &next, result);
    fill_waits(job, &next, result);
    fill_kernels(job, &next, result);
    status = fill_models(job, &next, result);
    if (status != YOKE_OK) {
        yk_free(result);
        return status;
    }
    if (job->life.keeps) {
        result->predicted_seconds = yk_dispatch_predicted_ns(job->dispatch) * 1e-9;
        fill_decisions(job, &next, result);
    }
    *out = result;
    return YOKE_OK;
}

void yoke_result_close(yoke_result *result)
{
    yk_free(result);
}
