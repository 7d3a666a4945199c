/* loop.c - see loop.h. */
#include "loop.h"

extern const yoke_kernel mandelbrot, blur_rows, blur_columns, black_scholes, binomial, dot_add,
    dot_group, dot_reduce, dot_rows, histogram, stencil, stencil_interior, push, lookup, gather,
    mixed, saxpy, reduce_sum, reduce_max, reduce_argmin;

/* clang-format off */
#define VALUE(v) { .value = &(v), .bytes = sizeof(v) }
#define SIZE(d)  { .size = 1 + (d) }
#define ROWS(a)  { .array = (a) }
#define HALO(a, rows) { .array = (a), .shape = YOKE_HALO, .halo = (rows) }
#define ONTO(a)  { .array = (a), .shape = YOKE_ONTO }
#define WHOLE(a) { .array = (a), .shape = YOKE_WHOLE }

const struct loop loops[PROBLEM_COUNT] = {
    {{ { &mandelbrot, { SIZE(0), VALUE(mandelbrot_limit), ROWS(0) } } }},
    {{ { &blur_rows, { ROWS(0), ROWS(1) } },
       { &blur_columns, { SIZE(0), HALO(1, BLUR_RADIUS), ROWS(2) } } }},
    {{ { &black_scholes, { VALUE(option_rate), VALUE(option_volatility), ROWS(0), ROWS(1), ROWS(2), ROWS(3), ROWS(4) } } }},
    {{ { &binomial, { VALUE(option_rate), VALUE(option_volatility), ROWS(0), ROWS(1), ROWS(2), ROWS(3) } } }},
    {{ { &dot_add, { ROWS(0), ROWS(1), WHOLE(2) } } }},
    {{ { &dot_group, { ROWS(0), ROWS(1), WHOLE(2) } } }},
    {{ { &dot_reduce, { ROWS(0), ROWS(1), ONTO(2) } } }},
    {{ { &dot_rows, { VALUE(dot_columns), ROWS(0), ROWS(1), ROWS(2) } } }},
    {{ { &histogram, { ROWS(0), WHOLE(1) } } }},
    {{ { &stencil, { SIZE(0), HALO(0, 1), ROWS(1) } } }},
    {{ { &stencil_interior, { HALO(0, 1), ROWS(1) }, .margin = 1 } }},
    {{ { &push, { VALUE(push_field), VALUE(push_dt), ROWS(0) } } }},
    {{ { &lookup, { VALUE(lookup_points), ROWS(0), WHOLE(1), ROWS(2) } } }},
    {{ { &gather, { ROWS(0), WHOLE(1), ROWS(2) } } }},
    {{ { &mixed, { ROWS(0), ROWS(1), ROWS(2), ROWS(3), ROWS(4) } } }},
    {{ { &saxpy, { VALUE(saxpy_a), ROWS(0), ROWS(1) } } }},
    {{ { &reduce_sum, { ROWS(0), ROWS(1) } } }},
    {{ { &reduce_max, { ROWS(0), ROWS(1) } } }},
    {{ { &reduce_argmin, { ROWS(0), ROWS(1) } } }},
};

const struct loop stencil_by_turns = {
    { { &stencil, { SIZE(0), HALO(0, 1), ROWS(1) } }, { &stencil, { SIZE(0), HALO(1, 1), ROWS(0) } } }
};
