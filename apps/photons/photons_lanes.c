/* photons_lanes.c - the kernel of photons_kernels.c for CPUs: packets side by side fill vectors.
 *
 * Packets end at different times. A lane begins the next packet of the group as soon as its own has
 * ended, so few lanes are idle before the group's last packets. One loop over arrays, with
 * selections instead of branches, does a step of all lanes. Rare work, and work on scattered memory
 * (tallies, the next packet, another layer), is done lane by lane after it. The results have the
 * same bits as those of the plain kernel.
 *
 * Devices have lanes of their own and use the other kernel. So this file has no code for them.
 */
#include "photons_step.h"

#ifndef YOKE_FLATTEN

enum { LANES = 32 };

#define FIELDS_FLOAT(F) F(x) F(y) F(z) F(depth) F(ux) F(uy) F(uz)
#define FIELDS_INT(F)   F(weight) F(row) F(soaked) F(scattered)
#define FIELDS_UINT(F)  F(walk) F(event) F(id)
#define FIELDS(F)       FIELDS_FLOAT(F) FIELDS_INT(F) FIELDS_UINT(F)
#define OPTICS_FLOAT(F)                                                                            \
    F(top)                                                                                         \
    F(bottom)                                                                                      \
    F(attenuation) F(free_path) F(absorbed) F(g) F(less_g) F(ratio_above) F(ratio_below) F(yield)
#define OPTICS_INT(F) F(row_above) F(row_below) F(absorbed_slot) F(yield_slot) F(wavelength)
#define OPTICS(F)     OPTICS_FLOAT(F) OPTICS_INT(F)
#define RESULTS(F)                                                                                 \
    F(cell)                                                                                        \
    F(absorbed)                                                                                    \
    F(exit)                                                                                        \
    F(leaves) F(straight) F(layer) F(soaked) F(gained) F(cut) F(wavelength) F(emits) F(emission)

#define AS_FLOAT(name) float name[LANES];
#define AS_INT(name)   int32_t name[LANES];
#define AS_UINT(name)  uint32_t name[LANES];

/* The same structs as arrays: the same field of all lanes lies together. */
struct packets {
    FIELDS_FLOAT(AS_FLOAT) FIELDS_INT(AS_INT) FIELDS_UINT(AS_UINT)
};
struct optics {
    OPTICS_FLOAT(AS_FLOAT) OPTICS_INT(AS_INT)
};
struct outcomes {
    RESULTS(AS_INT)
};
struct lanes {
    _Alignas(64) struct packets packets;
    _Alignas(64) struct optics optics;
    _Alignas(64) struct outcomes outcomes;
    int32_t rows[LANES]; /* row of the table that `optics` has a copy of */
    int32_t busy[LANES], busy_count;
    int64_t first, next, last; /* packets of the group; those from `next` on have not begun */
    _Alignas(64) float depths[LANES]; /* first depths of the next packets, modulo LANES */
    packet_t waits[LANES];            /* for the fluorescent packet; weight 0: none */
};

#define GET(name)        got.name = from->name[l];
#define PUT(name)        to->name[l] = given.name;
#define PUT_OPTICS(name) to->name[l] = given->name;

YOKE_FN packet_t get_packet(const struct packets *from, int l)
{
    packet_t got;
    FIELDS(GET);
    return got;
}
YOKE_FN void put_packet(struct packets *to, int l, packet_t given)
{
    FIELDS(PUT);
}
YOKE_FN layer_t get_optics(const struct optics *from, int l)
{
    layer_t got;
    OPTICS(GET);
    got.reserved = 0;
    return got;
}
YOKE_FN void put_optics(struct optics *to, int l, const layer_t *given)
{
    OPTICS(PUT_OPTICS);
}
YOKE_FN outcome_t get_outcome(const struct outcomes *from, int l)
{
    outcome_t got;
    RESULTS(GET);
    return got;
}
YOKE_FN void put_outcome(struct outcomes *to, int l, outcome_t given)
{
    RESULTS(PUT);
}

/* The loop that vectorises. Lanes without a packet compute too; their results are ignored. */
YOKE_FN void step_lanes(photons_setup_t setup, struct lanes *lanes)
{
    for (int l = 0; l < LANES; l++) {
        packet_t p = get_packet(&lanes->packets, l);
        const layer_t at = get_optics(&lanes->optics, l);
        const outcome_t out = photons_step(setup, at, &p);
        put_outcome(&lanes->outcomes, l, out);
        put_packet(&lanes->packets, l, p);
    }
}

/* Packets begin in order. The first depths of the next LANES packets are computed together, by
 * vectors. */
YOKE_FN packet_t next_packet(photons_setup_t setup, struct lanes *lanes)
{
    const int k = (int)(lanes->next - lanes->first) % LANES;
    packet_t p = photons_enter(setup, lanes->next);
    if (k == 0)
        for (int l = 0; l < LANES; l++)
            lanes->depths[l] = photons_launch(setup, lanes->next + l).depth;
    p.depth = lanes->depths[k];
    p.event = 1u;
    lanes->next++;
    return p;
}

YOKE_FN void see_layer(struct lanes *lanes, int l, const layer_t *layers)
{
    const int32_t row = lanes->packets.row[l];
    if (row == lanes->rows[l])
        return;
    put_optics(&lanes->optics, l, &layers[row]);
    lanes->rows[l] = row;
}

YOKE_FN void give(struct lanes *lanes, int l, packet_t p, const layer_t *layers)
{
    put_packet(&lanes->packets, l, p);
    see_layer(lanes, l, layers);
}

/* Handles the outcome of a lane's step. */
YOKE_FN void settle(photons_setup_t setup, struct lanes *lanes, int l, const layer_t *layers)
{
    if (lanes->outcomes.emits[l]) {
        lanes->waits[l] = get_packet(&lanes->packets, l);
        give(lanes, l, photons_emit(setup, lanes->waits[l]), layers);
    } else if (lanes->packets.weight[l]) {
        see_layer(lanes, l, layers);
    } else if (lanes->waits[l].weight) {
        give(lanes, l, lanes->waits[l], layers);
        lanes->waits[l].weight = 0;
    } else if (lanes->next < lanes->last) {
        give(lanes, l, next_packet(setup, lanes), layers);
    } else {
        lanes->busy[l] = 0;
        lanes->busy_count--;
    }
}

/* A group has many packets per lane, so the idle lanes at its end hardly count. */
YOKE_GROUP_KERNEL(photons_lanes, i, LANES, PHOTONS_GROUP, YOKE_VALUE(photons_setup_t, setup),
                  YOKE_IN(layer_t, layers), YOKE_ADD(int64_t, tally))
{
    struct lanes lanes;
    lanes.first = lanes.next = i;
    lanes.last = i + YOKE_COUNT;
    lanes.busy_count = 0;
    for (int l = 0; l < LANES; l++) {
        lanes.busy[l] = lanes.next < lanes.last;
        lanes.busy_count += lanes.busy[l];
        lanes.rows[l] = -1;
        give(&lanes, l, next_packet(setup, &lanes), layers);
        lanes.waits[l].weight = 0;
    }
    while (lanes.busy_count) {
        step_lanes(setup, &lanes);
        for (int l = 0; l < LANES; l++) {
            if (!lanes.busy[l])
                continue;
            photons_tally(setup, get_outcome(&lanes.outcomes, l), tally);
            settle(setup, &lanes, l, layers);
        }
    }
}

#endif
