/* barnes_hut_check.c - is the tree one, are the forces as near as theta promises, does energy stay?
 *
 * Forces are compared with direct sums in double precision, which all cores of the host work out
 * for a sample of bodies. What a tree may err by was measured: it depends on theta, hardly on the
 * number of bodies where there are many. An error that is much smaller is wrong as well: then cells
 * are opened that theta lets be.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../bodies/gravity.h"
#include "../random.h"
#include "barnes_hut_state.h"
#include "cores.h"

enum { SAMPLE = 1000, FEW = 1000, MANY = 50000, WORST = 1000000, NOTE = 256, ENERGY_NOTE = 80 };

static const double no_vector[3];

/* --- the tree --- */

/* Cells that the walk is in, innermost last. */
struct inside {
    struct {
        int32_t skip;
        double mass, missing; /* of it, what no child has had so far */
    } cells[TREE_LEVELS + 2];
    int depth;
};

static yoke_status wrong_node(int32_t k, const char *what)
{
    return app_fail(YOKE_EINVAL, "node %d of the tree %s", (int)k, what);
}

/* Leaves what ends before node `k`, whose mass then has to be used up. */
static yoke_status leave_cells(struct inside *inside, int32_t k)
{
    while (inside->depth > 0 && inside->cells[inside->depth - 1].skip == k) {
        inside->depth--;
        if (!(fabs(inside->cells[inside->depth].missing) <=
              1e-6 * inside->cells[inside->depth].mass))
            return wrong_node(k - 1, "does not complete the mass of its cell");
    }
    return YOKE_OK;
}

static yoke_status check_node(const struct barnes_hut_state *s, int32_t k, struct inside *inside,
                              int64_t *bodies)
{
    const node_t *node = &s->nodes[k];
    const int32_t end = inside->depth ? inside->cells[inside->depth - 1].skip : s->tree.node_count;
    const int64_t after = *bodies + node->count;
    if (node->first_body != *bodies || node->count < 1 || after > s->stars)
        return wrong_node(k, "does not begin with the next body");
    if (inside->depth)
        inside->cells[inside->depth - 1].missing -= (double)node->mass;
    if (node->count == 1) {
        const body_t *body = &s->bodies[(*bodies)++];
        if (node->skip != k + 1 || node->size2 != 0 || node->x != body->x || node->y != body->y ||
            node->z != body->z || node->mass != body->mass)
            return wrong_node(k, "is not the body that it should be");
        return YOKE_OK;
    }
    if (node->skip <= k + 1 || node->skip > end || inside->depth > TREE_LEVELS)
        return wrong_node(k, "does not lie in its cell");
    if (node->skip < s->tree.node_count ? s->nodes[node->skip].first_body != after
                                        : after != s->stars)
        return wrong_node(k, "does not hold the bodies that it says");
    inside->cells[inside->depth].skip = node->skip;
    inside->cells[inside->depth].mass = inside->cells[inside->depth].missing = (double)node->mass;
    inside->depth++;
    return YOKE_OK;
}

/* Each star that there was is in the tree once. */
static yoke_status check_names(const struct barnes_hut_state *s)
{
    char *seen;
    int64_t i;
    yoke_status status = app_alloc("a list of stars", s->stars, 1, (void **)&seen);
    if (status != YOKE_OK)
        return status;
    memset(seen, 0, (size_t)s->stars);
    for (i = 0; i < s->stars && status == YOKE_OK; i++) {
        const int32_t id = s->ids[i];
        if (id < 0 || id >= s->stars || seen[id]++)
            status = app_fail(YOKE_EINVAL, "body %" PRId64 " of the tree is star %d again", i, id);
    }
    free(seen);
    return status;
}

static yoke_status check_root(const struct barnes_hut_state *s)
{
    const node_t *root = &s->nodes[0];
    double sum[4] = { 0 };
    int64_t i;
    int k;
    for (i = 0; i < s->stars; i++) {
        const body_t *b = &s->bodies[i];
        const double part[3] = { (double)b->x, (double)b->y, (double)b->z };
        for (k = 0; k < 3; k++)
            sum[k] += (double)b->mass * part[k];
        sum[3] += (double)b->mass;
    }
    const double centre[3] = { sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3] };
    const double at[3] = { (double)root->x, (double)root->y, (double)root->z };
    if (!(fabs((double)root->mass - sum[3]) <= 1e-6 * sum[3]) || !(fabs(sum[3] - 1) <= 1e-5))
        return app_fail(YOKE_EINVAL, "the tree's mass is %.7g, the bodies' %.7g and should be 1",
                        (double)root->mass, sum[3]);
    if (!(gravity_distance(centre, at) <= 1e-6 * (1 + gravity_distance(centre, no_vector))))
        return app_fail(YOKE_EINVAL,
                        "the tree's centre is (%.7g, %.7g, %.7g) and should be (%.7g, %.7g, %.7g)",
                        at[0], at[1], at[2], centre[0], centre[1], centre[2]);
    return YOKE_OK;
}

static yoke_status check_tree(const struct barnes_hut_state *s)
{
    struct inside inside = { .depth = 0 };
    yoke_status status = YOKE_OK;
    int64_t bodies = 0;
    int32_t k;
    for (k = 0; k < s->tree.node_count && status == YOKE_OK; k++) {
        status = leave_cells(&inside, k);
        if (status == YOKE_OK)
            status = check_node(s, k, &inside, &bodies);
    }
    if (status == YOKE_OK)
        status = leave_cells(&inside, k);
    if (status == YOKE_OK && bodies != s->stars)
        status = app_fail(YOKE_EINVAL, "%" PRId64 " of %" PRId64 " bodies are in the tree", bodies,
                          s->stars);
    if (status == YOKE_OK)
        status = check_names(s);
    return status == YOKE_OK ? check_root(s) : status;
}

/* --- the forces --- */

struct sample {
    const struct barnes_hut_state *state;
    int64_t count;
    double (*right)[3];
};

static int64_t sampled(const struct sample *sample, int64_t k)
{
    const int64_t stars = sample->state->stars;
    return sample->count == stars ? k : (int64_t)(random_uniform(1, (uint64_t)k) * (double)stars);
}

static void sum_directly(void *context, int64_t k)
{
    const struct sample *sample = context;
    const struct barnes_hut_state *s = sample->state;
    const struct gravity all = { s->bodies, s->stars, s->softening * s->softening };
    gravity_direct(&all, sampled(sample, k), sample->right[k]);
}

/* All bodies, also those that are not in the sample. */
static yoke_status check_done(const struct barnes_hut_state *s)
{
    int64_t i;
    for (i = 0; i < s->stars; i++) {
        const pull_t a = s->pulls[i];
        if (!isfinite(a.x + a.y + a.z + a.potential))
            return app_fail(YOKE_EINVAL,
                            "acceleration of body %" PRId64 " is (%g, %g, %g), its potential %g", i,
                            (double)a.x, (double)a.y, (double)a.z, (double)a.potential);
    }
    return YOKE_OK;
}

struct errors {
    double mean;   /* of the bodies' relative errors */
    double all;    /* of all errors together, relative to all accelerations */
    double worst;  /* relative to the body's and to what accelerations are in the mean */
    int64_t whose; /* in the sample */
};

static void got_vector(const struct sample *sample, int64_t k, double out[3])
{
    const pull_t *a = &sample->state->pulls[sampled(sample, k)];
    out[0] = (double)a->x;
    out[1] = (double)a->y;
    out[2] = (double)a->z;
}

static void find_errors(const struct sample *sample, struct errors *out)
{
    double size = DBL_MIN, wrong = 0;
    int64_t k;
    *out = (struct errors){ 0, 0, 0, 0 };
    for (k = 0; k < sample->count; k++)
        size += gravity_distance(sample->right[k], no_vector) / (double)sample->count;
    for (k = 0; k < sample->count; k++) {
        const double own = gravity_distance(sample->right[k], no_vector);
        double got[3], error;
        got_vector(sample, k, got);
        error = gravity_distance(got, sample->right[k]);
        wrong += error / (double)sample->count;
        out->mean += error / (own + DBL_MIN) / (double)sample->count;
        if (error / (own + size) > out->worst) {
            out->worst = error / (own + size);
            out->whose = k;
        }
    }
    out->all = wrong / size;
}

/* Of few bodies each counts, also one that forces nearly cancel for. */
static int is_usual(const struct barnes_hut_state *s)
{
    return s->stars >= MANY && s->softening <= 0.05;
}

static yoke_status judge_errors(const struct sample *sample, const struct errors *errors,
                                double *allowed)
{
    const struct barnes_hut_state *s = sample->state;
    const double steep = s->theta > 0.5 ? s->theta / 0.5 : 1;
    const double usual = 2e-5 + 2e-3 * pow(s->theta / 0.5, 2) * steep;
    const double slack = is_usual(s) ? 1 : s->stars >= FEW ? 5 : 25;
    const double error = is_usual(s) ? errors->mean : errors->all;
    *allowed = usual * slack;
    if (!(errors->worst <= WORST * usual)) {
        const double *right = sample->right[errors->whose];
        double got[3];
        got_vector(sample, errors->whose, got);
        return app_fail(YOKE_EINVAL,
                        "acceleration of body %" PRId64 " is (%.7g, %.7g, %.7g) and should be "
                        "(%.7g, %.7g, %.7g)",
                        sampled(sample, errors->whose), got[0], got[1], got[2], right[0], right[1],
                        right[2]);
    }
    if (!(error <= *allowed))
        return app_fail(YOKE_EINVAL,
                        "accelerations are wrong by %.2e of their size; with theta %g it should be "
                        "at most %.2e",
                        error, s->theta, *allowed);
    if (is_usual(s) && s->theta >= 0.4 && !(error >= 0.4 * *allowed))
        return app_fail(YOKE_EINVAL,
                        "accelerations are wrong by %.2e of their size; with theta %g it should be "
                        "at least %.2e: cells are opened that need not be",
                        error, s->theta, 0.4 * *allowed);
    return YOKE_OK;
}

static yoke_status check_forces(const struct barnes_hut_state *s, char *note)
{
    struct sample sample = { s, s->stars < SAMPLE ? s->stars : SAMPLE, NULL };
    const struct cores_work work = { "direct sums", sum_directly, &sample, sample.count };
    struct errors errors;
    double allowed;
    yoke_status status =
        app_alloc("direct sums", sample.count, sizeof *sample.right, (void **)&sample.right);
    if (status != YOKE_OK)
        return status;
    status = cores_run(s->cores, &work);
    if (status == YOKE_OK) {
        find_errors(&sample, &errors);
        status = judge_errors(&sample, &errors, &allowed);
    }
    if (status == YOKE_OK)
        snprintf(note, NOTE - ENERGY_NOTE,
                 "%" PRId64 " bodies: mean error %.2e (allowed %.2e), greatest %.1e", sample.count,
                 errors.mean, allowed, errors.worst);
    free(sample.right);
    return status;
}

/* --- energy --- */

/* Steps that are short beside the softening's size over the speed of the fastest keep it; a large
 * cluster also begins with what Plummer's sphere has, -1/4, less what softening takes. */
static yoke_status check_energy(const struct barnes_hut_state *s, char *note)
{
    const double coarse = s->theta > 0.5 ? pow(s->theta / 0.5, 2) : 1;
    const double allowed = coarse * (1e-3 + 1e-5 * (double)s->steps_done);
    const double drift = s->first_energy < 0 ? s->energy / s->first_energy - 1 : 0;
    const int bound = s->stars >= FEW && s->step <= s->softening / 2;
    if (bound && !(fabs(drift) <= allowed))
        return app_fail(YOKE_EINVAL,
                        "energy went from %.6f to %.6f in %" PRId64
                        " steps, by %.1e of it; it should stay within %.1e",
                        s->first_energy, s->energy, s->steps_done, drift, allowed);
    if (is_usual(s) && !(fabs(s->first_energy + 0.25) <= 0.01))
        return app_fail(YOKE_EINVAL, "energy is %.6f and should be near -1/4", s->first_energy);
    if (s->steps_done == 1)
        snprintf(note, ENERGY_NOTE, "; energy %.5f", s->energy);
    else
        snprintf(note, ENERGY_NOTE, "; energy drift %.1e in %" PRId64 " steps (allowed %.1e)",
                 drift, s->steps_done, bound ? allowed : INFINITY);
    return YOKE_OK;
}

static yoke_status check(const struct barnes_hut_state *s, char *note)
{
    yoke_status status;
    if (s->steps_done == 0)
        return app_fail(YOKE_EINVAL, "no step was done, so there is no tree");
    status = check_tree(s);
    if (status == YOKE_OK)
        status = check_done(s);
    if (status == YOKE_OK)
        status = check_forces(s, note);
    return status == YOKE_OK ? check_energy(s, note + strlen(note)) : status;
}

yoke_status barnes_hut_verify(void *state, char *note)
{
    struct barnes_hut_state *s = state;
    yoke_array *arrays[] = { s->body_array, s->node_array, s->pull_array };
    yoke_status status = YOKE_OK;
    int k, held;
    for (held = 0; held < 3 && status == YOKE_OK; held++)
        status = yoke_array_acquire(arrays[held], YOKE_READ);
    if (status == YOKE_OK)
        status = check(s, note);
    else
        held--; /* the one that failed is not held */
    for (k = 0; k < held; k++) {
        yoke_status released = yoke_array_release(arrays[k]);
        status = status != YOKE_OK ? status : released;
    }
    return status;
}
