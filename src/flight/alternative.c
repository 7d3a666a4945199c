/* alternative.c - jobs with an alternative kernel: chooses which of the two kernels does a device's
 * next chunk, and learns from chunks that have ended (docs/adr/011; partition/choice.h decides).
 *
 * The knowledge belongs to the pair of kernels, so that jobs that run at the same time share it. A
 * trial on a GPU has the GPU for itself. The cores of a CPU share their chunks, and the time that
 * each core spent on them counts. A device continues with one kernel if the other one does not
 * compile, is not compiled yet, or has no memory for its queues.
 */

#include "alternative.h"

#include <math.h>

#include "../job/kernel.h"
#include "../job/unit.h"
#include "step_memory.h"

static unsigned bit(int form)
{
    return 1u << form;
}

enum { BOTH = (1 << YK_FORMS) - 1 };

int yk_form_is_steps(const struct yk_job *job, int form)
{
    return yk_job_kernel(job, form)->kernel.kind == YOKE_KERNEL_STEP;
}

static struct yk_choice choice_of(const struct yk_job *job, int device)
{
    struct yk_choice choice;
    yk_lock(&job->pair->lock);
    choice = *yk_pair_choice(job->pair, job->split.key, device);
    yk_unlock(&job->pair->lock);
    return choice;
}

/* Fewest items of a chunk that measures a kernel on the device. */
static int64_t fill_of(const struct yk_job *job, int device)
{
    const struct yk_runtime_device *driven = job->devices[device].device;
    const struct yk_device_desc *desc = &driven->device->desc;
    const int64_t unit = yk_job_unit(job), vector = yk_job_vector(job);
    if (!desc->host_memory)
        return yk_job_busy_items(job, desc->fill);
    return driven->lanes * (vector > unit ? (vector + unit - 1) / unit * unit : unit);
}

/* ns that the device may spend on trials, by the speeds in earlier jobs; < 0: not known. With
 * pair->lock held. Only cores are slow enough to delay a job, so only they have a limit. (With
 * trials short enough to end with the job, GPUs needed dozens of jobs to compare kernels.) */
static double spare_ns(const struct yk_job *job, int device, const struct yk_memory *memory)
{
    const struct yk_choice *choice = yk_pair_choice(job->pair, job->split.key, device);
    const double items = (double)(job->last - job->first);
    double others = 0;
    int d;
    if (job->device_count == 1 || !job->devices[device].device->device->desc.host_memory)
        return INFINITY;
    for (d = 0; memory && d < job->device_count; d++)
        if (!(memory->device[d].rate > 0))
            memory = NULL;
        else if (d != device)
            others += memory->device[d].rate;
    if (!memory)
        return -1;
    return yk_choice_spare_ns(
        choice, (double)job->devices[device].fill / memory->device[device].rate, items / others);
}

/* The same, by the speeds in this job. Cores try nothing until the speed of the other devices is
 * known. */
static double spare_now(const struct yk_job *job, int device, const struct yk_choice *choice)
{
    const struct yk_job_device *jd = &job->devices[device];
    double least_ns;
    if (jd->spare_ns >= 0)
        return jd->spare_ns;
    least_ns = (double)yk_dispatch_forecast(job->dispatch, jd->device->number, jd->fill);
    return least_ns > 0
               ? yk_choice_spare_ns(choice, least_ns,
                                    yk_dispatch_others_ns(job->dispatch, jd->device->number))
               : 0;
}

/* With pair->lock held. */
static void begin_on(struct yk_job *job, int device)
{
    yk_choice_begin(yk_pair_choice(job->pair, job->split.key, device));
    job->devices[device].fill = fill_of(job, device);
}

void yk_alternative_begin(struct yk_job *job, const struct yk_memory *memory)
{
    int d;
    if (!job->pair)
        return;
    yk_lock(&job->pair->lock);
    for (d = 0; d < job->device_count; d++) {
        begin_on(job, d);
        job->devices[d].spare_ns = spare_ns(job, d, memory);
    }
    yk_unlock(&job->pair->lock);
}

void yk_alternative_admit(struct yk_job *job, int device)
{
    int d;
    if (!job->pair)
        return;
    yk_lock(&job->pair->lock);
    begin_on(job, device);
    yk_unlock(&job->pair->lock);
    for (d = 0; d <= device; d++)
        job->devices[d].spare_ns = job->devices[d].device->device->desc.host_memory ? -1 : INFINITY;
}

void yk_alternative_plan(struct yk_job *job, const struct yk_split_device *known)
{
    int d;
    for (d = 0; job->pair && d < job->device_count; d++)
        job->devices[d].known_form = known[d].rate > 0 ? 1 + choice_of(job, d).best : 0;
    if (job->pair && job->split.alone >= 0) /* no other device waits for its trials */
        job->devices[job->split.alone].spare_ns = INFINITY;
}

int yk_alternative_is_untried(const struct yk_job *job, int device)
{
    struct yk_choice choice;
    if (!job->pair || job->devices[device].spare_ns == 0 ||
        !yk_kernel_is_ready(job->kernel, device) ||
        !yk_kernel_is_ready(job->pair->alternative, device))
        return 0;
    choice = choice_of(job, device);
    return !yk_choice_knows_both(&choice);
}

/* --- the kernels that a device can run --- */

/* The forms that may be used in this job, as bits. *first: the one to begin with. */
static unsigned wanted(const struct yk_job *job, int device, int *first)
{
    struct yk_choice choice;
    *first = 0;
    if (!job->pair)
        return bit(0);
    choice = choice_of(job, device);
    return yk_choice_wants(&choice, job->devices[device].spare_ns, first);
}

/* With runtime.lock held, but not for long: a CPU's kernels are function pointers. */
yoke_status yk_alternative_build_on_host(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    yoke_status first = YOKE_OK;
    int form, best;
    const unsigned forms = wanted(job, device, &best);
    jd->forms = 0;
    for (form = 0; form <= (job->pair != NULL); form++) {
        yoke_status status = yk_kernel_build(yk_job_kernel(job, form), jd->device->device, device);
        jd->forms |= status == YOKE_OK ? bit(form) : 0;
        first = form == 0 ? status : first;
    }
    if (jd->forms & forms)
        jd->forms &= forms;
    return jd->forms ? YOKE_OK : first;
}

/* Builds the form with which the device begins in this thread, and the other one in another thread.
 */
yoke_status yk_alternative_build(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_device *driven = jd->device->device;
    const int number = jd->device->number;
    yoke_status status, other;
    int first;
    jd->forms = wanted(job, device, &first);
    status = yk_kernel_build(yk_job_kernel(job, first), driven, number);
    if (!job->pair || (status == YOKE_OK && jd->forms != BOTH))
        return status;
    if (status == YOKE_OK) {
        yk_kernel_build_beside(yk_job_kernel(job, 1 - first), driven, number);
        if (yk_kernel_has_failed(yk_job_kernel(job, 1 - first), number))
            jd->forms = bit(first);
        return YOKE_OK;
    }
    jd->forms = bit(1 - first);
    other = yk_kernel_build(yk_job_kernel(job, 1 - first), driven, number);
    return other == YOKE_OK ? YOKE_OK : status;
}

int yk_alternative_does_without_steps(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    unsigned others = 0;
    int form;
    for (form = 0; form < YK_FORMS && job->pair; form++)
        if (!yk_form_is_steps(job, form) &&
            yk_kernel_is_ready(yk_job_kernel(job, form), jd->device->number))
            others |= bit(form);
    if (others)
        jd->forms = others;
    return others != 0;
}

static unsigned ready_forms(const struct yk_job *job, const struct yk_job_device *jd)
{
    unsigned ready = 0;
    int form;
    for (form = 0; form < YK_FORMS; form++)
        if (jd->forms >> form & 1 &&
            yk_kernel_is_ready(yk_job_kernel(job, form), jd->device->number))
            ready |= bit(form);
    return ready;
}

/* --- chunks --- */

/* Items of the job that the device is expected to do. */
static int64_t expected_items(const struct yk_job *job, const struct yk_job_device *jd)
{
    const double part = yk_dispatch_part_of(job->dispatch, jd->device->number);
    const int64_t items = (int64_t)(part * (double)(job->last - job->first));
    return items > 1 ? items : 1;
}

int yk_alternative_next(struct yk_job *job, int device, struct yk_choice_turn *out)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_choice_asked asked = { .fill = jd->fill };
    struct yk_choice choice;
    *out = (struct yk_choice_turn){ 0 };
    if (!job->pair)
        return 1;
    asked.range = expected_items(job, jd);
    asked.ready = ready_forms(job, jd);
    asked.out[0] = jd->out[0];
    asked.out[1] = jd->out[1];
    choice = choice_of(job, device);
    asked.spare_ns = choice.settled ? 0 : spare_now(job, device, &choice);
    yk_choice_next(&choice, &asked, out);
    yk_dispatch_bound(job->dispatch, jd->device->number, out->most);
    return jd->device->device->desc.host_memory || jd->out[0] + jd->out[1] == 0 ||
           (out->tries != YK_TRIES_CHUNK && !jd->trying);
}

void yk_alternative_taken(struct yk_job *job, int device, const struct yk_chunk *chunk)
{
    struct yk_job_device *jd = &job->devices[device];
    jd->out[chunk->form]++;
    jd->trying = chunk->tries == YK_TRIES_CHUNK;
    jd->tried |= chunk->tries == YK_TRIES_CHUNK;
}

void yk_alternative_returned(struct yk_job *job, int device, const struct yk_chunk *chunk)
{
    job->devices[device].out[chunk->form]--;
}

/* The device's time for the chunk, in ns. */
static double spent_ns(struct yk_job_device *jd, const struct yk_chunk_times *times)
{
    int64_t from = times->issued > jd->ended_ns ? times->issued : jd->ended_ns;
    if (times->work_ns > 0)
        return (double)times->work_ns / jd->device->lanes;
    from = times->free_ns > from ? times->free_ns : from;
    jd->ended_ns = times->ended > jd->ended_ns ? times->ended : jd->ended_ns;
    return yk_chunk_own_ns(times, (double)(times->ended - from));
}

void yk_alternative_ended(struct yk_job *job, int device, const struct yk_alternative_chunk *ended,
                          struct yk_chunk_times *times)
{
    struct yk_job_device *jd = &job->devices[device];
    const int form = ended->chunk->form;
    const struct yk_choice_chunk chunk = { .form = form,
                                           .tries = ended->chunk->tries,
                                           .items = ended->items,
                                           .ns = job->pair ? spent_ns(jd, times) : 0,
                                           .range = job->pair ? expected_items(job, jd) : 0 };
    int best;
    jd->made[form] += ended->items;
    jd->out[form]--;
    if (!job->pair || ended->items <= 0)
        return;
    yk_lock(&job->pair->lock);
    yk_choice_note(yk_pair_choice(job->pair, job->split.key, device), &chunk);
    best = yk_pair_choice(job->pair, job->split.key, device)->best;
    yk_unlock(&job->pair->lock);
    /* Chunks of the slower kernel do not count for the device's speed (apart), unless the whole job
     * is a trial: both kernels are then nearly equally fast, and there are no other chunks to learn
     * from. */
    times->apart = form != best && chunk.tries != YK_TRIES_JOB;
    jd->tried |= form != best;
    if (times->apart || chunk.tries == YK_TRIES_JOB)
        return;
    if (jd->known_form && jd->known_form != 1 + form)
        yk_dispatch_renew(job->dispatch, jd->device->number);
    jd->known_form = 1 + form;
}

void yk_alternative_tidy(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_choice choice;
    if (!job->pair || !jd->queues || jd->forms != BOTH)
        return;
    choice = choice_of(job, device);
    if (!choice.settled || yk_form_is_steps(job, choice.best) || jd->out[1 - choice.best] > 0)
        return;
    jd->forms = bit(choice.best);
    yk_steps_close(job, device);
}

void yk_alternative_explain(const struct yk_job *job, int device, char text[YK_TURN_TEXT])
{
    const char *const names[] = { job->kernel->kernel.name, job->pair->alternative->kernel.name };
    const struct yk_choice choice = choice_of(job, device);
    yk_choice_explain(&choice, names, text, YK_TURN_TEXT);
}
