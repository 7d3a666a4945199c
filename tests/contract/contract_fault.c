/* contract_fault.c - one short job on the device, with each call failing in turn: it ends with that
 * failure, nothing leaks, and later calls behave as the contract says. */
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "contract.h"
#include "contract_kernel.h"

enum { COUNT = 512 };

struct job {
    struct yk_queue *queue;
    struct yk_buffer *x, *y;
    struct yk_program *program;
    float in[COUNT], out[COUNT];
};

static yoke_status settle(struct contract *c, yoke_status status, struct yk_event *event)
{
    return status == YOKE_OK ? finish(c->backend, event) : status;
}

static yoke_status run_kernel(struct contract *c, struct job *job)
{
    float a = 3;
    struct yk_event *event = NULL;
    struct yk_launch_arg args[] = { { .value = &a },
                                    { .buffer = job->x, .host = job->x ? NULL : job->in },
                                    { .buffer = job->y, .host = job->y ? NULL : job->out } };
    struct yk_launch launch = {
        .first = 0, .last = COUNT, .extent = { 1, 1 }, .args = args, .team = 1
    };
    yoke_status status = c->backend->launch(job->queue, job->program, &launch, &event);
    return settle(c, status, event);
}

static yoke_status move(struct contract *c, struct job *job, const struct yk_copy *copy)
{
    struct yk_event *event = NULL;
    yoke_status status = c->backend->copy(job->queue, copy, &event);
    return settle(c, status, event);
}

static yoke_status bring(struct contract *c, struct job *job)
{
    struct yk_event *event = NULL;
    yoke_status status = c->backend->alloc(c->device, sizeof job->in, &job->x);
    if (status == YOKE_OK)
        status = c->backend->alloc(c->device, sizeof job->out, &job->y);
    if (status == YOKE_OK && c->backend->commit)
        status = c->backend->commit(c->device, job->x, 0, sizeof job->in);
    if (status == YOKE_OK && c->backend->commit)
        status = c->backend->commit(c->device, job->y, 0, sizeof job->out);
    if (status == YOKE_OK)
        status = c->backend->zero(job->queue,
                                  &(struct yk_buffer_range){ job->y, 0, sizeof job->out }, &event);
    status = settle(c, status, event);
    if (status == YOKE_OK)
        status = move(c, job,
                      &(struct yk_copy){ .kind = YK_COPY_TO_DEVICE,
                                         .host = job->in,
                                         .buffer = job->x,
                                         .bytes = sizeof job->in });
    return status;
}

static yoke_status job_run(struct contract *c)
{
    struct job job = { 0 };
    int host_memory = c->device->desc.host_memory;
    for (int i = 0; i < COUNT; i++)
        job.in[i] = (float)i;
    yoke_status status = c->backend->queue_open(c->device, &job.queue);
    if (status == YOKE_OK)
        status = c->backend->build(c->device, &contract_saxpy, &job.program);
    if (status == YOKE_OK && !host_memory)
        status = bring(c, &job);
    if (status == YOKE_OK)
        status = run_kernel(c, &job);
    if (status == YOKE_OK && !host_memory)
        status = move(c, &job,
                      &(struct yk_copy){ .kind = YK_COPY_FROM_DEVICE,
                                         .host = job.out,
                                         .buffer = job.y,
                                         .bytes = sizeof job.out });
    c->backend->queue_close(job.queue);
    c->backend->program_close(c->device, job.program);
    if (!host_memory) {
        c->backend->free(c->device, job.x);
        c->backend->free(c->device, job.y);
    }
    for (int i = 0; i < COUNT && status == YOKE_OK; i++)
        assert_float_equal(job.out[i], 3 * i, 0);
    return status;
}

/* The whole life of a device with the nth call failing. Returns 1 if there are fewer than n calls.
 */
static int fail_nth(struct contract *c, int64_t nth, yoke_status failure)
{
    struct contract own = { .subject = c->subject };
    own.device = contract_open(c->subject);
    own.backend = own.device->backend;
    yk_backend_fail_at(nth, failure);
    yoke_status status = job_run(&own);
    int reached = yk_backend_failed();
    yk_backend_fail_at(0, YOKE_OK);
    assert_int_equal(status, reached ? failure : YOKE_OK);
    if (reached && status == YOKE_EDEVICE) {
        struct yk_queue *queue;
        assert_non_null(strstr(yoke_error_text(), own.device->desc.name));
        assert_int_equal(own.backend->queue_open(own.device, &queue), YOKE_EDEVICE);
    } else {
        assert_int_equal(job_run(&own), YOKE_OK); /* it continues to work */
    }
    own.backend->close(own.device);
    return !reached;
}

static void fail_each(struct contract *c, yoke_status failure)
{
    int64_t nth = 1, outstanding = 0;
    for (;; nth++) {
        int64_t before = yk_alloc_outstanding();
        int done = fail_nth(c, nth, failure);
        /* A driver may keep memory from its first device on. */
        if (nth > 1)
            assert_int_equal(yk_alloc_outstanding() - before, outstanding);
        if (done)
            break;
        assert_true(nth < 100);
    }
    assert_true(nth > (failure == YOKE_EBUILD ? 1 : 3));
}

static void each_call_without_memory(struct contract *c)
{
    fail_each(c, YOKE_ENOMEM);
}

static void each_call_loses_the_device(struct contract *c)
{
    fail_each(c, YOKE_EDEVICE);
}

static void each_build_fails(struct contract *c)
{
    fail_each(c, YOKE_EBUILD);
}

/* Each allocation of host memory fails in turn. */
static void each_allocation(struct contract *c)
{
    assert_int_equal(job_run(c), YOKE_OK);
    for (int64_t nth = 1; nth < 1000; nth++) {
        int64_t before = yk_alloc_outstanding();
        yk_alloc_fail_at(nth);
        yoke_status status = job_run(c);
        int reached = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_true(status == YOKE_OK || (reached && status == YOKE_ENOMEM));
        assert_int_equal(yk_alloc_outstanding(), before);
        if (!reached)
            return;
    }
    fail_msg("a job of few calls makes 1000 allocations");
}

const struct named_case contract_fault_cases[] = {
    { "each call runs out of memory", each_call_without_memory, NEEDS_CHECK },
    { "each call loses the device", each_call_loses_the_device, NEEDS_CHECK },
    { "each build fails", each_build_fails, NEEDS_CHECK },
    { "each allocation fails", each_allocation, NEEDS_NOTHING },
    { 0 },
};
