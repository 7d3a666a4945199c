/* loop.h - the kernels that solve a problem, and their arguments. */
#ifndef LOOP_H
#define LOOP_H

#include <yoke/arg.h>

#include "problems.h"

enum { LOOP_OPERANDS_MAX = 7, LOOP_STEPS_MAX = 2 };

/* One argument of a kernel: an array of the problem, or a value. */
struct loop_operand {
    int array;         /* used if there is neither a value nor a size */
    yoke_shape shape;  /* of an array */
    int halo;          /* for YOKE_HALO: rows before and after */
    const void *value; /* NULL: there is none */
    size_t bytes;
    int size; /* 1 + the dimension of the range whose size is the value; 0: none */
};

struct loop_step {
    const yoke_kernel *kernel; /* NULL ends a list */
    struct loop_operand operand[LOOP_OPERANDS_MAX];
    int64_t margin; /* indexes left out at both ends of each dimension (plain.h) */
};

struct loop {
    struct loop_step step[LOOP_STEPS_MAX + 1];
    int repeats; /* of all steps in one run; 0: they run once */
};
/* The stencil from one array to the other, and back: two steps. */
extern const struct loop stencil_by_turns;
/* The steps that solve problem_kinds[k]. */
extern const struct loop loops[PROBLEM_COUNT];

#endif
