/* tune.c - yoke tune APP: measures lines of devices alone, then all together; a table and JSON. */
#include "tune.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "progress.h"
#include "request.h"
#include "run.h"
#include "table.h"

enum tune_option {
    TUNE_SIZE,
    TUNE_INPUT,
    TUNE_DEVICES,
    TUNE_PARTITIONER,
    TUNE_THREADS,
    TUNE_SEED,
    TUNE_BLOCKS,
    TUNE_NARROW,
    TUNE_RUNS,
    TUNE_JSON,
    TUNE_QUIET,
    TUNE_OPTIONS
};

static const struct app_option tune_options[] = {
    [TUNE_SIZE] = { "size", "N", NULL, "size: a count with k, M, G or Ki, Mi, Gi, or WxHxD" },
    [TUNE_INPUT] = { "input", "FILE", NULL, "read the input from this file (denoise, spmv)" },
    [TUNE_DEVICES] = { "devices", "LIST", NULL,
                       "devices to use, as cpu:8,cuda:0:mem=8G; default all" },
    [TUNE_PARTITIONER] = { "partitioner", "NAME", "linear",
                           "partitioner for all devices together; its lessons are kept" },
    [TUNE_THREADS] = { "threads", "N", NULL,
                       "threads that do CPU work; default one for each core" },
    [TUNE_SEED] = { "seed", "N", "1", "seed of generated input" },
    [TUNE_BLOCKS] = { "blocks", "N", "3", "number of sizes of each device alone, 2 to 10" },
    [TUNE_NARROW] = { "narrow", "PART", "3%",
                      "repeat a size until the 95 % interval of its mean is +- this part" },
    [TUNE_RUNS] = { "runs", "N", "20", "at most this number of runs for each size" },
    [TUNE_JSON] = { "json", "FILE", NULL, "write the figures as JSON; - is standard output" },
    [TUNE_QUIET] = { "quiet", NULL, NULL, "print no table" },
    [TUNE_OPTIONS] = { .name = NULL },
};

/* --- the result --- */

static void print_head(const struct tune_spec *from, const struct tune *tune)
{
    char size[80], text[32];
    printf("%s, %s %s: %d sizes of each device alone, then all by %s\n\n", from->spec->app->name,
           run_size_text(from->spec->app, from->spec->input.size, size),
           run_size_words(from->spec->app, from->spec->input.size[0]).text, from->blocks,
           tune->all.partitioner);
    printf("together %s (+- %.1f %%, %s)", table_seconds(tune->together.seconds, text),
           100 * tune->together.half / tune->together.seconds,
           count_words(tune->together.runs, "runs").text);
    if (isfinite(tune->all.predicted_seconds))
        printf("; predicted %s, %+.1f %%", table_seconds(tune->all.predicted_seconds, text),
               100 * (tune->all.predicted_seconds / tune->together.seconds - 1));
    printf("\nby the lines alone it would be %s, %+.1f %%\n\n", table_seconds(tune->foretold, text),
           100 * (tune->foretold / tune->together.seconds - 1));
}

static void print_device(const struct tune *tune, int d, struct table *table)
{
    const struct tune_device *device = &tune->devices[d];
    const struct measure_device *named = &tune->all.devices[d];
    const yoke_line *line = &device->alone;
    char text[32];
    int runs = 0;
    for (int b = 0; b < device->block_count; b++)
        runs += device->blocks[b].time.runs;
    table_cell(table, TABLE_LEFT, "%s", named->name);
    table_cell(table, TABLE_RIGHT, "%.4g ns", 1e9 * line->item_seconds);
    if (isfinite(line->item_half) && line->item_seconds > 0)
        table_cell(table, TABLE_RIGHT, "%.1f %%", 100 * line->item_half / line->item_seconds);
    else
        table_cell(table, TABLE_RIGHT, "-");
    table_cell(table, TABLE_RIGHT, "%s", table_seconds(line->fixed_seconds, text));
    table_cell(table, TABLE_RIGHT, "%.1f %%", 100 * line->off);
    if (device->like == d)
        table_cell(table, TABLE_RIGHT, "%d", runs);
    else
        table_cell(table, TABLE_RIGHT, "as %s", tune->all.devices[device->like].name);
    table_cell(table, TABLE_RIGHT, "%.1f %%", 100 * (double)device->part / (double)tune->items);
    table_cell(table, TABLE_RIGHT, "%.1f %%", 100 * named->share);
    if (named->line.item_seconds > 0)
        table_cell(table, TABLE_RIGHT, "%.4g ns", 1e9 * named->line.item_seconds);
    else
        table_cell(table, TABLE_RIGHT, "-");
    table_cell(table, TABLE_RIGHT, "%s",
               table_seconds(named->line.item_seconds > 0 ? named->line.fixed_seconds : NAN, text));
    table_row(table);
}

/* Prints which lines were kept, or why none were. kept_status reports a failure to keep them. */
static void print_kept(const struct tune *tune)
{
    const struct tune_lines *lines = &tune->lines;
    const char *before = "\nkept, for --partitioner linear to begin with: ";
    for (int k = 0; k < lines->count; k++) {
        const yoke_job *job = &lines->kinds[k].job;
        if (!lines->kinds[k].kept)
            continue;
        printf("%sthe lines of %s of %s", before, job->kernel->name,
               count_words(job->range.last - job->range.first, "items").text);
        before = ", ";
    }
    if (*before == ',')
        printf("\n");
    else if (lines->status == YOKE_ENODEV)
        printf("\n%s\n", lines->why);
    else if (lines->status == YOKE_OK)
        printf("\n"
               "the lines are not kept: they are of jobs that run by themselves, and here all "
               "overlap\n");
}

static void print_answer(const struct tune_spec *from, const struct tune *tune)
{
    static const char *const heads[] = { "device", "a alone", "+-",  "b alone",  "off",
                                         "runs",   "share",   "got", "a beside", "b beside" };
    struct table table = { .indent = 0 };
    print_head(from, tune);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_cell(&table, i ? TABLE_RIGHT : TABLE_LEFT, "%s", heads[i]);
    table_row(&table);
    for (int d = 0; d < tune->all.device_count; d++)
        print_device(tune, d, &table);
    table_print(&table, stdout);
    print_kept(tune);
}

static void add_time(cJSON *object, const struct tune_time *time)
{
    json_number(object, "seconds", time->seconds);
    json_number(object, "half_seconds", time->half);
    json_integer(object, "runs", time->runs);
}

static void add_line(cJSON *object, const yoke_line *line)
{
    json_number(object, "item_seconds", line->item_seconds);
    json_number(object, "item_half_seconds", line->item_half);
    json_number(object, "fixed_seconds", line->fixed_seconds);
    json_number(object, "off", line->off);
}

static cJSON *kind_json(const struct tune *tune, const struct tune_kind *kind)
{
    cJSON *one = cJSON_CreateObject(), *devices;
    json_text(one, "kernel", kind->job.kernel->name);
    json_integer(one, "items", kind->job.range.last - kind->job.range.first);
    cJSON_AddBoolToObject(one, "kept", kind->kept);
    devices = cJSON_AddArrayToObject(one, "devices");
    for (int d = 0; d < tune->lines.device_count; d++) {
        cJSON *line = cJSON_CreateObject();
        json_text(line, "name", tune->all.devices[d].name);
        add_line(line, &kind->lines[d]);
        cJSON_AddItemToArray(devices, line);
    }
    return one;
}

static cJSON *device_json(const struct tune *tune, int d)
{
    const struct tune_device *device = &tune->devices[d];
    const struct measure_device *named = &tune->all.devices[d];
    cJSON *one = cJSON_CreateObject(), *alone, *blocks, *beside;
    json_text(one, "name", named->name);
    json_text(one, "like", tune->all.devices[device->like].name);
    alone = cJSON_AddObjectToObject(one, "alone");
    add_line(alone, &device->alone);
    json_number(alone, "share", (double)device->part / (double)tune->items);
    blocks = cJSON_AddArrayToObject(alone, "blocks");
    for (int b = 0; b < device->block_count; b++) {
        cJSON *block = cJSON_CreateObject();
        json_integer(block, "percent", device->blocks[b].percent);
        json_integer(block, "items", device->blocks[b].items);
        add_time(block, &device->blocks[b].time);
        cJSON_AddItemToArray(blocks, block);
    }
    beside = cJSON_AddObjectToObject(one, "together");
    json_number(beside, "item_seconds",
                named->line.item_seconds > 0 ? named->line.item_seconds : NAN);
    json_number(beside, "fixed_seconds",
                named->line.item_seconds > 0 ? named->line.fixed_seconds : NAN);
    json_number(beside, "share", named->share);
    json_text(beside, "reason", named->reason);
    return one;
}

static int write_json(const struct tune_spec *from, const struct tune *tune, const char *path)
{
    cJSON *top = cJSON_CreateObject(), *together, *devices, *lines;
    json_integer(top, "schema", 1);
    json_text(top, "version", yoke_version());
    json_text(top, "app", from->spec->app->name);
    run_json_size(top, from->spec->app, from->spec->input.size);
    json_text(top, "partitioner", tune->all.partitioner);
    json_integer(top, "items", tune->items);
    together = cJSON_AddObjectToObject(top, "together");
    add_time(together, &tune->together);
    json_number(together, "predicted_seconds", tune->all.predicted_seconds);
    json_number(together, "alone_predicted_seconds", tune->foretold);
    devices = cJSON_AddArrayToObject(top, "devices");
    for (int d = 0; d < tune->all.device_count; d++)
        cJSON_AddItemToArray(devices, device_json(tune, d));
    lines = cJSON_AddArrayToObject(top, "lines");
    for (int k = 0; k < tune->lines.count; k++)
        cJSON_AddItemToArray(lines, kind_json(tune, &tune->lines.kinds[k]));
    return json_write(top, path);
}

/* --- the words --- */

static struct args_given given(const char *const *values, enum tune_option option)
{
    return (struct args_given){ tune_options[option].name, values[option] };
}

/* Reads the options that yoke run has, too, with yoke run's reader. */
static int read_shared(const char *const *values, struct measure_spec *spec)
{
    const char *shared[RUN_OPTIONS] = { NULL };
    shared[RUN_SIZE] = values[TUNE_SIZE];
    shared[RUN_INPUT] = values[TUNE_INPUT];
    shared[RUN_DEVICES] = values[TUNE_DEVICES];
    shared[RUN_PARTITIONER] = values[TUNE_PARTITIONER];
    shared[RUN_THREADS] = values[TUNE_THREADS];
    shared[RUN_SEED] = values[TUNE_SEED];
    shared[RUN_REPEAT] = "1";
    return run_options_read(shared, spec);
}

static int read_values(const char *const *values, struct tune_spec *out)
{
    int64_t blocks = 0, runs = 0;
    int wrong = read_shared(values, out->spec);
    if (!wrong)
        wrong = args_read_count(given(values, TUNE_BLOCKS),
                                (struct args_bounds){ 2, TUNE_BLOCKS_MAX }, &blocks);
    if (!wrong)
        wrong = args_read_count(given(values, TUNE_RUNS), (struct args_bounds){ 2, APP_REPEAT_MAX },
                                &runs);
    if (!wrong && (!args_fraction(values[TUNE_NARROW], &out->narrow) || !(out->narrow > 0)))
        wrong =
            args_mistake("--narrow %s: a part of the mean is needed, as 3%%", values[TUNE_NARROW]);
    if (!wrong && !out->spec->app->is_regular)
        wrong =
            args_mistake("%s has items that cost unequally, or parts that need each other, so a "
                         "part of it says nothing of the rest; tune one that has none",
                         out->spec->app->name);
    out->blocks = (int)blocks;
    out->runs_most = (int)runs;
    return wrong;
}

/* Returns 0, or 1 after a message if the lines could not be written. That there is no knowledge
 * base (YOKE_ENODEV) is not a failure: the user did not want one. */
static int kept_status(const struct tune *tune)
{
    const yoke_status status = tune->lines.status;
    return status == YOKE_OK || status == YOKE_ENODEV ? 0 : command_failed(tune->lines.why);
}

static int tune_and_answer(struct tune_spec *from, const char *const *values)
{
    const char *json = values[TUNE_JSON];
    struct tune tune;
    int status = 0;
    from->spec->watch = progress_open(progress_grace);
    yoke_status measured = tune_measure(from, &tune);
    progress_close();
    if (request_status())
        status = command_stopped();
    else if (measured != YOKE_OK)
        status = command_failed(app_error_text());
    else if (!values[TUNE_QUIET] && !(json && !strcmp(json, "-")))
        print_answer(from, &tune);
    if (measured == YOKE_OK && json && !request_status())
        status = write_json(from, &tune, json);
    if (measured == YOKE_OK && !status)
        status = kept_status(&tune);
    if (tune.all.wrong_words)
        status = 2;
    tune_close(&tune);
    return status;
}

static int run_tune(int argc, char **argv)
{
    const char *values[TUNE_OPTIONS];
    struct measure_spec spec = { 0 };
    struct tune_spec from = { .spec = &spec };
    const int wants_help = help_wanted(argc, argv);
    if (argc == 0 || (argv[0][0] == '-' && !wants_help))
        return args_mistake(
            "an application is needed: 'yoke tune APP [OPTIONS]'; 'yoke apps' lists them");
    if (argv[0][0] != '-' && !(spec.app = command_find_app(argv[0])))
        return 2;
    if (wants_help) {
        help_print(&command_tune, spec.app);
        return 0;
    }
    struct args args = { .command = "tune",
                         .tables = { { tune_options, values },
                                     { spec.app->options, spec.input.values } } };
    int wrong = args_parse(&args, argc - 1, argv + 1);
    if (!wrong)
        wrong = read_values(values, &from);
    if (!wrong)
        wrong = file_check(values[TUNE_JSON]);
    return wrong ? wrong : tune_and_answer(&from, values);
}

const struct command command_tune = {
    .name = "tune",
    .words = "APP",
    .summary = "Measure each kind of device alone, fit its line, then run all together",
    .text =
        "The lines are kept in the knowledge base, so that --partitioner linear begins with them,\n"
        "and what all together taught, as after yoke run.\n"
        "Exit status: 0 done, 1 failed, 2 usage error,\n"
        "130 stopped by Ctrl-C, 143 by SIGTERM.",
    .options = tune_options,
    .word = command_app_word,
    .run = run_tune,
};
