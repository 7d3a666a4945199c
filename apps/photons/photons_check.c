/* photons_check.c - checks the result. Energy must be conserved: weights are whole numbers, so this
 * check is exact. If the exact answer is known, the result must lie within four standard errors of
 * it. And the result must agree with the independent reference.
 */
#include <inttypes.h>
#include <math.h>

#include "../app.h"
#include "../count.h"
#include "photons_state.h"

enum { REFERENCE_MOST = 100000 };

/* --- exact values for a pencil beam on one layer in air: van de Hulst's slab, and Chandrasekhar's
 * H functions (the last: Giovanelli's 0.2600 without the specular part) --- */

static const struct known {
    double n, mua, mus, g, least_depth, most_depth;
    double up, down, digits; /* errors of these values, from their number of digits */
    const char *name;
} knowns[] = {
    { 1, 10, 90, 0.75, 0.02, 0.02, 0.097395, 0.660958, 1e-6, "van de Hulst's slab" },
    { 1, 10, 90, 0, 100, INFINITY, 0.41494748, 0, 1e-8, "half space of albedo 0.9" },
    { 1, 1, 99, 0, 100, INFINITY, 0.75272072, 0, 1e-8, "half space of albedo 0.99" },
    { 1.5, 10, 90, 0, 100, INFINITY, 0.2200, 0, 1e-4, "Giovanelli's half space" },
};

static const struct known *known_of(const struct mci_run *input)
{
    const struct mci_layer *layer = &input->layers[0];
    const struct mci_optics *optics = &layer->light;
    if (input->layer_count != 1 || input->n_above != 1 || input->n_below != 1)
        return NULL;
    for (size_t k = 0; k < sizeof knowns / sizeof *knowns; k++) {
        const struct known *known = &knowns[k];
        if (optics->n == known->n && optics->mua == known->mua && optics->mus == known->mus &&
            optics->g == known->g && layer->depth >= known->least_depth &&
            layer->depth <= known->most_depth)
            return known;
    }
    return NULL;
}

static yoke_status check_value(const char *what, double value, double right, double allowed)
{
    if (fabs(value - right) <= allowed)
        return YOKE_OK;
    return app_fail(YOKE_EINVAL, "%s is %.7f and should be %.7f within %.1e", what, value, right,
                    allowed);
}

/* The bound for a share of N packets. Its variance is largest if each packet contributes all or
 * nothing. */
static double four_errors(double share, int64_t packets)
{
    return 4 * sqrt(share * (1 - share) / (double)packets);
}

/* With this many packets, four standard errors of the diffuse reflectance are a tenth of it. With
 * fewer packets, nearly any result would pass. */
static int64_t packets_that_tell(const struct known *known)
{
    static const double tells = 10;
    return (int64_t)ceil(16 * tells * tells * (1 - known->up) / known->up);
}

static yoke_status check_known(const struct photons_state *s, const struct known *known)
{
    const struct photons_sums sums = photons_sums(s, 0);
    const double absorbed = 1 - s->specular - known->up - known->down;
    const struct {
        const char *what;
        int64_t sum;
        double right;
    } values[] = { { "diffuse reflectance", sums.up, known->up },
                   { "transmittance", sums.down, known->down },
                   { "absorption", sums.absorbed, absorbed } };
    yoke_status status = YOKE_OK;
    for (int k = 0; k < 3 && status == YOKE_OK; k++)
        status = check_value(values[k].what, photons_share(s, values[k].sum), values[k].right,
                             four_errors(values[k].right, s->packets) + 2 * known->digits);
    return status;
}

/* --- energy --- */

static yoke_status check_energy(const struct photons_state *s, int wavelength)
{
    const char *name = wavelength ? "fluorescence" : "light";
    const struct photons_sums sums = photons_sums(s, wavelength);
    const int64_t out = sums.up + sums.down + sums.absorbed + sums.cut - sums.gained;
    if (out != sums.begun)
        return app_fail(YOKE_EINVAL,
                        "of %s %" PRId64 " units of 2^-30 packets began and %" PRId64 " ended",
                        name, sums.begun, out);
    if (sums.layers != sums.absorbed)
        return app_fail(YOKE_EINVAL,
                        "of %s the grid has absorbed %" PRId64 " units and the layers %" PRId64,
                        name, sums.absorbed, sums.layers);
    if (photons_share(s, sums.cut) > 1e-4)
        return app_fail(YOKE_EINVAL,
                        "%.3g %% of %s was still on its way when its packets had had all their "
                        "events; more are needed (--events)",
                        100 * photons_share(s, sums.cut), name);
    return YOKE_OK;
}

/* Chance decides which packets are sent out again, but keeps the mean: the yield times what a layer
 * absorbs. The variance is at most that of whole packets, each sent out independently. */
static yoke_status check_yields(const struct photons_state *s)
{
    yoke_status status = YOKE_OK;
    for (int k = 0; k < s->input.layer_count && status == YOKE_OK; k++) {
        const double yield = s->input.layers[k].yield;
        const double right = yield * photons_share(s, photons_absorbed(s, 0, k));
        status = check_value("what a layer sends out of what it absorbs",
                             photons_share(s, photons_emitted(s, k)), right,
                             5 * sqrt(right / (double)s->packets) + 5 / (double)s->packets);
    }
    return status;
}

/* --- the reference --- */

static yoke_status check_moments(const struct photons_state *s, int wavelength,
                                 const struct photons_reference *reference)
{
    static const char *const names[2][PHOTONS_KINDS] = {
        { "diffuse reflectance", "transmittance", "absorption", NULL },
        { "fluorescence upwards", "fluorescence downwards", "fluorescence absorbed",
          "fluorescence" }
    };
    const struct photons_sums sums = photons_sums(s, wavelength);
    const int64_t values[PHOTONS_KINDS] = { sums.up, sums.down, sums.absorbed, sums.emitted };
    const double fewer =
        (double)(reference->packets < s->packets ? reference->packets : s->packets);
    yoke_status status = YOKE_OK;
    for (int k = 0; k < PHOTONS_KINDS && status == YOKE_OK; k++) {
        const struct photons_moments *right = &reference->moments[wavelength][k];
        /* Fails by chance once in a million. 12 / fewer: the reference may miss rare events.
         */
        const double allowed = 5 * sqrt(right->variance / (double)reference->packets +
                                        right->variance / (double)s->packets) +
                               12 / fewer;
        if (names[wavelength][k])
            status = check_value(names[wavelength][k],
                                 photons_share(s, wavelength && k == PHOTONS_EMITTED
                                                      ? photons_sums(s, 0).emitted
                                                      : values[k]),
                                 right->mean, allowed);
    }
    return status;
}

static void write_note(const struct photons_state *s, const struct known *known,
                       const struct photons_reference *reference, char *note)
{
    char exact[128] = "";
    if (known && s->packets >= packets_that_tell(known))
        snprintf(exact, sizeof exact, "%s within 4 standard errors; ", known->name);
    else if (known)
        snprintf(exact, sizeof exact, "too few packets for %s, which %" PRId64 " tell of; ",
                 known->name, packets_that_tell(known));
    snprintf(note, 256, "energy to the last unit; %s%s in double precision", exact,
             count_words(reference->packets, "packets").text);
}

static yoke_status check_all(const struct photons_state *s, char *note)
{
    const struct known *known = known_of(&s->input);
    struct photons_reference reference;
    yoke_status status = YOKE_OK;
    for (int w = 0; w < s->wavelengths && status == YOKE_OK; w++)
        status = check_energy(s, w);
    if (status == YOKE_OK && known)
        status = check_known(s, known);
    if (status == YOKE_OK)
        status = check_yields(s);
    if (status != YOKE_OK)
        return status;
    photons_refer(s, s->packets < REFERENCE_MOST ? s->packets : REFERENCE_MOST, &reference);
    for (int w = 0; w < s->wavelengths && status == YOKE_OK; w++)
        status = check_moments(s, w, &reference);
    if (status == YOKE_OK)
        write_note(s, known, &reference, note);
    return status;
}

yoke_status photons_verify(void *state, char *note)
{
    const struct photons_state *s = state;
    yoke_status released, status = yoke_array_acquire(s->tally_array, YOKE_READ);
    if (status != YOKE_OK)
        return status;
    status = check_all(s, note);
    released = yoke_array_release(s->tally_array);
    return status != YOKE_OK ? status : released;
}
