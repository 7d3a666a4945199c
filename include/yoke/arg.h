/* yoke/arg.h - the arguments of a job: values, and arrays with how the kernel touches them. */
#ifndef YOKE_ARG_H
#define YOKE_ARG_H

#include <yoke/array.h>
#include <yoke/kernel_type.h>
#include <yoke/type_of.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { YOKE_ARGS_MAX = 24, YOKE_STAGES_MAX = 1 };

/* Which rows of an array the range's indexes first .. last - 1 touch. */
typedef enum yoke_shape {
    YOKE_ROWS,   /* index i touches row i */
    YOKE_HALO,   /* rows i - before .. i + after, cut at the array's ends; only for in */
    YOKE_WHOLE,  /* any row */
    YOKE_CUSTOM, /* what a callback says (a CSR matrix's rows to its non-zeros) */
    YOKE_PART,   /* index i touches row i, and leaves elements of it unwritten, which become
                    undefined; only for out */
    YOKE_ONTO    /* reduce: what is at the result's place takes part; else it is set (YOKE_ROWS) */
} yoke_shape;

typedef struct yoke_rows {
    int64_t first, last;
} yoke_rows;

/* YOKE_CUSTOM: the rows that indexes `range` touch, one interval; of rows in several places the one
 * that holds them all (papers/002, section 4.1, has a hierarchy of sub-domains instead). Pure: same
 * input, same answer; called from any thread. Rows of a part of a range are among those of that
 * range, and those of all are the array's; an empty interval (last = first) is fine. For out and
 * inout, disjoint ranges must give disjoint rows. What can be told of that is YOKE_EINVAL, at
 * submit, or at the end of the job where only a chunk shows it. */
typedef yoke_rows yoke_rows_fn(const void *context, yoke_rows range);

/* YOKE_PARAM_ADD: fold `count` elements of a private copy into `into`. Must be associative and
 * commutative up to rounding, with all-zero bytes as its identity. NULL: sum by the parameter's
 * type (float, double, 32- and 64-bit integers). */
typedef void yoke_merge_fn(void *into, const void *from, int64_t count);

/* When the rows a job wrote on a device come to the host. */
typedef enum yoke_home {
    YOKE_HOME_LATER, /* when somebody acquires or needs them */
    YOKE_HOME_NOW    /* as each chunk ends, overlapping what still runs */
} yoke_home;

/* One argument. Its layout stays as it is, since a job holds an array of them. */
typedef struct yoke_arg {
    yoke_param_mode mode;
    yoke_array *array; /* all modes but value; of a value without any: see yoke_row_distance */
    const void *value; /* mode value: copied at submit; NULL: the value is in `bits`. Mode reduce
                          without an array: where the result is written when the job ends */
    size_t value_size;
    yoke_type type; /* mode value: the type of the number in `bits`; of one at `value`: unknown */
    uint64_t bits;  /* its bytes, from the lowest on */
    yoke_shape shape;
    int64_t before, after; /* YOKE_HALO */
    yoke_rows_fn *rows;    /* YOKE_CUSTOM */
    const void *rows_context;
    yoke_merge_fn *merge; /* YOKE_PARAM_ADD */
    yoke_home home;       /* out and inout */
} yoke_arg;

#ifdef __cplusplus
}
#endif

/* Shorthands for the args list; each fills one yoke_arg.
 *
 *     yoke_value(x)                a number, also an expression, as it is now; or a struct
 * variable, as it is at submit yoke_value_of(pointer, size) the bytes there, as they are at submit
 *     yoke_use(a)                  array, in the mode that the kernel's parameter has
 *     yoke_in(a)                   array, read; index i touches row i
 *     yoke_in_whole(a)             index i may touch any row
 *     yoke_in_halo(a, b, c)        index i touches rows i - b .. i + c
 *     yoke_in_custom(a, f, state)  the rows that f(state, range) says
 *     yoke_out(a), yoke_inout(a)   written, read and written; index i touches row i
 *     yoke_out_part(a)             written in part: other elements of the row become undefined,
 *                                  also where a range without edges would keep them (yoke/job.h)
 *     yoke_out_home(a), yoke_inout_home(a)  the same; results come home as each chunk ends
 *     yoke_add_to(a)               added to, any row
 *     yoke_reduce_to(pointer)      the result of a YOKE_REDUCE or YOKE_FOLD is set at the job's
 * end. The variable is the program's, stays as it is if the job fails, and is of the parameter's
 * type yoke_reduce_onto(pointer)    the same; what is there at the job's end takes part
 *     yoke_reduce_to_array(a), yoke_reduce_onto_array(a)  the same, an array of one row of one
 * element, which later jobs may use before anybody waits for this one
 *     yoke_row_distance(a)         a value, int64_t: elements from one row of `a`, which is one
 * other argument, to the next where this device has it. A kernel that finds rows by it instead of
 * the array's row_elements can be given a panel without the columns beside it, b[k * distance + j]
 * with j as ever, and devices without room for the array then need room for the panel only
 * (docs/memory.md)
 *
 * In C they are initialisers: .args = { yoke_value(2.0f), yoke_in(x) }, args[0] =
 * (yoke_arg)yoke_in(x). In C++ they are functions: args[0] = yoke_in(x). */
#ifndef __cplusplus
#define yoke_value_of(pointer, size)                                                               \
    {                                                                                              \
        .mode = YOKE_PARAM_VALUE, .value = (pointer), .value_size = (size)                         \
    }
/* A number is kept in the argument, so that it may be an expression; of a struct, which may be
 * large, the address. */
#define yoke_value(x)                                                                              \
    {                                                                                              \
        .mode = YOKE_PARAM_VALUE,                                                                  \
        .value = &__builtin_choose_expr(YK_IS_STRUCT(x), (x), *(const char *)0),                   \
        .value_size = sizeof(x), .type = YK_TYPE_OF(x), .bits = YK_BITS(x)                         \
    }
#define yoke_use(a)                                                                                \
    {                                                                                              \
        .mode = YOKE_PARAM_AS_KERNEL, .array = (a)                                                 \
    }
#define yoke_row_distance(a)                                                                       \
    {                                                                                              \
        .mode = YOKE_PARAM_VALUE, .array = (a)                                                     \
    }
#define yoke_in(a)                                                                                 \
    {                                                                                              \
        .mode = YOKE_PARAM_IN, .array = (a)                                                        \
    }
#define yoke_in_whole(a)                                                                           \
    {                                                                                              \
        .mode = YOKE_PARAM_IN, .array = (a), .shape = YOKE_WHOLE                                   \
    }
#define yoke_in_halo(a, rows_before, rows_after)                                                   \
    {                                                                                              \
        .mode = YOKE_PARAM_IN, .array = (a), .shape = YOKE_HALO, .before = (rows_before),          \
        .after = (rows_after)                                                                      \
    }
#define yoke_in_custom(a, function, state)                                                         \
    {                                                                                              \
        .mode = YOKE_PARAM_IN, .array = (a), .shape = YOKE_CUSTOM, .rows = (function),             \
        .rows_context = (state)                                                                    \
    }
#define yoke_out(a)                                                                                \
    {                                                                                              \
        .mode = YOKE_PARAM_OUT, .array = (a)                                                       \
    }
#define yoke_out_part(a)                                                                           \
    {                                                                                              \
        .mode = YOKE_PARAM_OUT, .array = (a), .shape = YOKE_PART                                   \
    }
#define yoke_out_home(a)                                                                           \
    {                                                                                              \
        .mode = YOKE_PARAM_OUT, .array = (a), .home = YOKE_HOME_NOW                                \
    }
#define yoke_inout(a)                                                                              \
    {                                                                                              \
        .mode = YOKE_PARAM_INOUT, .array = (a)                                                     \
    }
#define yoke_inout_home(a)                                                                         \
    {                                                                                              \
        .mode = YOKE_PARAM_INOUT, .array = (a), .home = YOKE_HOME_NOW                              \
    }
#define yoke_reduce_to(pointer)                                                                    \
    {                                                                                              \
        .mode = YOKE_PARAM_REDUCE, .value = (pointer), .value_size = sizeof *(pointer),            \
        .type = YK_TYPE_OF(*(pointer))                                                             \
    }
#define yoke_reduce_onto(pointer)                                                                  \
    {                                                                                              \
        .mode = YOKE_PARAM_REDUCE, .value = (pointer), .value_size = sizeof *(pointer),            \
        .type = YK_TYPE_OF(*(pointer)), .shape = YOKE_ONTO                                         \
    }
#define yoke_reduce_to_array(a)                                                                    \
    {                                                                                              \
        .mode = YOKE_PARAM_REDUCE, .array = (a)                                                    \
    }
#define yoke_reduce_onto_array(a)                                                                  \
    {                                                                                              \
        .mode = YOKE_PARAM_REDUCE, .array = (a), .shape = YOKE_ONTO                                \
    }
#define yoke_add_to(a)                                                                             \
    {                                                                                              \
        .mode = YOKE_PARAM_ADD, .array = (a), .shape = YOKE_WHOLE                                  \
    }
#else
/* A number; a struct variable. */
template <class T>
inline typename std::enable_if<!std::is_class<T>::value, yoke_arg>::type yoke_value(const T &x)
{
    yoke_arg arg = {};
    static_assert(std::is_arithmetic<T>::value || std::is_enum<T>::value,
                  "a value is a number or a struct; memory is passed as an array");
    static_assert(sizeof(T) <= sizeof arg.bits, "numbers have at most 64 bits");
    arg.value_size = sizeof x;
    arg.type = yk_type_of<T>();
    memcpy(&arg.bits, &x, sizeof x);
    return arg;
}
template <class T>
inline typename std::enable_if<std::is_class<T>::value, yoke_arg>::type yoke_value(const T &x)
{
    yoke_arg arg = {};
    arg.value = &x;
    arg.value_size = sizeof x;
    return arg;
}
template <class T> /* it would be gone before submit: name a variable */
typename std::enable_if<std::is_class<T>::value, yoke_arg>::type yoke_value(const T &&x) = delete;

inline yoke_arg yoke_value_of(const void *pointer, size_t size)
{
    yoke_arg arg = {};
    arg.value = pointer;
    arg.value_size = size;
    return arg;
}
inline yoke_arg yk_arg_of(yoke_param_mode mode, yoke_array *array, yoke_shape shape = YOKE_ROWS,
                          yoke_home home = YOKE_HOME_LATER)
{
    yoke_arg arg = {};
    arg.mode = mode;
    arg.array = array;
    arg.shape = shape;
    arg.home = home;
    return arg;
}
inline yoke_arg yoke_row_distance(yoke_array *a)
{
    return yk_arg_of(YOKE_PARAM_VALUE, a);
}
inline yoke_arg yoke_use(yoke_array *a)
{
    return yk_arg_of(YOKE_PARAM_AS_KERNEL, a);
}
inline yoke_arg yoke_in(yoke_array *a)
{
    return yk_arg_of(YOKE_PARAM_IN, a);
}
inline yoke_arg yoke_in_whole(yoke_array *a)
{
    return yk_arg_of(YOKE_PARAM_IN, a, YOKE_WHOLE);
}
inline yoke_arg yoke_in_halo(yoke_array *a, int64_t before, int64_t after)
{
    yoke_arg arg = yk_arg_of(YOKE_PARAM_IN, a, YOKE_HALO);
    arg.before = before;
    arg.after = after;
    return arg;
}
inline yoke_arg yoke_in_custom(yoke_array *a, yoke_rows_fn *rows, const void *context)
{
    yoke_arg arg = yk_arg_of(YOKE_PARAM_IN, a, YOKE_CUSTOM);
    arg.rows = rows;
    arg.rows_context = context;
    return arg;
}
inline yoke_arg yoke_out(yoke_array *a)
{
    return yk_arg_of(YOKE_PARAM_OUT, a);
}
inline yoke_arg yoke_out_part(yoke_array *a)
{
    return yk_arg_of(YOKE_PARAM_OUT, a, YOKE_PART);
}
inline yoke_arg yoke_out_home(yoke_array *a)
{
    return yk_arg_of(YOKE_PARAM_OUT, a, YOKE_ROWS, YOKE_HOME_NOW);
}
inline yoke_arg yoke_inout(yoke_array *a)
{
    return yk_arg_of(YOKE_PARAM_INOUT, a);
}
inline yoke_arg yoke_inout_home(yoke_array *a)
{
    return yk_arg_of(YOKE_PARAM_INOUT, a, YOKE_ROWS, YOKE_HOME_NOW);
}
template <class T> inline yoke_arg yoke_reduce_to(T *pointer)
{
    yoke_arg arg = yk_arg_of(YOKE_PARAM_REDUCE, nullptr);
    arg.value = pointer;
    arg.value_size = sizeof *pointer;
    arg.type = yk_type_of<T>();
    return arg;
}
template <class T> inline yoke_arg yoke_reduce_onto(T *pointer)
{
    yoke_arg arg = yoke_reduce_to(pointer);
    arg.shape = YOKE_ONTO;
    return arg;
}
inline yoke_arg yoke_reduce_to_array(yoke_array *a)
{
    return yk_arg_of(YOKE_PARAM_REDUCE, a);
}
inline yoke_arg yoke_reduce_onto_array(yoke_array *a)
{
    return yk_arg_of(YOKE_PARAM_REDUCE, a, YOKE_ONTO);
}
inline yoke_arg yoke_add_to(yoke_array *a)
{
    return yk_arg_of(YOKE_PARAM_ADD, a, YOKE_WHOLE);
}
#endif
#endif
