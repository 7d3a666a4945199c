/* photons_step.h - one step of a packet of photons. Every kernel of this application uses it.
 *
 * The model is MCML's (Wang, Jacques and Zheng 1995). A packet flies to its next interaction or to
 * the wall of its layer, whichever is nearer. At a wall it is reflected or passes, by Fresnel's
 * law. At an interaction a part of it is absorbed and the rest is scattered; a packet of small
 * weight goes on only with some probability. Of the absorbed light, a whole new packet may be sent
 * out again at the wavelength of fluorescence, with the probability that keeps the mean. It walks
 * in the same way.
 *
 * A step reads no memory after its beginning and writes none before its end. So a compiler can
 * compute both a wall and an interaction and select one: then neighbouring packets run in one
 * vector (photons_lanes.c).
 *
 * Random numbers are keyed by packet, walk and event. The walk of a fluorescent packet has the
 * number of the event that sent it out. Event 0 of a walk is its beginning.
 */
#ifndef YOKE_APPS_PHOTONS_STEP_H
#define YOKE_APPS_PHOTONS_STEP_H

#include "../exact.h"
#include "../philox.h"
#include "photons_kernels.h"

/* A packet is under way while its weight is not 0. The struct is small because lanes keep one or
 * two in registers and step kernels keep packets in queues. */
typedef struct YOKE_ALIGN(8) packet {
    float x, y, z;
    float depth; /* optical depth to the next interaction */
    float ux, uy, uz;
    int32_t weight, row; /* of the table of layers */
    int32_t soaked;      /* weight absorbed in this layer that is not tallied yet */
    int32_t scattered;   /* 1: at least once */
    uint32_t walk, event, id;
} packet_t;

/* What a step adds to the tallies. Slots count from the start of all tallies. If a weight is 0, its
 * slot may be any valid one. */
typedef struct outcome {
    int32_t cell, absorbed;  /* weight absorbed, and its cell of the grid */
    int32_t exit, leaves;    /* weight that leaves the tissue, and its slot, by place and angle */
    int32_t straight;        /* slot for light that leaves unscattered; -1: it was scattered */
    int32_t layer, soaked;   /* weight absorbed in a layer, when the packet leaves it or ends */
    int32_t gained, cut;     /* weight gained by chance (negative: lost); cut by the limit */
    int32_t wavelength;      /* slot where the tallies of its wavelength begin */
    int32_t emits, emission; /* 1: a packet is sent out here; the layer's slot for them */
} outcome_t;

YOKE_FN philox_t photons_draw(photons_setup_t setup, packet_t p)
{
    return philox(YOKE_INIT(philox_t, p.event, p.walk, p.id, 0u), setup.seed_low, setup.seed_high);
}

/* A packet that enters. The caller sets its first depth. */
YOKE_FN packet_t photons_enter(photons_setup_t setup, int64_t id)
{
    return YOKE_INIT(packet_t, 0.0f, 0.0f, setup.start_z, 0.0f, 0.0f, 0.0f, 1.0f,
                     setup.start_weight, setup.start_row, 0, 0, 0u, 0u, (uint32_t)id);
}

YOKE_FN packet_t photons_launch(photons_setup_t setup, int64_t id)
{
    packet_t p = photons_enter(setup, id);
    p.depth = exact_minus_log(exact_uniform(photons_draw(setup, p).a));
    p.event = 1u;
    return p;
}

/* The packet that `from` sent out in its latest step: from the same place, in any direction. */
YOKE_FN packet_t photons_emit(photons_setup_t setup, packet_t from)
{
    packet_t p = from;
    philox_t random;
    turn_t turn;
    float side;
    p.walk = from.event;
    p.event = 0u;
    random = photons_draw(setup, p);
    turn = exact_turn(random.c);
    p.uz = 2.0f * exact_uniform(random.b) - 1.0f;
    side = exact_root(1.0f - p.uz * p.uz);
    p.ux = side * turn.cosine;
    p.uy = side * turn.sine;
    p.depth = exact_minus_log(exact_uniform(random.a));
    p.weight = PHOTONS_UNIT;
    p.row = from.row + setup.layer_count;
    p.soaked = 0;
    p.scattered = 1;
    p.event = 1u;
    return p;
}

/* A new direction around the old one. With q = 1 - cosine, Henyey and Greenstein's law is
 *     q = 2 (1 - u) (1 - g)^2 (1 + g u) / (1 - g + 2 g u)^2.
 * In this form nothing cancels, for any g. The base is that of Duff and others (2017). */
YOKE_FN packet_t photons_scatter(packet_t p, layer_t at, float u, turn_t turn)
{
    const float spread = at.less_g + 2.0f * at.g * u;
    const float q = 2.0f * (1.0f - u) * at.less_g * at.less_g * (1.0f + at.g * u) *
                    exact_reciprocal(spread * spread + 1e-30f);
    const float cosine = 1.0f - q, sine = exact_root(exact_most(q * (2.0f - q), 0.0f));
    const float sign = p.uz >= 0.0f ? 1.0f : -1.0f;
    const float a = -sign * exact_reciprocal(1.0f + fabsf(p.uz)), b = p.ux * p.uy * a;
    const float along = sine * turn.cosine, across = sine * turn.sine;
    const float x = along * (1.0f + sign * p.ux * p.ux * a) + across * b + cosine * p.ux;
    const float y = along * sign * b + across * (sign + p.uy * p.uy * a) + cosine * p.uy;
    const float z = cosine * p.uz - along * sign * p.ux - across * p.uy;
    const float length = 1.5f - 0.5f * (x * x + y * y + z * z); /* 1 / length, near 1 */
    p.ux = x * length;
    p.uy = y * length;
    p.uz = z * length;
    return p;
}

/* A wall by Fresnel's law for unpolarised light. */
typedef struct wall {
    float reflected; /* fraction; above 1: total reflection */
    float cosine;    /* behind the wall */
} wall_t;

YOKE_FN wall_t photons_wall(float cosine, float ratio)
{
    const float sine2 = ratio * ratio * (1.0f - cosine * cosine);
    const float behind = exact_root(exact_most(1.0f - sine2, 0.0f));
    const float a = ratio * cosine - behind, b = ratio * cosine + behind;
    const float c = ratio * behind - cosine, d = ratio * behind + cosine;
    const float ad = a * d, bc = b * c, bd = b * d;
    const float share = 0.5f * (ad * ad + bc * bc) * exact_reciprocal(bd * bd + 1e-30f);
    if (ratio == 1.0f)
        return YOKE_INIT(wall_t, 0.0f, cosine);
    return YOKE_INIT(wall_t, sine2 >= 1.0f ? 2.0f : share, behind);
}

YOKE_FN int32_t photons_cell(float at, float per_cell, int32_t cells)
{
    const float cell = exact_least(at * per_cell, (float)(cells - 1));
    return (int32_t)cell;
}

/* The ring of the grid that contains the packet. A packet outside the grid counts for the last
 * ring. */
YOKE_FN int32_t photons_ring(photons_setup_t setup, packet_t p)
{
    return photons_cell(exact_root(exact_least(p.x * p.x + p.y * p.y, 1e30f)), setup.per_dr,
                        setup.nr);
}

/* What becomes of a packet at a wall. */
typedef struct meeting {
    float ratio, cosine; /* of the refractive indexes; of the angle behind the wall */
    int32_t down, next;  /* 1: it moves downwards; row of the layer behind, -1: none */
    int32_t back;        /* 1: it is reflected */
    int32_t leaves;      /* 1: it leaves the tissue */
} meeting_t;

YOKE_FN meeting_t photons_meet(packet_t p, layer_t at, float u)
{
    const int32_t down = p.uz > 0.0f;
    const float ratio = down ? at.ratio_below : at.ratio_above;
    const int32_t next = down ? at.row_below : at.row_above;
    const wall_t wall = photons_wall(fabsf(p.uz), ratio);
    const int32_t back = u < wall.reflected;
    return YOKE_INIT(meeting_t, ratio, wall.cosine, down, next, back, !back & (next < 0));
}

/* Sets what `out` says of the light that passes the wall. */
YOKE_FN void photons_score(photons_setup_t setup, packet_t p, meeting_t met, outcome_t *out)
{
    const int32_t angle =
        photons_cell(exact_acos(exact_least(met.cosine, 1.0f)), setup.per_da, setup.na);
    const int32_t grid = met.down ? setup.down_slot : setup.up_slot;
    const int32_t straight = met.down ? setup.straight_down_slot : setup.straight_up_slot;
    out->exit = out->wavelength + grid + photons_ring(setup, p) * setup.na + angle;
    out->leaves = met.leaves ? p.weight : 0;
    out->straight = p.scattered ? -1 : out->wavelength + straight;
    out->soaked = met.back ? 0 : p.soaked;
}

/* The packet behind the wall, or reflected. */
YOKE_FN packet_t photons_cross(packet_t p, meeting_t met)
{
    p.soaked = met.back ? p.soaked : 0;
    p.weight = met.leaves ? 0 : p.weight;
    p.row = met.back | met.leaves ? p.row : met.next;
    p.ux *= met.back ? 1.0f : met.ratio;
    p.uy *= met.back ? 1.0f : met.ratio;
    p.uz = met.back ? -p.uz : met.down ? met.cosine : -met.cosine;
    return p;
}

/* Absorbs, decides whether the packet goes on, and scatters. */
YOKE_FN packet_t photons_interact(packet_t p, layer_t at, philox_t random, outcome_t *out)
{
    const int32_t share = (int32_t)((float)p.weight * at.absorbed + 0.5f);
    const int32_t taken = share < p.weight ? share : p.weight, left = p.weight - taken;
    const int32_t light = left < PHOTONS_LIGHT;
    /* Bits that no other number of this event uses. */
    const uint32_t spare = (random.a & 511u) << 14 | (random.b & 511u) << 5 | (random.c & 31u);
    const float draw = exact_uniform(spare << 9);
    const int32_t kept = light ? (draw < PHOTONS_CHANCE ? PHOTONS_SURVIVOR * left : 0) : left;
    const int32_t bright = (int32_t)((float)taken * at.yield + 0.5f);
    out->absorbed = taken;
    out->gained = kept - left;
    out->emits = (int32_t)(random.d >> 2) < bright;
    p.soaked += taken;
    p.weight = kept;
    p.scattered = 1;
    out->soaked = kept ? 0 : p.soaked;
    p.soaked = kept ? p.soaked : 0;
    p.depth = exact_minus_log(exact_uniform(random.a));
    return photons_scatter(p, at, exact_uniform(random.b), exact_turn(random.c));
}

/* One step. `at` must be row p.row of the table of layers; nothing else of the table is needed.
 */
YOKE_FN outcome_t photons_step(photons_setup_t setup, layer_t at, packet_t *packet)
{
    packet_t p = *packet;
    const philox_t random = photons_draw(setup, p);
    const float sign = p.uz > 0.0f ? 1.0f : -1.0f;
    const float wall = p.uz > 0.0f ? at.bottom : at.top;
    const float to_wall = (wall - p.z) * sign * exact_reciprocal(exact_most(fabsf(p.uz), 1e-20f));
    const float to_site = p.depth * at.free_path;
    const int32_t meets = to_wall < to_site;
    const float way = meets ? to_wall : to_site;
    const float z = exact_most(exact_least(p.z + p.uz * way, at.bottom), at.top);
    outcome_t out = YOKE_INIT(outcome_t, at.wavelength, 0, at.wavelength, 0, -1, at.absorbed_slot,
                              0, 0, 0, at.wavelength, 0, at.yield_slot);
    p.x += p.ux * way;
    p.y += p.uy * way;
    p.z = meets ? wall : z;
    out.cell += photons_cell(p.z, setup.per_dz, setup.nz) * setup.nr + photons_ring(setup, p);
    if (meets) {
        p.depth = exact_most(p.depth - way * at.attenuation, 0.0f);
        const meeting_t met = photons_meet(p, at, exact_uniform(random.d));
        photons_score(setup, p, met, &out);
        p = photons_cross(p, met);
    } else {
        p = photons_interact(p, at, random, &out);
    }
    p.event++;
    if (p.event > setup.events) {
        out.cut = p.weight;
        out.soaked += p.soaked;
        p.soaked = 0;
        p.weight = 0;
    }
    *packet = p;
    return out;
}

/* Adds the outcome of a step to the tallies. */
YOKE_FN void photons_tally(photons_setup_t setup, outcome_t out, YOKE_GLOBAL int64_t *tally)
{
    if (out.absorbed)
        yoke_add(&tally[out.cell], (int64_t)out.absorbed);
    if (out.leaves) {
        yoke_add(&tally[out.exit], (int64_t)out.leaves);
        if (out.straight >= 0)
            yoke_add(&tally[out.straight], (int64_t)out.leaves);
    }
    if (out.soaked)
        yoke_add(&tally[out.layer], (int64_t)out.soaked);
    if (out.gained)
        yoke_add(&tally[out.wavelength + setup.gained_slot], (int64_t)out.gained);
    if (out.cut)
        yoke_add(&tally[out.wavelength + setup.cut_slot], (int64_t)out.cut);
    if (out.emits)
        yoke_add(&tally[out.emission], (int64_t)PHOTONS_UNIT);
}

#endif
