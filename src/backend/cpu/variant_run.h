/* variant_run.h - calls a kernel's CPU variants: a given one, or all that the processor can run,
 * compared in the first chunks (variant_trial.h), after which the fastest is kept.
 *
 * Any number of cores may call it at the same time, but only one of them compares. The others
 * divide their chunks into slices, so that each soon uses the variant found. After the comparison,
 * a call costs two loads more than a plain call of the function.
 */
#ifndef YK_BACKEND_CPU_VARIANT_RUN_H
#define YK_BACKEND_CPU_VARIANT_RUN_H

#include <stdatomic.h>

#include "variant_trial.h"

struct yk_variant_run {
    _Atomic(yoke_cpu_fn *) best; /* the fastest variant so far */
    atomic_llong compares_from;  /* compare in chunks of at least this many items; INT64_MAX: in
                                  * none */
    atomic_int is_comparing;     /* 1: a core uses the fields below */
    struct yk_variant_trial trial;
    yoke_cpu_fn *function[YOKE_CPU_VARIANTS]; /* of the variants in the trial */
    const char *name[YOKE_CPU_VARIANTS], *kernel;
};

/* Always calls `function`. */
void yk_variant_run_open_one(struct yk_variant_run *run, yoke_cpu_fn *function);
/* Uses the kernel's variants up to number `highest`, of which there must be at least one. Keeps a
 * pointer to kernel->name. */
void yk_variant_run_open(struct yk_variant_run *run, const yoke_kernel *kernel, int highest);

void yk_variant_run(struct yk_variant_run *run, void *const *args, const yoke_chunk *chunk);

#endif
