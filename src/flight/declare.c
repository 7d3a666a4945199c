/* declare.c - declares which rows a job's kernel touches, for a device that checks each launch
 * (backend/declaration.h). */
#include "declare.h"

#include "../job/rows.h"
#include "../job/unit.h"
#include "packed.h"

static yoke_rows rows_of(const void *context, int arg, yoke_rows indexes)
{
    const struct yk_interval rows =
        yk_job_rows(context, arg, (struct yk_interval){ indexes.first, indexes.last });
    return (yoke_rows){ rows.first, rows.last };
}

static void declare_array(const struct yk_job *job, int device, int p, struct yk_declared *out)
{
    const yoke_arg *arg = &job->args[p];
    const yoke_array *array = arg->array;
    const yoke_param_mode mode = job->kernel->kernel.params[p].mode; /* arg->mode may differ */
    *out = (struct yk_declared){ .array = yk_array_has_name(array) ? array->name : "",
                                 .mode = mode,
                                 .shape = arg->shape,
                                 .keeps = arg->mode != mode,
                                 .before = arg->before,
                                 .after = arg->after,
                                 .first_row = array->first_row,
                                 .last_row = array->first_row + array->rows,
                                 .row_bytes = array->row_bytes,
                                 .pitch = array->pitch,
                                 .column = array->column };
    if (arg->mode != YOKE_PARAM_ADD) /* a private copy has another layout than the array */
        out->pitch = yk_held_pitch(job, device, p);
}

void yk_job_declare(const struct yk_job *job, int device, struct yk_job_declared *out)
{
    int p;
    for (p = 0; p < job->arg_count; p++) {
        out->args[p] = (struct yk_declared){ .mode = job->args[p].mode, .array = "" };
        if (job->args[p].mode != YOKE_PARAM_VALUE)
            declare_array(job, device, p, &out->args[p]);
    }
    out->all = (struct yk_declaration){ .job = job->name,
                                        .params = job->kernel->kernel.params,
                                        .args = out->args,
                                        .count = job->arg_count,
                                        .unit = yk_job_unit(job),
                                        .rows = rows_of,
                                        .context = job };
}
