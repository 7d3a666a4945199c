/* run_text.c - the result of yoke run for people. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "run.h"
#include "table.h"

const char *run_size_text(const struct app *app, const int64_t *size, char text[80])
{
    int used = 0;
    for (int i = 0; i < app->size_count; i++)
        used += snprintf(text + used, 80 - (size_t)used, "%s%" PRId64, i ? "x" : "", size[i]);
    return text;
}

/* If the size has several numbers, size_words is as in "WxHxD voxels", and only its last word is
 * used. */
struct count_words run_size_words(const struct app *app, int64_t size)
{
    const char *last = app->size_count == 1 ? NULL : strrchr(app->size_words, ' ');
    return count_name(app->size_count == 1 ? size : 0, last ? last + 1 : app->size_words);
}

/* Writes any size without an exponent. */
static const char *millions(double number, char text[32])
{
    snprintf(text, 32, number < 9999.5e6 ? "%.4g million" : "%.0f million", 1e-6 * number);
    return text;
}

static void print_head(const struct measure_spec *spec, const struct measure *measure)
{
    char open[32], first[32], median[32], whole[32], work[32], rate[32], size[80];
    printf("%s, %s %s, %s\n", spec->app->name, run_size_text(spec->app, spec->input.size, size),
           run_size_words(spec->app, spec->input.size[0]).text, measure->partitioner);
    printf("%s to open, %s the first run, %s the median of %d run%s\n",
           table_seconds(measure->open_seconds, open), table_seconds(measure->first_seconds, first),
           table_seconds(measure->seconds, median), measure->run_count,
           measure->run_count == 1 ? " after it" : "s after it");
    if (isfinite(measure->whole_seconds))
        printf("these are the times of its jobs; with the host's work between them %s\n",
               table_seconds(measure->whole_seconds, whole));
    if (isfinite(measure->work))
        printf("%s %s, %s a second\n", millions(measure->work, work), spec->app->work_words,
               millions(measure->work / measure->seconds, rate));
    run_print_prediction(measure);
    putchar('\n');
}

void run_print_prediction(const struct measure *measure)
{
    char predicted[32];
    if (isfinite(measure->predicted_seconds))
        printf("predicted %s, %+.1f %%\n", table_seconds(measure->predicted_seconds, predicted),
               100 * (measure->predicted_seconds / measure->seconds - 1));
}

void run_print_devices(const struct measure *measure)
{
    struct table table = { .indent = 0 };
    static const char *const heads[] = { "device", "model", "items", "share", "busy", "chunks" };
    char seconds[32];
    int alone = isfinite(measure->gain);
    for (int i = 0; i < 6; i++)
        table_cell(&table, i < 2 ? TABLE_LEFT : TABLE_RIGHT, "%s", heads[i]);
    if (alone)
        table_cell(&table, TABLE_RIGHT, "alone");
    table_row(&table);
    for (int d = 0; d < measure->device_count; d++) {
        const struct measure_device *device = &measure->devices[d];
        table_cell(&table, TABLE_LEFT, "%s", device->name);
        table_cell(&table, TABLE_LEFT, "%.40s", device->model);
        table_cell(&table, TABLE_RIGHT, "%" PRId64, device->rows);
        table_cell(&table, TABLE_RIGHT, "%.1f %%", 100 * device->share);
        table_cell(&table, TABLE_RIGHT, "%s", table_seconds(device->busy_seconds, seconds));
        table_cell(&table, TABLE_RIGHT, "%" PRId64, device->chunks);
        if (alone)
            table_cell(&table, TABLE_RIGHT, "%s", table_seconds(device->alone_seconds, seconds));
        table_row(&table);
    }
    table_print(&table, stdout);
    putchar('\n');
    if (measure->jobs > 1) /* the table sums up all jobs; the reasons below are the last job's */
        printf("The last of %" PRId64 " jobs:\n", measure->jobs);
    for (int d = 0; d < measure->device_count; d++) {
        const char *name = measure->devices[d].name, *reason = measure->devices[d].reason;
        size_t length = strlen(name);
        int named = !strncmp(reason, name, length) && reason[length] == ':'; /* as in errors */
        if (*reason)
            printf("%s%s%s\n", named ? "" : name, named ? "" : ": ", reason);
        if (*measure->devices[d].kernel)
            printf("%s: kernel %s\n", name, measure->devices[d].kernel);
        if (*measure->devices[d].wait)
            printf("%s: %s\n", name, measure->devices[d].wait);
    }
    putchar('\n');
}

void run_print_traffic(const yoke_traffic *traffic)
{
    char to[32], from[32], between[32];
    if (traffic->to_devices || traffic->from_devices || traffic->between_devices)
        printf("moved: %s to devices, %s from devices, %s between devices\n",
               table_bytes(traffic->to_devices, to), table_bytes(traffic->from_devices, from),
               table_bytes(traffic->between_devices, between));
}

void run_print_gain(const struct measure *measure)
{
    char best[32], ideal[32];
    int fastest = 0;
    if (!isfinite(measure->gain))
        return;
    for (int d = 1; d < measure->device_count; d++)
        if (measure->devices[d].alone_seconds < measure->devices[fastest].alone_seconds)
            fastest = d;
    printf("gain %.3f over the best device alone (%s, %s); ideal %s, efficiency %.3f\n",
           measure->gain, measure->devices[fastest].name,
           table_seconds(measure->devices[fastest].alone_seconds, best),
           table_seconds(measure->ideal_seconds, ideal), measure->efficiency);
}

static void print_oracle(const struct measure *measure)
{
    char seconds[32];
    if (!isfinite(measure->regret))
        return;
    printf("best fixed split:");
    for (int d = 0; d < measure->device_count; d++)
        printf("%s %s %.1f %%", d ? "," : "", measure->devices[d].name,
               100 * measure->devices[d].oracle_share);
    printf(": %s; regret %.1f %%\n", table_seconds(measure->oracle_seconds, seconds),
           100 * measure->regret);
}

int run_threads(const struct measure *measure)
{
    int threads = 0;
    for (int d = 0; d < measure->device_count; d++)
        if (!strcmp(measure->devices[d].backend, "cpu"))
            threads += measure->devices[d].lanes;
    return threads;
}

void run_print(const struct measure_spec *spec, const struct measure *measure)
{
    print_head(spec, measure);
    run_print_devices(measure);
    run_print_traffic(&measure->traffic);
    run_print_gain(measure);
    print_oracle(measure);
    if (measure->verified == 1)
        printf("verified%s%s\n", measure->note[0] ? ": " : "", measure->note);
    if (measure->report)
        fputs(measure->report, stdout);
    if (spec->config.trace)
        printf("timeline: %s\n", spec->config.trace);
}
