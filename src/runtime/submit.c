/* submit.c - the only door for jobs: submit, run, wait, and the order between jobs that share
 * arrays.
 */
#include "../base/alloc.h"
#include "../base/status.h"
#include "job.h"

static int uses(const struct yk_job *job, const yoke_array *array, int writing)
{
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->args[p].array == array && (writing || yk_changes_array(job->args[p].mode)))
            return 1;
    return 0;
}

static int conflict(const struct yk_job *earlier, const struct yk_job *later)
{
    int p;
    for (p = 0; p < later->arg_count; p++)
        if (later->args[p].array &&
            uses(earlier, later->args[p].array, yk_changes_array(later->args[p].mode)))
            return 1;
    return 0;
}

static int is_ready(const struct yk_job *job)
{
    const struct yk_job *earlier;
    for (earlier = job->previous; earlier; earlier = earlier->previous)
        if (conflict(earlier, job))
            return 0;
    return 1;
}

/* CPU devices join at once; the others when their host thread has prepared them. */
static void start(struct yk_job *job)
{
    int d;
    yk_lock(&job->lock);
    for (d = 0; d < job->device_count; d++) {
        struct yk_job_device *jd = &job->devices[d];
        if (!jd->joined || jd->retired || jd->benched)
            continue;
        yk_dispatch_join(job->dispatch, d, yk_now(job->runtime));
    }
    job->readied = yk_job_readied(job);
    job->submitted_ns = yk_now(job->runtime);
    atomic_store(&job->phase, YK_RUNNING);
    yk_unlock(&job->lock);
}

int yk_jobs_start_ready(yoke_runtime *runtime)
{
    struct yk_job *job;
    int started = 0;
    for (job = runtime->first_job; job; job = job->next)
        if (atomic_load(&job->phase) == YK_WAITING && is_ready(job)) {
            start(job);
            started = 1;
        }
    return started;
}

void yk_job_hold(struct yk_job *job)
{
    job->references++;
}

void yk_job_release(struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    int left;
    yk_lock(&runtime->lock);
    left = --job->references;
    yk_unlock(&runtime->lock);
    if (left == 0)
        yk_job_close(job);
}

static yoke_status check_held(const struct yk_job *job)
{
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->args[p].array && job->args[p].array->held)
            return yk_fail(YOKE_EBUSY, "%s: array %s is acquired for writing; release it first",
                           job->name, job->args[p].array->name);
    return YOKE_OK;
}

/* Kernels of CPU devices are function pointers: built here, so that the first chunk starts at once.
 */
static void build_on_hosts(struct yk_job *job)
{
    int d;
    for (d = 0; d < job->device_count; d++) {
        struct yk_job_device *jd = &job->devices[d];
        if (!jd->device->device->desc.host_memory)
            continue;
        jd->joined = 1;
        jd->retired = yk_kernel_build(job->kernel, jd->device->device, d) != YOKE_OK;
        if (jd->retired)
            yk_dispatch_leave(job->dispatch, d, job->kernel->builds[d].text);
    }
    yk_job_check_stranded(job);
}

/* One device is to do it alone: the others wait on the bench. */
static void bench_others(struct yk_job *job)
{
    const struct yk_memory *memory = yk_kernel_recall(job->kernel, job->key);
    char why[160];
    int d;
    if (job->alone < 0 || !memory)
        return;
    yk_team_explain(&memory->team, job->runtime->devices[job->alone].device->desc.name, why,
                    sizeof why);
    for (d = 0; d < job->device_count; d++) {
        struct yk_job_device *jd = &job->devices[d];
        if (d == job->alone || jd->retired)
            continue;
        jd->benched = jd->joined = 1;
        yk_dispatch_leave(job->dispatch, d, why);
    }
}

static yoke_status enlist(struct yk_job *job, const yoke_kernel *kernel, int cpu)
{
    yoke_runtime *runtime = job->runtime;
    yoke_status status;
    int p;
    yk_lock(&runtime->lock);
    status = check_held(job);
    if (status == YOKE_OK)
        status = yk_kernel_intern(&runtime->kernels, kernel, &job->kernel);
    if (status == YOKE_OK)
        status = yk_job_plan(job);
    if (status != YOKE_OK)
        goto unlock;
    build_on_hosts(job);
    bench_others(job);
    if (cpu >= 0)
        yk_caller_borrow(job, cpu);
    for (p = 0; p < job->arg_count; p++)
        if (job->args[p].array)
            job->args[p].array->jobs++;
    job->number = ++runtime->jobs_submitted;
    job->previous = runtime->last_job;
    *(job->previous ? &job->previous->next : &runtime->first_job) = job;
    runtime->last_job = job;
    job->references = 2; /* the ticket, and the submitting call */
    if (is_ready(job))
        start(job);
unlock:
    yk_unlock(&runtime->lock);
    return status;
}

static yoke_status submit(yoke_runtime *runtime, const yoke_job *spec, int borrow,
                          struct yk_job **out)
{
    struct yk_job *job;
    int cpu;
    yoke_status status = yk_job_open(runtime, spec, &job);
    if (status != YOKE_OK)
        return status;
    if (!yk_job_splits_freely(
            job->partitioner)) /* who asks for a certain split means all devices */
        yk_runtime_join_loader(runtime);
    cpu = borrow && !runtime->virtual_clock ? yk_thread_cpu() : -1;
    status = enlist(job, spec->kernel, cpu);
    if (status != YOKE_OK) {
        yk_job_close(job);
        return status;
    }
    *out = job;
    return YOKE_OK;
}

void yk_job_wait(struct yk_job *job)
{
    if (job->runtime->virtual_clock)
        yk_drive_virtual(job->runtime, job);
    else
        yk_gate_pass(&job->done);
}

void yk_jobs_wait_for(yoke_runtime *runtime, const yoke_array *array, int writing)
{
    for (;;) {
        struct yk_job *job;
        yk_lock(&runtime->lock);
        for (job = runtime->last_job; job; job = job->previous)
            if (!array || uses(job, array, writing))
                break;
        if (job)
            yk_job_hold(job);
        yk_unlock(&runtime->lock);
        if (!job)
            return;
        yk_job_wait(job);
        yk_job_release(job);
    }
}

yoke_status yoke_submit(yoke_runtime *runtime, const yoke_job *spec, yoke_ticket **out)
{
    struct yk_job *job;
    yoke_status status;
    if (!out)
        return yk_fail(YOKE_EINVAL, "yoke_submit: out is NULL; use yoke_run to run and wait");
    status = submit(runtime, spec, 0, &job);
    if (status != YOKE_OK)
        return status;
    if (!runtime->virtual_clock)
        yk_job_tell(job);
    yk_job_release(job);
    *out = (yoke_ticket *)job;
    return YOKE_OK;
}

yoke_status yoke_wait(yoke_ticket *ticket, yoke_result **result)
{
    struct yk_job *job = (struct yk_job *)ticket;
    yoke_status status;
    if (!job)
        return yk_fail(YOKE_EINVAL, "yoke_wait: the ticket is NULL");
    yk_job_wait(job);
    status = job->status;
    if (status != YOKE_OK)
        yk_fail(status, "%s", job->text ? job->text : yoke_status_text(status));
    else if (result)
        status = yk_result_open(job, result);
    yk_job_release(job);
    return status;
}

yoke_status yoke_run(yoke_runtime *runtime, const yoke_job *spec, yoke_result **result)
{
    struct yk_job *job;
    yoke_status status = submit(runtime, spec, 1, &job);
    if (status != YOKE_OK)
        return status;
    if (!runtime->virtual_clock) {
        if (atomic_load(&job->phase) == YK_RUNNING && atomic_load(&job->borrowing)) {
            yk_caller_take_part(job);
        } else {
            atomic_store(&job->borrowing, 0);
            yk_job_tell(job);
        }
    }
    yk_job_release(job);
    return yoke_wait((yoke_ticket *)job, result);
}
