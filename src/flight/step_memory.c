/* step_memory.c - memory that step kernels need on a device: a queue for each lane, and words that
 * tell the host how many items are left in it. */

#include "step_memory.h"

#include "../base/status.h"
#include "alternative.h"

/* Queues may take 1 / ROOM_PART of a device's memory. */
enum { ROOM_PART = 8 };

/* A device gets fill / FILL_PART groups of YK_STEP_WIDTH lanes: half of the number that would fill
 * it, because items take registers, and no NVIDIA GPU runs more blocks at the same time. */
enum { FILL_PART = 2 * YK_STEP_WIDTH };

static const yoke_step *step_of(const struct yk_job *job, int form)
{
    return &yk_job_kernel(job, form)->kernel.step;
}

static int64_t groups_of(const struct yk_device_desc *desc)
{
    const int64_t fill = desc->fill / FILL_PART, least = 4 * (int64_t)desc->cores;
    return fill > least ? fill : least;
}

/* The first step kernel among the forms that the device may use; -1: there is none. */
static int first_steps(const struct yk_job *job, const struct yk_job_device *jd)
{
    int form;
    for (form = 0; form < YK_FORMS; form++)
        if (jd->forms >> form & 1 && yk_form_is_steps(job, form))
            return form;
    return -1;
}

static yoke_status too_large(const struct yk_job *job, int device)
{
    const int form = first_steps(job, &job->devices[device]);
    const yoke_kernel *kernel = &yk_job_kernel(job, form)->kernel;
    return yk_fail(YOKE_ENOMEM,
                   "%s: no memory for the queues of step kernel %s (items of %u bytes, %u emitted "
                   "by one, %u generations); declare fewer, set "
                   "kernel.step.waiting if few items wait, or give it more memory (mem=)",
                   job->devices[device].device->device->desc.name, kernel->name, kernel->step.size,
                   kernel->step.most, kernel->step.generations);
}

/* Returns words to which a driver copies without blocking the calling thread; NULL: the driver has
 * no such memory. */
static uint32_t *words_open(const struct yk_job_device *jd)
{
    const struct yk_device *device = jd->device->device;
    const int64_t bytes = (int64_t)sizeof(uint32_t) * YK_STEP_WORDS * jd->device->lanes;
    void *words;
    yk_lock(&jd->device->place->lock);
    words = jd->device->spare_words;
    jd->device->spare_words = NULL;
    yk_unlock(&jd->device->place->lock);
    if (words)
        return words;
    if (!device->backend->host_alloc ||
        device->backend->host_alloc(jd->device->device, bytes, &words) != YOKE_OK)
        return NULL;
    return words;
}

/* Pinning memory takes a millisecond, so the next job reuses the words. */
static void words_close(struct yk_runtime_device *device, uint32_t *words)
{
    yk_lock(&device->place->lock);
    if (!device->spare_words) {
        device->spare_words = words;
        words = NULL;
    }
    yk_unlock(&device->place->lock);
    if (words)
        device->device->backend->host_free(device->device, words);
}

void yk_steps_forget_device(struct yk_runtime_device *device)
{
    if (device->spare_words)
        device->device->backend->host_free(device->device, device->spare_words);
    device->spare_words = NULL;
}

/* Returns the bytes of one lane's queue, for the step kernel that needs most; at most `most` bytes.
 * *groups: the largest number of groups on entry, the planned number on return. */
static int64_t plan_queues(const struct yk_job *job, int device, int64_t most, int64_t *groups)
{
    struct yk_job_device *jd = &job->devices[device];
    int64_t bytes, all = 0, planned = 0;
    int form;
    for (form = 0; form < YK_FORMS; form++) {
        if (!(jd->forms >> form & 1) || !yk_form_is_steps(job, form))
            continue;
        bytes = yk_step_plan_make(step_of(job, form), *groups, most, &jd->step_plans[form]);
        all = bytes > all ? bytes : all;
        if (jd->step_plans[form].groups > planned)
            planned = jd->step_plans[form].groups;
    }
    *groups = planned;
    return all;
}

yoke_status yk_steps_open(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_place *place = jd->device->place;
    const int64_t lanes = jd->device->lanes;
    int64_t most, groups;
    struct yk_spare queues = { 0 };
    yoke_status status = YOKE_ENOMEM;
    if (first_steps(job, jd) < 0)
        return YOKE_OK;
    most = yk_place_room(place) / ROOM_PART / lanes;
    for (groups = groups_of(&place->device->desc); status == YOKE_ENOMEM && groups > 0;
         groups /= 2) {
        jd->queue_bytes = plan_queues(job, device, most, &groups);
        if (jd->queue_bytes > INT64_MAX / lanes)
            break;
        status = yk_place_borrow(&job->runtime->places, place, lanes * jd->queue_bytes, &queues);
    }
    jd->queues = queues.buffer;
    jd->queues_bytes = queues.bytes;
    if (status == YOKE_OK)
        jd->step_words = words_open(jd);
    return status == YOKE_ENOMEM ? too_large(job, device) : status;
}

void yk_steps_close(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    if (jd->queues)
        yk_place_give(jd->device->place,
                      &(struct yk_spare){ .buffer = jd->queues, .bytes = jd->queues_bytes });
    words_close(jd->device, jd->step_words);
    jd->queues = NULL;
    jd->step_words = NULL;
}
