/* photons_reference.c - follows one packet after the other in double precision. The kernels are
 * judged by it if no exact value is known.
 *
 * It was written from MCML's description, not from the kernels: directions turn by the formula of
 * the paper, angles come from the inverted Henyey-Greenstein integral, and Fresnel's law uses
 * angles. A fluorescent packet is sent out as the model says, and is followed at once.
 */
#include <math.h>

#include "../random.h"
#include "photons_state.h"

struct walker {
    const struct mci_run *input;
    uint64_t draws;
    int wavelength, layer;
    double x[3], u[3], weight;
    double *tally; /* of this packet: [2][PHOTONS_KINDS] */
    int64_t events;
};

enum { DRAWS_MOST = 40000000, PILOT = 200, WALK_MOST = 1000000 };

static double draw(struct walker *w)
{
    return random_uniform(0x6d636d6c, w->draws++);
}

static const struct mci_optics *here(const struct walker *w)
{
    const struct mci_layer *layer = &w->input->layers[w->layer];
    return w->wavelength ? &layer->fluorescence : &layer->light;
}

static double index_of(const struct walker *w, int layer)
{
    if (layer < 0)
        return w->input->n_above;
    if (layer >= w->input->layer_count)
        return w->input->n_below;
    return w->wavelength ? w->input->layers[layer].fluorescence.n : w->input->layers[layer].light.n;
}

static double top_of(const struct walker *w, int layer)
{
    double top = 0;
    for (int k = 0; k < layer; k++)
        top += w->input->layers[k].depth;
    return top;
}

static void turn(struct walker *w, double g)
{
    const double pi = 3.14159265358979323846, angle = 2 * pi * draw(w), random = draw(w);
    const double part = (1 - g * g) / (1 - g + 2 * g * random);
    double cosine = g == 0 ? 2 * random - 1 : (1 + g * g - part * part) / (2 * g), sine, x, y, z, t;
    double *u = w->u;
    cosine = fmin(1, fmax(-1, cosine));
    sine = sqrt(1 - cosine * cosine);
    x = sine * cos(angle);
    y = sine * sin(angle);
    if (fabs(u[2]) > 1 - 1e-12) {
        u[0] = x;
        u[1] = y;
        u[2] = u[2] > 0 ? cosine : -cosine;
        return;
    }
    t = sqrt(1 - u[2] * u[2]);
    z = -x * t + u[2] * cosine;
    x = x / t;
    y = y / t;
    t = u[0] * u[2] * x - u[1] * y + u[0] * cosine;
    u[1] = u[1] * u[2] * x + u[0] * y + u[1] * cosine;
    u[0] = t;
    u[2] = z;
}

/* Returns the fraction that a wall reflects; `*behind` is the cosine on the wall's other side. */
static double reflects(double n, double m, double cosine, double *behind)
{
    const double in = acos(fmin(1, cosine)), sine = n / m * sin(in);
    *behind = cosine;
    if (n == m)
        return 0;
    if (sine >= 1)
        return 1;
    const double out = asin(sine);
    *behind = cos(out);
    if (in < 1e-6)
        return (n - m) * (n - m) / ((n + m) * (n + m));
    const double s = sin(in - out) / sin(in + out), p = tan(in - out) / tan(in + out);
    return (s * s + p * p) / 2;
}

static void cross(struct walker *w)
{
    const int step = w->u[2] > 0 ? 1 : -1, next = w->layer + step;
    const double n = index_of(w, w->layer), m = index_of(w, next);
    double behind;
    if (draw(w) < reflects(n, m, fabs(w->u[2]), &behind)) {
        w->u[2] = -w->u[2];
        return;
    }
    w->u[0] *= n / m;
    w->u[1] *= n / m;
    w->u[2] = step * behind;
    w->layer = next;
    if (next >= 0 && next < w->input->layer_count)
        return;
    w->tally[w->wavelength * PHOTONS_KINDS + (next < 0 ? PHOTONS_UP : PHOTONS_DOWN)] += w->weight;
    w->weight = 0;
}

static void walk(struct walker *w);

static void emit(struct walker *from)
{
    struct walker w = *from;
    const double z = 2 * draw(&w) - 1, side = sqrt(1 - z * z);
    const double angle = 2 * 3.14159265358979323846 * draw(&w);
    w.u[0] = side * cos(angle);
    w.u[1] = side * sin(angle);
    w.u[2] = z;
    w.wavelength = 1;
    w.weight = 1;
    w.events = 0;
    w.tally[PHOTONS_KINDS + PHOTONS_EMITTED] += 1;
    walk(&w);
    from->draws = w.draws;
}

static void interact(struct walker *w)
{
    const struct mci_optics *optics = here(w);
    const double taken = w->weight * optics->mua / (optics->mua + optics->mus);
    const double bright = w->wavelength ? 0 : taken * w->input->layers[w->layer].yield;
    w->tally[w->wavelength * PHOTONS_KINDS + PHOTONS_ABSORBED] += taken;
    w->weight -= taken;
    turn(w, optics->g);
    if (w->weight < 1e-4)
        w->weight = draw(w) < 0.1 ? 10 * w->weight : 0;
    if (bright > 0 && draw(w) < bright)
        emit(w);
}

static void walk(struct walker *w)
{
    double depth = 0;
    while (w->weight > 0 && w->events++ < WALK_MOST) {
        const struct mci_optics *optics = here(w);
        const double thick = optics->mua + optics->mus, uz = w->u[2];
        const double wall = top_of(w, w->layer + (uz > 0));
        const double reach = uz == 0 ? INFINITY : (wall - w->x[2]) / uz;
        if (depth <= 0)
            depth = -log(1 - draw(w));
        const int meets = thick == 0 || reach < depth / thick;
        const double way = meets ? reach : depth / thick;
        if (isinf(way))
            break; /* parallel to the layer, without end */
        for (int k = 0; k < 3; k++)
            w->x[k] += w->u[k] * way;
        depth = meets ? fmax(depth - way * thick, 1e-300) : 0;
        if (meets) {
            w->x[2] = wall;
            cross(w);
        } else {
            interact(w);
        }
    }
}

/* Adds one packet's tallies and their squares. Returns the number of its random draws, which
 * measures its work. */
static uint64_t refer_one(const struct photons_state *s, int64_t id,
                          double sums[2][2 * PHOTONS_KINDS])
{
    const uint64_t first = (uint64_t)id << 42;
    double tally[2 * PHOTONS_KINDS] = { 0 };
    struct walker w = { .input = &s->input,
                        .draws = first,
                        .layer = s->setup.start_row,
                        .u = { 0, 0, 1 },
                        .weight = 1 - s->specular,
                        .tally = tally };
    w.x[2] = top_of(&w, w.layer);
    walk(&w);
    for (int k = 0; k < 2 * PHOTONS_KINDS; k++) {
        sums[0][k] += tally[k];
        sums[1][k] += tally[k] * tally[k];
    }
    return w.draws - first;
}

/* Returns how many packets take a second or two. A few packets, which do not count in the result,
 * measure the draws per packet. */
static int64_t affordable(const struct photons_state *s, int64_t most)
{
    double unused[2][2 * PHOTONS_KINDS] = { { 0 } };
    double draws = 0;
    for (int64_t id = 0; id < PILOT; id++)
        draws += (double)refer_one(s, id, unused);
    const double packets = DRAWS_MOST / (draws / PILOT + 1);
    return packets < PILOT ? PILOT : packets < (double)most ? (int64_t)packets : most;
}

void photons_refer(const struct photons_state *s, int64_t most, struct photons_reference *out)
{
    double sums[2][2 * PHOTONS_KINDS] = { { 0 } };
    const int64_t packets = affordable(s, most);
    for (int64_t id = 0; id < packets; id++)
        refer_one(s, PILOT + id, sums);
    out->packets = packets;
    for (int k = 0; k < 2 * PHOTONS_KINDS; k++) {
        const double mean = sums[0][k] / (double)packets;
        out->moments[k / PHOTONS_KINDS][k % PHOTONS_KINDS] =
            (struct photons_moments){ mean, sums[1][k] / (double)packets - mean * mean };
    }
}
