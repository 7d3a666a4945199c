/* devices.c - a machine as the names of simulated devices, for a runtime.
 *
 * The machine's noise, contention and seed become those of each device, and a rate relative to a
 * core's becomes a number. Only the cores compute real results, because a kernel's sums are made
 * there. GPUs only take time, so they need no memory here.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"
#include "machine.h"

enum { load_max = YK_SLOWDOWNS_MOST * 80 };

/* "1-2*1.5+3-*2" */
static void write_loads(const struct yk_slowdowns *loads, char out[load_max])
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < loads->count; i++) {
        const struct yk_slowdown *load = &loads->items[i];
        char to[32] = "";
        if (isfinite(load->to))
            snprintf(to, sizeof to, "%.17g", load->to);
        used += (size_t)snprintf(out + used, load_max - used, "%s%.17g-%s*%.17g", used ? "+" : "",
                                 load->from, to, load->factor);
    }
}

static char *device_text(const struct yk_machine *machine, const struct yk_machine_job *job, int d)
{
    struct yk_machine_use use = { "", YK_MACHINE_CORES, YK_MACHINE_BACKEND };
    struct yk_machine_device device = d > 0 ? machine->gpus[d - 1] : machine->cpu;
    char load[load_max];
    device.rate = yk_machine_core_rate(machine, job);
    if (d > 0) {
        use.kind = YK_MACHINE_GPU;
        device.rate = yk_machine_gpu_rate(machine, job, d - 1);
        device.results = 0;
        device.link = device.link > 0 ? device.link : 1e18;
        device.memory = device.memory > 0 ? device.memory : (int64_t)1 << 59;
    }
    device.noise = machine->cpu.noise;
    device.contention = machine->cpu.contention;
    device.seed = machine->cpu.seed;
    write_loads(&device.loads, load);
    device.load = load[0] ? load : NULL;
    char *keys = yk_machine_device_text(&use, &device);
    char *text = keys ? yk_format("sim:%s:%s", d > 0 ? device.name : "cpu", keys) : NULL;
    yk_free(keys);
    return text;
}

char *yk_machine_devices(const struct yk_machine *machine, const struct yk_machine_job *job,
                         int only)
{
    char *text = yk_strdup("");
    for (int d = 0; d <= machine->gpu_count && text; d++) {
        if (only >= 0 && d != only)
            continue;
        text = yk_append(text, ",", device_text(machine, job, d));
    }
    return text;
}
