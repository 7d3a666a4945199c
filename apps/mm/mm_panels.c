/* mm_panels.c - see mm_panels.h.
 *
 * The first panel's job also brings A to a device, chunk by chunk; later jobs find it there and
 * need only their panel of B. If A is cut into blocks, too, a device can use every part of A and of
 * B as it arrives, at the price of smaller products. With more panels a device begins earlier, and
 * less of C remains to be brought home at the end; mm_tiles.c chooses the number.
 */
#include "mm_panels.h"

#include "mm_kernels.h"
#include "mm_tiles.h"

yoke_status mm_panels_open(struct mm_panels *panels, const struct mm_product *product,
                           yoke_array *const arrays[3], int count)
{
    const int64_t columns = product->columns, width = mm_tiles_width(columns, count);
    yoke_status status = YOKE_OK;
    int64_t first;
    *panels = (struct mm_panels){ .product = product, .arrays = arrays };
    for (first = 0; first < columns && status == YOKE_OK; first += width) {
        struct mm_panel *panel = &panels->items[panels->count++];
        panel->first = first;
        panel->last = columns - first < width ? columns : first + width;
        if (width >= columns)
            break;
        status = yoke_array_panel(arrays[1], first, panel->last - first, &panel->b);
        if (status == YOKE_OK)
            status = yoke_array_panel(arrays[2], first, panel->last - first, &panel->c);
    }
    if (status != YOKE_OK)
        mm_panels_close(panels);
    return status;
}

yoke_status mm_panels_close(struct mm_panels *panels)
{
    yoke_status first = YOKE_OK;
    int n;
    for (n = 0; n < panels->count; n++) {
        const yoke_status b = yoke_array_close(panels->items[n].b);
        const yoke_status c = yoke_array_close(panels->items[n].c);
        first = first != YOKE_OK ? first : b != YOKE_OK ? b : c;
    }
    *panels = (struct mm_panels){ .count = 0 };
    return first;
}

struct mm_jobs {
    const struct mm_panels *panels;
    const yoke_kernel *kernel;
    yoke_job jobs[APP_JOBS_MAX];
    int count;
};

static void add_job(struct mm_jobs *to, int block, int panel)
{
    const struct mm_panel *columns = &to->panels->items[panel];
    const struct mm_product *p = to->panels->product;
    const int64_t blocks = to->panels->blocks;
    yoke_array *const *arrays = to->panels->arrays;
    yoke_array *b = columns->b ? columns->b : arrays[1];
    yoke_array *c = columns->c ? columns->c : arrays[2];
    to->jobs[to->count++] =
        (yoke_job){ .kernel = to->kernel,
                    .range = { p->rows * block / blocks, p->rows * (block + 1) / blocks },
                    .args = { [MM_INNER] = yoke_value(p->inner),
                              [MM_B_ROW] = yoke_row_distance(b),
                              [MM_C_ROW] = yoke_row_distance(c),
                              [MM_FROM_COLUMN] = yoke_value(columns->first),
                              [MM_TO_COLUMN] = yoke_value(columns->last),
                              [MM_A] = yoke_in(arrays[0]),
                              [MM_B] = yoke_in_whole(b),
                              [MM_C] = yoke_out_home(c) } };
}

yoke_status mm_panels_run(const struct mm_panels *panels, const yoke_kernel *kernel,
                          struct app_run *run)
{
    struct mm_jobs to = { .panels = panels, .kernel = kernel };
    int step, i, blocks = 0;
    /* Each step brings one more panel of B and the same fraction of A, and does the products that
     * these make possible. */
    for (step = 1; step <= panels->count; step++) {
        const int more = (panels->blocks * step - 1) / panels->count + 1;
        for (i = 0; i < blocks; i++)
            add_job(&to, i, step - 1);
        for (; blocks < more; blocks++)
            for (i = 0; i < step; i++)
                add_job(&to, blocks, i);
    }
    return app_run_jobs(run, to.jobs, to.count);
}
