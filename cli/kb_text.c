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

/* The lessons of one kernel in one source file whose jobs one partitioner split. */
struct group {
    uint64_t subject;
    char name[64], partitioner[64];
    char *file; /* the kernel's source file: it identifies the program */
    int lessons;
    double least, most; /* items */
    int64_t confirmed, seen;
};

struct listing {
    struct table table;
    int is_long; /* 1: with hashes and complete file names */
    /* the groups of the machine that is being listed */
    struct group *groups;
    int count, room;
    uint64_t machine;
    int machines, lessons;
    int failed; /* 1: out of memory */
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

/* The file with its folder: enough to recognise a program. */
static const char *short_name(const char *file)
{
    const char *at = file + strlen(file);
    for (int slashes = 0; at > file; at--)
        if (at[-1] == '/' && ++slashes == 2)
            break;
    return at;
}

static void list_group(struct listing *listing, const struct group *group)
{
    static const char *const names[] = { "kernel",    "partitioner", "lessons", "items",
                                         "confirmed", "last seen",   NULL };
    struct table *table = &listing->table;
    char date[32];
    if (table->row_count == ROWS_AT_ONCE)
        flush_table(table);
    if (table->row_count == 0) {
        for (int i = 0; names[i]; i++)
            table_cell(table, i ? TABLE_RIGHT : TABLE_LEFT, "%s", names[i]);
        if (listing->is_long)
            table_cell(table, TABLE_RIGHT, "subject");
        table_cell(table, TABLE_LEFT, "file");
        table_row(table);
    }
    table_cell(table, TABLE_LEFT, "%s", group->name);
    table_cell(table, TABLE_LEFT, "%s", *group->partitioner ? group->partitioner : "-");
    table_cell(table, TABLE_RIGHT, "%d", group->lessons);
    if (group->least < group->most)
        table_cell(table, TABLE_RIGHT, "%.15g to %.15g", group->least, group->most);
    else
        table_cell(table, TABLE_RIGHT, "%.15g", group->most);
    table_cell(table, TABLE_RIGHT, "%" PRId64, group->confirmed);
    table_cell(table, TABLE_RIGHT, "%s", date_of(group->seen, date));
    if (listing->is_long)
        table_cell(table, TABLE_RIGHT, "%016" PRIx64, group->subject);
    table_cell(table, TABLE_LEFT, "%s", listing->is_long ? group->file : short_name(group->file));
    table_row(table);
}

/* Kernels of one file usually belong to one program: they are listed together. */
static int by_file(const void *a, const void *b)
{
    const struct group *left = a, *right = b;
    int order = strcmp(left->file, right->file);
    if (!order)
        order = strcmp(left->name, right->name);
    if (!order)
        order = strcmp(left->partitioner, right->partitioner);
    return order ? order : (left->subject > right->subject) - (left->subject < right->subject);
}

static void end_machine(struct listing *listing)
{
    if (listing->count)
        qsort(listing->groups, (size_t)listing->count, sizeof *listing->groups, by_file);
    for (int g = 0; g < listing->count; g++) {
        list_group(listing, &listing->groups[g]);
        free(listing->groups[g].file);
    }
    flush_table(&listing->table);
    listing->count = 0;
}

/* Prints the processor, then a line for each device. */
static void print_machine(const yoke_lesson *lesson, int first, int is_long)
{
    if (!first)
        putchar('\n');
    if (is_long)
        printf("machine %016" PRIx64 "\n", lesson->machine);
    for (const char *at = lesson->machine_text, *line = is_long ? "  " : ""; *at; line = "  ") {
        const char *end = strstr(at, "; "); /* between parts */
        int length = end ? (int)(end - at) : (int)strlen(at);
        printf("%s%.*s\n", line, length, at);
        at += length + (end ? 2 : 0);
    }
}

static struct group *find_group(struct listing *listing, const yoke_lesson *lesson)
{
    for (int g = listing->count; g-- > 0;)
        if (listing->groups[g].subject == lesson->subject)
            return &listing->groups[g];
    return NULL;
}

static struct group *add_group(struct listing *listing, const yoke_lesson *lesson)
{
    if (listing->count == listing->room) {
        const int room = listing->room ? 2 * listing->room : 16;
        struct group *grown = realloc(listing->groups, (size_t)room * sizeof *grown);
        if (!grown)
            return NULL;
        listing->groups = grown;
        listing->room = room;
    }
    struct group *group = &listing->groups[listing->count];
    const double items = lesson->size_count ? lesson->sizes[0] : 0;
    *group = (struct group){ .subject = lesson->subject,
                             .file = strdup(lesson->subject_text),
                             .least = items,
                             .most = items };
    if (!group->file)
        return NULL;
    snprintf(group->name, sizeof group->name, "%s", lesson->name);
    snprintf(group->partitioner, sizeof group->partitioner, "%s", lesson->partitioner);
    listing->count++;
    return group;
}

static int list_one(void *context, const yoke_lesson *lesson)
{
    struct listing *listing = context;
    const double items = lesson->size_count ? lesson->sizes[0] : 0;
    if (!listing->machines || listing->machine != lesson->machine) {
        end_machine(listing);
        print_machine(lesson, !listing->machines++, listing->is_long);
        listing->machine = lesson->machine;
    }
    struct group *group = find_group(listing, lesson);
    if (!group)
        group = add_group(listing, lesson);
    listing->failed = !group;
    if (!group)
        return 0;
    group->lessons++;
    group->least = fmin(group->least, items);
    group->most = fmax(group->most, items);
    group->confirmed += lesson->confirmed;
    group->seen = lesson->seen > group->seen ? lesson->seen : group->seen;
    listing->lessons++;
    return 1;
}

/* A runtime that sets a damaged file aside does not report it, so it is reported here as long as
 * the file exists.
 */
static void print_set_aside(const char *path)
{
    char aside[PATH_MAX + 16];
    for (int n = 1; n <= 9; n++) {
        snprintf(aside, sizeof aside, "%s.corrupt-%d", path, n);
        if (access(aside, F_OK) == 0)
            printf("%s is a damaged knowledge base, or no database, and was set aside; remove it "
                   "if you do not need it\n",
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
    listing->is_long = kb->is_long;
    yoke_status status = yoke_knowledge_each(kb->knowledge, &kb->filter, list_one, listing);
    const int nothing = status == YOKE_OK && !listing->lessons && kb->filter.name;
    const int failed = listing->failed;
    end_machine(listing);
    if (status == YOKE_OK && listing->lessons)
        putchar('\n');
    if (status == YOKE_OK && !nothing)
        printf("%d lesson%s of %d machine%s, %s in %s\n", listing->lessons,
               listing->lessons == 1 ? "" : "s", listing->machines,
               listing->machines == 1 ? "" : "s",
               table_bytes(yoke_knowledge_bytes(kb->knowledge), bytes),
               yoke_knowledge_path(kb->knowledge));
    free(listing->groups);
    free(listing);
    if (failed)
        return command_failed("no memory for the list");
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

/* `ns` NAN: unknown. */
static void time_cell(struct table *table, double ns)
{
    char text[32];
    if (ns < 1e-4) /* only the rounding error of a fit */
        ns = 0;
    table_cell(table, TABLE_RIGHT, "%s", table_seconds(ns / 1e9, text));
}

/* An item may take far less than 1 ns. */
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

/* Prints a lesson of yoke tune: it has only the devices' lines and the errors of these. */
static void print_lines(const yoke_lesson *lesson)
{
    static const char *const names[] = { "device", "a (item)", "+-", "b (fixed)", "off", NULL };
    struct table table = { .indent = 4 };
    heads(&table, names);
    for (int d = 0; d < lesson->device_count; d++) {
        const yoke_lesson_device *device = &lesson->devices[d];
        double item = figure_of(device, "item_ns"), half = figure_of(device, "item_half_ns");
        table_cell(&table, TABLE_LEFT, "%s", device->name);
        item_cell(&table, item);
        table_cell(&table, TABLE_RIGHT, item > 0 && half > 0 ? "%.1f %%" : "-", 100 * half / item);
        time_cell(&table, item > 0 ? figure_of(device, "fixed_ns") : (double)NAN);
        table_cell(&table, TABLE_RIGHT, item > 0 ? "%.1f %%" : "-", 100 * figure_of(device, "off"));
        table_row(&table);
    }
    table_print(&table, stdout);
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
        print_machine(lesson, first, 1);
    if (first || telling->machine != lesson->machine || telling->subject != lesson->subject)
        print_subject(lesson);
    telling->machine = lesson->machine;
    telling->subject = lesson->subject;
    printf("\n  ");
    print_sizes(lesson);
    if (!strcmp(lesson->origin, "tuned")) {
        printf("\n    tuned: by yoke tune, each device alone, %s\n", date_of(lesson->seen, date));
        print_lines(lesson);
        return 1;
    }
    printf("\n    %s, confirmed %" PRId64 " time%s, last seen %s%s%s\n", lesson->origin,
           lesson->confirmed, lesson->confirmed == 1 ? "" : "s", date_of(lesson->seen, date),
           lesson->ns > 0 ? ", takes " : "",
           lesson->ns > 0 ? table_seconds(lesson->ns / 1e9, text) : "");
    print_devices(lesson);
    return 1;
}

static int try_name(void *context, const yoke_lesson *lesson)
{
    static char kept[64]; /* the lesson's name is valid only during the call */
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

/* Returns 2 (usage error) if the filter names a kernel, otherwise 1. */
int kb_nothing(struct kb *kb)
{
    const char *name = kb->filter.name;
    struct yk_closest closest = { .word = name, .length = name ? strlen(name) : 0 };
    if (!name)
        return command_failed(kb->filter.seen_before ? "no lesson is so old"
                                                     : "there are no lessons yet");
    yoke_knowledge_each(kb->knowledge, NULL, try_name, &closest);
    if (closest.name && strcmp(closest.name, name) != 0)
        return args_mistake("there is no lesson of a kernel '%s'; did you mean '%s'?", name,
                            closest.name);
    return args_mistake("there is no lesson of a kernel '%s'%s; 'yoke kb list' lists the kernels",
                        name, closest.name ? " there" : "");
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
