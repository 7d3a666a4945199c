/* run_options.c - the options of yoke run, and what their texts mean. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "closest.h"
#include "run.h"

static const char *const wait_names[] = { "auto", "spin", "yield", "block", NULL };
static const char *const memory_names[] = {
    [APP_MEMORY_PINNED] = "pinned", [APP_MEMORY_PAGEABLE] = "pageable", NULL
};

const struct app_option run_options[] = {
    [RUN_SIZE] = { "size", "N", NULL, "how much: a count with k, M, G or Ki, Mi, Gi, or WxHxD" },
    [RUN_INPUT] = { "input", "FILE", NULL, "work on this file instead of made-up data" },
    [RUN_OUTPUT] = { "output", "PREFIX", NULL, "begin the names of pictures with this" },
    [RUN_DEVICES] = { "devices", "LIST", NULL, "as cpu:8,cuda:0:mem=8G; default all there are" },
    [RUN_PARTITIONER] = { "partitioner", "NAME", NULL,
                          "who gets which part, as dynamic:chunk=4096; default auto" },
    [RUN_THREADS] = { "threads", "N", NULL, "threads that do CPU work; default one a core" },
    [RUN_WAIT] = { "wait", "HOW", NULL, "for devices: spin, yield, block or auto" },
    [RUN_MEMORY] = { "memory", "KIND", NULL,
                     "of the data on the host: pinned (the default) or pageable" },
    [RUN_REPEAT] = { "repeat", "N", "3", "timed runs after the first" },
    [RUN_SEED] = { "seed", "N", "1", "of made-up data" },
    [RUN_VERIFY] = { "verify", NULL, NULL, "check the result against an independent reference" },
    [RUN_BASELINES] = { "baselines", NULL, NULL, "run each device alone too: gain, efficiency" },
    [RUN_SWEEP] = { "sweep", "STEP", NULL,
                    "search the best fixed split on a grid of STEP per cent, then 1: regret" },
    [RUN_JSON] = { "json", "FILE", NULL, "write the figures as JSON; - is standard output" },
    [RUN_TRACE] = { "trace", "FILE", NULL, "write who did what when, to .json or .html" },
    [RUN_QUIET] = { "quiet", NULL, NULL, "print no table" },
    [RUN_OPTIONS] = { .name = NULL },
};

const char *run_wait_name(yoke_waiting waiting)
{
    return wait_names[waiting];
}

const char *run_memory_name(enum app_memory_kind kind)
{
    return memory_names[kind];
}

static int read_size(const char *text, const struct app *app, struct app_spec *out)
{
    if (!text)
        return 0;
    int count = args_size(text, out->size);
    if (count == 0)
        return args_mistake("--size %s is no size; write a count such as 64M, or WxHxD", text);
    if (count != app->size_count)
        return args_mistake("--size %s: %s counts %s, so it takes %d number%s%s", text, app->name,
                            app->size_words, app->size_count, app->size_count == 1 ? "" : "s",
                            app->size_count == 1 ? "" : " with x between them");
    for (int i = 0; i < count; i++)
        if (out->size[i] < 1)
            return args_mistake("--size %s: a size is at least 1", text);
    return 0;
}

/* The place of an option's word among `names`, 0 if it is not given; `choice` is for the message.
 */
struct word {
    enum run_option option;
    const char *const *names;
    const char *choice;
};

static int read_word(const char *const *values, const struct word *word, int *out)
{
    const char *text = values[word->option];
    *out = 0;
    if (!text)
        return 0;
    struct closest closest = { .word = text, .length = strlen(text) };
    for (int i = 0; word->names[i]; i++) {
        if (!strcmp(word->names[i], text)) {
            *out = i;
            return 0;
        }
        closest_try(&closest, word->names[i]);
    }
    return args_mistake("--%s %s: choose %s%s%s", run_options[word->option].name, text,
                        word->choice, closest.name ? "; did you mean " : "",
                        closest.name ? closest.name : "");
}

static int read_words(const char *const *values, struct measure_spec *out)
{
    const struct word words[] = { { RUN_WAIT, wait_names, "spin, yield, block or auto" },
                                  { RUN_MEMORY, memory_names, "pinned or pageable" } };
    int waiting, memory = 0;
    int wrong = read_word(values, &words[0], &waiting);
    if (!wrong)
        wrong = read_word(values, &words[1], &memory);
    out->config.waiting = (yoke_waiting)waiting;
    out->input.memory.kind = (enum app_memory_kind)memory;
    return wrong;
}

struct bounds {
    int64_t least, most;
};

/* An option's whole number within bounds. */
static int read_count(const char *const *values, enum run_option option, struct bounds bounds,
                      int64_t *out)
{
    const char *text = values[option];
    if (!text)
        return 0;
    if (args_count(text, out) && *out >= bounds.least && *out <= bounds.most)
        return 0;
    return args_mistake("--%s %s: a whole number from %lld to %lld is needed",
                        run_options[option].name, text, (long long)bounds.least,
                        (long long)bounds.most);
}

static int read_trace(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    if (!path || (length > 5 &&
                  (!strcmp(path + length - 5, ".json") || !strcmp(path + length - 5, ".html"))))
        return 0;
    return args_mistake("--trace %s: the name has to end in .json or .html", path);
}

int run_options_read(const char *const *values, struct measure_spec *out)
{
    int64_t repeat = 0, threads = 0, seed = 0;
    int wrong = read_size(values[RUN_SIZE], out->app, &out->input);
    if (!wrong)
        wrong = read_count(values, RUN_REPEAT, (struct bounds){ 1, APP_REPEAT_MAX }, &repeat);
    if (!wrong)
        wrong = read_count(values, RUN_THREADS, (struct bounds){ 1, 4096 }, &threads);
    if (!wrong)
        wrong = read_count(values, RUN_SEED, (struct bounds){ 0, INT64_MAX }, &seed);
    if (!wrong)
        wrong = read_words(values, out);
    if (!wrong)
        wrong = read_trace(values[RUN_TRACE]);
    if (!wrong && values[RUN_SWEEP] &&
        (!args_fraction(values[RUN_SWEEP], &out->sweep_step) || out->sweep_step > 0.5 ||
         out->sweep_step < 0.01))
        wrong = args_mistake("--sweep %s: a step from 1 to 50 per cent is needed, as 5",
                             values[RUN_SWEEP]);
    if (wrong)
        return wrong;
    out->repeat = (int)repeat;
    out->config.threads = (int)threads;
    out->input.seed = (uint64_t)seed;
    out->input.input = values[RUN_INPUT];
    out->input.output = values[RUN_OUTPUT];
    out->config.devices = values[RUN_DEVICES];
    out->config.partitioner = values[RUN_PARTITIONER];
    out->config.trace = values[RUN_TRACE];
    out->verify = values[RUN_VERIFY] != NULL;
    out->baselines = values[RUN_BASELINES] != NULL;
    return 0;
}
