/* steps.c - step kernels on a device with memory of its own: a chunk is a series of launches. Each
 * launch does the items that the one before it left (docs/adr/010).
 *
 * A few words at the head of the queue say what a launch left. They are copied to the host after
 * each launch. The thread that checks whether the flight is complete reads them and launches again,
 * so no additional thread waits. Results leave when the queue is empty. Several launches may follow
 * each other without a look at the words, because a job with deep trees needs many.
 */

#include "steps.h"

#include "../base/alloc.h"
#include "../job/kernel.h"
#include "alternative.h"
#include "flight.h"
#include "homeward.h"

/* Most launches between two looks at the words. */
enum { BURST_MOST = 8 };

/* State of one lane. */
struct yk_step_flight {
    struct yk_step_launch launch; /* the chunk's latest launch */
    struct yk_launch again;       /* how it is launched again */
    struct yk_launch_arg args[YOKE_ARGS_MAX];
    int64_t distances[YOKE_ARGS_MAX];
    struct yk_event *latest, *tally; /* latest launch (NULL: the first); copy of the words */
    uint32_t *words;                 /* `own`, or pinned memory */
    uint32_t own[YK_STEP_WORDS];
    int open;           /* 1: the queue may have items left */
    int burst;          /* launches until the next look at the words */
    yoke_status failed; /* error of another launch or of sending results home */
};

static const struct yk_kernel *kernel_of(const struct yk_job *job, const struct yk_job_device *jd,
                                         const struct yk_flight *flight)
{
    return yk_job_kernel(job, yk_flight_form(jd, flight));
}

static struct yk_program *program_of(const struct yk_job *job, const struct yk_job_device *jd,
                                     const struct yk_flight *flight)
{
    return kernel_of(job, jd, flight)->builds[jd->device->number].program;
}

yoke_status yk_steps_outcome(const struct yk_job *job, const struct yk_job_device *jd,
                             const struct yk_flight *flight)
{
    const yoke_kernel *kernel = &kernel_of(job, jd, flight)->kernel;
    return yk_step_outcome(flight->steps->words, job->pair ? kernel->name : job->name,
                           &kernel->step);
}

yoke_status yk_steps_prepare(struct yk_job *job, int device, int lane,
                             const struct yk_launch_arg *args)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_step_flight *steps = flight->steps;
    const int form = yk_flight_form(jd, flight);
    int p;
    if (!steps) {
        steps = flight->steps = yk_calloc(1, sizeof *steps);
        if (!steps)
            return YOKE_ENOMEM;
        steps->words = jd->step_words ? jd->step_words + lane * YK_STEP_WORDS : steps->own;
    }
    steps->open = 1;
    steps->burst = 1;
    steps->failed = YOKE_OK;
    steps->launch = (struct yk_step_launch){ .buffer = jd->queues,
                                             .offset = lane * jd->queue_bytes,
                                             .plan = jd->step_plans[form],
                                             .words = steps->words };
    for (p = 0; !jd->device->device->desc.host_memory && p < job->arg_count; p++) {
        steps->args[p] = args[p];
        if (job->distance_of[p]) { /* the argument points to a variable of the caller */
            steps->distances[p] = *(const int64_t *)args[p].value;
            steps->args[p].value = &steps->distances[p];
        }
    }
    return YOKE_OK;
}

const struct yk_step_launch *yk_steps_launch(const struct yk_flight *flight)
{
    return &flight->steps->launch;
}

/* Queues the copy of the words behind the launch. With place->lock held. */
static yoke_status ask_words(struct yk_queue *queue, const struct yk_place *place,
                             struct yk_step_flight *steps)
{
    const struct yk_copy copy = { .kind = YK_COPY_FROM_DEVICE,
                                  .host = steps->words,
                                  .buffer = steps->launch.buffer,
                                  .offset = steps->launch.offset,
                                  .bytes = sizeof(uint32_t) * YK_STEP_WORDS };
    return place->device->backend->copy(queue, &copy, &steps->tally);
}

yoke_status yk_steps_begin(struct yk_job *job, int device, int lane, const struct yk_launch *launch)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_step_flight *steps = flight->steps;
    struct yk_place *place = jd->device->place;
    const struct yk_backend *backend = place->device->backend;
    struct yk_queue *queue = jd->device->queues[lane];
    yoke_status status;
    status = backend->zero(
        queue,
        &(struct yk_buffer_range){ steps->launch.buffer, steps->launch.offset, YK_STEP_HEAD_BYTES },
        NULL);
    if (status == YOKE_OK)
        status = backend->launch(queue, program_of(job, jd, flight), launch, &flight->kernel);
    if (status != YOKE_OK)
        return status;
    steps->again = *launch;
    steps->again.args = steps->args;
    steps->again.after = NULL;
    steps->again.after_count = 0;
    steps->again.declared = NULL; /* a device that checks has done the whole chunk */
    flight->launched = 1;
    return ask_words(queue, place, steps);
}

/* With place->lock held. */
static yoke_status launch_again(const struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_step_flight *steps = jd->flights[lane].steps;
    const struct yk_backend *backend = jd->device->device->backend;
    struct yk_program *program = program_of(job, jd, &jd->flights[lane]);
    struct yk_event *event;
    yoke_status status;
    yk_step_plan_next(&steps->launch.plan);
    steps->again.steps = &steps->launch;
    status = backend->launch(jd->device->queues[lane], program, &steps->again, &event);
    if (status != YOKE_OK)
        return status;
    if (steps->latest)
        backend->event_close(steps->latest);
    steps->latest = event;
    return YOKE_OK;
}

/* Launches again for the items that are left according to the words. */
static yoke_status go_on(const struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_step_flight *steps = flight->steps;
    struct yk_place *place = jd->device->place;
    yoke_status status = YOKE_OK;
    int launches;
    yk_lock(&place->lock);
    steps->burst = steps->burst < BURST_MOST ? 2 * steps->burst : BURST_MOST;
    for (launches = 0; status == YOKE_OK && launches < steps->burst; launches++)
        status = launch_again(job, device, lane);
    if (status == YOKE_OK)
        status = ask_words(jd->device->queues[lane], place, steps);
    yk_unlock(&place->lock);
    flight->watched = 0; /* the watched event was that of an earlier operation */
    return status;
}

/* The whole chunk is done: sends its results home, and the device's sums if this was its last one.
 */
static yoke_status drained(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    yoke_status status = yk_steps_outcome(job, jd, flight);
    if (status != YOKE_OK)
        return status;
    flight->steps->open = 0;
    flight->watched = 0; /* the watched event was that of the words */
    return flight->steps->failed = yk_flight_leave(job, device, lane);
}

int yk_steps_are_over(struct yk_job *job, int device, int lane, yoke_status *outcome)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_step_flight *steps = flight->steps;
    const struct yk_backend *backend = jd->device->device->backend;
    const int is_steps = yk_form_is_steps(job, yk_flight_form(jd, flight));
    *outcome = is_steps && steps ? steps->failed : YOKE_OK;
    if (!is_steps || !steps || !steps->open || steps->failed != YOKE_OK)
        return 1;
    if (!yk_place_poll(jd->device->place, steps->tally, outcome))
        return 0;
    if (*outcome != YOKE_OK)
        return 1;
    if (yk_step_is_open(steps->words, &steps->launch.plan,
                        flight->chunk.last - flight->chunk.first)) {
        if (steps->tally)
            backend->event_close(steps->tally);
        steps->tally = NULL;
        *outcome = steps->failed = go_on(job, device, lane);
        return *outcome != YOKE_OK;
    }
    *outcome = drained(job, device, lane);
    return 1;
}

int yk_steps_go_on(const struct yk_flight *flight)
{
    return flight->steps && flight->steps->open;
}

struct yk_event *yk_steps_last_launch(const struct yk_flight *flight)
{
    return flight->steps && flight->steps->latest ? flight->steps->latest : flight->kernel;
}

struct yk_event *yk_steps_last(const struct yk_flight *flight)
{
    const struct yk_step_flight *steps = flight->steps;
    return steps && steps->tally ? steps->tally : yk_steps_last_launch(flight);
}

void yk_steps_await(const struct yk_job_device *jd, struct yk_flight *flight)
{
    struct yk_step_flight *steps = flight->steps;
    if (!steps)
        return;
    yk_place_wait(jd->device->place, steps->tally);
    yk_place_wait(jd->device->place, steps->latest);
    steps->tally = steps->latest = NULL;
    steps->open = 0;
}

void yk_steps_forget(struct yk_flight *flight)
{
    yk_free(flight->steps);
    flight->steps = NULL;
}
