/* mm_check.h - checks C = A B by another method than it was computed with. */
#ifndef YOKE_APPS_MM_CHECK_H
#define YOKE_APPS_MM_CHECK_H

#include <yoke/status.h>

#include "mm_product.h"

enum { MM_SAMPLE = 64 };

/* Returns which row is number `sample` of the MM_SAMPLE rows that are computed again. If there are
 * no more rows than that, all are. */
int64_t mm_sample_row(const struct mm_product *product, int sample);

/* On success writes a line of numbers to `note` (capacity 256). Uses all cores. */
yoke_status mm_check(const struct mm_product *product, char *note);

#endif
