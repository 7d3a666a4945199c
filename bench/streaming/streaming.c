/* streaming.c - jobs over data several times as large as a device's memory. Their time is compared
 * with the times that their copies alone, and their kernels alone, take.
 *
 *     yoke-bench-streaming DEVICE [mem=256M] [times=4] [repeat=5] [piece=16M] [beside=TEXT]
 *                          [partitioner=TEXT] [kind=NAME] [extra=SETTINGS]
 *
 * The data of each job are `times` as large as `mem`, the memory limit for DEVICE (one device,
 * without mem= of its own); `extra` are further settings of it. `beside` names further devices.
 * Columns of the table:
 *   links   the job's copies alone, in both directions at the same time, in pieces of `piece` bytes
 *           of pinned memory
 *   cores   the kernel alone on a device that holds all data; the kernel's length is chosen to make
 *           this 0.2, 1 and 3 times `links` (by work= of a simulated device, otherwise by the
 *           number of rounds of a loop)
 *   ratio   the job's time / the larger of the two: for the first job, and for the median of
 *           `repeat` more jobs
 */
#include <stdio.h>
#include <string.h>

#include "../program.h"
#include "bounds.h"

enum { REPEAT_MAX = 99, TEXT = 256 };

struct settings {
    const char *device, *beside, *extra, *partitioner, *kind; /* "": not given */
    int64_t mem, piece;
    double times;
    int repeat;
};

/* One row of the table. */
struct row {
    struct work_spec spec;
    double aim; /* the wanted cores / links */
    double work;
    double links, cores, first, later;
    int64_t chunks;
    int right;
};

static int set(struct settings *s, const char *word)
{
    const struct program_option options[] = {
        { "beside", .text = &s->beside },
        { "extra", .text = &s->extra },
        { "partitioner", .text = &s->partitioner },
        { "kind", .text = &s->kind },
        { "mem", .large = &s->mem },
        { "piece", .large = &s->piece },
        { "times", .real = &s->times },
        { "repeat", .whole = &s->repeat },
        { .name = NULL },
    };
    return read_option(options, word);
}

static int are_possible(const struct settings *s)
{
    return strlen(s->device) < TEXT && strlen(s->beside) < TEXT && strlen(s->extra) < TEXT &&
           s->mem > 0 && s->piece > 0 && s->times > 0 && s->repeat > 0 && s->repeat <= REPEAT_MAX;
}

static int is_simulated(const struct settings *s)
{
    return strncmp(s->device, "sim:", 4) == 0;
}

/* The device with the row's work per item. `limited`: with the memory limit and further devices. */
static const char *device_text(const struct settings *s, const struct row *row, int limited,
                               char text[3 * TEXT + 96])
{
    int at = snprintf(text, 3 * TEXT, "%s", s->device);
    if (is_simulated(s))
        at += snprintf(text + at, 48, ":work=%.9g", row->work);
    if (limited) {
        at += snprintf(text + at, 48, ":mem=%lld", (long long)s->mem);
        at += s->extra[0] ? snprintf(text + at, TEXT + 1, ":%s", s->extra) : 0;
        if (s->beside[0])
            snprintf(text + at, TEXT + 1, ",%s", s->beside);
    }
    return text;
}

/* Chooses the work so that cores take `aim` times as long as links. */
static void balance(const struct settings *s, struct row *row)
{
    char text[3 * TEXT + 96];
    int turn;
    row->spec.rounds = is_simulated(s) ? 3 : 64;
    for (turn = 0; turn < 3; turn++) {
        double factor;
        must(bound_of_cores(device_text(s, row, 0, text), &row->spec, s->repeat, &row->cores),
             "kernels alone");
        factor = row->aim * row->links / row->cores;
        if (is_simulated(s))
            row->work *= factor;
        else
            row->spec.rounds = (int32_t)((double)row->spec.rounds * factor);
    }
    must(bound_of_cores(device_text(s, row, 0, text), &row->spec, s->repeat, &row->cores),
         "kernels alone");
}

static void measure(const struct settings *s, struct row *row)
{
    char text[3 * TEXT + 96];
    double later[REPEAT_MAX];
    struct work work;
    yoke_runtime *rt;
    int i;
    must(bound_of_links(device_text(s, row, 0, text), &row->spec, s->piece, &row->links),
         "copies alone");
    balance(s, row);
    must(yoke_open(&(yoke_config){ .devices = device_text(s, row, 1, text) }, &rt), text);
    must(work_open(rt, &row->spec, &work), "arrays");
    for (i = 0; i <= s->repeat; i++) {
        yoke_result *result;
        must(work_run(&work, 0, row->spec.items, &result), "job");
        *(i ? &later[i - 1] : &row->first) = result->seconds;
        row->chunks = result->devices[0].chunks;
        yoke_result_close(result);
    }
    must(work_check(&work, &row->right), "results");
    row->later = median(later, s->repeat);
    work_close(&work);
    must(yoke_close(rt), "close");
}

static void print_row(const struct row *row)
{
    double bound = row->cores > row->links ? row->cores : row->links;
    printf("| %-7s | %6.2f | %8.3f | %8.3f | %8.3f | %8.3f | %6lld | %5.3f | %5.3f |%s\n",
           work_names[row->spec.kind], row->aim, 1e3 * row->links, 1e3 * row->cores,
           1e3 * row->first, 1e3 * row->later, (long long)row->chunks, row->first / bound,
           row->later / bound, row->right ? "" : " WRONG");
    fflush(stdout);
}

/* Chooses the number of items so that the data are `times` as large as the memory. */
static struct work_spec spec_of(const struct settings *s, enum work_kind kind)
{
    struct work_spec spec = { .kind = kind, .items = 1 << 16 };
    spec.items =
        (int64_t)(s->times * (double)s->mem * (double)spec.items / (double)work_bytes(&spec));
    spec.partitioner = *s->partitioner ? s->partitioner : NULL;
    return spec;
}

int main(int argc, char **argv)
{
    static const double aims[] = { 0.2, 1, 3 };
    struct settings s = { .device = argc > 1 ? argv[1] : "",
                          .beside = "",
                          .extra = "",
                          .partitioner = "",
                          .kind = "",
                          .mem = 256 << 20,
                          .piece = 16 << 20,
                          .times = 4,
                          .repeat = 5 };
    int i, kind, wrong = 0, known = argc > 1;
    for (i = 2; i < argc && known; i++)
        known = set(&s, argv[i]);
    if (!known || !are_possible(&s)) {
        fprintf(stderr, "yoke-bench-streaming DEVICE [mem=] [times=] [repeat=] [piece=] [beside=] "
                        "[partitioner=] [kind=] [extra=]\n");
        return 2;
    }
    printf(
        "| job     | aim    | links ms | cores ms | first ms | later ms | chunks | first | later "
        "|\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (kind = 0; kind < WORK_KINDS; kind++) {
        if (s.kind[0] && strcmp(s.kind, work_names[kind]) != 0)
            continue;
        for (i = 0; i < (int)(sizeof aims / sizeof *aims); i++) {
            struct row row = { .spec = spec_of(&s, kind), .aim = aims[i], .work = 1 };
            measure(&s, &row);
            print_row(&row);
            wrong |= !row.right;
        }
    }
    return wrong;
}
