/* sweep.c - the oracle: the best fixed split, found by running many splits, and the regret.
 *
 * Equal devices (model, settings) form a group and get equal shares, so the search is over the
 * shares of groups. It starts from the judged split and changes one group's share at a time over a
 * grid, while the others keep their proportions: first with the user's step until a round gains
 * nothing, then by 1 % around the best. With two groups the first round is the whole grid. A
 * point's time is the better of two runs, because the search needs to know what the split can do.
 * The best split and the judged partitioner then take turns, and the regret is the ratio of their
 * medians.
 *
 * Slow devices would take most of the time, so splits that cannot win are skipped. Each group alone
 * is tried first. From the best so far the search goes outwards, and stops in a direction where a
 * point takes 1.5 times as long as the best: a group with more work is not done sooner, so all
 * points beyond are as slow.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { GROUPS_MAX = 64, ROUNDS_MAX = 8 };
static const double fine_step = 0.01, hopeless = 1.5; /* hopeless: times the best */

struct sweep {
    const struct measure_spec *spec;
    struct measure *out;
    struct app_session session;
    int group_of[GROUPS_MAX]; /* by device */
    int members[GROUPS_MAX];
    int group_count;
    double shares[GROUPS_MAX]; /* of groups, the best so far; their sum is 1 */
    double seconds;
    char trial[2048];
    char text[2048]; /* the best split, as a partitioner */
};

/* The same model with the same settings: their specs differ only in the name at the beginning. */
int measure_alike(const struct measure_device *a, const struct measure_device *b)
{
    return !strcmp(a->backend, b->backend) && !strcmp(a->model, b->model) &&
           !strncmp(a->spec, a->name, strlen(a->name)) &&
           !strncmp(b->spec, b->name, strlen(b->name)) &&
           !strcmp(a->spec + strlen(a->name), b->spec + strlen(b->name));
}

static void find_groups(struct sweep *sweep)
{
    const struct measure *out = sweep->out;
    for (int d = 0; d < out->device_count; d++) {
        int same = 0;
        while (same < d && !measure_alike(&out->devices[same], &out->devices[d]))
            same++;
        int group = same < d ? sweep->group_of[same] : sweep->group_count++;
        sweep->group_of[d] = group;
        sweep->members[group]++;
        sweep->shares[group] += out->devices[d].share;
    }
}

/* A single share would mean the CPU's, so for a single device no share is written. */
static void split_text(const struct sweep *sweep, const double *shares, char text[2048])
{
    size_t used = (size_t)snprintf(text, 2048, "static");
    for (int d = 0; sweep->out->device_count > 1 && d < sweep->out->device_count; d++) {
        int group = sweep->group_of[d];
        used += (size_t)snprintf(text + used, 2048 - used, "%s%.5f",
                                 d ? "/" : ":shares=", shares[group] / sweep->members[group]);
    }
}

/* Runs a split and keeps it if it is the best so far. Sets *took (may be NULL) to its seconds. */
static yoke_status try_split(struct sweep *sweep, const double *shares, double *took)
{
    double seconds = INFINITY;
    split_text(sweep, shares, sweep->trial);
    sweep->session.run.partitioner = sweep->trial;
    for (int i = 0; i < 2 && (i == 0 || seconds < hopeless * sweep->seconds); i++) {
        double once;
        yoke_status status = app_session_time(&sweep->session, "sweep over splits", &once);
        if (status != YOKE_OK)
            return status;
        seconds = fmin(seconds, once);
    }
    if (took)
        *took = seconds;
    if (seconds < sweep->seconds) {
        sweep->seconds = seconds;
        memcpy(sweep->shares, shares, sizeof sweep->shares);
        memcpy(sweep->text, sweep->trial, sizeof sweep->text);
    }
    return YOKE_OK;
}

/* Sets the group's share to `share`; the others keep their proportions. */
static void change(const struct sweep *sweep, int group, double share, double *shares)
{
    double rest = 1 - sweep->shares[group];
    for (int c = 0; c < sweep->group_count; c++) {
        double part = rest > 1e-9 ? sweep->shares[c] / rest : 1.0 / (sweep->group_count - 1);
        shares[c] = c == group ? share : part * (1 - share);
    }
}

/* Points of a grid for one group's share: from, from + by, ... to. */
struct line {
    int group, from, to, by; /* by: 1 or -1 */
    double step;
};

static yoke_status walk(struct sweep *sweep, const struct sweep *start, const struct line *line)
{
    double seconds = 0;
    yoke_status status = YOKE_OK;
    for (int point = line->from; status == YOKE_OK && seconds < hopeless * sweep->seconds &&
                                 line->by * (line->to - point) >= 0;
         point += line->by) {
        double shares[GROUPS_MAX] = { 0 };
        change(start, line->group, fmin(1, point * line->step), shares);
        status = try_split(sweep, shares, &seconds);
    }
    return status;
}

static yoke_status search_group(struct sweep *sweep, int group, double around, double step)
{
    const struct sweep start = *sweep;
    int centre = (int)lround(start.shares[group] / step);
    int reach = (int)lround(around / step), most = (int)ceil(1 / step - 1e-9);
    struct line down = { group, centre, centre > reach ? centre - reach : 0, -1, step };
    struct line up = { group, centre + 1, most - centre > reach ? centre + reach : most, 1, step };
    yoke_status status = walk(sweep, &start, &down);
    return status == YOKE_OK ? walk(sweep, &start, &up) : status;
}

/* Tries each group alone, unless its devices alone are known to be too slow. */
static yoke_status try_corners(struct sweep *sweep)
{
    for (int group = 0; group < sweep->group_count; group++) {
        double shares[GROUPS_MAX] = { 0 };
        int first = 0;
        while (sweep->group_of[first] != group)
            first++;
        double least = sweep->out->devices[first].alone_seconds / sweep->members[group];
        if (least > hopeless * sweep->seconds)
            continue;
        shares[group] = 1;
        yoke_status status = try_split(sweep, shares, NULL);
        if (status != YOKE_OK)
            return status;
    }
    return YOKE_OK;
}

static yoke_status search(struct sweep *sweep, double around, double step)
{
    int rounds = sweep->group_count > 2 ? ROUNDS_MAX : 1;
    int groups = sweep->group_count > 2 ? sweep->group_count : sweep->group_count - 1;
    for (int round = 0; round < rounds; round++) {
        double before = sweep->seconds;
        for (int group = 0; group < groups; group++) {
            yoke_status status = search_group(sweep, group, around, step);
            if (status != YOKE_OK)
                return status;
        }
        /* A smaller gain is only noise. */
        if (round > 0 && sweep->seconds > 0.995 * before)
            break;
    }
    return YOKE_OK;
}

static yoke_status find_oracle(struct sweep *sweep)
{
    double warm, step = sweep->spec->sweep_step;
    yoke_status status = app_session_time(&sweep->session, "sweep over splits", &warm);
    if (status == YOKE_OK)
        status = try_split(sweep, sweep->shares, NULL);
    if (status == YOKE_OK)
        status = try_corners(sweep);
    if (status == YOKE_OK)
        status = search(sweep, 1, step);
    if (status == YOKE_OK && step > fine_step)
        status = search(sweep, step, fine_step);
    return status;
}

static yoke_status compare(struct sweep *sweep)
{
    double judged[APP_REPEAT_MAX], oracle[APP_REPEAT_MAX];
    int pairs = sweep->spec->repeat;
    for (int i = 0; i < pairs; i++) {
        sweep->session.run.partitioner = NULL;
        yoke_status status = app_session_time(&sweep->session, "regret, judged", &judged[i]);
        if (status != YOKE_OK)
            return status;
        sweep->session.run.partitioner = sweep->text;
        status = app_session_time(&sweep->session, "regret, oracle", &oracle[i]);
        if (status != YOKE_OK)
            return status;
    }
    sweep->out->oracle_seconds = app_median(oracle, pairs);
    sweep->out->regret = app_median(judged, pairs) / sweep->out->oracle_seconds - 1;
    return YOKE_OK;
}

static yoke_status run_sweep(struct sweep *sweep, void *state)
{
    struct app_session_spec from = { .spec = sweep->spec };
    yoke_status status = app_session_open(&from, &sweep->session);
    /* Shares are in the order of the devices, so all must be present, in the same order. */
    if (status == YOKE_OK &&
        yoke_device_count(sweep->session.run.runtime) != sweep->out->device_count)
        status =
            app_fail(YOKE_ENODEV, "a device left during the measurement, so there is no sweep; "
                                  "name the devices that should take part with --devices");
    if (status == YOKE_OK)
        status = app_session_attach(&sweep->session, state);
    if (status == YOKE_OK)
        status = find_oracle(sweep);
    if (status == YOKE_OK)
        status = compare(sweep);
    yoke_status closed = app_session_close(&sweep->session);
    return status == YOKE_OK ? closed : status;
}

yoke_status measure_sweep(const struct measure_spec *spec, void *state, struct measure *out)
{
    if (out->device_count > GROUPS_MAX)
        return app_fail(YOKE_EINVAL,
                        "a sweep handles %d devices at most; name fewer with --devices",
                        GROUPS_MAX);
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return app_fail(YOKE_ENOMEM, "no memory for a sweep over %d devices", out->device_count);
    sweep->spec = spec;
    sweep->out = out;
    sweep->seconds = INFINITY;
    find_groups(sweep);
    yoke_status status = run_sweep(sweep, state);
    for (int d = 0; status == YOKE_OK && d < out->device_count; d++)
        out->devices[d].oracle_share =
            sweep->shares[sweep->group_of[d]] / sweep->members[sweep->group_of[d]];
    free(sweep);
    return status;
}
