/* sim.c - yoke sim MACHINE APP: from words to a simulation, and from its result to the output. */
#include "sim.h"

#include <string.h>

#include "command.h"

static int answer(const struct sim_spec *spec, const yoke_simulated *simulated,
                  const char *const *values)
{
    const char *json = values[SIM_JSON];
    if (!values[SIM_QUIET] && !(json && !strcmp(json, "-")))
        sim_print(spec, simulated);
    return json ? sim_write_json(spec, simulated, json) : 0;
}

static int simulate(const struct sim_spec *spec, const char *const *values)
{
    yoke_simulated *simulated;
    yoke_status done = yoke_simulate(&spec->simulation, &simulated);
    if (done != YOKE_OK) {
        int status = command_failed(yoke_error_text());
        return done == YOKE_EINVAL ? 2 : status;
    }
    int status = answer(spec, simulated, values);
    yoke_simulated_close(simulated);
    return status;
}

static int run_sim(int argc, char **argv)
{
    const char *values[SIM_OPTIONS];
    struct args args = { .command = "sim", .tables = { { sim_options, values } }, .word_limit = 2 };
    struct sim_spec spec;
    int status = args_parse(&args, argc, argv);
    if (!status && args.word_count < 2)
        status = args_mistake("%s is needed: 'yoke sim MACHINE APP [OPTIONS]', as 'yoke sim "
                              "cores=8,gpu*2 regular'",
                              args.word_count ? "an application" : "a machine");
    if (status)
        return status;
    status = sim_spec_read(args.words, values, &spec);
    if (!status)
        status = simulate(&spec, values);
    sim_spec_close(&spec);
    return status;
}

const struct command command_sim = {
    .name = "sim",
    .words = "MACHINE APP",
    .summary = "Predict a loop's time on a machine that does not exist",
    .text = "MACHINE is one line: cores=N[:key=value]...[,gpu[LABEL][*COUNT][:key=value]...]...,\n"
            "as cores=8,gpu*4:f=7.5:fixed=50us or cores=16:noise=0.1,gpuA:rate=2e9:fail=1s.\n"
            "APP says what items cost: regular, linear-up, linear-down, random or clustered, with\n"
            "settings as random:spread=0.5, or recorded:FILE, from a timeline of 'yoke run'.\n"
            "Or APP is a step of a program whose arrays stay on devices:\n"
            "'step:smooth(in u[1], out w); scale(in w, out u)'.\n"
            "All keys are in yoke-sim(1).\n"
            "Exit status: 0 done, 1 failed, 2 usage error, 130 stopped by Ctrl-C, 143 by SIGTERM.",
    .options = sim_options,
    .run = run_sim,
};
