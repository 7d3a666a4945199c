/* mm_panels.h - the product in column panels: each pair of a panel of B and the same columns of C
 * is a job, so that a device begins when the first panel of B is there, and copies of the others go
 * on while it computes.
 */
#ifndef YOKE_APPS_MM_PANELS_H
#define YOKE_APPS_MM_PANELS_H

#include "../app.h"
#include "mm_product.h"

/* Where nothing but the work asks for panels, more than GOOD are not tried. */
enum { MM_PANELS_GOOD = 16, MM_PANELS_MOST = APP_JOBS_MAX, MM_BLOCKS_MOST = 16 };

struct mm_panels {
    int blocks; /* of rows of A and C, a job each for every panel; at least 1 */
    int count;  /* 1: B and C themselves */
    struct mm_panel {
        int64_t first, last; /* columns */
        yoke_array *b, *c;   /* NULL: not there, or not ours */
    } items[MM_PANELS_MOST];
};

/* `count` of them, or somewhat fewer; it is not above the number of columns. */
yoke_status mm_panels_open(struct mm_panels *panels, const struct mm_product *product, int count,
                           yoke_array *b, yoke_array *c);
yoke_status mm_panels_close(struct mm_panels *panels); /* those that are open */
/* All of the product. arrays: A, B, C. */
yoke_status mm_panels_run(const struct mm_panels *panels, const struct mm_product *product,
                          const yoke_kernel *kernel, yoke_array *const arrays[3],
                          struct app_run *run);

#endif
