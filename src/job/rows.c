/* rows.c - which rows of an argument the items of a job touch. */
#include "rows.h"

struct yk_interval yk_job_rows(const struct yk_job *job, int arg, struct yk_interval items)
{
    const yoke_arg *a = &job->args[arg];
    struct yk_interval all = yk_array_rows(a->array), rows = items;
    if (a->shape == YOKE_WHOLE)
        return all;
    if (a->shape == YOKE_HALO)
        rows = (struct yk_interval){ items.first - a->before, items.last + a->after };
    if (a->shape == YOKE_CUSTOM) {
        yoke_rows asked = a->rows(a->rows_context, (yoke_rows){ items.first, items.last });
        rows = (struct yk_interval){ asked.first, asked.last };
    }
    if (rows.first < all.first)
        rows.first = all.first;
    if (rows.last > all.last)
        rows.last = all.last;
    if (rows.last < rows.first)
        rows.last = rows.first;
    return rows;
}
