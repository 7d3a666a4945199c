/* record.h - PURE. A lesson as it is stored: its devices' figures by name, its sizes as text, its
 * checksum, its validity, and how lessons of two processes are merged. */
#ifndef YK_KNOWLEDGE_RECORD_H
#define YK_KNOWLEDGE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "lesson.h"

/* A device's figures, in the order of the knowledge base and of yoke kb. A new field of struct
 * yk_lesson_device is added at the end here, and gets a column in the store's schema. */
struct yk_figure {
    const char *name;    /* name of the column and of the JSON member */
    const char *summary; /* one line, with its unit */
    double least, most;  /* allowed values */
    size_t offset;       /* of a double, or of an int if `whole` */
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
    YK_FIGURE_ITEM_HALF_NS,
    YK_FIGURE_OFF,
    YK_FIGURE_STAY_ITEM_NS,
    YK_FIGURE_STAY_CHUNK_NS,
    YK_FIGURE_STAY_ERROR,
    YK_FIGURE_STAY_NOISE,
    YK_FIGURE_STAYS,
    YK_FIGURES
};
extern const struct yk_figure yk_figures[YK_FIGURES];

double yk_figure_get(const struct yk_lesson_device *device, int figure);
void yk_figure_set(struct yk_lesson_device *device, int figure, double value);

extern const char *const yk_origin_names[]; /* by enum yk_origin, NULL-terminated */

/* What is wrong with the lesson, in words that follow "a lesson "; NULL: nothing. */
const char *yk_lesson_wrong(const struct yk_lesson *lesson);

/* Figures that are 0 are not included, so that figures added later do not change older lessons'
 * checksums. */
uint64_t yk_lesson_checksum(const struct yk_lesson *lesson);

/* Sizes as text: numbers separated by blanks; a number that is not whole is x and its bits in
 * hexadecimal. Texts are exact, and equal for equal sizes. */
enum { YK_SIZES_TEXT = YK_SIZES_MAX * 20 };
void yk_sizes_write(const struct yk_sizes *sizes, char text[YK_SIZES_TEXT]);
int yk_sizes_read(const char *text, struct yk_sizes *sizes); /* returns 0 if it is invalid */

/* How different two are: Euclidean distance of their logarithms, 0 for equal ones; INFINITY if they
 * have different counts. */
double yk_sizes_distance(const struct yk_sizes *a, const struct yk_sizes *b);

/* Some lessons of one machine and subject, with room for more. */
struct yk_lesson_list {
    struct yk_lesson *at;
    int capacity, count;
};

/* Merges `fresh` into `kept`, of the same machine, subject and sizes. Confirmations are added. The
 * figures of `fresh` replace those of `kept`, unless they are older, or only derived while those of
 * `kept` are measured. */
void yk_lesson_merge(struct yk_lesson *kept, const struct yk_lesson *fresh);

#endif
