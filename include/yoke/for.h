/* yoke/for.h - one line for one loop.
 *
 *     yoke_for(NULL, &saxpy, n, a, x, y);
 *
 * runs kernel saxpy for the indexes 0 .. n - 1 on all devices that are open by now (GPUs come 0.4
 * to 0.8 s after a program's start: yoke_loading in runtime.h), with the arguments in the order of
 * its parameters. It returns when the results are in memory; they are copied there as chunks end,
 * while other chunks compute (YOKE_HOME_NOW). The kernel says how each argument is used (read,
 * written, added to). yoke_for2 and yoke_for3 run kernels of two and three dimensions:
 *
 *     yoke_for2(NULL, &blur, height, width, yoke_halo(from, 1, 1), to);
 *
 * A dimension is the number of its indexes (all of them are done), or a part of them:
 *
 *     yoke_interior(n, margin)       margin .. n - margin - 1; none if n is too small
 *     yoke_indexes(first, last, n)   first .. last - 1; 0 <= first <= last <= n
 *
 *     yoke_for2(NULL, &blur, yoke_interior(height, 1), yoke_interior(width, 1),
 *               yoke_halo(from, 1, 1), to);
 *
 * Arrays still have n rows (and YOKE_SIZE2, YOKE_SIZE3 are n); elements that are not written keep
 * their values.
 *
 * An argument is
 *
 *     a number or a struct     for YOKE_VALUE. It must have the parameter's type; only an integer
 *                              whose value fits is converted
 *     x                        a pointer to n elements, one per index; in two or three dimensions,
 *                              to n rows, each with one element per index of the further
 *                              dimensions. Index i uses row i. The size of a C array is checked;
 *                              of a longer one only these rows count, so x and x + n may be two
 *                              arguments. Of a C array of arrays, x[n][m], pass the first element:
 *                              &x[0][0]
 *     yoke_row(x, elements)    a pointer to n rows of `elements` elements; index i uses row i. 0:
 *                              nothing of x is used
 *     yoke_whole(x, count)     a pointer to `count` elements that every index may use: a table, the
 *                              bins of a histogram; 0: there are none. YOKE_ADD needs it, except
 *                              for C arrays
 *     yoke_whole(x)            the same, with as many elements as x has without yoke_whole
 *     yoke_halo(x, b, c)       index i also reads rows i - b .. i + c; also with yoke_row(x, ...)
 *     &s                       for YOKE_REDUCE and YOKE_FOLD: a variable of the parameter's type,
 *                              which is set to the result
 *     yoke_onto(&s)            the same; its present value takes part in the result
 *     a yoke_array *           instead of a pointer. Its rows stay on the devices until other
 *                              devices or yoke_array_acquire need them: for consecutive loops
 *
 * yoke_submit_for, yoke_submit_for2 and yoke_submit_for3 have the same arguments and do not wait:
 *
 *     for (int step = 0; step < steps; step++) {
 *         yoke_submit_for(NULL, &forces, n, x, f);
 *         yoke_submit_for(NULL, &move, n, dt, f, x);
 *     }
 *     status = yoke_wait_all(NULL);
 *
 * Each loop runs after those whose rows it needs, and the devices have the next one before the
 * present one ends. Arrays are yoke_array *: memory behind a pointer is refused, because it would
 * have to stay. Numbers and structs are copied; a result &s must stay until yoke_wait_all, which
 * also returns whether a loop failed.
 *
 * Memory behind pointers belongs to the program and is current before and after the call: each call
 * copies what devices need to them, and the results back. The same memory may be given twice only
 * if both uses read it. Memory of an array that is open is given as that array, not as a pointer:
 * devices may have newer rows of it, and do not learn of new ones (YOKE_CHECK=1 finds that).
 *
 * The runtime may be NULL: then it is yoke_default(). Status and yoke_error_text() are those of
 * yoke_run. docs/tutorial.md begins with yoke_for. Thread-safe. A call takes as long as yoke_run,
 * plus about 0.5 us for each different pointer and the time of the copies. For results,
 * partitioners, other shapes and jobs that overlap: yoke/job.h. The arguments, at most 24, are
 * evaluated once, in no defined order; a compound literal with commas needs parentheses. */
#ifndef YOKE_FOR_H
#define YOKE_FOR_H

#include <yoke/arg.h>
#include <yoke/kernel_each.h>
#include <yoke/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The runtime of calls whose `runtime` is NULL. The first call opens it, with YOKE_DEVICES and the
 * other environment variables. At the program's end it waits for its jobs and for a kernel that is
 * being compiled (30 s at most), and writes what yoke_close writes; a timeline that cannot be
 * written is a warning. It may be closed earlier, by yoke_close while no other thread uses it; the
 * next call then opens another. Returns NULL if it cannot be opened; yoke_error_text() says why,
 * and so does each call that is given this NULL. Thread-safe. */
YOKE_API yoke_runtime *yoke_default(void);

/* What an argument of yoke_for is. */
typedef enum yoke_given_kind {
    YOKE_GIVEN_VALUE,        /* a number or a struct */
    YOKE_GIVEN_MEMORY,       /* a pointer */
    YOKE_GIVEN_CONST_MEMORY, /* a pointer to const: only read */
    YOKE_GIVEN_ARRAY         /* a yoke_array * */
} yoke_given_kind;

/* The count of memory, or of a row, that is known to have no element. */
#define YOKE_NO_ELEMENTS INT64_MIN
/* The count of an array or a container that has fewer elements than yoke_whole names. */
#define YOKE_TOO_FEW_ELEMENTS (INT64_MIN + 1)

/* An argument as the compiler sees it. */
typedef struct yoke_given {
    yoke_given_kind kind;  /* says which of the fields below are used */
    yoke_type type;        /* of the value, or of the elements */
    size_t size;           /* bytes of the value, or of an element */
    const void *at;        /* the value, or the first element */
    yoke_array *array;     /* YOKE_GIVEN_ARRAY */
    int64_t count;         /* number of elements there; 0: as many as the range needs;
                            * YOKE_NO_ELEMENTS, YOKE_TOO_FEW_ELEMENTS: see there */
    int64_t row_elements;  /* elements in a row; 0: one for each index of the further dimensions;
                            * or YOKE_NO_ELEMENTS */
    yoke_shape shape;      /* rows that an index touches */
    int64_t before, after; /* YOKE_HALO: rows */
} yoke_given;

/* Indexes first .. last - 1 of a dimension of that size. */
typedef struct yoke_span {
    int64_t first, last, size; /* first index; one past the last; the size that the body sees */
} yoke_span;
/* The indexes first .. last - 1 of a dimension with `size` indexes. */
static inline yoke_span yoke_indexes(int64_t first, int64_t last, int64_t size)
{
    const yoke_span span = { first, last, size };
    return span;
}
/* All indexes but the first `margin` and the last `margin`; none if there are too few. */
static inline yoke_span yoke_interior(int64_t size, int64_t margin)
{
    return size > margin && size - margin > margin ? yoke_indexes(margin, size - margin, size)
                                                   : yoke_indexes(0, 0, size);
}

/* What yoke_for makes of its arguments; borrowed during the call. */
typedef struct yoke_loop {
    const yoke_kernel *kernel; /* what is run */
    int dimensions;            /* of the range: the kernel's */
    yoke_span along[3];        /* each dimension; further entries are ignored */
    const yoke_given *given;   /* in the order of the kernel's parameters */
    int given_count;           /* at most YOKE_ARGS_MAX */
} yoke_loop;
/* What yoke_for, yoke_for2 and yoke_for3 call: runs the loop and waits. `runtime` NULL:
 * yoke_default(). Errors are those of yoke_run. Thread-safe. */
YOKE_API yoke_status yoke_loop_run(yoke_runtime *runtime, const yoke_loop *loop);
/* What yoke_submit_for calls: yoke_submit without a ticket (yoke/job.h). YOKE_EINVAL also: an
 * argument is memory behind a pointer. */
YOKE_API yoke_status yoke_loop_submit(yoke_runtime *runtime, const yoke_loop *loop);

static inline yoke_given yk_with_row(yoke_given x, int64_t elements)
{
    x.row_elements = elements ? elements : YOKE_NO_ELEMENTS;
    return x;
}
static inline yoke_given yk_with_count(yoke_given x, int64_t count)
{
    const int are_missing = count > 0 && x.count && count > x.count;
    x.count = are_missing ? YOKE_TOO_FEW_ELEMENTS : count ? count : YOKE_NO_ELEMENTS;
    return x;
}
static inline yoke_given yk_with_whole(yoke_given x)
{
    x.shape = YOKE_WHOLE;
    return x;
}
static inline yoke_given yk_with_halo(yoke_given x, int64_t before, int64_t after)
{
    x.shape = YOKE_HALO;
    x.before = before;
    x.after = after;
    return x;
}

static inline yoke_given yk_with_onto(yoke_given x)
{
    x.shape = YOKE_ONTO;
    return x;
}

#ifdef __cplusplus
}
#include <yoke/for_cpp.h>
#else

/* Runs a kernel for n indexes: see the head of this file. */
#define yoke_for(runtime, kernel, n, ...)                                                          \
    yoke_loop_run((runtime), YK_LOOP_OF(kernel, 1, (n, 1, 1), __VA_ARGS__))
/* Runs a kernel for n x m indexes; the first dimension is split over devices. */
#define yoke_for2(runtime, kernel, n, m, ...)                                                      \
    yoke_loop_run((runtime), YK_LOOP_OF(kernel, 2, (n, m, 1), __VA_ARGS__))
/* Runs a kernel for n x m x l indexes. */
#define yoke_for3(runtime, kernel, n, m, l, ...)                                                   \
    yoke_loop_run((runtime), YK_LOOP_OF(kernel, 3, (n, m, l), __VA_ARGS__))
/* yoke_for without waiting for its end. */
#define yoke_submit_for(runtime, kernel, n, ...)                                                   \
    yoke_loop_submit((runtime), YK_LOOP_OF(kernel, 1, (n, 1, 1), __VA_ARGS__))
/* yoke_for2 without waiting for its end. */
#define yoke_submit_for2(runtime, kernel, n, m, ...)                                               \
    yoke_loop_submit((runtime), YK_LOOP_OF(kernel, 2, (n, m, 1), __VA_ARGS__))
/* yoke_for3 without waiting for its end. */
#define yoke_submit_for3(runtime, kernel, n, m, l, ...)                                            \
    yoke_loop_submit((runtime), YK_LOOP_OF(kernel, 3, (n, m, l), __VA_ARGS__))
/* Index i uses row i of the memory at x; each row has `elements` elements. */
#define yoke_row(x, elements)        yk_with_row(YK_GIVEN(x), elements)
/* Index i also reads rows i - before .. i + after. */
#define yoke_halo(x, before, after)  yk_with_halo(YK_GIVEN(x), before, after)
/* The present value of x, a pointer to a result, takes part in the result. */
#define yoke_onto(x)                 yk_with_onto(YK_GIVEN(x))
/* yoke_whole(x, count) or yoke_whole(x): every index may use any element of x. */
#define yoke_whole(...)              YK_WHOLE(__VA_ARGS__, YK_WHOLE_OF, YK_WHOLE_ALL, ~)
#define YK_WHOLE(x, count, how, ...) how(x, count)
#define YK_WHOLE_OF(x, count)        yk_with_count(YK_WHOLE_ALL(x, ), count)
#define YK_WHOLE_ALL(x, unused)      yk_with_whole(YK_GIVEN(x))

#define YK_LOOP_OF(kernel_, dimensions_, sizes_, ...)                                              \
    (&(const yoke_loop){ .kernel = (kernel_),                                                      \
                         .dimensions = dimensions_,                                                \
                         .along = { YK_SPANS_OF sizes_ },                                          \
                         .given = (const yoke_given[]){ YK_EACH(YK_GIVEN_ITEM, __VA_ARGS__) },     \
                         .given_count = YK_AT_MOST_24(YK_COUNT(__VA_ARGS__)) })
#define YK_SPANS_OF(n, m, l) YK_SPAN(n), YK_SPAN(m), YK_SPAN(l)
#define YK_SPAN(n)           _Generic((n), yoke_span : yk_span_given, default : yk_span_all)(n)
#define YK_GIVEN_ITEM(k, x)  YK_GIVEN(x),
/* No _Static_assert: with -std=c99 the C library makes it a declaration, which no struct can hold.
 */
#define YK_AT_MOST_24(count)                                                                       \
    ((int)(sizeof(struct {                                                                         \
               char a_kernel_has_at_most_24_arguments[(count) <= YOKE_ARGS_MAX ? 1 : -1];          \
               char bytes[count];                                                                  \
           }) -                                                                                    \
           1))

/* One expression of any type. It is evaluated only where YK_COPY copies it (an array: its address);
 * everything else uses only its type. */
#define YK_GIVEN(x)                                                                                \
    yk_given(YK_COPY(x), _Generic((x), yoke_given : 1, default : 0), YK_ARRAY_SIZE(x),             \
             (const yoke_given){                                                                   \
                 .kind = YK_KIND(x), .type = YK_ELEMENT_TYPE(x), .size = YK_ELEMENT_SIZE(x) })

#define YK_DECAYED(x)  __typeof__(((void)0, (x)))
#define YK_COPY(x)     ((const void *)(YK_DECAYED(x)[1]){ x })
#define YK_IS_ARRAY(x) _Generic((x), yoke_array * : 1, default : 0)
/* A pointer to what x points to; to char if x is no pointer, or points to an incomplete type. */
#define YK_POINTER(x)  __builtin_choose_expr(YK_IS_POINTER(x) && !YK_IS_ARRAY(x), (x), (char *)1)
#define YK_KIND(x)                                                                                 \
    (YK_IS_ARRAY(x)       ? YOKE_GIVEN_ARRAY                                                       \
     : !YK_IS_POINTER(x)  ? YOKE_GIVEN_VALUE                                                       \
     : YK_IS_READ_ONLY(x) ? YOKE_GIVEN_CONST_MEMORY                                                \
                          : YOKE_GIVEN_MEMORY)
/* ?: of two pointers, one of them void *, gives a void pointer, const if either was. */
#define YK_IS_READ_ONLY(x) _Generic(1 ? YK_POINTER(x) : (void *)1, const void * : 1, default : 0)
#define YK_ELEMENT_TYPE(x) (YK_IS_POINTER(x) ? YK_TYPE_OF(*YK_POINTER(x)) : YK_TYPE_OF(x))
#define YK_ELEMENT_SIZE(x) (YK_IS_POINTER(x) ? sizeof(*YK_POINTER(x)) : sizeof(YK_DECAYED(x)))
/* Bytes of the whole array; 0 if x is no array. (clang warns of sizeof(x) if x is `array + 1`.) */
#define YK_ARRAY_SIZE(x)                                                                           \
    (__builtin_types_compatible_p(__typeof__(x), YK_DECAYED(x)) ? 0 : sizeof(__typeof__(x)))

static inline yoke_span yk_span_given(yoke_span span)
{
    return span;
}
static inline yoke_span yk_span_all(int64_t size)
{
    return yoke_indexes(0, size, size);
}

static inline yoke_given yk_given(const void *copy, int is_given, size_t array_size, yoke_given as)
{
    if (is_given)
        return *(const yoke_given *)copy;
    if (as.kind == YOKE_GIVEN_ARRAY)
        as.array = *(yoke_array *const *)copy;
    else if (as.kind == YOKE_GIVEN_VALUE)
        as.at = copy;
    else
        as.at = *(const void *const *)copy;
    as.count = (int64_t)(array_size / as.size);
    return as;
}
#endif
#endif
