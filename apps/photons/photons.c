/* photons.c - photon transport with fluorescence in layered tissue. Each packet walks at random;
 * chance decides how long.
 *
 * One job over the packets. All results are sums in one array of 64-bit numbers: the grids, the
 * light that leaves, and the energy balance (photons_kernels.h). Each device, and each core, adds
 * to its own copy of the array; then the copies are merged. photons_step.h describes the model.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../number.h"
#include "photons_state.h"

enum { OPTION_RUN, OPTION_EVENTS };
static const struct app_option options[] = {
    [OPTION_RUN] = { "run", "K", "1", "which run of the .mci file" },
    [OPTION_EVENTS] = { "events", "N", "1000000",
                        "end a walk after this number of interactions and walls" },
    { NULL, NULL, NULL, NULL },
};

static void photons_close(void *state)
{
    struct photons_state *s = state;
    if (!s)
        return;
    app_data_free(&s->memory, s->tally);
    free(s->layers);
    free(s->input.layers);
    free(s);
}

/* CPUs get the form of the plain kernel that fills their vectors. */
static yoke_kernel plain_kernel(void)
{
    yoke_kernel kernel = photons;
    memcpy(kernel.cpu.variant, photons_lanes.cpu.variant, sizeof kernel.cpu.variant);
    kernel.cpu.unit = PHOTONS_GROUP;
    return kernel;
}

static yoke_kernel step_kernel(void)
{
    yoke_kernel kernel = photons_steps;
    kernel.step.waiting = PHOTONS_WAITING;
    return kernel;
}

static yoke_status read_input(const struct app_spec *spec, struct photons_state *s)
{
    static const struct number_kind run = { "run", 1, 1e6, 1 };
    double which;
    yoke_status status = number_read(&run, spec->values[OPTION_RUN], &which);
    if (status != YOKE_OK)
        return status;
    if (spec->input)
        return mci_load(spec->input, (int64_t)which, &s->input);
    if (which != 1)
        return app_mistake("--run %s chooses a run of a file; name one with --input",
                           spec->values[OPTION_RUN]);
    return mci_default(&s->input);
}

static yoke_status settle(struct app_spec *spec, struct photons_state *s)
{
    static const struct number_kind events = { "events", 1, PHOTONS_EVENTS_MOST, 1 };
    double most;
    yoke_status status = number_read(&events, spec->values[OPTION_EVENTS], &most);
    if (status == YOKE_OK && (spec->size[0] < 0 || spec->size[0] > MCI_PACKETS_MOST))
        status = app_fail(YOKE_EINVAL,
                          "photons cannot have %" PRId64 " packets; --size is from 1 to %" PRId64,
                          spec->size[0], (int64_t)MCI_PACKETS_MOST);
    if (status == YOKE_OK)
        status = read_input(spec, s);
    if (status != YOKE_OK)
        return status;
    if (spec->size[0] == 0)
        spec->size[0] = s->input.packets;
    s->packets = spec->size[0];
    s->seed = spec->seed;
    s->memory = spec->memory;
    s->output = spec->output;
    s->kernel = spec->kernel == APP_KERNEL_STEP ? step_kernel() : plain_kernel();
    s->alternative = step_kernel();
    s->chooses = spec->kernel == APP_KERNEL_AUTO;
    return photons_settle(s, (uint32_t)most);
}

static int64_t slots_in_all(const struct photons_state *s)
{
    return (int64_t)s->slots * s->wavelengths;
}

static yoke_status photons_open(struct app_spec *spec, void **state)
{
    struct photons_state *s;
    yoke_status status = app_alloc("photons", 1, sizeof *s, (void **)&s);
    if (status != YOKE_OK)
        return status;
    *s = (struct photons_state){ .tally = NULL };
    status = settle(spec, s);
    if (status == YOKE_OK) {
        const struct app_data data = { "the tallies of photons", slots_in_all(s),
                                       sizeof *s->tally };
        status = app_data_alloc(&s->memory, &data, (void **)&s->tally);
    }
    if (status != YOKE_OK) {
        photons_close(s);
        return status;
    }
    *state = s;
    return YOKE_OK;
}

static yoke_status photons_detach(void *state)
{
    struct photons_state *s = state;
    yoke_array **arrays[] = { &s->layer_array, &s->tally_array };
    yoke_status first = YOKE_OK;
    for (int k = 0; k < 2; k++) {
        yoke_status status = yoke_array_close(*arrays[k]);
        *arrays[k] = NULL;
        first = first != YOKE_OK ? first : status;
    }
    return first;
}

static yoke_status photons_attach(void *state, yoke_runtime *runtime)
{
    struct photons_state *s = state;
    const yoke_array_spec layers = {
        .host = s->layers, .rows = s->row_count, .element_size = sizeof *s->layers, .name = "layers"
    };
    const yoke_array_spec tally = { .host = s->tally,
                                    .rows = slots_in_all(s),
                                    .element_size = sizeof *s->tally,
                                    .name = "tallies" };
    yoke_status status = yoke_array_open(runtime, &layers, &s->layer_array);
    if (status == YOKE_OK)
        status = yoke_array_open(runtime, &tally, &s->tally_array);
    if (status != YOKE_OK)
        photons_detach(s);
    return status;
}

static yoke_status photons_reset(void *state)
{
    struct photons_state *s = state;
    yoke_status status = yoke_array_acquire(s->tally_array, YOKE_WRITE);
    if (status != YOKE_OK)
        return status;
    memset(s->tally, 0, (size_t)slots_in_all(s) * sizeof *s->tally);
    return yoke_array_release(s->tally_array);
}

static yoke_status photons_run(void *state, struct app_run *run)
{
    struct photons_state *s = state;
    const yoke_job job = { .kernel = &s->kernel,
                           .alternative = s->chooses ? &s->alternative : NULL,
                           .range = { .last = s->packets },
                           .args = { yoke_value(s->setup), yoke_in_whole(s->layer_array),
                                     yoke_add_to(s->tally_array) } };
    yoke_status status = app_run_job(run, &job);
    return status == YOKE_OK ? app_progress(run, 1, 1) : status;
}

static int64_t photons_items(const void *state)
{
    return ((const struct photons_state *)state)->packets;
}

const struct app app_photons = {
    .name = "photons",
    .summary = "light and fluorescence in layered tissue; irregular: each packet walks at random",
    .size_words = "packets",
    .size_count = 1,
    .options = options,
    .offers_steps = 1,
    .reads_input = 1,
    .writes_output = 1,
    .open = photons_open,
    .close = photons_close,
    .attach = photons_attach,
    .detach = photons_detach,
    .reset = photons_reset,
    .run = photons_run,
    .verify = photons_verify,
    .items = photons_items,
    .figures = photons_figures,
    .report = photons_report,
};
