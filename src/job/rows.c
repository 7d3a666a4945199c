/* rows.c - which arguments a job uses by rows, and which rows its items touch. */
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

int yk_job_uses_by_rows(const struct yk_job *job, int arg)
{
    const yoke_arg *a = &job->args[arg];
    const yoke_param_mode mode = job->kernel->kernel.params[arg].mode;
    return a->array && mode != YOKE_PARAM_VALUE && mode != YOKE_PARAM_ADD &&
           mode != YOKE_PARAM_REDUCE && a->shape != YOKE_WHOLE && a->array->rows > 0;
}

int yk_job_needs_by_rows(const struct yk_job *job, int arg)
{
    return yk_job_uses_by_rows(job, arg) && job->args[arg].mode != YOKE_PARAM_OUT;
}

int yk_job_writes_by_rows(const struct yk_job *job, int arg)
{
    return yk_job_uses_by_rows(job, arg) && yk_writes_rows(job->args[arg].mode);
}
