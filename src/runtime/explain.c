/* explain.c - see explain.h. */

#include "explain.h"

#include <math.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../base/words.h"
#include "../job/kernel.h"
#include "../life/told.h"
#include "../partition/account.h"
#include "../platform/program.h"
#include "../trace/trace.h"
#include "loading.h"

static int has_story(const struct yk_kernel *kernel)
{
    return kernel->told && kernel->told->device_count > 0;
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

static void print_device(const struct yk_told_device *device, const struct yk_told *told,
                         FILE *stream)
{
    const struct yk_line *line = &device->account.line;
    char link[32] = "-";
    const double share = 100 * (double)device->items / (double)told->items;
    const int has_line = line->item_ns > 0 && device->account.of_jobs == told->of_jobs;
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
    const struct yk_told *told = kernel->told;
    int d;
    fprintf(stream, "%s: %lld item%s in %s by %s, job %llu of %llu\n", told->job,
            (long long)told->items, told->items == 1 ? "" : "s",
            yk_time_words((double)told->ns).text, told->partitioner, (unsigned long long)told->jobs,
            (unsigned long long)kernel->jobs);
    if (told->derived)
        fputs("  began with lessons of earlier processes, from jobs of other sizes\n", stream);
    else if (told->known_jobs > 0)
        fprintf(stream, "  began with lessons of earlier processes, from %lld job%s\n",
                (long long)told->known_jobs, told->known_jobs == 1 ? "" : "s");
    if (told->tuned)
        fputs("  began with the lines that yoke tune measured with each device alone\n", stream);
    /* the same words as in `yoke kb show`, which prints both kinds of lines */
    fprintf(stream, "  %-12s %8s  %12s  %11s  %10s  %10s  %10s\n", "device", "share",
            told->of_jobs ? "a (item)" : "alone (item)",
            told->of_jobs ? "b (fixed)" : "chunk costs", "chunk", "link", "without it");
    for (d = 0; d < told->device_count; d++)
        print_device(&told->devices[d], told, stream);
    for (d = 0; d < told->device_count; d++)
        if (*told->devices[d].reason)
            fprintf(stream, "  %s: %s\n", told->devices[d].name, told->devices[d].reason);
}

void yk_told_print(const yoke_runtime *runtime, FILE *stream)
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

char *yk_told_text(const yoke_runtime *runtime, yk_told_writer *writer)
{
    size_t bytes;
    yk_told_work_out(runtime);
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
    char *line, *rest = NULL, *text = yk_told_text(runtime, yk_told_print);
    for (line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
        yk_log_asked(line);
    yk_free(text);
}

/* --- for programs --- */

/* With a decimal point in every locale. Infinity and NaN become null. */
static void put_number(const char *key, double value, FILE *stream)
{
    char text[40], *at;
    snprintf(text, sizeof text, "%.9g", value);
    for (at = text; *at; at++)
        if (*at == ',')
            *at = '.';
    fprintf(stream, ",\"%s\":%s", key, isfinite(value) ? text : "null");
}

/* With all digits: numbers of items can have more digits than put_number writes. */
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

static void put_device(const struct yk_told_device *device, const struct yk_told *told,
                       FILE *stream)
{
    const struct yk_account *account = &device->account;
    fputc('{', stream);
    put_text("name", device->name, stream);
    put_count("items", device->items, stream);
    put_number("share", (double)device->items / (double)told->items, stream);
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

static void put_one(const struct yk_told *told, FILE *stream)
{
    int d;
    fputc('{', stream);
    put_text("job", told->job, stream);
    fputc(',', stream);
    put_text("partitioner", told->partitioner, stream);
    put_count("items", told->items, stream);
    put_number("seconds", (double)told->ns * 1e-9, stream);
    put_count("jobs", (int64_t)told->jobs, stream);
    put_count("known_jobs", told->known_jobs, stream);
    fprintf(stream, ",\"derived\":%s", told->derived ? "true" : "false");
    fprintf(stream, ",\"tuned\":%s", told->tuned ? "true" : "false");
    fputs(",\"devices\":[", stream);
    for (d = 0; d < told->device_count; d++) {
        if (d)
            fputc(',', stream);
        put_device(&told->devices[d], told, stream);
    }
    fputs("]}", stream);
}

void yk_told_print_json(const yoke_runtime *runtime, FILE *stream)
{
    const struct yk_kernel *kernel;
    int any = 0;
    fputc('[', stream);
    for (kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        if (has_story(kernel)) {
            if (any++)
                fputc(',', stream);
            put_one(kernel->told, stream);
        }
    fputc(']', stream);
}

void yk_told_print_run(const yoke_runtime *runtime, FILE *stream)
{
    const struct yk_kernel *kernel = runtime->kernels.first;
    char *text;
    while (kernel && !has_story(kernel))
        kernel = kernel->next;
    text = kernel ? yk_told_text(runtime, yk_told_print) : NULL;
    if (!text)
        return;
    fputc('{', stream);
    put_text("program", yk_program_name(), stream);
    fputc(',', stream);
    put_text("text", text, stream);
    fputs(",\"kernels\":", stream);
    yk_told_print_json(runtime, stream);
    fputc('}', stream);
    yk_free(text);
}
