/* matrix_text.c - the result of --matrix for people: the papers' tables, a row for each size and a
 * column for each set of devices.
 */
#include <math.h>
#include <string.h>

#include "run.h"
#include "table.h"

/* One of the tables; all are sections of one table, so that their columns are aligned. */
struct section {
    const char *name;
    void (*print)(const struct matrix_cell *cell, char text[32]);
};

static void print_time(const struct matrix_cell *cell, char text[32])
{
    char seconds[32];
    snprintf(text, 32, "%.20s%s", table_seconds(cell->figures.seconds, seconds),
             cell->part > 1 ? "*" : "");
}

static void print_ratio(double ratio, char text[32])
{
    if (isfinite(ratio))
        snprintf(text, 32, "%.3f", ratio);
}

static void print_percent(double ratio, char text[32])
{
    if (isfinite(ratio))
        snprintf(text, 32, "%.1f %%", 100 * ratio);
}

static void print_speedup(const struct matrix_cell *cell, char text[32])
{
    print_ratio(cell->speedup, text);
}
static void print_efficiency(const struct matrix_cell *cell, char text[32])
{
    print_percent(cell->figures.efficiency, text);
}
static void print_gain(const struct matrix_cell *cell, char text[32])
{
    print_ratio(cell->figures.gain, text);
}
static void print_regret(const struct matrix_cell *cell, char text[32])
{
    print_percent(cell->figures.regret, text);
}

static const struct section sections[] = {
    { "time", print_time }, { "speedup", print_speedup }, { "efficiency", print_efficiency },
    { "gain", print_gain }, { "regret", print_regret },
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static void add_section(const struct section *section, const struct measure_spec *spec,
                        const struct matrix *matrix, struct table *table)
{
    table_cell(table, TABLE_LEFT, "%s", section->name);
    for (int set = 0; set < matrix->sets.shown; set++)
        table_cell(table, TABLE_RIGHT, "%s", matrix->sets.sets[set].name);
    table_row(table);
    for (int s = 0; s < matrix->size_count; s++) {
        char size[80];
        table_cell(table, TABLE_LEFT, "%s", run_size_text(spec->app, matrix->sizes[s].size, size));
        for (int set = 0; set < matrix->sets.shown; set++) {
            char text[32] = "-";
            section->print(&matrix->sizes[s].cells[set], text);
            table_cell(table, TABLE_RIGHT, "%s", text);
        }
        table_row(table);
    }
}

/* "G: cuda:0, cuda:1 (NVIDIA H200)" */
static void print_group(const struct matrix *matrix, const char *label, uint32_t devices)
{
    const char *model = NULL;
    for (int d = 0; d < matrix->device_count; d++) {
        if (!(devices >> d & 1))
            continue;
        printf("%s%s", model ? ", " : label, matrix->devices[d].name);
        model = matrix->devices[d].model;
    }
    if (model)
        printf(" (%s)\n", model);
}

static void print_devices(const struct matrix *matrix)
{
    const struct sets *sets = &matrix->sets;
    uint32_t cores = sets->has_cores ? sets->devices_of[0] : 0, all = 0;
    for (int p = 0; p < sets->part_count; p++)
        all |= sets->devices_of[p];
    if (sets->alike) {
        print_group(matrix, "C: ", cores);
        print_group(matrix, "G: ", all & ~cores);
    }
    for (int d = 0; !sets->alike && d < matrix->device_count; d++)
        print_group(matrix, "", (uint32_t)1 << d);
}

static int is_any(const struct matrix *matrix, int (*is)(const struct matrix_cell *cell))
{
    for (int s = 0; s < matrix->size_count; s++)
        for (int set = 0; set < matrix->sets.count; set++)
            if (is(&matrix->sizes[s].cells[set]))
                return 1;
    return 0;
}
static int is_part(const struct matrix_cell *cell)
{
    return cell->part > 1;
}
static int is_verified(const struct matrix_cell *cell)
{
    return cell->figures.verified == 1;
}
static int is_wrong(const struct matrix_cell *cell)
{
    return cell->figures.verified == 0;
}
static int is_swept(const struct matrix_cell *cell)
{
    return isfinite(cell->figures.regret);
}

static void print_notes(const struct measure_spec *spec, const struct matrix *matrix)
{
    printf("\nspeedup: over %s; efficiency: 1 / sum(1 / T_D) / time, where T_D is the time of a "
           "device alone;\ngain: over the best device of the set alone",
           matrix->sets.sets[0].name);
    printf(is_any(matrix, is_swept) ? "; regret: against the best fixed split\n" : "\n");
    if (is_any(matrix, is_part))
        printf("*: %d times the time of 1/%d of the rows\n", MATRIX_PART, MATRIX_PART);
    if (!matrix->is_complete)
        printf("not complete: '-' was not measured\n");
    if (spec->verify && is_any(matrix, is_verified) && !is_any(matrix, is_wrong))
        printf("verified: all that was measured%s\n",
               is_any(matrix, is_part) ? ", but where marked *" : "");
}

void matrix_print(const struct measure_spec *spec, const struct matrix *matrix)
{
    struct table table = { .indent = 0 };
    printf("%s, %s, %s; medians of %d run%s, the sets in turns\n", spec->app->name,
           run_size_words(spec->app, 0).text, matrix_partitioner(matrix), spec->repeat,
           spec->repeat == 1 ? "" : "s");
    print_devices(matrix);
    putchar('\n');
    for (int i = 0; i < SECTIONS; i++) {
        if (sections[i].print == print_regret && !is_any(matrix, is_swept))
            continue;
        if (i > 0)
            table_row(&table);
        add_section(&sections[i], spec, matrix, &table);
    }
    table_print(&table, stdout);
    print_notes(spec, matrix);
}
