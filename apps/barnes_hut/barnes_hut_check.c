/* barnes_hut_check.c - checks that forces are as exact as theta promises, and that energy is
 * conserved.
 *
 * Forces are compared with direct sums in double precision, which all cores of the host compute for
 * a sample of bodies. The allowed error of a tree was measured: it depends on theta, and hardly on
 * the number of bodies if there are many. A much smaller error is also wrong: it means that cells
 * are opened that theta does not require.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../bodies/gravity.h"
#include "../cores.h"
#include "../count.h"
#include "../random.h"
#include "barnes_hut_state.h"

/* SAMPLE: bodies compared. FEW, MANY: from so many bodies on, only smaller errors are allowed.
 * WORST: allowed error of one body, relative to the mean error of the usual case. */
enum {
    SAMPLE = 1000,
    FEW = 1000,
    MANY = 50000,
    WORST = 50,
    NOTE = 256,
    OTHER_NOTES = 128,
    ENERGY_NOTE = 80
};

static const double no_vector[3];

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

/* Checks all bodies, also those outside the sample. */
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
    double worst;  /* relative to the body's acceleration plus the mean one */
    int64_t whose; /* index in the sample */
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

/* Returns 1 in the usual case. In others a single body whose forces nearly cancel may have a large
 * relative error, so the errors of all bodies are judged together. */
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
        snprintf(note, NOTE - OTHER_NOTES, "%s: mean error %.2e (allowed %.2e), greatest %.1e",
                 count_words(sample.count, "bodies").text, errors.mean, allowed, errors.worst);
    free(sample.right);
    return status;
}

/* --- energy --- */

/* Energy is conserved if steps are short compared with the softening length over the greatest
 * speed. A large cluster also starts with the energy of Plummer's sphere, -1/4, less the part that
 * softening removes. */
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
    status = barnes_hut_check_tree(s);
    if (status == YOKE_OK)
        status = check_done(s);
    if (status == YOKE_OK)
        status = check_forces(s, note);
    if (status == YOKE_OK)
        status = check_energy(s, note + strlen(note));
    return status == YOKE_OK ? barnes_hut_check_load(s, note + strlen(note)) : status;
}

yoke_status barnes_hut_verify(void *state, char *note)
{
    struct barnes_hut_state *s = state;
    const struct barnes_hut_hold holds[] = { { s->body_array, YOKE_READ },
                                             { s->node_array, YOKE_READ },
                                             { s->pull_array, YOKE_READ },
                                             { s->load_array, YOKE_READ } };
    const yoke_status status = barnes_hut_acquire(holds, 4);
    return status == YOKE_OK ? barnes_hut_release(holds, 4, check(s, note)) : status;
}
