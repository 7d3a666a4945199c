/* sim_operation.c - copies, zeroing and kernels of virtual devices: their effect and their cost.
 *
 *     copy to or from   latency + bytes / link      on the link's engine for that direction
 *                       (host memory that is not pinned: pageable instead of link)
 *     from a peer       latency + bytes / peer      on an engine of the copying device; its peer
 *                                                   serves any number at once
 *     within, zero      fixed + bytes / bandwidth   on the compute engine
 *     kernel on a GPU   launch, then machine/device.c; kernels of all queues one after the other
 *                       (compute engine)
 *     kernel on a CPU   fixed + items / rate        on its lane; a team takes all lanes < team
 *
 * An item's time is multiplied by work=, and for kernels named by slow= by slowed=. Each cost is
 * multiplied by its noise, and a kernel's also by 1 + contention * (other devices computing when it
 * is issued). The first launches of a kernel take longer by cold=, half of it, a quarter of it, ...
 */
#include <math.h>
#include <string.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../launch_space.h"
#include "sim.h"

yoke_status yk_sim_lost(const struct sim_device *device)
{
    return yk_fail(YOKE_EDEVICE, "%s is lost (simulated failure); its work goes to other devices",
                   device->base.desc.name);
}

yoke_status yk_sim_source_lost(const struct yk_event *event)
{
    return yk_fail(YOKE_ELOST, "%s was copying from %s, which is lost (simulated failure)",
                   event->device->base.desc.name, event->source->base.desc.name);
}

double yk_sim_reach(struct yk_device *device, struct yk_device *from)
{
    const struct yk_machine_device *a = &((struct sim_device *)device)->settings;
    const struct yk_machine_device *b = &((struct sim_device *)from)->settings;
    return fmin(a->peer, b->peer) / 1e9;
}

/* Lock held. Loses the device if its failure is due. Returns YOKE_OK if an operation can be
 * issued. */
static yoke_status device_usable(struct sim_device *device)
{
    int64_t limit = device->settings.fail_after;
    if (!device->lost &&
        (yk_sim.now >= device->fail_ns || (limit && device->operation_count >= limit)))
        yk_sim_lose(device);
    return device->lost ? yk_sim_lost(device) : YOKE_OK;
}

/* Lock held. Returns when the last of the events ends; 0 if there are none. */
static int64_t events_end(struct yk_event *const *after, int count)
{
    int64_t end = 0;
    for (int i = 0; i < count; i++)
        if (after[i] && after[i]->ended > end)
            end = after[i]->ended;
    return end;
}

/* Takes ownership of effect->args, also on failure. */
static yoke_status event_new(const struct sim_effect *effect, struct yk_event **out)
{
    struct yk_event *event = yk_calloc(1, sizeof *event);
    if (!event) {
        yk_free(effect->args);
        return YOKE_ENOMEM;
    }
    event->effect = *effect;
    event->refs = 1;
    *out = event;
    return YOKE_OK;
}

/* Lock held. Gives the caller its reference; if it wants no event (NULL), drops the reference. */
static void event_hand_over(struct yk_event *event, struct yk_event **out)
{
    if (out)
        *out = event;
    else
        yk_sim_event_release(event);
}

static int range_ok(const struct yk_buffer_range *range)
{
    return range->buffer && range->offset >= 0 && range->bytes >= 1 &&
           range->bytes <= range->buffer->bytes &&
           range->offset <= range->buffer->bytes - range->bytes;
}

static int is_mapped(const struct yk_buffer_range *range)
{
    return yk_sim_is_mapped(range->buffer, range->offset, range->bytes);
}

static int by_host(const struct yk_copy *copy)
{
    return copy->kind == YK_COPY_TO_DEVICE || copy->kind == YK_COPY_FROM_DEVICE;
}

/* The source of a copy WITHIN or PEER. */
static struct yk_buffer_range source_of(const struct yk_copy *copy)
{
    return (struct yk_buffer_range){ copy->from, copy->from_offset, yk_copy_host_span(copy) };
}

static yoke_status copy_outside(const struct sim_device *device, const struct yk_copy *copy)
{
    return yk_fail(YOKE_EINVAL, "%s: a copy of %lld bytes lies outside its buffer",
                   device->base.desc.name, (long long)yk_copy_total(copy));
}

static yoke_status copy_check(const struct sim_device *device, const struct yk_copy *copy)
{
    const char *name = device->base.desc.name;
    if (!yk_copy_rows_ok(copy)) /* else the spans have no meaning */
        return copy_outside(device, copy);
    const struct yk_buffer_range here = { copy->buffer, copy->offset, yk_copy_span(copy) };
    const struct yk_buffer_range source = source_of(copy);
    if (!range_ok(&here) || !(by_host(copy) ? copy->host != NULL : range_ok(&source)))
        return copy_outside(device, copy);
    if (by_host(copy) && yk_sim_pinned(copy->host, yk_copy_host_span(copy)) == SIM_PINNED_IN_PARTS)
        return yk_fail(YOKE_EINVAL, "%s: a copy of %lld bytes at %p is pinned only in part", name,
                       (long long)yk_copy_total(copy), copy->host);
    if (copy->kind == YK_COPY_PEER &&
        (!copy->peer || yk_sim_reach(&copy->buffer->device->base, copy->peer) <= 0))
        return yk_fail(YOKE_EINVAL, "%s cannot copy from that device; give both peer=", name);
    if (!is_mapped(&here) || (!by_host(copy) && !is_mapped(&source)))
        return yk_fail(YOKE_EINVAL, "%s: a copy of %lld bytes uses memory that was not committed",
                       name, (long long)copy->bytes);
    return YOKE_OK;
}

static struct sim_effect copy_effect(const struct yk_copy *copy)
{
    void *here = copy->buffer->data + copy->offset;
    void *there = by_host(copy) ? copy->host : copy->from->data + copy->from_offset;
    struct sim_effect effect = { .bytes = copy->bytes, .rows = copy->rows };
    const int out = copy->kind == YK_COPY_FROM_DEVICE;
    effect.to = out ? there : here;
    effect.from = out ? here : there;
    effect.to_pitch = out ? copy->host_pitch : copy->pitch;
    effect.from_pitch = out ? copy->pitch : copy->host_pitch;
    return effect;
}

static double within_ns(const struct yk_machine_device *settings, double bytes)
{
    return 1e9 * (settings->fixed + bytes / settings->bandwidth);
}

/* The engine that a copy uses, and for how long. */
static struct sim_cost copy_cost(struct sim_device *device, const struct yk_copy *copy)
{
    const struct yk_machine_device *s = &device->settings;
    double bytes = (double)yk_copy_total(copy);
    int pinned;
    if (copy->kind == YK_COPY_WITHIN)
        return (struct sim_cost){ .duration_ns = within_ns(s, bytes),
                                  .engine = &device->engine_free[SIM_COMPUTE] };
    if (copy->kind == YK_COPY_PEER)
        return (struct sim_cost){ .duration_ns = yk_machine_copy_ns(
                                      s, 1e9 * yk_sim_reach(&device->base, copy->peer), bytes),
                                  .engine = &device->engine_free[SIM_PEER_IN] };
    pinned = yk_sim_pinned(copy->host, yk_copy_host_span(copy)) == SIM_PINNED;
    return (struct sim_cost){
        .duration_ns =
            yk_machine_copy_ns(s, s->pageable > 0 && !pinned ? s->pageable : s->link, bytes),
        .engine = &device->engine_free[copy->kind == YK_COPY_TO_DEVICE ? SIM_LINK_IN : SIM_LINK_OUT]
    };
}

yoke_status yk_sim_copy(struct yk_queue *queue, const struct yk_copy *copy, struct yk_event **event)
{
    struct sim_device *device = queue->device;
    struct yk_event *made;
    yoke_status status = copy_check(device, copy);
    if (status != YOKE_OK)
        return status;
    const struct sim_effect effect = copy_effect(copy);
    status = event_new(&effect, &made);
    if (status != YOKE_OK)
        return status;
    struct sim_cost cost = copy_cost(device, copy);
    if (copy->kind == YK_COPY_PEER)
        made->source = (const struct sim_device *)copy->peer;
    yk_sim_enter();
    status = device_usable(device);
    if (status == YOKE_OK) {
        cost.ready = events_end(copy->after, copy->after_count);
        yk_sim_schedule(queue, &cost, made);
    }
    event_hand_over(made, status == YOKE_OK ? event : NULL);
    yk_sim_leave();
    return status;
}

yoke_status yk_sim_zero(struct yk_queue *queue, const struct yk_buffer_range *range,
                        struct yk_event **event)
{
    struct sim_device *device = queue->device;
    const struct yk_machine_device *s = &device->settings;
    struct yk_event *made;
    if (!range_ok(range) || !is_mapped(range))
        return yk_fail(YOKE_EINVAL,
                       "%s: %lld bytes to set to zero lie outside their buffer or were not "
                       "committed",
                       device->base.desc.name, (long long)range->bytes);
    struct sim_effect effect = { .to = range->buffer->data + range->offset, .bytes = range->bytes };
    yoke_status status = event_new(&effect, &made);
    if (status != YOKE_OK)
        return status;
    struct sim_cost cost = { .duration_ns = within_ns(s, (double)range->bytes),
                             .engine = &device->engine_free[SIM_COMPUTE] };
    yk_sim_enter();
    status = device_usable(device);
    if (status == YOKE_OK)
        yk_sim_schedule(queue, &cost, made);
    event_hand_over(made, status == YOKE_OK ? event : NULL);
    yk_sim_leave();
    return status;
}

enum { VALUE_ALIGNMENT = 16 };

/* The pointers that a CPU function gets, in one block with copies of the values. */
static void **args_new(const struct sim_device *device, const struct yk_program *program,
                       const struct yk_launch *launch)
{
    size_t head = (size_t)program->param_count * sizeof(void *), values = 0;
    head = (head + VALUE_ALIGNMENT - 1) / VALUE_ALIGNMENT * VALUE_ALIGNMENT;
    for (int p = 0; p < program->param_count; p++)
        if (program->params[p].is_value)
            values += (program->params[p].size + VALUE_ALIGNMENT - 1) / VALUE_ALIGNMENT;
    void **args = yk_calloc(1, head + values * VALUE_ALIGNMENT);
    if (!args)
        return NULL;
    char *value = (char *)args + head;
    for (int p = 0; p < program->param_count; p++) {
        const struct yk_launch_arg *arg = &launch->args[p];
        uint32_t size = program->params[p].size;
        if (program->params[p].is_value) {
            memcpy(value, arg->value, size);
            args[p] = value;
            value += (size + VALUE_ALIGNMENT - 1) / VALUE_ALIGNMENT * VALUE_ALIGNMENT;
            continue;
        }
        /* Computed as integers, because global element 0 may lie before the buffer: such a pointer
         * is undefined until an index is added. */
        uintptr_t base = (uintptr_t)(device->lane_free ? arg->host : arg->buffer->data);
        args[p] = (void *)(base + (uintptr_t)arg->shift);
    }
    return args;
}

static uint32_t *step_words(const struct sim_device *device, const struct yk_step_launch *steps)
{
    return device->lane_free ? steps->words
                             : (uint32_t *)(void *)(steps->buffer->data + steps->offset);
}

static int args_ok(const struct sim_device *device, const struct yk_program *program,
                   const struct yk_launch *launch)
{
    for (int p = 0; p < program->param_count; p++) {
        const struct yk_launch_arg *arg = &launch->args[p];
        int missing = program->params[p].is_value ? !arg->value
                      : device->lane_free         ? !arg->host
                                                  : !arg->buffer;
        if (missing)
            return 0;
    }
    if (program->is_step && !launch->steps)
        return 0;
    return launch->first < launch->last &&
           (!device->lane_free || (launch->lane >= 0 && launch->lane < device->settings.cores));
}

/* Number of lanes that share the launch. */
static int team_of(const struct sim_device *device, const struct yk_program *program,
                   const struct yk_launch *launch)
{
    const int team =
        launch->team < device->settings.cores ? launch->team : (int)device->settings.cores;
    return program->run || !device->lane_free || team < 1 ? 1 : team;
}

static double work_ns(const struct sim_device *device, const struct yk_program *program,
                      const struct yk_launch *launch)
{
    const struct yk_machine_device *s = &device->settings;
    const struct yk_space all = yk_space_of(launch);
    struct yk_machine_work work = { .items = 1, .item_ns = 1e9 * s->work / s->rate };
    for (int d = 0; d < 3; d++)
        work.items *= (double)(all.along[d].last - all.along[d].first);
    work.cost = work.items;
    work.item_ns *= program->slowed / team_of(device, program, launch);
    return yk_machine_kernel_ns(s, &work);
}

static int others_computing(const struct sim_device *device)
{
    int count = 0;
    for (const struct sim_device *other = yk_sim.devices; other; other = other->next)
        count += other != device && !other->lost && other->kernels_end > yk_sim.now;
    return count;
}

/* Lock held. A team occupies its lanes together: it starts when all are free, and all are busy
 * until it ends. */
static void launch_schedule(struct yk_queue *queue, struct yk_program *program,
                            const struct yk_launch *launch, struct yk_event *event)
{
    struct sim_device *device = queue->device;
    int64_t *lanes = device->lane_free;
    struct sim_cost cost = { .ready = events_end(launch->after, launch->after_count),
                             .engine =
                                 lanes ? &lanes[launch->lane] : &device->engine_free[SIM_COMPUTE] };
    const int team = team_of(device, program, launch);
    cost.is_kernel = 1;
    cost.delay_ns = 1e9 * device->settings.launch;
    cost.duration_ns = work_ns(device, program, launch) *
                           (1 + device->settings.contention * others_computing(device)) +
                       program->cold_ns;
    program->cold_ns /= 2;
    for (int lane = 0; team > 1 && lane < team; lane++)
        if (lanes[lane] > cost.ready)
            cost.ready = lanes[lane];
    yk_sim_schedule(queue, &cost, event);
    for (int lane = 0; team > 1 && lane < team; lane++)
        lanes[lane] = queue->tail;
    if (queue->tail > device->kernels_end)
        device->kernels_end = queue->tail;
}

yoke_status yk_sim_launch(struct yk_queue *queue, struct yk_program *program,
                          const struct yk_launch *launch, struct yk_event **event)
{
    struct sim_device *device = queue->device;
    struct yk_event *made;
    if (!args_ok(device, program, launch))
        return yk_fail(YOKE_EINVAL, "%s: a launch without items, a lane or an argument it needs",
                       device->base.desc.name);
    struct sim_effect effect = { .run = program->run ? program->run : program->team,
                                 .args = args_new(device, program, launch),
                                 .chunk = yk_chunk_of(launch) };
    effect.chunk.team = team_of(device, program, launch);
    if (!effect.args)
        return YOKE_ENOMEM;
    if (program->is_step) {
        effect.step = program->step;
        effect.words = step_words(device, launch->steps);
    }
    yoke_status status = event_new(&effect, &made);
    if (status != YOKE_OK)
        return status;
    yk_sim_enter();
    status = device_usable(device);
    if (status == YOKE_OK)
        launch_schedule(queue, program, launch, made);
    event_hand_over(made, status == YOKE_OK ? event : NULL);
    yk_sim_leave();
    return status;
}
