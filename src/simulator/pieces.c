/* pieces.c - see pieces.h. */
#include "pieces.h"

#include "../base/alloc.h"

yoke_status yk_pieces_open(int lanes, struct yk_pieces *out)
{
    struct yk_pieces pieces = { .lanes = lanes, .slot = -1 };
    size_t slots = (size_t)lanes + 1;
    pieces.slots = yk_calloc(slots, sizeof *pieces.slots);
    pieces.free_slots = yk_calloc(slots, sizeof *pieces.free_slots);
    pieces.sections = yk_calloc((size_t)lanes, sizeof *pieces.sections);
    if (!pieces.slots || !pieces.free_slots || !pieces.sections) {
        yk_pieces_close(&pieces);
        return YOKE_ENOMEM;
    }
    for (int slot = lanes; slot >= 0; slot--)
        pieces.free_slots[pieces.free_count++] = slot;
    *out = pieces;
    return YOKE_OK;
}

void yk_pieces_close(struct yk_pieces *pieces)
{
    yk_free(pieces->slots);
    yk_free(pieces->free_slots);
    yk_free(pieces->sections);
    *pieces = (struct yk_pieces){ .slot = -1 };
}

void yk_pieces_publish(struct yk_pieces *pieces, const struct yk_chunk *chunk, double now)
{
    int64_t items = chunk->last - chunk->first;
    int slot = pieces->free_slots[--pieces->free_count];
    pieces->slots[slot] = (struct yk_lent){ .chunk = *chunk, .items_left = items, .issued = now };
    pieces->slot = slot;
    pieces->piece = chunk->piece > 0 && chunk->piece < items ? chunk->piece : items;
    pieces->left = (items - 1) / pieces->piece + 1;
    pieces->section_count = pieces->left < pieces->lanes ? (int)pieces->left : pieces->lanes;
    for (int s = 0; s < pieces->section_count; s++) {
        pieces->sections[s][0] = (int64_t)((__int128)s * pieces->left / pieces->section_count);
        pieces->sections[s][1] =
            (int64_t)((__int128)(s + 1) * pieces->left / pieces->section_count);
    }
}

/* The section nearest to `home` that has something left; there is one. */
static int nearest(const struct yk_pieces *pieces, int home)
{
    for (int distance = 1;; distance++) {
        int above = home + distance, below = home - distance;
        if (above < pieces->section_count &&
            pieces->sections[above][0] < pieces->sections[above][1])
            return above;
        if (below >= 0 && pieces->sections[below][0] < pieces->sections[below][1])
            return below;
    }
}

int yk_pieces_cut(struct yk_pieces *pieces, int lane, struct yk_piece *out)
{
    if (pieces->left == 0)
        return 0;
    int home = (int)((int64_t)lane * pieces->section_count / pieces->lanes);
    int own = pieces->sections[home][0] < pieces->sections[home][1];
    int64_t *section = pieces->sections[own ? home : nearest(pieces, home)];
    const struct yk_chunk *chunk = &pieces->slots[pieces->slot].chunk;
    int64_t count = (section[1] - section[0] - 1) / (chunk->parts > 2 ? chunk->parts : 2) + 1,
            from = section[0];
    if (own)
        section[0] += count;
    else
        from = section[1] -= count;
    pieces->left -= count;
    out->slot = pieces->slot;
    out->first = chunk->first + from * pieces->piece;
    out->last = count * pieces->piece > chunk->last - out->first
                    ? chunk->last
                    : out->first + count * pieces->piece;
    return 1;
}

const struct yk_lent *yk_pieces_done(struct yk_pieces *pieces, const struct yk_piece *piece,
                                     double work_ns)
{
    struct yk_lent *lent = &pieces->slots[piece->slot];
    lent->items_left -= piece->last - piece->first;
    lent->work_ns += work_ns;
    if (lent->items_left > 0)
        return NULL;
    pieces->free_slots[pieces->free_count++] = piece->slot;
    return lent;
}
