/* sim_device.c - the sim backend's table: opening, queues and kernels of virtual devices.
 *
 * A GPU's kernel is the CPU function of the same kernel. The clock restarts at 0 when the last
 * device is closed.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "sim.h"

static struct sim_device *sim_of(struct yk_device *device)
{
    return (struct sim_device *)device;
}

static yoke_status sim_open(const struct yk_device_desc *desc, struct yk_device **out)
{
    struct sim_device *device = yk_calloc(1, sizeof *device);
    if (!device)
        return YOKE_ENOMEM;
    memcpy(&device->settings, desc->settings, sizeof device->settings);
    snprintf(device->slow, sizeof device->slow, "%s",
             device->settings.slow ? device->settings.slow : "");
    device->settings.identity = device->settings.slow = device->settings.load = NULL;
    device->table = yk_backend_sim;
    device->base.backend = &device->table;
    if (!device->settings.pages) {
        device->table.commit = NULL;
        device->table.reserve = NULL;
        device->table.decommit = NULL;
    }
    if (device->settings.pin == YK_MACHINE_NO)
        device->table.pin = NULL;
    if (device->settings.staging == YK_MACHINE_NO)
        device->table.host_alloc = NULL;
    device->base.desc = *desc;
    device->base.desc.settings = NULL; /* owned by the list, which may be freed before the device */
    device->noise_state = (uint64_t)device->settings.seed * 1000003u + (uint64_t)desc->index;
    double fail_ns = device->settings.fail * 1e9;
    device->fail_ns = fail_ns > 0 ? llround(fail_ns) : INT64_MAX;
    double stall_ns = device->settings.stall * 1e9;
    device->stall_ns = stall_ns > 0 ? llround(stall_ns) : INT64_MAX;
    if (desc->host_memory) {
        device->lane_free = yk_calloc((size_t)device->settings.cores, sizeof *device->lane_free);
        if (!device->lane_free) {
            yk_free(device);
            return YOKE_ENOMEM;
        }
    }
    yk_lock(&yk_sim.mutex);
    device->next = yk_sim.devices;
    yk_sim.devices = device;
    yk_unlock(&yk_sim.mutex);
    *out = &device->base;
    return YOKE_OK;
}

static void sim_close(struct yk_device *base)
{
    struct sim_device *device = sim_of(base);
    if (!device)
        return;
    yk_lock(&yk_sim.mutex);
    struct sim_device **at = &yk_sim.devices;
    while (*at != device)
        at = &(*at)->next;
    *at = device->next;
    if (!yk_sim.devices)
        yk_sim.now = 0;
    yk_unlock(&yk_sim.mutex);
    yk_free(device->lane_free);
    yk_free(device);
}

static void sim_break_off(struct yk_device *base)
{
    struct sim_device *device = sim_of(base);
    yk_sim_enter();
    if (!device->lost)
        yk_sim_lose(device);
    yk_sim_leave();
}

static yoke_status sim_queue_open(struct yk_device *base, struct yk_queue **out)
{
    struct sim_device *device = sim_of(base);
    yk_lock(&yk_sim.mutex);
    int lost = device->lost;
    yk_unlock(&yk_sim.mutex);
    if (lost)
        return yk_sim_lost(device);
    struct yk_queue *queue = yk_calloc(1, sizeof *queue);
    if (!queue)
        return YOKE_ENOMEM;
    queue->device = device;
    *out = queue;
    return YOKE_OK;
}

static void sim_queue_close(struct yk_queue *queue)
{
    if (!queue)
        return;
    yk_sim_enter();
    if (!queue->device->lost && queue->tail >= YK_SIM_NEVER) /* a real device would hang here */
        yk_sim_lose(queue->device);
    if (!queue->device->lost && queue->tail > yk_sim.now)
        yk_sim_move_to(queue->tail < queue->device->fail_ns ? queue->tail : queue->device->fail_ns);
    yk_sim_leave();
    yk_free(queue);
}

/* Uses the baseline variant, so that the simulation does not depend on the machine it runs on. */
static yoke_status sim_build(struct yk_device *base, const yoke_kernel *kernel,
                             struct yk_program **out)
{
    struct sim_device *device = sim_of(base);
    yk_lock(&yk_sim.mutex);
    int lost = device->lost;
    yk_unlock(&yk_sim.mutex);
    if (lost)
        return yk_sim_lost(device);
    if (device->settings.build)
        return yk_fail(YOKE_EBUILD, "%s cannot build kernel %s (simulated, build=fails)",
                       base->desc.name, kernel->name);
    if (!kernel->cpu.variant[0] && !kernel->cpu.team)
        return yk_fail(YOKE_ENOIMPL,
                       "kernel %s has no CPU function, which %s would run; define it "
                       "with YOKE_KERNEL or fill cpu.variant[0]",
                       kernel->name, base->desc.name);
    if (kernel->kind == YOKE_KERNEL_STEP && yk_step_check(kernel) != YOKE_OK)
        return YOKE_EINVAL;
    size_t count = (size_t)kernel->param_count;
    struct yk_program *program = yk_calloc(1, sizeof *program + count * sizeof(struct sim_param));
    if (!program)
        return YOKE_ENOMEM;
    struct sim_param *params = (struct sim_param *)(program + 1);
    for (size_t p = 0; p < count; p++)
        params[p] = (struct sim_param){ .is_value = kernel->params[p].mode == YOKE_PARAM_VALUE,
                                        .size = kernel->params[p].size };
    program->run = kernel->cpu.variant[0];
    program->team = kernel->cpu.team;
    program->cold_ns = 1e9 * device->settings.cold;
    program->slowed = strcmp(kernel->name, device->slow) ? 1 : device->settings.slowed;
    program->is_step = kernel->kind == YOKE_KERNEL_STEP;
    program->step = kernel->step;
    program->param_count = kernel->param_count;
    program->params = params;
    *out = program;
    return YOKE_OK;
}

static void sim_program_close(struct yk_device *device, struct yk_program *program)
{
    (void)device;
    yk_free(program);
}

const struct yk_backend yk_backend_sim = {
    .name = "sim",
    .summary = "virtual devices on a virtual clock; results are real",
    .options = yk_machine_options,
    .settings_bytes = sizeof(struct yk_machine_device),
    .find = yk_sim_find,
    .open = sim_open,
    .close = sim_close,
    .break_off = sim_break_off,
    .alloc = yk_sim_alloc,
    .free = yk_sim_free,
    .memory_free = yk_sim_memory_free,
    .commit = yk_sim_commit,
    .reserve = yk_sim_reserve,
    .decommit = yk_sim_decommit,
    .pin = yk_sim_pin,
    .pinned_until = yk_sim_pinned_until,
    .unpin = yk_sim_unpin,
    .host_alloc = yk_sim_host_alloc,
    .host_free = yk_sim_host_free,
    .queue_open = sim_queue_open,
    .queue_close = sim_queue_close,
    .reach = yk_sim_reach,
    .copy = yk_sim_copy,
    .zero = yk_sim_zero,
    .build = sim_build,
    .program_close = sim_program_close,
    .launch = yk_sim_launch,
    .poll = yk_sim_poll,
    .wait = yk_sim_wait,
    .notify = yk_sim_notify,
    .event_times = yk_sim_event_times,
    .event_close = yk_sim_event_close,
    .event_hold = yk_sim_event_hold,
    .now = yk_sim_now,
    .advance = yk_sim_advance,
};
