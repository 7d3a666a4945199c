/* ideal.c - how fast a machine is, and the least time it could take. */
#include <math.h>

#include "machine.h"

double yk_machine_core_rate(const struct yk_machine *machine, const struct yk_machine_job *job)
{
    return job->core_seconds > 0 ? 1 / job->core_seconds : machine->cpu.rate;
}

double yk_machine_gpu_rate(const struct yk_machine *machine, const struct yk_machine_job *job,
                           int gpu)
{
    const struct yk_machine_device *g = &machine->gpus[gpu];
    return g->rate > 0 ? g->rate : g->f * yk_machine_core_rate(machine, job);
}

/* Seconds of work without load that take as long as the time between `from` and `to` under load. */
static double unloaded(const struct yk_slowdowns *loads, double from, double to)
{
    double seconds = 0;
    while (from < to) {
        double next = fmin(yk_slowdowns_next(loads, from), to);
        seconds += (next - from) / yk_slowdowns_factor(loads, from);
        from = next;
    }
    return seconds;
}

/* When the device fails or leaves. */
static double gone_from(const struct yk_machine_device *device)
{
    return fmin(device->fail > 0 ? device->fail : INFINITY,
                device->leave > 0 ? device->leave : INFINITY);
}

/* Average items that the GPU could do until then: what its kernels could do, or what its link could
 * bring if that is less (if items differ, it brings the most expensive ones). Latencies and the
 * launch take real time; load slows a kernel's fixed cost like its items. */
static double gpu_items(const struct yk_machine *machine, const struct yk_machine_job *job, int gpu,
                        double until)
{
    const struct yk_machine_device *g = &machine->gpus[gpu];
    double from = g->join + g->launch + (job->bytes_in > 0 ? g->latency : 0);
    double busier = fmax(job->bytes_in, job->bytes_out), items;
    until = fmin(until, gone_from(g));
    if (job->bytes_out > 0)
        until -= g->latency;
    items = yk_machine_gpu_rate(machine, job, gpu) * (unloaded(&g->loads, from, until) - g->fixed);
    if (g->link > 0 && busier > 0)
        items = fmin(items, fmax(1, job->dearest) * g->link / busier * (until - from));
    return fmax(0, items);
}

/* Average items that could be done until then. */
static double items_until(const struct yk_machine *machine, const struct yk_machine_job *job,
                          int only, double until)
{
    double items = 0;
    if (only <= 0)
        items =
            (double)machine->cpu.cores * yk_machine_core_rate(machine, job) *
            unloaded(&machine->cpu.loads, machine->cpu.join, fmin(until, gone_from(&machine->cpu)));
    for (int g = 0; g < machine->gpu_count; g++)
        if (only < 0 || only == g + 1)
            items += gpu_items(machine, job, g, until);
    return items;
}

double yk_machine_ideal(const struct yk_machine *machine, const struct yk_machine_job *job,
                        int only)
{
    double low = 0, high = 1e-9;
    while (items_until(machine, job, only, high) < job->items) {
        low = high;
        high *= 2;
        if (high > 1e18)
            return INFINITY; /* all devices fail or leave before the job is done */
    }
    for (int i = 0; i < 64; i++) {
        double middle = low + (high - low) / 2;
        if (items_until(machine, job, only, middle) < job->items)
            low = middle;
        else
            high = middle;
    }
    return high;
}
