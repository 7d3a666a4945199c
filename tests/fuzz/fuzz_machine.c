/* fuzz_machine.c - any text as a machine ("cores=8,gpu*4:f=7.5:fixed=50us").
 *
 * Properties: a refused text gives a reason and leaves the output unchanged; an accepted one is a
 * machine that can be simulated (numbers within bounds), has a finite best time, and ends a small
 * job; nothing leaks. */
#include "fuzz.h"

#include <math.h>

#include "base/alloc.h"
#include "simulator/simulate.h"

static void check_gpus(const struct yk_machine *machine)
{
    int g;
    for (g = 0; g < machine->gpu_count; g++) {
        const struct yk_machine_device *gpu = &machine->gpus[g];
        FUZZ_CHECK(memchr(gpu->name, 0, sizeof gpu->name) && !strncmp(gpu->name, "gpu", 3));
        FUZZ_CHECK(gpu->lanes >= 1 && gpu->fill >= 1);
        FUZZ_CHECK(gpu->loads.count >= 0 && gpu->loads.count <= YK_SLOWDOWNS_MOST);
    }
}

static void simulate(const struct yk_machine *machine)
{
    const struct yk_profile_spec regular = { .kind = YK_PROFILE_REGULAR, .items = 100 };
    struct yk_profile profile;
    struct yk_simulate_result result;
    struct yk_simulate_spec spec = { .machine = machine,
                                     .profile = &profile,
                                     .partitioner = "guided",
                                     .bytes_in = 8,
                                     .most_events = 100000 };
    FUZZ_CHECK(yk_profile_open(&regular, &profile) == YOKE_OK);
    FUZZ_CHECK(yk_simulate(&spec, &result) == YOKE_OK);
    FUZZ_CHECK(!result.verdict[0] && result.seconds > 0 && isfinite(result.seconds));
    FUZZ_CHECK(result.ideal_seconds > 0 && isfinite(result.ideal_seconds));
    yk_simulate_close(&result);
    yk_profile_close(&profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct yk_machine machine = { .cpu.cores = 77 };
    int64_t held = yk_alloc_outstanding();
    char *text = fuzz_text(bytes, size);
    yoke_status status = yk_machine_parse(text, YK_MACHINE_JOB, &machine);
    if (status != YOKE_OK) {
        FUZZ_CHECK(status == YOKE_EINVAL && yoke_error_text()[0]);
        FUZZ_CHECK(machine.cpu.cores == 77 && !machine.gpus);
    } else {
        FUZZ_CHECK(machine.cpu.cores >= 1 && yk_machine_check(&machine) == YOKE_OK);
        check_gpus(&machine);
        if (machine.gpu_count <= 64)
            simulate(&machine);
        yk_machine_close(&machine);
    }
    free(text);
    FUZZ_CHECK(yk_alloc_outstanding() == held);
    return 0;
}
