/* mm_check.h - whether C is A B, found out in another way than it was made. */
#ifndef YOKE_APPS_MM_CHECK_H
#define YOKE_APPS_MM_CHECK_H

#include <yoke/status.h>

#include "mm_product.h"

enum { MM_SAMPLE = 64 };

/* Row `sample` of the MM_SAMPLE that are computed again; all rows where there are no more. */
int64_t mm_sample_row(const struct mm_product *product, int sample);

/* On success a line of figures goes to `note` (capacity 256). Works on all cores. */
yoke_status mm_check(const struct mm_product *product, char *note);

#endif
