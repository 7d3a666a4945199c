/* sim_device.c - the sim backend's table: opening, memory, queues and kernels of virtual devices.
 *
 * Memory is real host memory, limited to the device's `mem`, filled with poison so that reading
 * what nobody wrote shows. A GPU's kernel is the CPU function of the same kernel. The clock starts
 * at 0 again when the last device is closed.
 */
#include <math.h>
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
    device->settings.identity = NULL;
    device->base.backend = &yk_backend_sim;
    device->base.desc = *desc;
    device->base.desc.settings = NULL; /* the list's, which may go before the device */
    device->noise_state = (uint64_t)device->settings.seed * 1000003u + (uint64_t)desc->index;
    double fail_ns = device->settings.fail * 1e9;
    device->fail_ns = fail_ns > 0 ? llround(fail_ns) : INT64_MAX;
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

static yoke_status sim_alloc(struct yk_device *base, int64_t bytes, struct yk_buffer **out)
{
    struct sim_device *device = sim_of(base);
    yk_lock(&yk_sim.mutex);
    int lost = device->lost;
    int64_t available = device->settings.mem - device->memory_used;
    yk_unlock(&yk_sim.mutex);
    if (lost)
        return yk_sim_lost(device);
    if (bytes < 1)
        return yk_fail(YOKE_EINVAL, "%s: %lld bytes of memory were asked for", base->desc.name,
                       (long long)bytes);
    if (bytes > available)
        return yk_fail(YOKE_ENOMEM,
                       "%s has %lld bytes of memory left, %lld are needed; free some "
                       "or use smaller chunks",
                       base->desc.name, (long long)available, (long long)bytes);
    struct yk_buffer *buffer = yk_calloc(1, sizeof *buffer);
    unsigned char *data = buffer ? yk_alloc_aligned((size_t)bytes, 4096) : NULL;
    if (!data) {
        yk_free(buffer);
        return YOKE_ENOMEM;
    }
    memset(data, YK_SIM_POISON, (size_t)bytes);
    *buffer = (struct yk_buffer){ .device = device, .bytes = bytes, .data = data };
    yk_lock(&yk_sim.mutex);
    buffer->next = device->buffers;
    device->buffers = buffer;
    device->memory_used += bytes;
    yk_unlock(&yk_sim.mutex);
    *out = buffer;
    return YOKE_OK;
}

static void sim_free(struct yk_device *base, struct yk_buffer *buffer)
{
    struct sim_device *device = sim_of(base);
    if (!buffer)
        return;
    yk_lock(&yk_sim.mutex);
    struct yk_buffer **at = &device->buffers;
    while (*at != buffer)
        at = &(*at)->next;
    *at = buffer->next;
    device->memory_used -= buffer->bytes;
    yk_unlock(&yk_sim.mutex);
    yk_free(buffer->data);
    yk_free(buffer);
}

static int64_t sim_memory_free(struct yk_device *base)
{
    struct sim_device *device = sim_of(base);
    yk_lock(&yk_sim.mutex);
    int64_t bytes = device->lost ? 0 : device->settings.mem - device->memory_used;
    yk_unlock(&yk_sim.mutex);
    return bytes;
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
    yk_lock(&yk_sim.mutex);
    if (!queue->device->lost && queue->tail > yk_sim.now)
        yk_sim_move_to(queue->tail < queue->device->fail_ns ? queue->tail : queue->device->fail_ns);
    yk_unlock(&yk_sim.mutex);
    yk_free(queue);
}

/* The baseline variant: the simulation's speed does not depend on the machine it runs on. */
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
    .options = yk_sim_options,
    .settings_bytes = sizeof(struct sim_settings),
    .find = yk_sim_find,
    .open = sim_open,
    .close = sim_close,
    .alloc = sim_alloc,
    .free = sim_free,
    .memory_free = sim_memory_free,
    .queue_open = sim_queue_open,
    .queue_close = sim_queue_close,
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
    .now = yk_sim_now,
    .advance = yk_sim_advance,
};
