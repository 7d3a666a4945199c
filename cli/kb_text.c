/* kb_text.c - yoke kb list and show, for people and as JSON. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/closest.h"
#include "command.h"
#include "json.h"
#include "kb.h"
#include "table.h"

enum { ROWS_AT_ONCE = TABLE_ROWS - 2 };

static const char *date_of(int64_t seen, char text[32])
{
    time_t time = (time_t)seen;
    struct tm local;
    if (!localtime_r(&time, &local) || !strftime(text, 32, "%Y-%m-%d %H:%M", &local))
        snprintf(text, 32, "%" PRId64, seen);
    return text;
}

/* The lessons of a kernel on a machine, which come one after the other. */
struct group {
    uint64_t machine, subject;
    char name[64], partitioner[64];
    int lessons;
    double least, most; /* items */
    int64_t confirmed, seen;
};

struct listing {
    struct table table;
    struct group group;
    uint64_t machine; /* whose table it is */
    int machines, lessons;
    int64_t bytes;
};

static void flush_table(struct table *table)
{
    if (table->row_count > 1)
        table_print(table, stdout);
    memset(table, 0, sizeof *table);
    table->indent = 2;
}

static void heads(struct table *table, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        table_cell(table, i ? TABLE_RIGHT : TABLE_LEFT, "%s", names[i]);
    table_row(table);
}

static void end_group(struct listing *listing)
{
    static const char *const names[] = { "kernel",    "partitioner", "lessons", "items",
                                         "confirmed", "last seen",   "subject", NULL };
    struct group *group = &listing->group;
    struct table *table = &listing->table;
    char date[32];
    if (!group->lessons)
        return;
    if (table->row_count == ROWS_AT_ONCE)
        flush_table(table);
    if (table->row_count == 0)
        heads(table, names);
    table_cell(table, TABLE_LEFT, "%s", group->name);
    table_cell(table, TABLE_LEFT, "%s", *group->partitioner ? group->partitioner : "-");
    table_cell(table, TABLE_RIGHT, "%d", group->lessons);
    if (group->least < group->most)
        table_cell(table, TABLE_RIGHT, "%.15g to %.15g", group->least, group->most);
    else
        table_cell(table, TABLE_RIGHT, "%.15g", group->most);
    table_cell(table, TABLE_RIGHT, "%" PRId64, group->confirmed);
    table_cell(table, TABLE_RIGHT, "%s", date_of(group->seen, date));
    table_cell(table, TABLE_RIGHT, "%016" PRIx64, group->subject);
    table_row(table);
    group->lessons = 0;
}

static void print_machine(const yoke_lesson *lesson, int first)
{
    printf("%smachine %016" PRIx64 "\n", first ? "" : "\n", lesson->machine);
    for (const char *at = lesson->machine_text; *at;) { /* parts are separated by "; " */
        const char *end = strstr(at, "; ");
        int length = end ? (int)(end - at) : (int)strlen(at);
        printf("  %.*s\n", length, at);
        at += length + (end ? 2 : 0);
    }
}

static int list_one(void *context, const yoke_lesson *lesson)
{
    struct listing *listing = context;
    struct group *group = &listing->group;
    double items = lesson->size_count ? lesson->sizes[0] : 0;
    if (group->lessons && (group->machine != lesson->machine || group->subject != lesson->subject))
        end_group(listing);
    if (!listing->machines || listing->machine != lesson->machine) {
        flush_table(&listing->table);
        print_machine(lesson, !listing->machines++);
        listing->machine = lesson->machine;
    }
    if (!group->lessons) {
        *group = (struct group){ lesson->machine, lesson->subject, .least = items, .most = items };
        snprintf(group->name, sizeof group->name, "%s", lesson->name);
        snprintf(group->partitioner, sizeof group->partitioner, "%s", lesson->partitioner);
    }
    group->lessons++;
    group->least = fmin(group->least, items);
    group->most = fmax(group->most, items);
    group->confirmed += lesson->confirmed;
    group->seen = lesson->seen > group->seen ? lesson->seen : group->seen;
    listing->lessons++;
    return 1;
}

/* Who sets a damaged file aside goes on without a word, so it is told here while the file is there.
 */
static void print_set_aside(const char *path)
{
    char aside[PATH_MAX + 16];
    for (int n = 1; n <= 9; n++) {
        snprintf(aside, sizeof aside, "%s.corrupt-%d", path, n);
        if (access(aside, F_OK) == 0)
            printf("%s was damaged or no database and is set aside; remove it if nobody needs it\n",
                   aside);
    }
}

int kb_list(struct kb *kb)
{
    struct listing *listing;
    char bytes[32];
    if (kb->json)
        return kb_export(kb);
    listing = calloc(1, sizeof *listing);
    if (!listing)
        return command_failed("no memory for the list");
    yoke_status status = yoke_knowledge_each(kb->knowledge, &kb->filter, list_one, listing);
    const int nothing = status == YOKE_OK && !listing->lessons && kb->filter.name;
    end_group(listing);
    flush_table(&listing->table);
    if (status == YOKE_OK && listing->lessons)
        putchar('\n');
    if (status == YOKE_OK && !nothing)
        printf("%d lesson%s of %d machine%s, %s in %s\n", listing->lessons,
               listing->lessons == 1 ? "" : "s", listing->machines,
               listing->machines == 1 ? "" : "s",
               table_bytes(yoke_knowledge_bytes(kb->knowledge), bytes),
               yoke_knowledge_path(kb->knowledge));
    free(listing);
    if (nothing)
        return kb_nothing(kb);
    print_set_aside(yoke_knowledge_path(kb->knowledge));
    return status == YOKE_OK ? 0 : command_failed(yoke_error_text());
}

static void print_sizes(const yoke_lesson *lesson)
{
    printf("%.15g item%s", lesson->size_count ? lesson->sizes[0] : 0,
           lesson->size_count && lesson->sizes[0] == 1 ? "" : "s");
    for (int i = 1; i < lesson->size_count; i++)
        printf("%s%.15g", i == 1 ? " (" : " ", lesson->sizes[i]);
    printf("%s", lesson->size_count > 1 ? ")" : "");
}

/* NAN: unknown. */
static void time_cell(struct table *table, double ns)
{
    char text[32];
    if (ns < 1e-4) /* what a fit leaves of nothing */
        ns = 0;
    table_cell(table, TABLE_RIGHT, "%s", table_seconds(ns / 1e9, text));
}

/* An item may take far less than a nanosecond. */
static void item_cell(struct table *table, double ns)
{
    char text[32];
    if (ns > 0 && ns < 1000)
        table_cell(table, TABLE_RIGHT, "%.3g ns", ns);
    else
        table_cell(table, TABLE_RIGHT, "%s", table_seconds(ns > 0 ? ns / 1e9 : (double)NAN, text));
}

static double figure_of(const yoke_lesson_device *device, const char *name)
{
    int i = 0;
    while (yoke_figure_name(i) && strcmp(yoke_figure_name(i), name) != 0)
        i++;
    return yoke_figure_name(i) ? device->figures[i] : 0;
}

static void print_devices(const yoke_lesson *lesson)
{
    static const char *const names[] = { "device",       "share",       "a (item)", "b (fixed)",
                                         "alone (item)", "chunk costs", "grain",    NULL };
    struct table table = { .indent = 4 };
    heads(&table, names);
    for (int d = 0; d < lesson->device_count; d++) {
        const yoke_lesson_device *device = &lesson->devices[d];
        double share = figure_of(device, "share"), rate = figure_of(device, "rate");
        double chunk = figure_of(device, "chunk_ns");
        double grain = figure_of(device, "grain"), item = figure_of(device, "item_ns");
        table_cell(&table, TABLE_LEFT, "%s%s%s", device->name,
                   figure_of(device, "form") > 1 ? " (by the alternative)" : "",
                   lesson->team && !(lesson->team >> d & 1) ? " (not in the team)" : "");
        table_cell(&table, TABLE_RIGHT, share < 0 ? "-" : "%.1f %%", 100 * share);
        item_cell(&table, item);
        time_cell(&table, item > 0 ? figure_of(device, "fixed_ns") : (double)NAN);
        item_cell(&table, rate > 0 ? 1 / rate : 0);
        time_cell(&table, chunk > 0 ? chunk : (double)NAN);
        table_cell(&table, TABLE_RIGHT, grain > 9999.5 ? "%.0f" : grain > 0 ? "%.4g" : "-", grain);
        table_row(&table);
    }
    table_print(&table, stdout);
}

struct telling {
    uint64_t machine, subject;
    int count;
};

static void print_subject(const yoke_lesson *lesson)
{
    printf("\n%s %016" PRIx64 "\n  %s\n", lesson->name, lesson->subject, lesson->subject_text);
    if (*lesson->partitioner)
        printf("  split by %s\n", lesson->partitioner);
}

static int tell_one(void *context, const yoke_lesson *lesson)
{
    struct telling *telling = context;
    char date[32], text[32];
    int first = !telling->count++;
    if (first || telling->machine != lesson->machine)
        print_machine(lesson, first);
    if (first || telling->machine != lesson->machine || telling->subject != lesson->subject)
        print_subject(lesson);
    telling->machine = lesson->machine;
    telling->subject = lesson->subject;
    printf("\n  ");
    print_sizes(lesson);
    printf("\n    %s, confirmed %" PRId64 " time%s, last seen %s%s%s\n", lesson->origin,
           lesson->confirmed, lesson->confirmed == 1 ? "" : "s", date_of(lesson->seen, date),
           lesson->ns > 0 ? ", takes " : "",
           lesson->ns > 0 ? table_seconds(lesson->ns / 1e9, text) : "");
    print_devices(lesson);
    return 1;
}

static int try_name(void *context, const yoke_lesson *lesson)
{
    static char kept[64]; /* the name goes with the lesson */
    struct yk_closest *closest = context, now = *closest;
    now.name = NULL;
    yk_closest_try(&now, lesson->name);
    if (now.name && (!closest->name || now.distance < closest->distance)) {
        snprintf(kept, sizeof kept, "%s", lesson->name);
        *closest = now;
        closest->name = kept;
    }
    return 1;
}

/* Nothing is known of what was asked for: 2 for a name that is none. */
int kb_nothing(struct kb *kb)
{
    const char *name = kb->filter.name;
    struct yk_closest closest = { .word = name, .length = name ? strlen(name) : 0 };
    if (!name)
        return command_failed(kb->filter.seen_before ? "nothing that is known is so old"
                                                     : "nothing is known yet");
    yoke_knowledge_each(kb->knowledge, NULL, try_name, &closest);
    if (closest.name && strcmp(closest.name, name) != 0)
        return args_mistake("nothing is known of a kernel '%s'; did you mean '%s'?", name,
                            closest.name);
    return args_mistake("nothing is known of a kernel '%s'%s; 'yoke kb list' tells of which", name,
                        closest.name ? " there" : "");
}

int kb_show(struct kb *kb)
{
    struct telling telling = { .count = 0 };
    if (kb->json)
        return kb_export(kb);
    if (yoke_knowledge_each(kb->knowledge, &kb->filter, tell_one, &telling) != YOKE_OK)
        return command_failed(yoke_error_text());
    return telling.count ? 0 : kb_nothing(kb);
}
