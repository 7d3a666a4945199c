/* derive.h - PURE. Derives lessons for sizes that have not run yet from those of other sizes
 * (papers/003, "configuration derivation"). Methods are entries of one table. */
#ifndef YK_KNOWLEDGE_DERIVE_H
#define YK_KNOWLEDGE_DERIVE_H

#include "record.h"

enum { YK_DERIVE_MOST = 16 };

/* A method's input: valid lessons, of the same devices as the nearest one and with as many sizes as
 * are asked for; nearest first. */
struct yk_derive_from {
    const struct yk_sizes *sizes;
    const struct yk_lesson *known[YK_DERIVE_MOST];
    int count; /* at least 1 */
};

struct yk_derivation {
    const char *name, *summary;
    /* On entry `out` is the nearest lesson with the new sizes, without what only a run can tell. */
    void (*derive)(const struct yk_derive_from *from, struct yk_lesson *out);
};
extern const struct yk_derivation *const yk_derivations[]; /* the default first; NULL ends them */
extern const struct yk_derivation yk_derive_nearest, yk_derive_model;

/* NULL if no method has this name. */
const struct yk_derivation *yk_derivation_find(const char *name);

/* Returns 1 and a lesson of origin DERIVED, confirmed 0 times, seen 0; or 0 if no known lesson
 * helps. Ignores lessons of `known` that are invalid, that have other devices or another number of
 * sizes than the nearest useful one, or that have no speed. Uses derived lessons only if there is
 * no measured one. */
int yk_derive(const struct yk_derivation *how, const struct yk_sizes *sizes,
              const struct yk_lesson_list *known, struct yk_lesson *out);

#endif
