/* mm_panels.h - the product in column panels: each pair of a panel of B and the same columns of C
 * is a job. So a device begins when the first panel of B is there, and the others are copied while
 * it computes.
 */
#ifndef YOKE_APPS_MM_PANELS_H
#define YOKE_APPS_MM_PANELS_H

#include "../app.h"
#include "mm_product.h"

/* MM_PANELS_GOOD: the most panels that are tried for speed, if memory does not require more. */
enum { MM_PANELS_GOOD = 16, MM_PANELS_MOST = APP_JOBS_MAX, MM_BLOCKS_MOST = 16 };

struct mm_panels {
    const struct mm_product *product;
    yoke_array *const *arrays; /* A, B, C; borrowed */
    int blocks; /* blocks of rows of A and C; each is a job for every panel; at least 1 */
    int count;  /* number of panels; 1: B and C themselves */
    struct mm_panel {
        int64_t first, last; /* columns */
        yoke_array *b, *c;   /* NULL: not open, or not owned */
    } items[MM_PANELS_MOST];
};

/* Opens `count` panels, or somewhat fewer; `count` is at most the number of columns. The product
 * and `arrays` must exist until the panels are closed. */
yoke_status mm_panels_open(struct mm_panels *panels, const struct mm_product *product,
                           yoke_array *const arrays[3], int count);
yoke_status mm_panels_close(struct mm_panels *panels); /* closes those that are open */
/* Computes the whole product. */
yoke_status mm_panels_run(const struct mm_panels *panels, const yoke_kernel *kernel,
                          struct app_run *run);

#endif
