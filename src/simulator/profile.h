/* profile.h - PURE. What the items of a loop cost, in units of the average cost.
 *
 * The cost of any stretch of items is computed from stored sums, in O(1). A loop longer than 2^20
 * items has sums of stretches of equal length, within which all items cost the same.
 */
#ifndef YK_SIMULATOR_PROFILE_H
#define YK_SIMULATOR_PROFILE_H

#include <stdint.h>
#include <yoke/status.h>

enum yk_profile_kind {
    YK_PROFILE_REGULAR,
    YK_PROFILE_LINEAR_UP, /* from 1 - spread to 1 + spread times the average */
    YK_PROFILE_LINEAR_DOWN,
    YK_PROFILE_RANDOM,    /* each from 1 - spread to 1 + spread, evenly distributed */
    YK_PROFILE_CLUSTERED, /* `share` of the stretches cost `dear` times as much as the others */
    YK_PROFILE_RECORDED   /* costs of stretches of equal length, in any unit */
};

struct yk_profile_spec {
    enum yk_profile_kind kind;
    int64_t items; /* >= 1 */
    double spread; /* 0 .. 1 */
    double dear, share;
    int64_t stretches; /* of a clustered profile */
    int64_t seed;
    const double *costs; /* borrowed until opened */
    int64_t cost_count;
};

struct yk_profile {
    enum yk_profile_kind kind;
    int64_t items;
    double spread;
    double *sums;   /* sums of the costs of the first 0, 1, 2 ... steps; NULL: by `spread` */
    int64_t step;   /* items per step */
    double dearest; /* cost of the most expensive item, in average items */
};

/* Reads "regular", "linear-up:spread=0.5", "random:spread=1:seed=3", "clustered:dear=8:share=0.25"
 * for `items` items. For "recorded" the caller has to set costs. */
yoke_status yk_profile_parse(const char *text, int64_t items, struct yk_profile_spec *out);
/* The names, in the order of the kinds; NULL beyond the last. */
const char *yk_profile_name(int kind);
yoke_status yk_profile_open(const struct yk_profile_spec *spec, struct yk_profile *out);
void yk_profile_close(struct yk_profile *profile);
/* Cost of items first .. last - 1 of 0 .. items - 1; all together cost `items`. */
double yk_profile_cost(const struct yk_profile *profile, int64_t first, int64_t last);

#endif
