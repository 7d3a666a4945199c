/* photons_mci.c - reads lines of numbers. An error names the line.
 *
 * Lines in the order of the file. Comments, from a # on, and empty lines are left out:
 *     1.0                    version
 *     1                      number of runs; for each run:
 *     result.mco A           name, ASCII
 *     1000000                packets
 *     2e-4 2e-3              dz dr
 *     100 100 30             nz nr na
 *     1                      number of layers
 *     1.0                    n above
 *     1.0 10 90 0.75 0.02    n mua mus g d, a line for each layer
 *     1.0                    n below
 */
#include "photons_mci.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"

enum { LINE_MOST = 512, GRID_MOST = 100000, CELLS_MOST = 1 << 24 };

struct reader {
    const char *name, *at;
    int line;
    char words[LINE_MOST]; /* of the present line */
};

static yoke_status wrong(const struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static yoke_status wrong(const struct reader *reader, const char *format, ...)
{
    char text[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return app_fail(YOKE_EINVAL, "%s:%d: %s", reader->name, reader->line ? reader->line : 1, text);
}

/* Finds the next line that is not empty: sets *out to its first character. Returns its length, 0 at
 * the end. */
static size_t find_line(struct reader *reader, const char **out)
{
    while (*reader->at) {
        size_t length = strcspn(reader->at, "\n"), words = strcspn(reader->at, "#\n"), blank;
        const char *line = reader->at;
        reader->line++;
        reader->at += length + (reader->at[length] == '\n');
        while (words > 0 && isspace((unsigned char)line[words - 1]))
            words--;
        for (blank = 0; blank < words && isspace((unsigned char)line[blank]); blank++)
            ;
        *out = line + blank;
        if (words > blank)
            return words - blank;
    }
    return 0;
}

/* Reads the next line, in which `what` is expected. */
static yoke_status next_line(struct reader *reader, const char *what)
{
    const char *line;
    const size_t length = find_line(reader, &line);
    if (length == 0)
        return wrong(reader, "the file ends, but %s belongs here", what);
    if (length >= LINE_MOST)
        return wrong(reader, "more than %d characters; %s belongs here", LINE_MOST - 1, what);
    memcpy(reader->words, line, length);
    reader->words[length] = 0;
    return YOKE_OK;
}

/* Reads exactly `count` finite numbers and moves `*at` behind them. */
static int take_numbers(const char **at, double *out, int count)
{
    for (int k = 0; k < count; k++) {
        char *end;
        out[k] = strtod(*at, &end);
        if (end == *at || (*end && !isspace((unsigned char)*end)))
            return 0;
        *at = end;
    }
    *at += strspn(*at, " \t\r\v\f");
    return 1;
}

static yoke_status read_numbers(struct reader *reader, const char *what, double *out, int count)
{
    const char *at = reader->words;
    yoke_status status = next_line(reader, what);
    if (status != YOKE_OK)
        return status;
    if (!take_numbers(&at, out, count) || *at)
        return wrong(reader, "'%.60s' is not %s", reader->words, what);
    return YOKE_OK;
}

/* The range of a number. */
struct bounds {
    const char *what;
    double least, most;
    int whole;
};

static yoke_status check(const struct reader *reader, const struct bounds *bounds, double value)
{
    if (value >= bounds->least && value <= bounds->most &&
        !(bounds->whole && value != floor(value)))
        return YOKE_OK;
    return wrong(reader, "%s is %g and has to be a %snumber from %.10g to %.10g", bounds->what,
                 value, bounds->whole ? "whole " : "", bounds->least, bounds->most);
}

static yoke_status read_whole(struct reader *reader, const struct bounds *bounds, double *out)
{
    yoke_status status = read_numbers(reader, bounds->what, out, 1);
    return status == YOKE_OK ? check(reader, bounds, *out) : status;
}

static const struct bounds index_bounds = { "a refractive index", 0.1, 10, 0 };

static yoke_status check_optics(const struct reader *reader, const struct mci_optics *optics)
{
    static const struct bounds absorbs = { "mua (1/cm)", 0, 1e6, 0 };
    static const struct bounds scatters = { "mus (1/cm)", 0, 1e6, 0 };
    static const struct bounds goes = { "g", -1, 1, 0 };
    const double both = optics->mua + optics->mus;
    yoke_status status = check(reader, &index_bounds, optics->n);
    if (status == YOKE_OK)
        status = check(reader, &absorbs, optics->mua);
    if (status == YOKE_OK)
        status = check(reader, &scatters, optics->mus);
    if (status == YOKE_OK)
        status = check(reader, &goes, optics->g);
    if (status == YOKE_OK && both > 0 && both < 1e-9)
        return wrong(reader, "mua + mus is %g 1/cm; write 0 for less than 1e-9", both);
    return status;
}

static yoke_status read_layer(struct reader *reader, double *top, struct mci_layer *out)
{
    static const char what[] = "a layer: n mua mus g d [yield q n mua mus g]";
    static const struct bounds depths = { "the layer's thickness (cm)", 1e-7, 1e10, 0 };
    static const struct bounds yields = { "the yield", 0, 1, 0 };
    double numbers[5], more[5];
    const char *at = reader->words;
    yoke_status status = next_line(reader, what);
    if (status != YOKE_OK)
        return status;
    if (!take_numbers(&at, numbers, 5))
        return wrong(reader, "'%.60s' is not %s", reader->words, what);
    *out = (struct mci_layer){ .light = { numbers[0], numbers[1], numbers[2], numbers[3] },
                               .depth = numbers[4] };
    out->fluorescence = out->light;
    if (*at) {
        if (strncmp(at, "yield", 5) != 0 || (at[5] && !isspace((unsigned char)at[5])))
            return wrong(reader,
                         "'%.40s' follows the layer's five numbers; write yield there, or "
                         "nothing",
                         at);
        at += 5;
        if (!take_numbers(&at, more, 5) || *at)
            return wrong(reader, "five numbers belong behind yield: q n mua mus g");
        out->yield = more[0];
        out->fluorescence = (struct mci_optics){ more[1], more[2], more[3], more[4] };
    }
    status = check_optics(reader, &out->light);
    if (status == YOKE_OK)
        status = check_optics(reader, &out->fluorescence);
    if (status == YOKE_OK)
        status = check(reader, &depths, out->depth);
    if (status == YOKE_OK)
        status = check(reader, &yields, out->yield);
    if (status == YOKE_OK && !((float)(*top + out->depth) > (float)*top))
        return wrong(reader,
                     "a layer of %g cm below %g cm is lost in single precision; make the "
                     "layers above it thinner",
                     out->depth, *top);
    *top += out->depth;
    return status;
}

static yoke_status read_output(struct reader *reader, struct mci_run *out)
{
    yoke_status status = next_line(reader, "the results' name and A");
    const size_t length = strcspn(reader->words, " \t");
    const char *format = reader->words + length + strspn(reader->words + length, " \t");
    if (status != YOKE_OK)
        return status;
    if (length >= sizeof out->output)
        return wrong(reader, "a name has at most %d characters", MCI_NAME_MOST - 1);
    if (toupper((unsigned char)*format) != 'A')
        return wrong(reader, "behind the results' name belongs A, for text%s",
                     toupper((unsigned char)*format) == 'B' ? "; MCML never wrote B, binary" : "");
    memcpy(out->output, reader->words, length);
    out->output[length] = 0;
    return YOKE_OK;
}

static yoke_status read_grid(struct reader *reader, struct mci_run *out)
{
    static const struct bounds sides[2] = { { "dz (cm)", 1e-9, 1e9, 0 },
                                            { "dr (cm)", 1e-9, 1e9, 0 } };
    static const struct bounds counts[3] = { { "the number of dz", 1, GRID_MOST, 1 },
                                             { "the number of dr", 1, GRID_MOST, 1 },
                                             { "the number of da", 1, GRID_MOST, 1 } };
    double side[2], count[3];
    yoke_status status = read_numbers(reader, "dz and dr, two numbers", side, 2);
    for (int k = 0; k < 2 && status == YOKE_OK; k++)
        status = check(reader, &sides[k], side[k]);
    if (status == YOKE_OK)
        status = read_numbers(reader, "the numbers of dz, dr and da, three numbers", count, 3);
    for (int k = 0; k < 3 && status == YOKE_OK; k++)
        status = check(reader, &counts[k], count[k]);
    if (status != YOKE_OK)
        return status;
    if (count[1] * (count[0] + 2 * count[2]) > CELLS_MOST)
        return wrong(reader, "grids of %.0f cells; there can be %d",
                     count[1] * (count[0] + 2 * count[2]), CELLS_MOST);
    out->dz = side[0];
    out->dr = side[1];
    out->nz = (int32_t)count[0];
    out->nr = (int32_t)count[1];
    out->na = (int32_t)count[2];
    return YOKE_OK;
}

/* Reads the layers, between the indexes above and below them. */
static yoke_status read_layers(struct reader *reader, struct mci_run *out)
{
    static const struct bounds counts = { "the number of layers", 1, MCI_LAYERS_MOST, 1 };
    static const struct bounds above = { "the refractive index above", 0.1, 10, 0 };
    static const struct bounds below = { "the refractive index below", 0.1, 10, 0 };
    double count, top = 0;
    yoke_status status = read_whole(reader, &counts, &count);
    if (status == YOKE_OK)
        status = read_whole(reader, &above, &out->n_above);
    if (status != YOKE_OK)
        return status;
    out->layer_count = (int32_t)count;
    out->layers = calloc((size_t)count, sizeof *out->layers);
    if (!out->layers)
        return app_fail(YOKE_ENOMEM, "no memory for %d layers", out->layer_count);
    for (int k = 0; k < out->layer_count && status == YOKE_OK; k++)
        status = read_layer(reader, &top, &out->layers[k]);
    if (status == YOKE_OK)
        status = read_whole(reader, &below, &out->n_below);
    if (status != YOKE_OK) {
        free(out->layers);
        out->layers = NULL;
    }
    return status;
}

static yoke_status read_run(struct reader *reader, struct mci_run *out)
{
    static const struct bounds packets = { "the number of packets", 1, MCI_PACKETS_MOST, 1 };
    double count = 0;
    yoke_status status = read_output(reader, out);
    if (status == YOKE_OK)
        status = read_whole(reader, &packets, &count);
    if (status != YOKE_OK)
        return status;
    out->packets = (int64_t)count;
    status = read_grid(reader, out);
    if (status == YOKE_OK)
        status = read_layers(reader, out);
    return status;
}

yoke_status mci_read(const struct mci_text *from, int64_t which, struct mci_run *out)
{
    static const struct bounds versions = { "the file's version", 1, 1.999, 0 };
    static const struct bounds runs = { "the number of runs", 1, 1e6, 1 };
    struct reader reader = { .name = from->name, .at = from->text };
    struct mci_run run = { .layers = NULL }, other;
    const char *rest;
    double version, count;
    yoke_status status = read_whole(&reader, &versions, &version);
    if (status == YOKE_OK)
        status = read_whole(&reader, &runs, &count);
    if (status != YOKE_OK)
        return status;
    if ((double)which > count)
        return wrong(&reader, "run %lld is asked for, and the file has %.0f", (long long)which,
                     count);
    for (int64_t k = 1; k <= (int64_t)count && status == YOKE_OK; k++) {
        other = (struct mci_run){ .layers = NULL };
        status = read_run(&reader, k == which ? &run : &other);
        free(other.layers);
    }
    if (status == YOKE_OK && find_line(&reader, &rest))
        status = wrong(&reader, "the file goes on behind the last of its %.0f runs", count);
    if (status == YOKE_OK)
        *out = run;
    else
        free(run.layers);
    return status;
}
