/* validate.c - checks a user's job before anything runs. The message of each error names the
 * kernel, the argument and the cure. */

#include "validate.h"

#include <string.h>

#include "../base/status.h"
#include "entry.h"
#include "kernel.h"
#include "range.h"
#include "reduction.h"
#include "sum.h"
#include "value.h"

static const char *const mode_names[] = { "value", "in", "out", "inout", "add", "reduce" };

/* Checks numbers that may be wrong in a descriptor filled in by hand. */
static yoke_status check_numbers(const yoke_kernel *kernel)
{
    if (kernel->dimensions < 0 || kernel->dimensions > 3 || kernel->unit < 0 || kernel->lanes < 0 ||
        kernel->cpu.unit < 0 || (unsigned)kernel->kind > YOKE_KERNEL_NATIVE)
        return yk_fail(YOKE_EINVAL,
                       "kernel %s has %d dimensions, unit %d, lanes %d, cpu.unit %d and kind %d; "
                       "dimensions are 1 to 3, and no number is negative",
                       kernel->name, kernel->dimensions, kernel->unit, kernel->lanes,
                       kernel->cpu.unit, (int)kernel->kind);
    if (kernel->param_count && !kernel->params)
        return yk_fail(YOKE_EINVAL, "kernel %s has %d parameters, and its params are NULL",
                       kernel->name, kernel->param_count);
    return YOKE_OK;
}

static yoke_status check_deadline(const yoke_job *spec)
{
    if (spec->deadline_seconds >= 0)
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   "kernel %s: deadline_seconds is %g; give seconds from now on, or 0 for none",
                   spec->kernel->name, spec->deadline_seconds);
}

/* YOKE_KERNEL generates the code that makes partial results and the code that folds them. So an
 * implementation written by hand cannot reduce. */
static yoke_status check_reduces(const yoke_kernel *kernel)
{
    if (!yk_reduces(kernel))
        return YOKE_OK;
    if (kernel->kind == YOKE_KERNEL_STEP)
        return yk_fail(YOKE_EINVAL,
                       "kernel %s: steps do not reduce; use YOKE_ADD, or a range kernel",
                       kernel->name);
    if (!kernel->fold || kernel->cpu.team || kernel->opencl.native || kernel->cuda.native ||
        kernel->opencl.source.entry || kernel->cuda.source.entry)
        return yk_fail(YOKE_EINVAL,
                       "kernel %s reduces and has an implementation by hand; partial results are "
                       "what YOKE_KERNEL makes of its body, so leave that out",
                       kernel->name);
    return YOKE_OK;
}

yoke_status yk_kernel_check(const yoke_kernel *kernel)
{
    if (!kernel)
        return yk_fail(YOKE_EINVAL, "job.kernel is NULL; give it a kernel");
    if (kernel->struct_size == sizeof *kernel && !kernel->name)
        return yk_fail(YOKE_EINVAL, "the kernel has no name; set its name");
    if (kernel->struct_size != sizeof *kernel)
        return yk_fail(YOKE_EINVAL,
                       "the kernel is not filled in (struct_size %u, not %zu); define "
                       "it with YOKE_KERNEL or set struct_size",
                       kernel->struct_size, sizeof *kernel);
    if (check_numbers(kernel) != YOKE_OK)
        return YOKE_EINVAL;
    if (kernel->param_count < 0 || kernel->param_count > YOKE_ARGS_MAX)
        return yk_fail(YOKE_EINVAL, "kernel %s has %d parameters; at most %d are possible",
                       kernel->name, kernel->param_count, YOKE_ARGS_MAX);
    if (check_reduces(kernel) != YOKE_OK ||
        (kernel->kind == YOKE_KERNEL_STEP && yk_step_check(kernel) != YOKE_OK))
        return YOKE_EINVAL;
    if (!yk_kernel_runs_on_host(kernel) && !kernel->opencl.source.text && !kernel->opencl.native &&
        !kernel->cuda.source.text)
        return yk_fail(YOKE_ENOIMPL,
                       "kernel %s has no implementation for any device; define it with YOKE_KERNEL "
                       "or set cpu.variant[0]",
                       kernel->name);
    return YOKE_OK;
}

static int are_alike(const yoke_param *a, const yoke_param *b)
{
    return a->mode == b->mode && a->size == b->size && a->alignment == b->alignment &&
           strcmp(a->type, b->type) == 0;
}

static yoke_status check_alternative(const yoke_kernel *kernel, const yoke_kernel *other)
{
    int p;
    yoke_status status = yk_kernel_check(other);
    if (status != YOKE_OK)
        return status;
    if (other->param_count != kernel->param_count)
        return yk_fail(YOKE_EINVAL,
                       "kernel %s has %d parameters, its alternative %s %d; both take the job's "
                       "arguments, so give them the same",
                       kernel->name, kernel->param_count, other->name, other->param_count);
    for (p = 0; p < kernel->param_count; p++) {
        const yoke_param *a = &kernel->params[p], *b = &other->params[p];
        if (!are_alike(a, b))
            return yk_fail(YOKE_EINVAL,
                           "parameter %d is %s %s in kernel %s and %s %s in its alternative %s; "
                           "both take the job's arguments, so give them the same",
                           p + 1, mode_names[a->mode], a->type, kernel->name, mode_names[b->mode],
                           b->type, other->name);
    }
    if ((other->dimensions > 1 || kernel->dimensions > 1) &&
        other->dimensions != kernel->dimensions)
        return yk_fail(YOKE_EINVAL,
                       "kernel %s has %d dimension(s), its alternative %s %d; both do the job's "
                       "range, so give them the same",
                       kernel->name, kernel->dimensions, other->name, other->dimensions);
    if (other->cpu.team || kernel->cpu.team)
        return yk_fail(YOKE_EINVAL,
                       "kernel %s and its alternative %s: one has a team function, and cores share "
                       "their chunks; use kernels without",
                       kernel->name, other->name);
    return YOKE_OK;
}

/* The beginning of an error text about an argument, and the values that it prints. */
#define ARGUMENT            "kernel %s, argument %d (%s): "
#define NAMES_OF(kernel, p) (kernel)->name, (p) + 1, (kernel)->params[p].name

/* Checks a value that is the row distance of an array. Exactly one other argument must be that
 * array. */
static yoke_status check_distance(const yoke_job *spec, int p)
{
    const yoke_kernel *kernel = spec->kernel;
    const yoke_arg *arg = &spec->args[p];
    const yoke_param *param = &kernel->params[p];
    int q, count = 0;
    if (arg->value || strcmp(param->type, "int64_t") != 0 || param->size != sizeof(int64_t))
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "a row's distance is an int64_t, the kernel takes %s; change its "
                                "parameter, or pass a value",
                       NAMES_OF(kernel, p), param->type);
    for (q = 0; q < kernel->param_count; q++)
        count += spec->args[q].mode != YOKE_PARAM_VALUE && spec->args[q].array == arg->array;
    if (count == 1)
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   ARGUMENT "the distance is asked of an array that is %d arguments of the job; "
                            "name one that is exactly one, itself and not what it is a panel of",
                   NAMES_OF(kernel, p), count);
}

/* Sizes distinguish an int64_t from an int32_t, but not a float from an int32_t, so the type is
 * compared too. */
static yoke_status check_value(const yoke_kernel *kernel, int p, const yoke_arg *arg)
{
    const yoke_param *param = &kernel->params[p];
    const yoke_type type = arg->value ? YOKE_TYPE_OTHER : arg->type;
    const size_t given = arg->value || type != YOKE_TYPE_OTHER ? arg->value_size : 0;
    const yoke_type wanted = yk_type_named(param->type);
    if (given == param->size && (type == YOKE_TYPE_OTHER || wanted == YOKE_TYPE_OTHER ||
                                 (type == YOKE_TYPE_REAL) == (wanted == YOKE_TYPE_REAL)))
        return YOKE_OK;
    if (type != YOKE_TYPE_OTHER)
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "a value of type %s is wanted, %s given; convert it: "
                                "yoke_value((%s)...)",
                       NAMES_OF(kernel, p), param->type, yk_type_name(type, given), param->type);
    return yk_fail(YOKE_EINVAL,
                   ARGUMENT
                   "a value of %u bytes (%s) is wanted, %zu given; pass a variable of that type "
                   "to yoke_value",
                   NAMES_OF(kernel, p), param->size, param->type, given);
}

static yoke_status check_halo(const yoke_kernel *kernel, int p, const yoke_arg *arg)
{
    if (arg->before < 0 || arg->after < 0)
        return yk_fail(YOKE_EINVAL, ARGUMENT "a halo of %lld, %lld rows; neither may be negative",
                       NAMES_OF(kernel, p), (long long)arg->before, (long long)arg->after);
    if (arg->mode != YOKE_PARAM_IN)
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "a halo is only for mode in; write to rows of the index itself",
                       NAMES_OF(kernel, p));
    return YOKE_OK;
}

static yoke_status check_shape(const yoke_kernel *kernel, int p, const yoke_arg *arg)
{
    if ((unsigned)arg->shape > YOKE_ONTO || (unsigned)arg->home > YOKE_HOME_NOW)
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "shape %d or home %d is none of YOKE_ROWS, ... or YOKE_HOME_*",
                       NAMES_OF(kernel, p), (int)arg->shape, (int)arg->home);
    if (arg->shape == YOKE_ONTO && arg->mode != YOKE_PARAM_REDUCE)
        return yk_fail(YOKE_EINVAL, ARGUMENT "shape onto is for results of reductions only",
                       NAMES_OF(kernel, p));
    if (arg->shape == YOKE_CUSTOM && !arg->rows)
        return yk_fail(YOKE_EINVAL, ARGUMENT "shape custom needs a rows function",
                       NAMES_OF(kernel, p));
    if (arg->shape == YOKE_HALO)
        return check_halo(kernel, p, arg);
    if (arg->shape == YOKE_PART && arg->mode != YOKE_PARAM_OUT)
        return yk_fail(YOKE_EINVAL, ARGUMENT "only mode out can leave a part of rows unwritten",
                       NAMES_OF(kernel, p));
    if (arg->shape == YOKE_WHOLE && (arg->mode == YOKE_PARAM_OUT || arg->mode == YOKE_PARAM_INOUT))
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "devices cannot all write the whole array; use mode add, or rows",
                       NAMES_OF(kernel, p));
    return YOKE_OK;
}

static yoke_status check_merge(const yoke_kernel *kernel, int p, const yoke_arg *arg)
{
    const yoke_param *param = &kernel->params[p];
    if (arg->merge || yk_sum_of(param->type))
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   ARGUMENT "yoke cannot sum elements of type %s; if it is another name of a "
                            "number type, write that in YOKE_ADD (float, double, int32_t, "
                            "int64_t ...; a #define is fine), or set yoke_arg.merge",
                   NAMES_OF(kernel, p), param->type);
}

/* Compilers use loads that fault at other addresses. */
static yoke_status check_alignment(const yoke_kernel *kernel, int p, const yoke_array *array)
{
    const yoke_param *param = &kernel->params[p];
    if (!param->alignment || (uintptr_t)array->host % param->alignment == 0)
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   ARGUMENT YK_THE_ARRAY " has its memory at %p, and addresses of %s are multiples "
                                         "of %u; take memory from yoke_alloc, or copy the rows",
                   NAMES_OF(kernel, p), YK_NAME_OF(array), (void *)array->host, param->type,
                   param->alignment);
}

static yoke_status check_array(const yoke_runtime *runtime, const yoke_kernel *kernel, int p,
                               const yoke_arg *arg)
{
    const yoke_param *param = &kernel->params[p];
    if (!arg->array)
        return yk_fail(YOKE_EINVAL, ARGUMENT "the array is NULL, or was closed",
                       NAMES_OF(kernel, p));
    if (arg->array->runtime != runtime &&
        yk_runtime_refuses_child(arg->array->runtime, arg->array->name))
        return YOKE_EINVAL;
    if (arg->array->runtime != runtime)
        return yk_fail(YOKE_EINVAL, ARGUMENT YK_THE_ARRAY " belongs to another runtime",
                       NAMES_OF(kernel, p), YK_NAME_OF(arg->array));
    if (arg->array->element_size != param->size)
        return yk_fail(YOKE_EINVAL,
                       ARGUMENT "elements of %u bytes (%s) are wanted, " YK_THE_ARRAY
                                " has %zu; register it with the parameter's element size",
                       NAMES_OF(kernel, p), param->size, param->type, YK_NAME_OF(arg->array),
                       arg->array->element_size);
    if (check_alignment(kernel, p, arg->array) != YOKE_OK)
        return YOKE_EINVAL;
    return check_shape(kernel, p, arg);
}

static yoke_status check_arg(const yoke_runtime *runtime, const yoke_job *spec, int p)
{
    const yoke_kernel *kernel = spec->kernel;
    const yoke_arg *arg = &spec->args[p];
    const yoke_param *param = &kernel->params[p];
    yoke_status status;
    if (arg->mode == YOKE_PARAM_AS_KERNEL)
        return yk_fail(YOKE_EINVAL, ARGUMENT "the kernel takes a value, the job gives an array",
                       NAMES_OF(kernel, p));
    if (arg->mode != param->mode)
        return yk_fail(YOKE_EINVAL, ARGUMENT "the kernel wants mode %s, the job gives %s",
                       NAMES_OF(kernel, p), mode_names[param->mode],
                       (unsigned)arg->mode <= YOKE_PARAM_REDUCE ? mode_names[arg->mode]
                                                                : "nonsense");
    if (arg->mode == YOKE_PARAM_VALUE)
        return arg->array ? check_distance(spec, p) : check_value(kernel, p, arg);
    if (arg->mode == YOKE_PARAM_REDUCE && !arg->array)
        return yk_reduction_check(spec, p);
    status = check_array(runtime, kernel, p, arg);
    if (status == YOKE_OK && arg->mode == YOKE_PARAM_REDUCE)
        status = yk_reduction_check(spec, p);
    if (status == YOKE_OK && arg->mode == YOKE_PARAM_ADD)
        status = check_merge(kernel, p, arg);
    return status;
}

/* Both may be NULL. */
static int have_columns_in_common(const yoke_array *a, const yoke_array *b)
{
    return a && b && (a == b || a->whole == b || b->whole == a);
}

static yoke_status check_twice(const yoke_job *spec)
{
    const yoke_kernel *kernel = spec->kernel;
    int p, q;
    for (p = 0; p < kernel->param_count; p++)
        for (q = 0; q < p && kernel->params[p].mode != YOKE_PARAM_VALUE; q++)
            if (kernel->params[q].mode != YOKE_PARAM_VALUE &&
                have_columns_in_common(spec->args[p].array, spec->args[q].array) &&
                (yk_changes_array(spec->args[p].mode) || yk_changes_array(spec->args[q].mode)))
                return yk_fail(YOKE_EINVAL,
                               "kernel %s, arguments %d (%s) and %d (%s): " YK_THE_ARRAY
                               " is given twice, as %s and as %s; a kernel may only read an array "
                               "it gets twice "
                               "(use a second array; or one inout parameter, if index i touches "
                               "row i only)",
                               kernel->name, q + 1, kernel->params[q].name, p + 1,
                               kernel->params[p].name, YK_NAME_OF(spec->args[p].array),
                               mode_names[spec->args[q].mode], mode_names[spec->args[p].mode]);
    return YOKE_OK;
}

/* Reports rows outside an array that the job would touch, before anything runs. */
static yoke_status check_bounds(const yoke_job *spec, int p)
{
    const yoke_arg *arg = &spec->args[p];
    struct yk_interval rows;
    if (arg->mode == YOKE_PARAM_VALUE || arg->mode == YOKE_PARAM_REDUCE ||
        arg->shape == YOKE_WHOLE || arg->shape == YOKE_CUSTOM ||
        spec->range.first == spec->range.last)
        return YOKE_OK;
    rows = yk_array_rows(arg->array);
    if (spec->range.first < rows.first || spec->range.last > rows.last)
        return yk_fail(
            YOKE_EINVAL,
            ARGUMENT "the range [%lld, %lld) leaves " YK_THE_ARRAY
                     ", whose rows are [%lld, %lld)%s%s",
            NAMES_OF(spec->kernel, p), (long long)spec->range.first, (long long)spec->range.last,
            YK_NAME_OF(arg->array), (long long)rows.first, (long long)rows.last,
            spec->kernel->dimensions > 1
                ? "; if a row has fewer elements, pass yoke_row(pointer, elements)"
                : "",
            arg->mode == YOKE_PARAM_IN
                ? "; if any index may use any element, declare the whole array (yoke_whole, "
                  "yoke_in_whole)"
                : "");
    return YOKE_OK;
}

static int lies_in(yoke_rows part, yoke_rows whole)
{
    return part.first == part.last || (part.first >= whole.first && part.last <= whole.last);
}

/* Asks a rows function for the rows of `indexes`. Fails unless they are an interval within *whole.
 * Then sets *whole to them. */
static yoke_status ask_rows(const yoke_job *spec, int p, yoke_rows indexes, yoke_rows *whole)
{
    const yoke_arg *arg = &spec->args[p];
    yoke_rows rows = arg->rows(arg->rows_context, indexes);
    if (rows.last >= rows.first && lies_in(rows, *whole)) {
        *whole = rows;
        return YOKE_OK;
    }
    return yk_fail(
        YOKE_EINVAL,
        ARGUMENT "its rows function gives [%lld, %lld) for indexes [%lld, %lld); it has to give a "
                 "part of [%lld, %lld), or an empty one (last = first)",
        NAMES_OF(spec->kernel, p), (long long)rows.first, (long long)rows.last,
        (long long)indexes.first, (long long)indexes.last, (long long)whole->first,
        (long long)whole->last);
}

/* Checks a rows function as far as possible before chunks are known: the rows of all indexes must
 * lie in the array, and the rows of each half of the indexes among those. If the job writes them,
 * the rows of the two halves must not overlap. */
static yoke_status check_rows(const yoke_job *spec, int p)
{
    const yoke_arg *arg = &spec->args[p];
    yoke_rows range = { spec->range.first, spec->range.last }, low, high, whole;
    struct yk_interval all;
    yoke_status status;
    if (arg->shape != YOKE_CUSTOM || !arg->array || range.first == range.last)
        return YOKE_OK;
    all = yk_array_rows(arg->array);
    whole = (yoke_rows){ all.first, all.last };
    status = ask_rows(spec, p, range, &whole);
    low = high = whole;
    if (status != YOKE_OK || range.last - range.first < 2)
        return status;
    range.last = range.first + (range.last - range.first) / 2;
    status = ask_rows(spec, p, range, &low);
    range = (yoke_rows){ range.last, spec->range.last };
    if (status == YOKE_OK)
        status = ask_rows(spec, p, range, &high);
    if (status != YOKE_OK || !yk_writes_rows(arg->mode) || low.last <= high.first ||
        high.last <= low.first || low.first == low.last || high.first == high.last)
        return status;
    return yk_fail(YOKE_EINVAL,
                   ARGUMENT
                   "its rows function gives [%lld, %lld) for indexes before %lld and [%lld, %lld) "
                   "for the others; rows that are written can belong to one index only",
                   NAMES_OF(spec->kernel, p), (long long)low.first, (long long)low.last,
                   (long long)range.first, (long long)high.first, (long long)high.last);
}

yoke_status yk_kernel_check_count(const yoke_kernel *kernel, int given)
{
    if (given == kernel->param_count)
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL, "kernel %s: %d argument%s wanted, %d given", kernel->name,
                   kernel->param_count, kernel->param_count == 1 ? " is" : "s are", given);
}

static int is_given(const yoke_arg *arg)
{
    return arg->mode != YOKE_PARAM_VALUE || arg->array || arg->value || arg->value_size;
}

static yoke_status check_count(const yoke_job *spec)
{
    const yoke_kernel *kernel = spec->kernel;
    int given = YOKE_ARGS_MAX;
    while (given > 0 && !is_given(&spec->args[given - 1]))
        given--;
    return yk_kernel_check_count(kernel, given);
}

/* Version 0.1 has one layout. When a field is added, sizes of older layouts stay valid, and missing
 * fields count as zero. */
yoke_status yk_job_check_layout(const yoke_job *spec)
{
    if (!spec)
        return yk_fail(YOKE_EINVAL, "the job is NULL");
    if (spec->size != 0 && spec->size != sizeof *spec)
        return yk_fail(YOKE_EINVAL,
                       "job.size is %zu, this library (%s) knows %zu; zero the job before it is "
                       "filled, or use the library of the program's headers",
                       spec->size, YOKE_VERSION, sizeof *spec);
    return yk_kernel_check(spec->kernel);
}

yoke_status yk_job_check(const yoke_runtime *runtime, const yoke_job *spec)
{
    yoke_status status = YOKE_OK;
    int p;
    if (spec->alternative)
        status = check_alternative(spec->kernel, spec->alternative);
    if (status == YOKE_OK)
        status = yk_range_check(spec);
    if (status == YOKE_OK)
        status = check_deadline(spec);
    if (status == YOKE_OK)
        status = check_count(spec);
    for (p = 0; status == YOKE_OK && p < spec->kernel->param_count; p++) {
        status = check_arg(runtime, spec, p);
        if (status == YOKE_OK)
            status = check_bounds(spec, p);
        if (status == YOKE_OK)
            status = check_rows(spec, p);
    }
    return status == YOKE_OK ? check_twice(spec) : status;
}
