/* yoke/arg.h - the arguments of a job: values, and arrays with the way the kernel touches them
 * (docs/tutorial.md, docs/kernels.md). */
#ifndef YOKE_ARG_H
#define YOKE_ARG_H

#include <yoke/array.h>
#include <yoke/kernel_type.h>
#include <yoke/type_of.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Largest number of arguments of a job, and of stages of a job. */
enum { YOKE_ARGS_MAX = 24 };

/* Which rows of an array each index of the range touches. */
typedef enum yoke_shape {
    YOKE_ROWS,   /* index i touches row i */
    YOKE_HALO,   /* rows i - before .. i + after, cut at the array's ends; only for in */
    YOKE_WHOLE,  /* any row */
    YOKE_CUSTOM, /* the rows that a callback returns (a CSR matrix's rows to its non-zeros) */
    YOKE_PART,   /* index i touches row i and writes part of it; the other elements become
                  * undefined; only for out */
    YOKE_ONTO    /* only for reduce: the result's present value takes part in the result, instead of
                  * being overwritten (YOKE_ROWS) */
} yoke_shape;

/* An interval of rows or of indexes, first .. last - 1. */
typedef struct yoke_rows {
    int64_t first, last; /* the first one; one past the last one */
} yoke_rows;

/* YOKE_CUSTOM: returns the rows that the indexes `range` touch, as one interval; if they lie in
 * several places, the interval that encloses them (papers/002, section 4.1, has a hierarchy of
 * sub-domains instead). Must be pure (same input, same result); is called from any thread. The rows
 * of a part of a range must be among those of the range, and all rows must be the array's; an empty
 * interval (last = first) is allowed. For out and inout, disjoint ranges must have disjoint rows. A
 * violation that yoke notices is YOKE_EINVAL: at submit, or at the job's end if only a chunk shows
 * it. */
typedef yoke_rows yoke_rows_fn(const void *context, yoke_rows range);

/* YOKE_PARAM_ADD: folds `count` elements of a private copy into the array or another copy; called
 * by several threads, for different memory. Must be associative and commutative up to rounding,
 * with all-zero bytes as identity. NULL: a sum of float, double, or 32- or 64-bit integers. */
typedef void yoke_merge_fn(void *into, const void *from, int64_t count);

/* When rows that a job wrote on a device are copied to the host. */
typedef enum yoke_home {
    YOKE_HOME_LATER, /* when the host acquires them or another device needs them */
    YOKE_HOME_NOW    /* as each chunk ends, while other chunks run */
} yoke_home;

/* One argument. Its layout does not change, because a job contains an array of them. */
typedef struct yoke_arg {
    yoke_param_mode mode;     /* how the kernel uses it */
    yoke_array *array;        /* NULL for a value (but see yoke_row_distance), and for a result at
                               * `value` */
    const void *value;        /* mode value: read there at submit; NULL: see `bits`. Mode reduce
                               * without an array: the result is written there when the job ends */
    size_t value_size;        /* bytes of the value or the result */
    yoke_type type;           /* of the number in `bits`, or of the result at `value` */
    uint64_t bits;            /* bytes of the number, lowest first */
    yoke_shape shape;         /* rows that an index touches */
    int64_t before, after;    /* YOKE_HALO */
    yoke_rows_fn *rows;       /* YOKE_CUSTOM */
    const void *rows_context; /* passed to `rows` */
    yoke_merge_fn *merge;     /* YOKE_PARAM_ADD */
    yoke_home home;           /* out and inout */
} yoke_arg;

#ifdef __cplusplus
}
#endif

/* Shorthands for the args list; each fills one yoke_arg. In C they are initialisers: .args = {
 * yoke_value(2.0f), yoke_in(x) }, args[0] = (yoke_arg)yoke_in(x). In C++ they are functions:
 * args[0] = yoke_in(x). */
#ifndef __cplusplus
/* A value: the `size` bytes at `pointer`, read at submit. */
#define yoke_value_of(pointer, size)                                                               \
    {                                                                                              \
        .mode = YOKE_PARAM_VALUE, .value = (pointer), .value_size = (size)                         \
    }
/* A number (also an expression), with its present value; or a struct variable, whose address is
 * kept and whose value is read at submit. */
#define yoke_value(x)                                                                              \
    {                                                                                              \
        .mode = YOKE_PARAM_VALUE,                                                                  \
        .value = &__builtin_choose_expr(YK_IS_STRUCT(x), (x), *(const char *)0),                   \
        .value_size = sizeof(x), .type = YK_TYPE_OF(x), .bits = YK_BITS(x)                         \
    }
/* An array, in the mode of the kernel's parameter. */
#define yoke_use(a)                                                                                \
    {                                                                                              \
        .mode = YOKE_PARAM_AS_KERNEL, .array = (a)                                                 \
    }
/* An int64_t value: the elements from one row to the next of `a`, the array of another argument, on
 * the device. A kernel that reads b[k * distance + j] can be given a panel, and the device needs no
 * room for the whole array (docs/memory.md). */
#define yoke_row_distance(a)                                                                       \
    {                                                                                              \
        .mode = YOKE_PARAM_VALUE, .array = (a)                                                     \
    }
/* Read; index i touches row i. */
#define yoke_in(a)                                                                                 \
    {                                                                                              \
        .mode = YOKE_PARAM_IN, .array = (a)                                                        \
    }
/* Read; index i may touch any row. */
#define yoke_in_whole(a)                                                                           \
    {                                                                                              \
        .mode = YOKE_PARAM_IN, .array = (a), .shape = YOKE_WHOLE                                   \
    }
/* Read; index i touches rows i - rows_before .. i + rows_after. */
#define yoke_in_halo(a, rows_before, rows_after)                                                   \
    {                                                                                              \
        .mode = YOKE_PARAM_IN, .array = (a), .shape = YOKE_HALO, .before = (rows_before),          \
        .after = (rows_after)                                                                      \
    }
/* Read; the rows that function(state, range) returns. */
#define yoke_in_custom(a, function, state)                                                         \
    {                                                                                              \
        .mode = YOKE_PARAM_IN, .array = (a), .shape = YOKE_CUSTOM, .rows = (function),             \
        .rows_context = (state)                                                                    \
    }
/* Written; index i touches row i. */
#define yoke_out(a)                                                                                \
    {                                                                                              \
        .mode = YOKE_PARAM_OUT, .array = (a)                                                       \
    }
/* Index i writes part of row i; the row's other elements become undefined, even if a range without
 * edges would keep them (yoke/job.h). */
#define yoke_out_part(a)                                                                           \
    {                                                                                              \
        .mode = YOKE_PARAM_OUT, .array = (a), .shape = YOKE_PART                                   \
    }
/* Written; results come home as each chunk ends. */
#define yoke_out_home(a)                                                                           \
    {                                                                                              \
        .mode = YOKE_PARAM_OUT, .array = (a), .home = YOKE_HOME_NOW                                \
    }
/* Read and written; index i touches row i. */
#define yoke_inout(a)                                                                              \
    {                                                                                              \
        .mode = YOKE_PARAM_INOUT, .array = (a)                                                     \
    }
/* Read and written; results come home as each chunk ends. */
#define yoke_inout_home(a)                                                                         \
    {                                                                                              \
        .mode = YOKE_PARAM_INOUT, .array = (a), .home = YOKE_HOME_NOW                              \
    }
/* The program's variable at `pointer`, of the parameter's type, is set to the result of a
 * YOKE_REDUCE or YOKE_FOLD when the job ends. It does not change if the job fails. */
#define yoke_reduce_to(pointer)                                                                    \
    {                                                                                              \
        .mode = YOKE_PARAM_REDUCE, .value = (pointer), .value_size = sizeof *(pointer),            \
        .type = YK_TYPE_OF(*(pointer))                                                             \
    }
/* As yoke_reduce_to; the value that the variable has when the job ends takes part in the result. */
#define yoke_reduce_onto(pointer)                                                                  \
    {                                                                                              \
        .mode = YOKE_PARAM_REDUCE, .value = (pointer), .value_size = sizeof *(pointer),            \
        .type = YK_TYPE_OF(*(pointer)), .shape = YOKE_ONTO                                         \
    }
/* As yoke_reduce_to, to an array of one row and one element. Later jobs may use it at once. */
#define yoke_reduce_to_array(a)                                                                    \
    {                                                                                              \
        .mode = YOKE_PARAM_REDUCE, .array = (a)                                                    \
    }
/* As yoke_reduce_to_array; the array's present value takes part in the result. */
#define yoke_reduce_onto_array(a)                                                                  \
    {                                                                                              \
        .mode = YOKE_PARAM_REDUCE, .array = (a), .shape = YOKE_ONTO                                \
    }
/* Added to by yoke_add; any index may touch any row. */
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
template <class T> /* a temporary would be gone before submit: use a variable */
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
