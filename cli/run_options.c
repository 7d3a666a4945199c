/* run_options.c - the options of yoke run, and the meaning of their texts. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "run.h"

const char *const run_wait_names[] = { "auto", "spin", "yield", "block", NULL };
static const char *const memory_names[] = {
    [APP_MEMORY_PINNED] = "pinned", [APP_MEMORY_PAGEABLE] = "pageable", NULL
};
static const char *const kernel_names[] = {
    [APP_KERNEL_AUTO] = "auto", [APP_KERNEL_PLAIN] = "plain", [APP_KERNEL_STEP] = "step", NULL
};

const struct app_option run_options[] = {
    [RUN_SIZE] = { "size", "N", NULL, "size: a count with k, M, G or Ki, Mi, Gi, or WxHxD" },
    [RUN_SIZES] = { "sizes", "N,N...", NULL, "several sizes, with --matrix" },
    [RUN_INPUT] = { "input", "FILE", NULL,
                    "read the input from this file (denoise, photons, path, spmv)" },
    [RUN_OUTPUT] = { "output", "PREFIX", NULL,
                     "prefix of the names of pictures and other results (denoise, photons, path)" },
    [RUN_DEVICES] = { "devices", "LIST", NULL,
                      "devices to use, as cpu:8,cuda:0:mem=8G; default all" },
    [RUN_PARTITIONER] = { "partitioner", "NAME", NULL,
                          "the algorithm that chooses chunks, as dynamic:chunk=4096; default "
                          "auto" },
    [RUN_CPU_WEIGHT] = { "cpu-weight", "W", NULL,
                         "the cores' share of the rows, 0 to 1, instead of a partitioner" },
    [RUN_WEIGHT_POLICY] = { "weight-policy", "RULE", NULL,
                            "the rule that adjusts it after each timed run: paper (by 0.01), rate "
                            "or none" },
    [RUN_THREADS] = { "threads", "N", NULL, "threads that do CPU work; default one for each core" },
    [RUN_WAIT] = { "wait", "HOW", NULL,
                   "how host threads wait for devices: spin, yield, block or auto" },
    [RUN_KERNEL] = { "kernel", "KIND", NULL,
                     "if the application also has a step kernel: plain, step, or auto (the "
                     "default: the faster one on each device)" },
    [RUN_MEMORY] = { "memory", "KIND", NULL,
                     "kind of host memory for the data: pinned (the default) or pageable" },
    [RUN_COLD] = { "cold", NULL, NULL,
                   "replace the data in the processors' caches before each run" },
    [RUN_REPEAT] = { "repeat", "N", "3", "number of timed runs after the first" },
    [RUN_SEED] = { "seed", "N", "1", "seed of generated input" },
    [RUN_VERIFY] = { "verify", NULL, NULL, "check the result against an independent reference" },
    [RUN_BASELINES] = { "baselines", NULL, NULL,
                        "also run each device alone, for gain and efficiency" },
    [RUN_SWEEP] = { "sweep", "STEP", NULL,
                    "search for the best fixed split on a grid of STEP per cent, then 1, for the "
                    "regret" },
    [RUN_MATRIX] = { "matrix", NULL, NULL,
                     "run on every set of devices (C, G, C+G, 2G, ...), for speedup, efficiency "
                     "and gain" },
    [RUN_JSON] = { "json", "FILE", NULL, "write the figures as JSON; - is standard output" },
    [RUN_PLOT] = { "plot", "FILE", NULL, "plot the figures of --matrix to .png or .svg" },
    [RUN_TRACE] = { "trace", "FILE", NULL, "write a timeline of all devices, to .json or .html" },
    [RUN_QUIET] = { "quiet", NULL, NULL, "print no table" },
    [RUN_OPTIONS] = { .name = NULL },
};

const char *run_wait_name(const struct measure_spec *spec, const struct measure *measure)
{
    yoke_waiting waiting = spec->config.waiting;
    double most = -1;
    for (int d = 0; d < measure->device_count; d++) {
        const struct measure_device *device = &measure->devices[d];
        if (device->waiting == YOKE_WAIT_AUTO || device->share <= most)
            continue;
        most = device->share;
        waiting = device->waiting;
    }
    return run_wait_names[waiting];
}

const char *run_memory_name(enum app_memory_kind kind)
{
    return memory_names[kind];
}

const char *run_kernel_name(const struct measure_spec *spec)
{
    return spec->app->offers_steps ? kernel_names[spec->input.kernel] : NULL;
}

const char *run_device_kernel(const struct measure_spec *spec, const struct measure_device *device)
{
    const int steps = 2 * device->alternative_items > device->items;
    if (!spec->app->offers_steps || device->items == 0)
        return NULL;
    if (spec->input.kernel != APP_KERNEL_AUTO)
        return kernel_names[spec->input.kernel];
    return kernel_names[steps ? APP_KERNEL_STEP : APP_KERNEL_PLAIN];
}

static int read_size(const char *text, const struct app *app, int64_t *out)
{
    if (!text)
        return 0;
    int count = args_size(text, out);
    if (count < 0)
        return args_mistake("--size %s is too large: sizes are below 9e18", text);
    if (count == 0)
        return args_mistake("--size %s is no size; write a count such as 64M, or WxHxD", text);
    if (count != app->size_count && !(count == 1 && app->size_square))
        return args_mistake("--size %s: %s counts %s, so it takes %d number%s%s%s", text, app->name,
                            app->size_words, app->size_count, app->size_count == 1 ? "" : "s",
                            app->size_count == 1 ? "" : " with x between them",
                            app->size_square ? ", or one for all" : "");
    for (int i = 0; i < count; i++)
        if (out[i] < 1)
            return args_mistake("--size %s: a size is at least 1", text);
    return 0;
}

static struct args_given given(const char *const *values, enum run_option option)
{
    return (struct args_given){ run_options[option].name, values[option] };
}

static int read_words(const char *const *values, struct measure_spec *out)
{
    int waiting = 0, memory = 0, kernel = 0;
    int wrong = 0;
    if (values[RUN_KERNEL] && !out->app->offers_steps)
        wrong = args_mistake("--kernel %s: %s has no step kernel to choose; leave --kernel out",
                             values[RUN_KERNEL], out->app->name);
    if (!wrong)
        wrong =
            args_read_word(given(values, RUN_KERNEL), kernel_names, "plain, step or auto", &kernel);
    if (!wrong)
        wrong = args_read_word(given(values, RUN_WAIT), run_wait_names,
                               "spin, yield, block or auto", &waiting);
    if (!wrong)
        wrong =
            args_read_word(given(values, RUN_MEMORY), memory_names, "pinned or pageable", &memory);
    out->config.waiting = (yoke_waiting)waiting;
    out->input.memory.kind = (enum app_memory_kind)memory;
    out->input.kernel = (enum app_kernel)kernel;
    return wrong;
}

static int read_weight(const char *const *values, struct measure_weight *out)
{
    static const char *const names[] = { "none", "paper", "rate", NULL };
    static yoke_weight_fn *const rules[] = { NULL, yoke_weight_paper, yoke_weight_rate };
    const char *text = values[RUN_CPU_WEIGHT];
    char *end;
    int rule = 0;
    if (!text && values[RUN_WEIGHT_POLICY])
        return args_mistake("--weight-policy %s moves a weight; add the first one, as "
                            "--cpu-weight 0.2",
                            values[RUN_WEIGHT_POLICY]);
    if (!text)
        return 0;
    if (values[RUN_PARTITIONER] || values[RUN_MATRIX])
        return args_mistake("--cpu-weight splits rows of one set of devices, and so does %s; leave "
                            "one of them out",
                            values[RUN_MATRIX] ? "each of --matrix" : "--partitioner");
    out->weight = strtod(text, &end);
    if (end == text || *end || !(out->weight >= 0 && out->weight <= 1))
        return args_mistake("--cpu-weight %s: a number from 0 to 1 is needed", text);
    if (args_read_word(given(values, RUN_WEIGHT_POLICY), names, "none, paper or rate", &rule))
        return 2;
    out->given = 1;
    out->policy = rules[rule];
    return 0;
}

/* Refuses a file that the application would not read or write: it was meant for another one. */
static int check_files(const char *const *values, const struct app *app)
{
    if (values[RUN_INPUT] && !app->reads_input)
        return args_mistake("--input %s: %s makes its data; leave --input out", values[RUN_INPUT],
                            app->name);
    if (values[RUN_OUTPUT] && !app->writes_output)
        return args_mistake("--output %s: %s has no pictures to write; leave --output out",
                            values[RUN_OUTPUT], app->name);
    return 0;
}

/* Checks options that need --matrix, and those that exclude it. */
static int check_matrix(const char *const *values)
{
    const char *split = values[RUN_PARTITIONER];
    if (!values[RUN_MATRIX] && values[RUN_SIZES])
        return args_mistake("--sizes gives several for --matrix; add it, or give --size one");
    if (!values[RUN_MATRIX] && values[RUN_PLOT])
        return args_mistake("--plot draws what --matrix measures; add it, or leave --plot out");
    if (!values[RUN_MATRIX])
        return 0;
    if (values[RUN_SIZE] && values[RUN_SIZES])
        return args_mistake("--size and --sizes: give one of them");
    if (values[RUN_BASELINES])
        return args_mistake("--matrix runs each device alone already; leave --baselines out");
    if (values[RUN_TRACE] || values[RUN_OUTPUT])
        return args_mistake("%s shows one run and --matrix makes many; leave it out, or run one "
                            "set of devices with --devices",
                            values[RUN_TRACE] ? "--trace" : "--output");
    if (split && !strncmp(split, "static:", 7))
        return args_mistake("--partitioner %s gives shares of one set of devices, and --matrix has "
                            "many; leave it out",
                            split);
    return 0;
}

int run_options_read_matrix(const char *const *values, struct measure_spec *spec,
                            struct matrix *out)
{
    const char *text = values[RUN_SIZES];
    out->size_count = 1;
    memcpy(out->sizes[0].size, spec->input.size, sizeof spec->input.size);
    if (!text)
        return 0;
    for (out->size_count = 0;; text++) {
        char one[64];
        size_t length = strcspn(text, ",");
        if (out->size_count == MATRIX_SIZES_MAX)
            return args_mistake("--sizes: a matrix has %d sizes at most", MATRIX_SIZES_MAX);
        snprintf(one, sizeof one, "%.*s", (int)length, text);
        if (read_size(one, spec->app, out->sizes[out->size_count].size))
            return 2;
        out->size_count++;
        text += length;
        if (!*text)
            return 0;
    }
}

int run_options_read(const char *const *values, struct measure_spec *out)
{
    int64_t repeat = 0, threads = 0, seed = 0;
    int wrong = read_size(values[RUN_SIZE], out->app, out->input.size);
    if (!wrong)
        wrong = check_matrix(values);
    if (!wrong)
        wrong = check_files(values, out->app);
    if (!wrong)
        wrong = args_read_count(given(values, RUN_REPEAT),
                                (struct args_bounds){ 1, APP_REPEAT_MAX }, &repeat);
    if (!wrong)
        wrong =
            args_read_count(given(values, RUN_THREADS), (struct args_bounds){ 0, 4096 }, &threads);
    if (!wrong)
        wrong =
            args_read_count(given(values, RUN_SEED), (struct args_bounds){ 0, INT64_MAX }, &seed);
    if (!wrong)
        wrong = read_words(values, out);
    if (!wrong)
        wrong = read_weight(values, &out->weight);
    if (!wrong)
        wrong = args_check_trace(values[RUN_TRACE]);
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
    out->cold = values[RUN_COLD] != NULL;
    out->baselines = values[RUN_BASELINES] != NULL;
    return 0;
}
