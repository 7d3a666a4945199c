/* record.c - see record.h: figures, checks, checksums and texts of lessons. */
#include "record.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/hash.h"

#define FIGURE(field) .offset = offsetof(struct yk_lesson_device, field)

const struct yk_figure yk_figures[YK_FIGURES] = {
    [YK_FIGURE_ITEM_NS] = { "item_ns", "ns of each further item, among the team", 0, DBL_MAX,
                            FIGURE(line.item_ns) },
    [YK_FIGURE_FIXED_NS] = { "fixed_ns", "fixed ns of its part, among the team", 0, DBL_MAX,
                             FIGURE(line.fixed_ns) },
    [YK_FIGURE_RATE] = { "rate", "items per ns while busy", 0, DBL_MAX, FIGURE(rate) },
    [YK_FIGURE_CHUNK_NS] = { "chunk_ns", "overhead of a chunk, ns", 0, DBL_MAX, FIGURE(fixed_ns) },
    [YK_FIGURE_SHARE] = { "share", "part of the latest job's items; -1: unknown", -1, 1,
                          FIGURE(share) },
    [YK_FIGURE_COPIED_BYTES] = { "copied_bytes", "bytes copied for an item", 0, DBL_MAX,
                                 FIGURE(copied_bytes) },
    [YK_FIGURE_SPREAD] = { "spread", "cost of its dearest items / mean cost; 0: unknown", 0,
                           DBL_MAX, FIGURE(spread) },
    [YK_FIGURE_GRAIN] = { "grain", "items of its chunks; 0: unknown", 0, DBL_MAX, FIGURE(grain) },
    [YK_FIGURE_LINK] = { "link_bytes_per_ns", "speed of its link, as described; 0: none", 0,
                         DBL_MAX, FIGURE(link_bytes_per_ns) },
    [YK_FIGURE_STEADY] = { "steady", "1: the rate was the same in two jobs", 0, 1, FIGURE(steady),
                           .whole = 1 },
    [YK_FIGURE_FORM] = { "form", "the faster kernel: 1 the job's, 2 its alternative; 0: unknown", 0,
                         2, FIGURE(form), .whole = 1 },
    [YK_FIGURE_ITEM_HALF_NS] = { "item_half_ns", "item_ns is within +- this, 95 %; 0: unknown", 0,
                                 DBL_MAX, FIGURE(item_half_ns) },
    [YK_FIGURE_OFF] = { "off", "part by which samples are off the line; 0: unknown", 0, DBL_MAX,
                        FIGURE(off) },
    [YK_FIGURE_STAY_ITEM_NS] = { "stay_item_ns",
                                 "ns of each further item while rows stay; 0: unknown", 0, DBL_MAX,
                                 FIGURE(cost.item_ns) },
    [YK_FIGURE_STAY_CHUNK_NS] = { "stay_chunk_ns", "overhead of a chunk while rows stay, ns", 0,
                                  DBL_MAX, FIGURE(cost.fixed_ns) },
    [YK_FIGURE_STAY_ERROR] = { "stay_error", "standard error of these two, as a part of them", 0, 1,
                               FIGURE(cost.error) },
    [YK_FIGURE_STAY_NOISE] = { "stay_noise", "from job to job, as a part of the time", 0, 1,
                               FIGURE(cost.noise) },
    [YK_FIGURE_STAYS] = { "stays",
                          "1: in the best set while rows stay, 2: not, 3: in an untried set", 0, 3,
                          FIGURE(stays), .whole = 1 },
};

const char *const yk_origin_names[] = { [YK_ORIGIN_TRAINED] = "trained",
                                        [YK_ORIGIN_DERIVED] = "derived",
                                        [YK_ORIGIN_ADJUSTED] = "adjusted",
                                        [YK_ORIGIN_TUNED] = "tuned",
                                        NULL };

double yk_figure_get(const struct yk_lesson_device *device, int figure)
{
    const char *field = (const char *)device + yk_figures[figure].offset;
    return yk_figures[figure].whole ? *(const int *)field : *(const double *)field;
}

void yk_figure_set(struct yk_lesson_device *device, int figure, double value)
{
    char *field = (char *)device + yk_figures[figure].offset;
    if (yk_figures[figure].whole)
        *(int *)field = (int)value;
    else
        *(double *)field = value;
}

static int device_is_sound(const struct yk_lesson *lesson, int place)
{
    const struct yk_lesson_device *device = &lesson->devices[place];
    if (!device->name[0] || !memchr(device->name, 0, sizeof device->name))
        return 0;
    for (int d = 0; d < place; d++)
        if (!strcmp(lesson->devices[d].name, device->name))
            return 0;
    for (int i = 0; i < YK_FIGURES; i++) {
        double value = yk_figure_get(device, i);
        if (!(value >= yk_figures[i].least && value <= yk_figures[i].most)) /* or a NaN */
            return 0;
    }
    return 1;
}

static const char *sizes_wrong(const struct yk_sizes *sizes)
{
    if (sizes->count < 0 || sizes->count > YK_SIZES_MAX)
        return "has too many sizes";
    for (int i = 0; i < sizes->count; i++)
        if (!(sizes->at[i] >= 0 && sizes->at[i] <= DBL_MAX))
            return "has a size that is negative or not finite";
    return NULL;
}

static const char *devices_wrong(const struct yk_lesson *lesson)
{
    if (lesson->device_count < 1 || lesson->device_count > YK_LESSON_DEVICES)
        return "has no devices, or too many";
    if (lesson->device_count < 32 && lesson->team >> lesson->device_count)
        return "has a team with devices that it does not list";
    for (int d = 0; d < lesson->device_count; d++)
        if (!device_is_sound(lesson, d))
            return "has a device without a unique name, or with a figure out of range";
    return NULL;
}

const char *yk_lesson_wrong(const struct yk_lesson *lesson)
{
    const char *wrong = sizes_wrong(&lesson->sizes);
    if (wrong)
        return wrong;
    if (lesson->origin < YK_ORIGIN_TRAINED || lesson->origin > YK_ORIGIN_TUNED)
        return "has an unknown origin";
    if (lesson->confirmed < 0 || lesson->seen < 0)
        return "has a negative count of jobs, or a negative date";
    if (!(lesson->ns >= 0 && lesson->ns <= DBL_MAX))
        return "has a time that is negative or not finite";
    return devices_wrong(lesson);
}

/* -0 and 0 are equal, so they have the same hash. */
static uint64_t hash_number(uint64_t state, int which, double value)
{
    if (value == 0)
        return state;
    state = yk_hash(state, &which, sizeof which);
    return yk_hash(state, &value, sizeof value);
}

uint64_t yk_lesson_checksum(const struct yk_lesson *lesson)
{
    char sizes[YK_SIZES_TEXT];
    uint64_t state = yk_hash_start;
    yk_sizes_write(&lesson->sizes, sizes);
    state = yk_hash(state, sizes, strlen(sizes));
    state = hash_number(state, -1, lesson->origin);
    state = hash_number(state, -2, lesson->ns);
    state = hash_number(state, -3, lesson->team);
    state = yk_hash(state, &lesson->confirmed, sizeof lesson->confirmed);
    state = yk_hash(state, &lesson->seen, sizeof lesson->seen);
    for (int d = 0; d < lesson->device_count; d++) {
        const struct yk_lesson_device *device = &lesson->devices[d];
        state = yk_hash(state, device->name, strlen(device->name) + 1);
        for (int i = 0; i < YK_FIGURES; i++)
            state = hash_number(state, i, yk_figure_get(device, i));
    }
    return state;
}

static int write_digits(uint64_t number, char *to)
{
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    for (int i = 0; i < count; i++)
        to[i] = digits[count - 1 - i];
    return count;
}

void yk_sizes_write(const struct yk_sizes *sizes, char text[YK_SIZES_TEXT])
{
    int at = 0;
    for (int i = 0; i < sizes->count; i++) {
        double value = sizes->at[i];
        if (i > 0)
            text[at++] = ' ';
        if (value >= 0 && value < 0x1p63 && value == floor(value)) {
            at += write_digits((uint64_t)value, text + at);
        } else {
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            at += snprintf(text + at, 18, "x%016llx", (unsigned long long)bits);
        }
    }
    text[at] = 0;
}

/* Returns the number of characters read; 0: it is no number. */
static int read_number(const char *text, double *value)
{
    int hexadecimal = *text == 'x', at = hexadecimal;
    uint64_t number = 0;
    for (;; at++) {
        int letter = hexadecimal && text[at] >= 'a' && text[at] <= 'f';
        if (!letter && !(text[at] >= '0' && text[at] <= '9'))
            break;
        if (at == 19)
            return 0;
        number = number * (hexadecimal ? 16 : 10) +
                 (unsigned)(letter ? text[at] - 'a' + 10 : text[at] - '0');
    }
    if (hexadecimal && at != 17)
        return 0;
    *value = (double)number;
    if (hexadecimal)
        memcpy(value, &number, sizeof *value);
    return at;
}

int yk_sizes_read(const char *text, struct yk_sizes *sizes)
{
    int count = 0;
    while (*text) {
        int taken = count < YK_SIZES_MAX ? read_number(text, &sizes->at[count]) : 0;
        if (!taken || !(sizes->at[count++] >= 0))
            return 0;
        text += taken;
        if (*text && (*text++ != ' ' || !*text))
            return 0;
    }
    sizes->count = count;
    return 1;
}

double yk_sizes_distance(const struct yk_sizes *a, const struct yk_sizes *b)
{
    double sum = 0;
    if (a->count != b->count)
        return INFINITY;
    for (int i = 0; i < a->count; i++) {
        double step = log1p(a->at[i]) - log1p(b->at[i]);
        sum += step * step;
    }
    return sqrt(sum);
}

void yk_lesson_merge(struct yk_lesson *kept, const struct yk_lesson *fresh)
{
    int64_t confirmed = kept->confirmed;
    int derived_only = fresh->origin == YK_ORIGIN_DERIVED && kept->origin != YK_ORIGIN_DERIVED;
    if (!derived_only && fresh->seen >= kept->seen)
        *kept = *fresh;
    if (__builtin_add_overflow(confirmed, fresh->confirmed, &kept->confirmed))
        kept->confirmed = INT64_MAX;
}
