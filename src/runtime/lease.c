/* lease.c - see lease.h. */
#include "lease.h"

#include "../base/alloc.h"

/* Piece counter of a slot whose bounds are being changed. */
#define CLOSED UINT32_MAX

yoke_status yk_leases_open(int lanes, struct yk_leases *out)
{
    out->count = lanes + 1;
    out->slots = yk_calloc((size_t)out->count, sizeof *out->slots);
    atomic_init(&out->current, 0);
    return out->slots ? YOKE_OK : YOKE_ENOMEM;
}

void yk_leases_close(struct yk_leases *leases)
{
    yk_free(leases->slots);
    leases->slots = NULL;
}

int yk_lease_cut(struct yk_leases *leases, struct yk_chunk *piece, int *slot)
{
    int current = atomic_load_explicit(&leases->current, memory_order_acquire);
    struct yk_lease *lease = &leases->slots[current];
    /* acquire: pairs with the release in yk_lease_publish, so the bounds are at least that lease's
     */
    uint64_t word = atomic_load_explicit(&lease->word, memory_order_acquire);
    for (;;) {
        int64_t first = atomic_load_explicit(&lease->first, memory_order_relaxed);
        int64_t last = atomic_load_explicit(&lease->last, memory_order_relaxed);
        int64_t size = atomic_load_explicit(&lease->piece, memory_order_relaxed);
        int64_t start = (uint32_t)word == CLOSED ? last : first + (int64_t)(uint32_t)word * size;
        if (size == 0 || start >= last)
            return 0;
        if (atomic_compare_exchange_weak_explicit(&lease->word, &word, word + 1,
                                                  memory_order_acq_rel, memory_order_acquire)) {
            piece->first = start;
            piece->last = last - start < size ? last : start + size;
            *slot = current;
            return 1;
        }
    }
}

void yk_lease_publish(struct yk_leases *leases, const struct yk_chunk *chunk, int64_t now)
{
    int64_t items = chunk->last - chunk->first;
    int64_t piece = chunk->piece > 0 && chunk->piece < items ? chunk->piece : items;
    int slot = 0;
    struct yk_lease *lease;
    uint64_t generation;
    /* 2^32 pieces fill the counter's half of the word */
    if (items / piece >= UINT32_MAX)
        piece = items / (UINT32_MAX / 2);
    while (atomic_load_explicit(&leases->slots[slot].pieces_left, memory_order_acquire) != 0)
        slot++;
    lease = &leases->slots[slot];
    generation = (atomic_load_explicit(&lease->word, memory_order_relaxed) >> 32) + 1;
    /* A late cutter of the slot's former lease fails its compare-and-swap from here on. */
    atomic_store_explicit(&lease->word, generation << 32 | CLOSED, memory_order_seq_cst);
    lease->chunk = *chunk;
    lease->issued_ns = now;
    atomic_store_explicit(&lease->first, chunk->first, memory_order_relaxed);
    atomic_store_explicit(&lease->last, chunk->last, memory_order_relaxed);
    atomic_store_explicit(&lease->piece, piece, memory_order_relaxed);
    atomic_store_explicit(&lease->pieces_left, (items + piece - 1) / piece, memory_order_relaxed);
    atomic_store_explicit(&lease->word, (generation + 1) << 32, memory_order_release);
    atomic_store_explicit(&leases->current, slot, memory_order_release);
}

const struct yk_lease *yk_lease_piece_done(struct yk_leases *leases, int slot)
{
    struct yk_lease *lease = &leases->slots[slot];
    int64_t left = atomic_load_explicit(&lease->pieces_left, memory_order_acquire);
    while (left > 1)
        /* acq_rel: the last one sees what every piece wrote */
        if (atomic_compare_exchange_weak_explicit(&lease->pieces_left, &left, left - 1,
                                                  memory_order_acq_rel, memory_order_acquire))
            return NULL;
    return lease;
}

void yk_lease_free(struct yk_leases *leases, int slot)
{
    atomic_store_explicit(&leases->slots[slot].pieces_left, 0, memory_order_release);
}
