/* nbody.c - gravity by all pairs in a Plummer sphere: limited by arithmetic, with hardly any data.
 *
 * A step is one job. It reads all positions and writes new ones to a second array, so the two are
 * swapped. The last step's old positions and its accelerations are kept for the check: a direct sum
 * in double precision for a sample of bodies, and Newton's third law for all of them.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../bodies/gravity.h"
#include "../bodies/plummer.h"
#include "../count.h"
#include "../memory.h"
#include "../number.h"
#include "nbody_kernels.h"

enum { DEFAULT_BODIES = 16384, SAMPLE = 256 };
#define SOFTENING 0.01f
#define STEP      0.001f

struct nbody_state {
    int64_t bodies, steps;
    float step, softening2;
    uint64_t seed;
    struct app_memory memory;
    body_t *position[2];
    vector_t *velocity, *acceleration;
    yoke_array *position_array[2], *velocity_array, *acceleration_array; /* NULL while detached */
};

static const struct app_option nbody_options[] = {
    { "steps", "N", "1", "number of time steps" },
    { NULL, NULL, NULL, NULL },
};

static void nbody_close(void *state)
{
    struct nbody_state *s = state;
    if (!s)
        return;
    app_data_free(&s->memory, s->position[0]);
    app_data_free(&s->memory, s->position[1]);
    app_data_free(&s->memory, s->velocity);
    app_data_free(&s->memory, s->acceleration);
    free(s);
}

static yoke_status settle(struct app_spec *spec, struct nbody_state *s)
{
    static const struct number_kind count = { "steps", 1, 1e6, 1 };
    double steps;
    yoke_status status = number_read(&count, spec->values[0], &steps);
    if (status != YOKE_OK)
        return status;
    if (spec->size[0] < 0)
        return app_fail(YOKE_EINVAL, "nbody cannot have %" PRId64 " bodies; --size is at least 1",
                        spec->size[0]);
    if (spec->size[0] == 0)
        spec->size[0] = DEFAULT_BODIES;
    *s = (struct nbody_state){ .bodies = spec->size[0],
                               .steps = (int64_t)steps,
                               .step = STEP,
                               .softening2 = SOFTENING * SOFTENING,
                               .seed = spec->seed,
                               .memory = spec->memory };
    return YOKE_OK;
}

static yoke_status alloc_arrays(struct nbody_state *s)
{
    const struct app_data positions = { "nbody's positions", s->bodies, sizeof(body_t) };
    const struct app_data velocities = { "nbody's velocities", s->bodies, sizeof(vector_t) };
    const struct app_data accelerations = { "nbody's accelerations", s->bodies, sizeof(vector_t) };
    yoke_status status = app_data_alloc(&s->memory, &positions, (void **)&s->position[0]);
    if (status == YOKE_OK)
        status = app_data_alloc(&s->memory, &positions, (void **)&s->position[1]);
    if (status == YOKE_OK)
        status = app_data_alloc(&s->memory, &velocities, (void **)&s->velocity);
    if (status == YOKE_OK)
        status = app_data_alloc(&s->memory, &accelerations, (void **)&s->acceleration);
    return status;
}

static yoke_status nbody_open(struct app_spec *spec, void **state)
{
    struct nbody_state initial, *s;
    yoke_status status = settle(spec, &initial);
    if (status == YOKE_OK)
        status = app_alloc("nbody", 1, sizeof *s, (void **)&s);
    if (status != YOKE_OK)
        return status;
    *s = initial;
    status = alloc_arrays(s);
    if (status != YOKE_OK) {
        nbody_close(s);
        return status;
    }
    *state = s;
    return YOKE_OK;
}

static yoke_status nbody_detach(void *state)
{
    struct nbody_state *s = state;
    yoke_array **arrays[] = { &s->position_array[0], &s->position_array[1], &s->velocity_array,
                              &s->acceleration_array };
    yoke_status first = YOKE_OK;
    int k;
    for (k = 0; k < 4; k++) {
        yoke_status status = yoke_array_close(*arrays[k]);
        *arrays[k] = NULL;
        first = first != YOKE_OK ? first : status;
    }
    return first;
}

static yoke_status nbody_attach(void *state, yoke_runtime *runtime)
{
    struct nbody_state *s = state;
    const struct {
        void *host;
        const char *name;
        yoke_array **array;
    } parts[] = {
        { s->position[0], "positions", &s->position_array[0] },
        { s->position[1], "next positions", &s->position_array[1] },
        { s->velocity, "velocities", &s->velocity_array },
        { s->acceleration, "accelerations", &s->acceleration_array },
    };
    int k;
    for (k = 0; k < 4; k++) {
        yoke_array_spec spec = { .host = parts[k].host,
                                 .rows = s->bodies,
                                 .element_size = sizeof(body_t),
                                 .name = parts[k].name };
        yoke_status status = yoke_array_open(runtime, &spec, parts[k].array);
        if (status != YOKE_OK) {
            nbody_detach(s);
            return status;
        }
    }
    return YOKE_OK;
}

/* Results start as NaN, so that a body that is not computed is detected. */
static yoke_status nbody_reset(void *state)
{
    struct nbody_state *s = state;
    yoke_array *arrays[] = { s->position_array[0], s->position_array[1], s->velocity_array,
                             s->acceleration_array };
    yoke_status status = YOKE_OK;
    int64_t i;
    int k, held;
    for (held = 0; held < 4 && status == YOKE_OK; held++)
        status = yoke_array_acquire(arrays[held], YOKE_WRITE);
    if (status == YOKE_OK) {
        plummer_fill(s->seed, s->bodies, s->position[0], s->velocity);
        for (i = 0; i < s->bodies; i++) {
            s->position[1][i] = (body_t){ NAN, NAN, NAN, NAN };
            s->acceleration[i] = (vector_t){ NAN, NAN, NAN, NAN };
        }
    } else {
        held--; /* the one that failed is not held */
    }
    for (k = 0; k < held; k++) {
        yoke_status released = yoke_array_release(arrays[k]);
        status = status != YOKE_OK ? status : released;
    }
    return status;
}

static yoke_status nbody_run(void *state, struct app_run *run)
{
    struct nbody_state *s = state;
    yoke_status status = YOKE_OK;
    int64_t n;
    for (n = 0; n < s->steps && status == YOKE_OK; n++) {
        yoke_job job = {
            .kernel = &nbody,
            .range = { .last = s->bodies },
            .args = { yoke_value(s->bodies), yoke_value(s->step), yoke_value(s->softening2),
                      yoke_in_whole(s->position_array[n & 1]), yoke_inout_home(s->velocity_array),
                      yoke_out_home(s->position_array[~n & 1]),
                      yoke_out_home(s->acceleration_array) }
        };
        status = app_run_job(run, &job);
        if (status == YOKE_OK)
            status = app_progress(run, n + 1, s->steps);
    }
    return status;
}

/* Checks body `i`: its acceleration against the direct sum, and its move against the
 * acceleration. */
static yoke_status check_body(const struct nbody_state *s, int64_t i, double allowed, double *worst)
{
    const body_t *from = s->position[~s->steps & 1], *to = s->position[s->steps & 1];
    const vector_t a = s->acceleration[i], v = s->velocity[i];
    const double got[3] = { (double)a.x, (double)a.y, (double)a.z }, zero[3] = { 0 };
    const double moved[3] = { (double)from[i].x + (double)(s->step * v.x),
                              (double)from[i].y + (double)(s->step * v.y),
                              (double)from[i].z + (double)(s->step * v.z) };
    const double there[3] = { (double)to[i].x, (double)to[i].y, (double)to[i].z };
    const struct gravity all = { from, s->bodies, (double)s->softening2 };
    double right[3], error;
    gravity_direct(&all, i, right);
    /* The 1 is the order of magnitude of accelerations; near the centre they cancel to less. */
    error = gravity_distance(got, right) / (gravity_distance(right, zero) + 1);
    if (!(error <= allowed))
        return app_fail(YOKE_EINVAL,
                        "acceleration of body %" PRId64 " is (%.7g, %.7g, %.7g) and should be "
                        "(%.7g, %.7g, %.7g)",
                        i, got[0], got[1], got[2], right[0], right[1], right[2]);
    if (!(gravity_distance(moved, there) <=
          4 * (double)FLT_EPSILON * (gravity_distance(there, zero) + 1)) ||
        to[i].mass != from[i].mass)
        return app_fail(YOKE_EINVAL,
                        "body %" PRId64 " is at (%.7g, %.7g, %.7g) and should be at "
                        "(%.7g, %.7g, %.7g)",
                        i, there[0], there[1], there[2], moved[0], moved[1], moved[2]);
    *worst = error > *worst ? error : *worst;
    return YOKE_OK;
}

/* The forces between two bodies cancel, and momentum was 0 at the start: both sums must be 0. */
static yoke_status check_momentum(const struct nbody_state *s, double *out)
{
    double force[3] = { 0 }, momentum[3] = { 0 }, sizes[2] = { 0 }, zero[3] = { 0 };
    double unit;
    int64_t i;
    for (i = 0; i < s->bodies; i++) {
        const double mass = (double)s->position[s->steps & 1][i].mass;
        const double a[3] = { (double)s->acceleration[i].x, (double)s->acceleration[i].y,
                              (double)s->acceleration[i].z };
        const double v[3] = { (double)s->velocity[i].x, (double)s->velocity[i].y,
                              (double)s->velocity[i].z };
        int k;
        for (k = 0; k < 3; k++) {
            force[k] += mass * a[k];
            momentum[k] += mass * v[k];
        }
        sizes[0] += mass * gravity_distance(a, zero);
        sizes[1] += mass * gravity_distance(v, zero);
    }
    unit = 1e-5;
    *out = gravity_distance(force, zero) / (sizes[0] + DBL_MIN);
    if (!(gravity_distance(force, zero) <= unit * sizes[0]))
        return app_fail(YOKE_EINVAL, "all forces together are %.3g of their size and should be 0",
                        *out);
    if (!(gravity_distance(momentum, zero) <= unit * (sizes[1] + 1)))
        return app_fail(YOKE_EINVAL, "momentum is %.3g and should be 0",
                        gravity_distance(momentum, zero));
    return YOKE_OK;
}

static yoke_status check(const struct nbody_state *s, char *note)
{
    const double allowed = 2e-5;
    const int64_t count = s->bodies < SAMPLE ? s->bodies : SAMPLE;
    double worst = 0, net = 0;
    yoke_status status = YOKE_OK;
    int64_t k;
    for (k = 0; k < count && status == YOKE_OK; k++)
        status = check_body(s, k * s->bodies / count, allowed, &worst);
    if (status == YOKE_OK)
        status = check_momentum(s, &net);
    if (status == YOKE_OK)
        snprintf(note, 256, "%s: max error %.1e (allowed %.1e); net force %.1e of all",
                 count_words(count, "bodies").text, worst, allowed, net);
    return status;
}

static yoke_status nbody_verify(void *state, char *note)
{
    struct nbody_state *s = state;
    yoke_array *arrays[] = { s->position_array[0], s->position_array[1], s->velocity_array,
                             s->acceleration_array };
    yoke_status status = YOKE_OK;
    int k, held;
    for (held = 0; held < 4 && status == YOKE_OK; held++)
        status = yoke_array_acquire(arrays[held], YOKE_READ);
    if (status == YOKE_OK)
        status = check(s, note);
    else
        held--;
    for (k = 0; k < held; k++) {
        yoke_status released = yoke_array_release(arrays[k]);
        status = status != YOKE_OK ? status : released;
    }
    return status;
}

static int64_t nbody_items(const void *state)
{
    return ((const struct nbody_state *)state)->bodies;
}

const struct app app_nbody = {
    .name = "nbody",
    .summary = "gravity by all pairs; bound by arithmetic",
    .size_words = "bodies",
    .size_count = 1,
    .options = nbody_options,
    .is_regular = 1,
    .open = nbody_open,
    .close = nbody_close,
    .attach = nbody_attach,
    .detach = nbody_detach,
    .reset = nbody_reset,
    .run = nbody_run,
    .verify = nbody_verify,
    .items = nbody_items,
};
