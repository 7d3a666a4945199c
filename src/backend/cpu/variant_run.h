/* variant_run.h - calls of a kernel's CPU variants: those it was told, or all that the processor
 * runs, compared in the first chunks (variant_trial.h), of which the fastest stays.
 *
 * Any number of cores may run one at the same time. Only one of them at a time compares; the others
 * take slices of their chunks, so that each soon uses what was found. Once that is settled a call
 * costs two loads more than a plain one.
 */
#ifndef YK_BACKEND_CPU_VARIANT_RUN_H
#define YK_BACKEND_CPU_VARIANT_RUN_H

#include <stdatomic.h>

#include "variant_trial.h"

struct yk_variant_run {
    _Atomic(yoke_cpu_fn *) best; /* so far */
    atomic_llong compares_from;  /* chunks of so many items are compared; INT64_MAX: none */
    atomic_flag is_comparing;    /* owns what follows */
    struct yk_variant_trial trial;
    yoke_cpu_fn *function[YOKE_CPU_VARIANTS]; /* of the trial's variants */
    const char *name[YOKE_CPU_VARIANTS], *kernel;
};

/* One function for all. */
void yk_variant_run_open_one(struct yk_variant_run *run, yoke_cpu_fn *function);
/* The kernel's variants up to `highest`, of which there is one at least. It keeps kernel->name. */
void yk_variant_run_open(struct yk_variant_run *run, const yoke_kernel *kernel, int highest);

void yk_variant_run(struct yk_variant_run *run, void *const *args, const yoke_chunk *chunk);

#endif
