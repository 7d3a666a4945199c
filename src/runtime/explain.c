/* explain.c - see explain.h. */

#include "explain.h"

#include <math.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../base/words.h"
#include "../job/kernel.h"
#include "../life/story.h"
#include "../partition/device_account.h"
#include "../platform/program.h"
#include "../trace/trace.h"
#include "loading.h"

static int has_story(const struct yk_kernel *kernel)
{
    return kernel->story && kernel->story->device_count > 0;
}

enum { TEXT_BYTES = 16 << 10, TEXT_MOST = 16 << 20 };

/* --- for people --- */

/* "1.2 ms", or "-" for an unknown duration. */
static struct yk_words duration(double ns)
{
    if (ns == 0)
        return (struct yk_words){ .text = "-" };
    if (!(ns > 0) || isinf(ns))
        return (struct yk_words){ .text = "never" };
    return yk_time_words(ns);
}

static void print_device(const struct yk_story_device *device, const struct yk_story *story,
                         FILE *stream)
{
    const struct yk_line *line = &device->account.line;
    char link[32] = "-";
    const double share = 100 * (double)device->items / (double)story->items;
    const int has_line = line->item_ns > 0 && device->account.of_jobs == story->of_jobs;
    if (device->link_bytes_per_ns > 0)
        snprintf(link, sizeof link, "%.3g GB/s", device->link_bytes_per_ns);
    fprintf(stream, "  %-12s %6.2f %%  %12s  %11s  %10s  %10s  %10s\n", device->name, share,
            has_line ? yk_time_words(line->item_ns).text : "-",
            has_line ? yk_time_words(line->fixed_ns).text : "-",
            yk_number_words(device->account.grain).text, link,
            duration(device->account.without_ns).text);
}

static void print_one(const struct yk_kernel *kernel, FILE *stream)
{
    const struct yk_story *story = kernel->story;
    int d;
    fprintf(stream, "%s: %lld item%s in %s by %s, job %llu of %llu\n", story->job,
            (long long)story->items, story->items == 1 ? "" : "s",
            yk_time_words((double)story->ns).text, story->partitioner,
            (unsigned long long)story->jobs, (unsigned long long)kernel->jobs);
    if (story->derived)
        fputs("  began with lessons of earlier processes, from jobs of other sizes\n", stream);
    else if (story->known_jobs > 0)
        fprintf(stream, "  began with lessons of earlier processes, from %lld job%s\n",
                (long long)story->known_jobs, story->known_jobs == 1 ? "" : "s");
    if (story->tuned)
        fputs("  began with the lines that yoke tune measured with each device alone\n", stream);
    /* the same words as in `yoke kb show`, which prints both kinds of lines */
    fprintf(stream, "  %-12s %8s  %12s  %11s  %10s  %10s  %10s\n", "device", "share",
            story->of_jobs ? "a (item)" : "alone (item)",
            story->of_jobs ? "b (fixed)" : "chunk costs", "chunk", "link", "without it");
    for (d = 0; d < story->device_count; d++)
        print_device(&story->devices[d], story, stream);
    for (d = 0; d < story->device_count; d++)
        if (*story->devices[d].reason)
            fprintf(stream, "  %s: %s\n", story->devices[d].name, story->devices[d].reason);
}

/* For people: per kernel a heading, a table of devices, and a sentence for each device. */
static void print(const yoke_runtime *runtime, FILE *stream)
{
    const struct yk_kernel *kernel;
    char loading[YK_LOADING_TEXT];
    int any = 0;
    for (kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        if (has_story(kernel)) {
            if (any++)
                fputc('\n', stream);
            print_one(kernel, stream);
        }
    yk_loading_explain(runtime, loading);
    if (any && *loading)
        fprintf(stream, "%s\n", loading);
}

char *yk_story_text(const yoke_runtime *runtime, yk_story_writer *writer)
{
    size_t bytes;
    yk_story_work_out(runtime);
    for (bytes = TEXT_BYTES; bytes <= TEXT_MOST; bytes *= 2) {
        char *text = yk_calloc(bytes, 1);
        FILE *stream = text ? fmemopen(text, bytes, "w") : NULL;
        int whole = 0;
        if (stream) {
            writer(runtime, stream);
            whole = fflush(stream) == 0 && !ferror(stream) && ftell(stream) < (long)bytes;
            fclose(stream);
        }
        if (whole)
            return text;
        yk_free(text);
        if (!stream)
            break;
    }
    return NULL;
}

void yk_runtime_explain(const yoke_runtime *runtime)
{
    char *line, *rest = NULL, *text = yk_story_text(runtime, print);
    for (line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
        yk_log_asked(line);
    yk_free(text);
}

/* --- for programs --- */

/* Writes a number with a decimal point in every locale. Infinity and NaN become null. */
static void put_number(const char *key, double value, FILE *stream)
{
    char text[40], *at;
    snprintf(text, sizeof text, "%.9g", value);
    for (at = text; *at; at++)
        if (*at == ',')
            *at = '.';
    fprintf(stream, ",\"%s\":%s", key, isfinite(value) ? text : "null");
}

/* Writes a number with all its digits, which may be more than put_number writes. */
static void put_count(const char *key, int64_t count, FILE *stream)
{
    fprintf(stream, ",\"%s\":%lld", key, (long long)count);
}

static void put_known(const char *key, double value, FILE *stream)
{
    put_number(key, value > 0 ? value : NAN, stream);
}

static void put_text(const char *key, const char *text, FILE *stream)
{
    fprintf(stream, "\"%s\":", key);
    yk_trace_put_text(stream, text);
}

static void put_device(const struct yk_story_device *device, const struct yk_story *story,
                       FILE *stream)
{
    const struct yk_account *account = &device->account;
    fputc('{', stream);
    put_text("name", device->name, stream);
    put_count("items", device->items, stream);
    put_number("share", (double)device->items / (double)story->items, stream);
    put_count("chunks", device->chunks, stream);
    put_number("busy_seconds", device->busy_ns * 1e-9, stream);
    put_known("item_seconds", account->line.item_ns * 1e-9, stream);
    put_number("fixed_seconds", account->line.item_ns > 0 ? account->line.fixed_ns * 1e-9 : NAN,
               stream);
    put_known("chunk_items", account->grain, stream);
    put_known("link_bytes_per_second", device->link_bytes_per_ns * 1e9, stream);
    put_known("without_seconds", account->without_ns * 1e-9, stream);
    fputc(',', stream);
    put_text("reason", device->reason, stream);
    fputc('}', stream);
}

static void put_one(const struct yk_story *story, FILE *stream)
{
    int d;
    fputc('{', stream);
    put_text("job", story->job, stream);
    fputc(',', stream);
    put_text("partitioner", story->partitioner, stream);
    put_count("items", story->items, stream);
    put_number("seconds", (double)story->ns * 1e-9, stream);
    put_count("jobs", (int64_t)story->jobs, stream);
    put_count("known_jobs", story->known_jobs, stream);
    fprintf(stream, ",\"derived\":%s", story->derived ? "true" : "false");
    fprintf(stream, ",\"tuned\":%s", story->tuned ? "true" : "false");
    fputs(",\"devices\":[", stream);
    for (d = 0; d < story->device_count; d++) {
        if (d)
            fputc(',', stream);
        put_device(&story->devices[d], story, stream);
    }
    fputs("]}", stream);
}

void yk_story_print_json(const yoke_runtime *runtime, FILE *stream)
{
    const struct yk_kernel *kernel;
    int any = 0;
    fputc('[', stream);
    for (kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        if (has_story(kernel)) {
            if (any++)
                fputc(',', stream);
            put_one(kernel->story, stream);
        }
    fputc(']', stream);
}

void yk_story_print_run(const yoke_runtime *runtime, FILE *stream)
{
    const struct yk_kernel *kernel = runtime->kernels.first;
    char *text;
    while (kernel && !has_story(kernel))
        kernel = kernel->next;
    text = kernel ? yk_story_text(runtime, print) : NULL;
    if (!text)
        return;
    fputc('{', stream);
    put_text("program", yk_program_name(), stream);
    fputc(',', stream);
    put_text("text", text, stream);
    fputs(",\"kernels\":", stream);
    yk_story_print_json(runtime, stream);
    fputc('}', stream);
    yk_free(text);
}
