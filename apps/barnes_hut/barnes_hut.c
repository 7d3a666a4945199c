/* barnes_hut.c - gravity in a Plummer sphere by an octree: the cost differs from body to body.
 *
 * In each step all cores of the host build a tree (tree.h); then one job computes the forces on the
 * bodies, in tree order. A run's seconds are those of the jobs; the time of whole steps is reported
 * as well.
 *
 * Time steps are leapfrog's, with positions half a step ahead of velocities: forces are computed at
 * these positions, once per step. The energy is that of the same moment, so velocities are advanced
 * by half a step for it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../bodies/plummer.h"
#include "../cores.h"
#include "../number.h"
#include "barnes_hut_state.h"

enum { DEFAULT_STARS = 100000 };
enum {
    OPTION_STEPS,
    OPTION_STEP,
    OPTION_THETA,
    OPTION_SOFTENING,
    OPTION_LOAD,
    OPTION_VISITS,
    OPTION_WALK,
    OPTIONS
};

static const struct app_option options[] = {
    [OPTION_STEPS] = { "steps", "N", "1", "number of time steps" },
    [OPTION_STEP] = { "step", "T", "0.01", "length of a step" },
    [OPTION_THETA] = { "theta", "T", "0.5",
                       "side of a cell, as part of its distance, up to which it counts as one "
                       "mass" },
    [OPTION_SOFTENING] = { "softening", "E", "0.05", "distance below which forces no longer grow" },
    [OPTION_LOAD] = { "load", "N", "0",
                      "at each visit of a node, also work out the Fibonacci sequence up to N" },
    [OPTION_VISITS] = { "visits", "N", "32",
                        "nodes that a body visits in a step (step kernel, alone)" },
    [OPTION_WALK] = { "walk", "HOW", "auto",
                      "how bodies go through the tree: alone, together (plain kernel), apart (step "
                      "kernel), or auto" },
    [OPTIONS] = { NULL, NULL, NULL, NULL },
};

static yoke_status settle(struct app_spec *spec, struct barnes_hut_state *s)
{
    static const struct number_kind kinds[] = {
        [OPTION_STEPS] = { "steps", 1, 1e6, 1 }, [OPTION_STEP] = { "step", 0, 1, 0 },
        [OPTION_THETA] = { "theta", 0, 1, 0 },   [OPTION_SOFTENING] = { "softening", 1e-6, 0.2, 0 },
        [OPTION_LOAD] = { "load", 0, 1e6, 1 },   [OPTION_VISITS] = { "visits", 1, 1e6, 1 },
    };
    double steps = 0, load = 0, visits = 0;
    double *const values[] = { [OPTION_STEPS] = &steps,    [OPTION_STEP] = &s->step,
                               [OPTION_THETA] = &s->theta, [OPTION_SOFTENING] = &s->softening,
                               [OPTION_LOAD] = &load,      [OPTION_VISITS] = &visits };
    yoke_status status = YOKE_OK;
    int k;
    for (k = 0; k < OPTION_WALK && status == YOKE_OK; k++)
        status = number_read(&kinds[k], spec->values[k], values[k]);
    s->load = (int32_t)load;
    s->visits = (int32_t)visits;
    if (status == YOKE_OK)
        status = barnes_hut_choose(spec->values[OPTION_WALK], spec->kernel, s);
    if (status != YOKE_OK)
        return status;
    if (spec->size[0] < 0 || spec->size[0] > TREE_STARS_MAX)
        return app_fail(YOKE_EINVAL,
                        "barnes-hut cannot have %" PRId64 " bodies; --size is from 1 to %d",
                        spec->size[0], TREE_STARS_MAX);
    if (spec->size[0] == 0)
        spec->size[0] = DEFAULT_STARS;
    s->stars = spec->size[0];
    s->steps = (int64_t)steps;
    s->memory = spec->memory;
    return YOKE_OK;
}

static void barnes_hut_close(void *state)
{
    struct barnes_hut_state *s = state;
    if (!s)
        return;
    tree_close(&s->tree);
    cores_close(s->cores);
    app_data_free(&s->memory, s->bodies);
    app_data_free(&s->memory, s->nodes);
    app_data_free(&s->memory, s->pulls);
    app_data_free(&s->memory, s->loads);
    app_data_free(&s->memory, s->sums);
    free(s->start);
    free(s->loose);
    free(s->velocities);
    free(s->ids);
    free(s->energies);
    free(s);
}

static yoke_status alloc_stars(struct barnes_hut_state *s)
{
    const int64_t n = s->stars;
    const struct app_data bodies = { "bodies", n, sizeof(body_t) };
    const struct app_data nodes = { "the tree", 2 * n, sizeof(node_t) };
    const struct app_data pulls = { "accelerations", n, sizeof(pull_t) };
    const struct app_data loads = { "loads", barnes_hut_loads(s), sizeof *s->loads };
    const struct app_data sums = { "sums", barnes_hut_sums(s), sizeof *s->sums };
    yoke_status status = app_data_alloc(&s->memory, &bodies, (void **)&s->bodies);
    if (status == YOKE_OK)
        status = app_data_alloc(&s->memory, &nodes, (void **)&s->nodes);
    if (status == YOKE_OK)
        status = app_data_alloc(&s->memory, &pulls, (void **)&s->pulls);
    if (status == YOKE_OK && loads.count)
        status = app_data_alloc(&s->memory, &loads, (void **)&s->loads);
    if (status == YOKE_OK && sums.count)
        status = app_data_alloc(&s->memory, &sums, (void **)&s->sums);
    if (status == YOKE_OK)
        status = app_alloc("the first stars", n, sizeof *s->start, (void **)&s->start);
    if (status == YOKE_OK)
        status = app_alloc("stars", n, sizeof *s->loose, (void **)&s->loose);
    if (status == YOKE_OK)
        status = app_alloc("velocities", n, sizeof *s->velocities, (void **)&s->velocities);
    if (status == YOKE_OK)
        status = app_alloc("names of stars", n, sizeof *s->ids, (void **)&s->ids);
    return status;
}

static yoke_status open_tree(struct barnes_hut_state *s)
{
    const struct tree from = { .count = s->stars,
                               .cores = s->cores,
                               .loose = s->loose,
                               .bodies = s->bodies,
                               .velocities = s->velocities,
                               .ids = s->ids,
                               .nodes = s->nodes };
    yoke_status status = tree_open(&from, &s->tree);
    if (status == YOKE_OK)
        status = app_alloc("energies", s->tree.blocks, sizeof *s->energies, (void **)&s->energies);
    return status;
}

/* Made once, because it takes longer than a run. */
static void make_stars(struct barnes_hut_state *s, uint64_t seed)
{
    const float half = 0.5f * (float)s->step;
    int64_t i;
    plummer_fill(seed, s->stars, s->bodies, s->velocities);
    for (i = 0; i < s->stars; i++) {
        const body_t b = s->bodies[i];
        const vector_t v = s->velocities[i];
        s->start[i] =
            (struct star){ { b.x + half * v.x, b.y + half * v.y, b.z + half * v.z, b.mass },
                           { v.x, v.y, v.z },
                           (int32_t)i };
    }
}

static yoke_status barnes_hut_open(struct app_spec *spec, void **state)
{
    struct barnes_hut_state initial = { 0 }, *s;
    yoke_status status = settle(spec, &initial);
    if (status == YOKE_OK)
        status = app_alloc("barnes-hut", 1, sizeof *s, (void **)&s);
    if (status != YOKE_OK)
        return status;
    *s = initial;
    status = alloc_stars(s);
    if (status == YOKE_OK)
        status = cores_open(&s->cores);
    if (status == YOKE_OK)
        status = open_tree(s);
    if (status != YOKE_OK) {
        barnes_hut_close(s);
        return status;
    }
    make_stars(s, spec->seed);
    *state = s;
    return YOKE_OK;
}

/* Results start as NaN and loads as 0, so that a body that is not computed is detected. */
static yoke_status barnes_hut_reset(void *state)
{
    struct barnes_hut_state *s = state;
    const struct barnes_hut_hold holds[] = { { s->pull_array, YOKE_WRITE },
                                             { s->load_array, YOKE_WRITE } };
    yoke_status status = barnes_hut_acquire(holds, 2);
    int64_t i;
    if (status != YOKE_OK)
        return status;
    for (i = 0; i < s->stars; i++)
        s->pulls[i] = (pull_t){ NAN, NAN, NAN, NAN };
    for (i = 0; s->loads && i < s->stars; i++)
        s->loads[i] = 0;
    memcpy(s->loose, s->start, (size_t)s->stars * sizeof *s->loose);
    s->steps_done = 0;
    return barnes_hut_release(holds, 2, YOKE_OK);
}

static yoke_status build(struct barnes_hut_state *s)
{
    const struct barnes_hut_hold holds[] = { { s->body_array, YOKE_WRITE },
                                             { s->node_array, YOKE_WRITE } };
    const yoke_status status = barnes_hut_acquire(holds, 2);
    return status == YOKE_OK ? barnes_hut_release(holds, 2, tree_build(&s->tree)) : status;
}

static void move_block(void *context, int64_t block)
{
    const struct barnes_hut_state *s = context;
    const struct cores_span span = cores_span(s->stars, s->tree.blocks, block);
    const float step = (float)s->step;
    struct energy energy = { 0, 0 };
    int64_t i;
    for (i = span.first; i < span.last; i++) {
        const body_t b = s->bodies[i];
        const pull_t a = s->pulls[i];
        const vector_t v = s->velocities[i];
        const vector_t now = { v.x + 0.5f * step * a.x, v.y + 0.5f * step * a.y,
                               v.z + 0.5f * step * a.z, 0 };
        const vector_t then = { v.x + step * a.x, v.y + step * a.y, v.z + step * a.z, 0 };
        const double m = (double)b.mass, x = (double)now.x, y = (double)now.y, z = (double)now.z;
        energy.kinetic += 0.5 * m * (x * x + y * y + z * z);
        energy.potential += 0.5 * m * ((double)a.potential + m / s->softening);
        s->loose[i] = (struct star){ { b.x + step * then.x, b.y + step * then.y,
                                       b.z + step * then.z, b.mass },
                                     { then.x, then.y, then.z },
                                     s->ids[i] };
    }
    s->energies[block] = energy;
}

/* Ends a step: moves bodies to where the next one begins. */
static yoke_status move(struct barnes_hut_state *s)
{
    const struct cores_work work = { "move", move_block, s, s->tree.blocks };
    yoke_status released, status = yoke_array_acquire(s->pull_array, YOKE_READ);
    int64_t b;
    if (status != YOKE_OK)
        return status;
    status = cores_run(s->cores, &work);
    released = yoke_array_release(s->pull_array);
    s->energy = 0;
    for (b = 0; b < s->tree.blocks; b++)
        s->energy += s->energies[b].kinetic + s->energies[b].potential;
    if (s->steps_done++ == 0)
        s->first_energy = s->energy;
    return status != YOKE_OK ? status : released;
}

static yoke_status barnes_hut_run(void *state, struct app_run *run)
{
    struct barnes_hut_state *s = state;
    yoke_status status = YOKE_OK;
    int64_t n;
    for (n = 0; n < s->steps && status == YOKE_OK; n++) {
        status = build(s);
        if (status == YOKE_OK)
            status = barnes_hut_find_forces(s, run);
        if (status == YOKE_OK)
            status = move(s);
        if (status == YOKE_OK)
            status = app_progress(run, n + 1, s->steps);
    }
    return status;
}

static int64_t barnes_hut_items(const void *state)
{
    return ((const struct barnes_hut_state *)state)->stars;
}

const struct app app_barnes_hut = {
    .name = "barnes-hut",
    .summary = "gravity by an octree; irregular: each body has another cost",
    .size_words = "bodies",
    .size_count = 1,
    .options = options,
    .timed = APP_TIMED_JOBS,
    .offers_steps = 1,
    .open = barnes_hut_open,
    .close = barnes_hut_close,
    .attach = barnes_hut_attach,
    .detach = barnes_hut_detach,
    .reset = barnes_hut_reset,
    .run = barnes_hut_run,
    .verify = barnes_hut_verify,
    .items = barnes_hut_items,
};
