/* sim_options.c - the words and options of yoke sim, and the meaning of their texts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "run.h"
#include "sim.h"

const struct app_option sim_options[] = {
    [SIM_SIZE] = { "size", "N", NULL,
                   "items, with k, M, G or Ki, Mi, Gi; default 1M, or as recorded" },
    [SIM_WORK] = { "work", "TIME", NULL,
                   "time of all items on one core, as 8s, or of the average item, as 10us/item" },
    [SIM_BYTES] = { "bytes", "IN/OUT", "0/0", "bytes copied to a GPU and from it for each item" },
    [SIM_UNIT] = { "unit", "N", "1", "chunks are multiples of this number of items" },
    [SIM_PARTITIONER] = { "partitioner", "NAME", NULL,
                          "the algorithm that chooses chunks, as dynamic:chunk=4096; default "
                          "auto" },
    [SIM_THREADS] = { "threads", "N", NULL, "threads that do CPU work; default one for each core" },
    [SIM_WAIT] = { "wait", "HOW", NULL,
                   "how host threads wait for GPUs: spin, yield, block or auto" },
    [SIM_REPEAT] = { "repeat", "N", NULL,
                     "runs after the first, with what earlier runs taught; default 3, of steps "
                     "99" },
    [SIM_SEED] = { "seed", "N", NULL,
                   "seed of noise and random costs; default as MACHINE and APP say" },
    [SIM_BASELINES] = { "baselines", NULL, NULL, "also simulate each device alone, for the gain" },
    [SIM_JSON] = { "json", "FILE", NULL, "write the figures as JSON; - is standard output" },
    [SIM_TRACE] = { "trace", "FILE", NULL, "write a timeline of the last run, to .json or .html" },
    [SIM_QUIET] = { "quiet", NULL, NULL, "print no table" },
    [SIM_OPTIONS] = { .name = NULL },
};

static struct args_given given(const char *const *values, enum sim_option option)
{
    return (struct args_given){ sim_options[option].name, values[option] };
}

/* Reads "12s", "10us" or "0.5" and sets *end behind it. Returns 0 if it is no time. */
static int read_time(const char *text, const char **end, double *seconds)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = { { "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 } };
    char *rest;
    double value = strtod(text, &rest);
    if (rest == text || !(value > 0 && value <= 1e12))
        return 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(units[i].name);
        if (strncmp(rest, units[i].name, length) == 0) {
            value *= units[i].factor;
            rest += length;
            break;
        }
    }
    *seconds = value;
    *end = rest;
    return 1;
}

static int read_work(const char *text, yoke_simulation *out)
{
    const char *end;
    double seconds;
    if (!text)
        return 0;
    if (read_time(text, &end, &seconds) && !strcmp(end, "/item"))
        out->core_seconds = seconds;
    else if (read_time(text, &end, &seconds) && !*end)
        out->core_seconds = seconds / (double)out->items;
    else
        return args_mistake("--work %s: a time is needed, as 8s for all items on one core, or "
                            "10us/item",
                            text);
    return 0;
}

static int read_bytes(const char *text, yoke_simulation *out)
{
    char *end;
    double in = strtod(text, &end), back = 0;
    const char *slash = end;
    if (end != text && *end == '/')
        back = strtod(slash + 1, &end);
    if (end == text || end == slash + 1 || *end || !(in >= 0 && in <= 1e15) ||
        !(back >= 0 && back <= 1e15))
        return args_mistake("--bytes %s: bytes of an item are needed, as 8/4: to a GPU and from it",
                            text);
    out->bytes_in = in;
    out->bytes_out = back;
    return 0;
}

static int unknown_profile(const char *text, size_t length)
{
    struct yk_closest closest = { .word = text, .length = length };
    const char *name;
    for (int i = 0; (name = yoke_profile_name(i)); i++)
        yk_closest_try(&closest, name);
    if (closest.name)
        return args_mistake("there is no cost profile '%.*s'; did you mean '%s'?", (int)length,
                            text, closest.name);
    return args_mistake("there is no cost profile '%.*s'; 'yoke help sim' lists those there are",
                        (int)length, text);
}

static int read_recording(const char *path, struct sim_spec *out)
{
    struct sim_recording recording;
    if (!*path)
        return args_mistake("recorded: a file is needed, as recorded:FILE, from 'yoke run APP "
                            "--trace FILE'");
    int status = sim_recording_read(path, &recording);
    if (status)
        return status;
    out->costs = recording.costs;
    out->simulation.costs = recording.costs;
    out->simulation.cost_count = recording.count;
    out->simulation.items = recording.items;
    out->simulation.core_seconds = recording.core_seconds;
    return 0;
}

static int read_step(const char *text, struct sim_spec *out)
{
    if (!*text)
        return args_mistake("step: kernels are needed, as 'step:smooth(in u[1], out w); smooth(in "
                            "w[1], out u)'");
    out->simulation.step = text;
    return 0;
}

static int read_profile(const char *text, struct sim_spec *out)
{
    size_t length = strcspn(text, ":");
    int known = 0;
    if (length == 4 && !strncmp(text, "step", length))
        return read_step(text[length] ? text + length + 1 : "", out);
    for (int i = 0; yoke_profile_name(i); i++)
        known |=
            strlen(yoke_profile_name(i)) == length && !strncmp(yoke_profile_name(i), text, length);
    if (!known)
        return unknown_profile(text, length);
    int recorded = !strncmp(text, "recorded", length);
    if (!recorded && strlen(text) >= sizeof out->profile)
        return args_mistake("the settings of %.*s are too long", (int)length, text);
    snprintf(out->profile, sizeof out->profile, "%.*s", recorded ? (int)length : (int)strlen(text),
             text);
    out->simulation.profile = out->profile;
    return recorded ? read_recording(text[length] ? text + length + 1 : "", out) : 0;
}

static int read_numbers(const char *const *values, yoke_simulation *out)
{
    int64_t repeat = out->step ? 99 : 3, threads = 0;
    int wrong = args_read_count(given(values, SIM_SIZE), (struct args_bounds){ 1, INT64_MAX / 2 },
                                &out->items);
    if (!wrong)
        wrong = args_read_count(given(values, SIM_UNIT), (struct args_bounds){ 1, INT64_MAX / 2 },
                                &out->unit);
    if (!wrong)
        wrong =
            args_read_count(given(values, SIM_THREADS), (struct args_bounds){ 1, 4096 }, &threads);
    if (!wrong)
        wrong = args_read_count(given(values, SIM_REPEAT),
                                (struct args_bounds){ 0, APP_REPEAT_MAX }, &repeat);
    if (!wrong)
        wrong = args_read_count(given(values, SIM_SEED), (struct args_bounds){ 1, INT64_MAX },
                                &out->seed);
    out->threads = (int)threads;
    out->runs = 1 + (int)repeat;
    return wrong;
}

int sim_spec_read(const char *const *words, const char *const *values, struct sim_spec *out)
{
    int waiting = YOKE_WAIT_AUTO;
    *out = (struct sim_spec){ .app = words[1],
                              .simulation = { .machine = words[0],
                                              .items = 1000000,
                                              .partitioner = values[SIM_PARTITIONER],
                                              .alone = values[SIM_BASELINES] != NULL,
                                              .trace = values[SIM_TRACE] } };
    int wrong = read_profile(words[1], out);
    if (!wrong)
        wrong = read_numbers(values, &out->simulation);
    if (!wrong)
        wrong = read_work(values[SIM_WORK], &out->simulation);
    if (!wrong)
        wrong = read_bytes(values[SIM_BYTES], &out->simulation);
    if (!wrong)
        wrong = args_read_word(given(values, SIM_WAIT), run_wait_names,
                               "spin, yield, block or auto", &waiting);
    if (!wrong)
        wrong = args_check_trace(values[SIM_TRACE]);
    out->simulation.waiting = (yoke_waiting)waiting;
    return wrong;
}

void sim_spec_close(struct sim_spec *spec)
{
    free(spec->costs);
}
