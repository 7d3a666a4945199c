/* derive.h - PURE. Lessons for sizes that nothing has run with yet, from those of other sizes
 * (papers/003, "configuration derivation"). Methods are entries of one table.
 */
#ifndef YK_MODEL_DERIVE_H
#define YK_MODEL_DERIVE_H

#include "record.h"

enum { YK_DERIVE_MOST = 16 };

/* What a method starts from: lessons that can be true, of the same devices as the nearest, with as
 * many sizes as are asked for; nearest first. */
struct yk_derive_from {
    const struct yk_sizes *sizes;
    const struct yk_lesson *known[YK_DERIVE_MOST];
    int count; /* 1 at least */
};

struct yk_derivation {
    const char *name, *summary;
    /* `out` holds the nearest lesson, with these sizes, nothing in it that only a run can tell. */
    void (*derive)(const struct yk_derive_from *from, struct yk_lesson *out);
};
extern const struct yk_derivation *const yk_derivations[]; /* the usual one first; NULL ends them */
extern const struct yk_derivation yk_derive_nearest, yk_derive_model;

/* NULL if there is none called so. */
const struct yk_derivation *yk_derivation_find(const char *name);

/* 1 and a lesson of origin DERIVED, confirmed never, seen 0; or 0: what is known does not help.
 * Lessons of `known` that cannot be true, that are of other devices or of other counts of sizes
 * than the nearest that helps, or that tell no speed, do not count; derived ones only where nothing
 * measured is known. */
int yk_derive(const struct yk_derivation *how, const struct yk_sizes *sizes,
              const struct yk_lesson_list *known, struct yk_lesson *out);

#endif
