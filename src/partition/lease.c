/* lease.c - PURE, except that it has atomics: see lease.h. */

#include "lease.h"

#include <string.h>

#include "../base/alloc.h"

/* begin and end have 16 bits each in a section's word. */
#define SECTION_PIECES_MAX 65535

/* A lane's copy of the shape of the current lease. */
struct shape {
    struct yk_leases *leases;
    uint32_t generation;
    int32_t slot, sections, parts;
    int64_t pieces, first, last, piece;
};

yoke_status yk_leases_open(int lanes, struct yk_leases *out)
{
    size_t slots = 2 * (size_t)lanes + 1, words = ((size_t)lanes + 63) / 64;
    size_t bits = (slots * words * sizeof *out->filled + 63) / 64 * 64;
    size_t bytes =
        slots * sizeof *out->slots + sizeof *out->shape + (size_t)lanes * sizeof *out->sections;
    void *block = yk_alloc_aligned(bytes + bits, 64);
    if (!block)
        return YOKE_ENOMEM;
    memset(block, 0, bytes); /* not the bits: publishing sets those of its slot, and with thousands
                              * of lanes most slots stay unused */
    *out = (struct yk_leases){ .slots = block,
                               .slot_count = (int)slots,
                               .lanes = lanes,
                               .words = (int)words,
                               .cutters = lanes };
    out->shape = (struct yk_lease_shape *)(out->slots + slots);
    out->sections = (struct yk_section *)(out->shape + 1);
    out->filled = (_Atomic uint64_t *)(out->sections + lanes);
    return YOKE_OK;
}

void yk_leases_shut(struct yk_leases *leases)
{
    atomic_store_explicit(&leases->shape->generation, 0, memory_order_relaxed);
}

void yk_leases_close(struct yk_leases *leases)
{
    yk_free(leases->slots);
    leases->slots = NULL;
}

/* Returns 1 if all values read belong to one lease. acquire pairs with the releases in write_shape:
 * a lane that read a value of a later lease then also reads another generation. */
static int read_shape(struct yk_leases *leases, struct shape *out)
{
    const struct yk_lease_shape *shape = leases->shape;
    out->leases = leases;
    out->generation = atomic_load_explicit(&shape->generation, memory_order_acquire);
    out->slot = atomic_load_explicit(&shape->slot, memory_order_acquire);
    out->sections = atomic_load_explicit(&shape->sections, memory_order_acquire);
    out->parts = atomic_load_explicit(&shape->parts, memory_order_acquire);
    out->pieces = atomic_load_explicit(&shape->pieces, memory_order_acquire);
    out->first = atomic_load_explicit(&shape->first, memory_order_acquire);
    out->last = atomic_load_explicit(&shape->last, memory_order_acquire);
    out->piece = atomic_load_explicit(&shape->piece, memory_order_acquire);
    return out->generation != 0 &&
           atomic_load_explicit(&shape->generation, memory_order_relaxed) == out->generation;
}

enum end { FRONT, BACK };

/* Sets the items of `count` pieces, from the lease's piece number `from` on. */
static void describe(const struct shape *shape, int64_t from, int64_t count, struct yk_chunk *piece)
{
    piece->first = shape->first + from * shape->piece;
    piece->last = from + count == shape->pieces ? shape->last : piece->first + count * shape->piece;
}

/* Number of the section's first piece. */
static int64_t section_start(const struct shape *shape, int section)
{
    return section * shape->pieces / shape->sections;
}

/* Takes a part of what the section still has, rounded up to whole pieces. Returns 0 if it has
 * none. */
static int cut_section(const struct shape *shape, int section, enum end side,
                       struct yk_chunk *piece)
{
    const struct yk_leases *leases = shape->leases;
    _Atomic uint64_t *word = &leases->sections[section].word;
    uint64_t old = atomic_load_explicit(word, memory_order_acquire), begin, end, count, next;
    int64_t start = section_start(shape, section);
    do {
        begin = old >> 16 & 0xffff;
        end = old & 0xffff;
        if (old >> 32 != shape->generation) {
            /* the word is a later lease's: the caller's shape is out of date */
            if ((int32_t)((uint32_t)(old >> 32) - shape->generation) > 0)
                return 0;
            begin = 0;
            end = (uint64_t)(section_start(shape, section + 1) - start);
        }
        if (begin == end)
            return 0;
        count = (end - begin - 1) / (uint64_t)shape->parts + 1;
        next = (uint64_t)shape->generation << 32;
        next |= side == FRONT ? (begin + count) << 16 | end : begin << 16 | (end - count);
    } while (!atomic_compare_exchange_weak_explicit(word, &old, next, memory_order_acq_rel,
                                                    memory_order_acquire));
    if (end - begin == count)
        atomic_fetch_and_explicit(&leases->filled[shape->slot * leases->words + section / 64],
                                  ~(UINT64_C(1) << (section % 64)), memory_order_relaxed);
    describe(shape, start + (int64_t)(side == FRONT ? begin : end - count), (int64_t)count, piece);
    return 1;
}

/* The set bit of `bits` (not 0) that is nearest to bit `at`. */
static int nearest(uint64_t bits, int at)
{
    uint64_t up = bits >> at, down = bits << (63 - at);
    int above = up ? __builtin_ctzll(up) : 64, below = down ? __builtin_clzll(down) : 64;
    return above <= below ? at + above : at - below;
}

/* Takes a part of a section whose bit is in this word of `filled`, and tries the one nearest to
 * `home` first. Returns 0 if none has pieces left. */
static int steal_in_word(const struct shape *shape, int word, int home, struct yk_chunk *piece)
{
    const struct yk_leases *leases = shape->leases;
    uint64_t bits = atomic_load_explicit(&leases->filled[shape->slot * leases->words + word],
                                         memory_order_relaxed);
    int at = home / 64 == word ? home % 64 : home / 64 < word ? 0 : 63;
    while (bits) {
        int victim = nearest(bits, at);
        bits &= ~(UINT64_C(1) << victim);
        victim += word * 64;
        /* the slot already has a later lease if it has a section that the shape does not have */
        if (victim < shape->sections && cut_section(shape, victim, BACK, piece))
            return 1;
    }
    return 0;
}

static int steal(const struct shape *shape, int home, struct yk_chunk *piece)
{
    const int words = shape->leases->words;
    int distance, at = home / 64;
    for (distance = 0; distance < words; distance++) {
        if (at + distance < words && steal_in_word(shape, at + distance, home, piece))
            return 1;
        if (distance > 0 && at >= distance && steal_in_word(shape, at - distance, home, piece))
            return 1;
    }
    return 0;
}

int yk_lease_cut(struct yk_leases *leases, int lane, struct yk_chunk *piece, int *slot)
{
    struct shape shape;
    const int cutters = atomic_load_explicit(&leases->cutters, memory_order_relaxed);
    int home = lane < cutters ? lane : cutters - 1;
    if (!read_shape(leases, &shape))
        return 0;
    if (shape.sections != cutters)
        home = (int)((int64_t)home * shape.sections / cutters);
    if (!cut_section(&shape, home, FRONT, piece) && !steal(&shape, home, piece))
        return 0;
    *slot = shape.slot;
    return 1;
}

/* Cuts whole pieces of the wanted size, or of a multiple of it if there would be too many. Returns
 * their number. */
static int64_t count_pieces(int64_t items, int lanes, int64_t *piece)
{
    int64_t pieces = items / *piece + (items % *piece > 0), most = SECTION_PIECES_MAX;
    most *= lanes;
    if (pieces > most) {
        *piece *= (pieces - 1) / most + 1;
        pieces = items / *piece + (items % *piece > 0);
    }
    return pieces;
}

static void fill(const struct shape *shape)
{
    const struct yk_leases *leases = shape->leases;
    int w;
    for (w = 0; w < leases->words; w++) {
        int here = shape->sections - w * 64;
        uint64_t bits = here >= 64 ? UINT64_MAX : here > 0 ? (UINT64_C(1) << here) - 1 : 0;
        atomic_store_explicit(&leases->filled[shape->slot * leases->words + w], bits,
                              memory_order_relaxed);
    }
}

static void write_shape(const struct shape *shape)
{
    struct yk_lease_shape *out = shape->leases->shape;
    atomic_store_explicit(&out->generation, 0, memory_order_relaxed);
    /* release: pairs with the acquires in read_shape */
    atomic_store_explicit(&out->slot, shape->slot, memory_order_release);
    atomic_store_explicit(&out->sections, shape->sections, memory_order_release);
    atomic_store_explicit(&out->parts, shape->parts, memory_order_release);
    atomic_store_explicit(&out->pieces, shape->pieces, memory_order_release);
    atomic_store_explicit(&out->first, shape->first, memory_order_release);
    atomic_store_explicit(&out->last, shape->last, memory_order_release);
    atomic_store_explicit(&out->piece, shape->piece, memory_order_release);
    atomic_store_explicit(&out->generation, shape->generation, memory_order_release);
}

/* Generations are compared by their difference, so a word that no lane has changed for 2^31 leases
 * would be taken for that of a later lease. So every 2^24 leases all sections get the present
 * generation. No lane changes them meanwhile, because nothing is left in them. */
static uint32_t next_generation(struct yk_leases *leases)
{
    int lane;
    for (lane = 0; lane < leases->lanes && leases->generation % (1u << 24) == 0; lane++)
        atomic_store_explicit(&leases->sections[lane].word, (uint64_t)leases->generation << 32,
                              memory_order_relaxed);
    if (++leases->generation == 0)
        leases->generation = 1;
    return leases->generation;
}

struct yk_lease *yk_lease_next(struct yk_leases *leases)
{
    struct yk_lease *lease = leases->slots;
    /* acquire: pairs with the release in yk_lease_free */
    while (atomic_load_explicit(&lease->items_left, memory_order_acquire) != 0)
        lease++;
    return lease;
}

void yk_lease_publish(struct yk_leases *leases, struct yk_lease *lease,
                      const struct yk_chunk *chunk, int64_t now)
{
    const int cutters = atomic_load_explicit(&leases->cutters, memory_order_relaxed);
    int64_t items = chunk->last - chunk->first;
    struct shape shape = { .leases = leases,
                           .first = chunk->first,
                           .last = chunk->last,
                           .piece = items,
                           .parts = chunk->parts > 2 ? chunk->parts : 2 };
    if (chunk->piece > 0 && chunk->piece < items)
        shape.piece = chunk->piece;
    shape.pieces = count_pieces(items, cutters, &shape.piece);
    shape.sections = shape.pieces < cutters ? (int32_t)shape.pieces : cutters;
    shape.slot = (int32_t)(lease - leases->slots);
    lease->chunk = *chunk;
    lease->issued_ns = now;
    atomic_store_explicit(&lease->items_left, (uint64_t)items + 1, memory_order_relaxed);
    atomic_store_explicit(&lease->work_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&lease->fetch_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&lease->given_back, 0, memory_order_relaxed);
    atomic_store_explicit(&lease->strips_done, 0, memory_order_relaxed);
    fill(&shape);
    shape.generation = next_generation(leases);
    write_shape(&shape);
}

void yk_lease_worked(struct yk_leases *leases, int slot, int64_t ns)
{
    /* relaxed: yk_lease_done orders it */
    atomic_fetch_add_explicit(&leases->slots[slot].work_ns, ns, memory_order_relaxed);
}

void yk_lease_fetched(struct yk_leases *leases, int slot, int64_t ns)
{
    atomic_fetch_add_explicit(&leases->slots[slot].fetch_ns, ns, memory_order_relaxed);
}

const struct yk_lease *yk_lease_done(struct yk_leases *leases, int slot, int64_t items)
{
    struct yk_lease *lease = &leases->slots[slot];
    /* acq_rel: the lane that reports the last items sees what every lane wrote */
    const uint64_t before =
        atomic_fetch_sub_explicit(&lease->items_left, (uint64_t)items, memory_order_acq_rel);
    return before == (uint64_t)items + 1 ? lease : NULL;
}

void yk_lease_free(struct yk_leases *leases, int slot)
{
    atomic_store_explicit(&leases->slots[slot].items_left, 0, memory_order_release);
}

int64_t yk_leases_done(const struct yk_leases *leases)
{
    int64_t done = 0;
    int slot;
    for (slot = 0; slot < leases->slot_count; slot++) {
        const struct yk_lease *lease = &leases->slots[slot];
        uint64_t left = atomic_load_explicit(&lease->items_left, memory_order_acquire);
        if (left > 0)
            done += lease->chunk.last - lease->chunk.first - (int64_t)(left - 1);
    }
    return done;
}
