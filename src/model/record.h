/* record.h - PURE. A lesson as it is kept: its devices' figures by name, its sizes as text, its
 * checksum, whether it can be true, and how what two processes learned becomes one.
 */
#ifndef YK_MODEL_RECORD_H
#define YK_MODEL_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "lesson.h"

/* A device's figures, in the order in which the knowledge base and yoke kb have them. What is added
 * to struct yk_lesson_device is added at the end here, and gets a column in the store's schema. */
struct yk_figure {
    const char *name;    /* a column's name, a JSON member's */
    const char *summary; /* one line, with its unit */
    double least, most;  /* what it may be */
    size_t offset;       /* of a double; of an int where `whole` */
    int whole;
};
enum {
    YK_FIGURE_ITEM_NS,
    YK_FIGURE_FIXED_NS,
    YK_FIGURE_RATE,
    YK_FIGURE_CHUNK_NS,
    YK_FIGURE_SHARE,
    YK_FIGURE_COPIED_BYTES,
    YK_FIGURE_SPREAD,
    YK_FIGURE_GRAIN,
    YK_FIGURE_LINK,
    YK_FIGURE_STEADY,
    YK_FIGURE_FORM,
    YK_FIGURES
};
extern const struct yk_figure yk_figures[YK_FIGURES];

double yk_figure_get(const struct yk_lesson_device *device, int figure);
void yk_figure_set(struct yk_lesson_device *device, int figure, double value);

extern const char *const yk_origin_names[]; /* by enum yk_origin, NULL-terminated */

/* What is wrong with it, in words that follow "a lesson "; NULL: nothing. */
const char *yk_lesson_wrong(const struct yk_lesson *lesson);

/* A figure that is 0 does not count, so that one which comes to be known later changes no older
 * lesson's checksum. */
uint64_t yk_lesson_checksum(const struct yk_lesson *lesson);

/* Numbers with blanks between; one that is not whole as x and its bits in hexadecimal. Exact, and
 * equal for equal sizes. */
enum { YK_SIZES_TEXT = YK_SIZES_MAX * 20 };
void yk_sizes_write(const struct yk_sizes *sizes, char text[YK_SIZES_TEXT]);
int yk_sizes_read(const char *text, struct yk_sizes *sizes); /* 0: it is none */

/* How unlike two are: Euclid's distance of their logarithms, 0 for equal ones; INFINITY where one
 * has more than the other. */
double yk_sizes_distance(const struct yk_sizes *a, const struct yk_sizes *b);

/* Some lessons of one machine and subject, in room for more. */
struct yk_lesson_list {
    struct yk_lesson *at;
    int capacity, count;
};

/* Into `kept`, of the same machine, subject and sizes, what `fresh` tells: its confirmations are
 * added; its figures replace those kept, unless they are only derived and the others measured, or
 * older. */
void yk_lesson_merge(struct yk_lesson *kept, const struct yk_lesson *fresh);

#endif
