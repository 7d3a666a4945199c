/* broadcast.c - see broadcast.h. */
#include "broadcast.h"

#include "coherence.h"

/* The overhead of a copy is about 10 us; a fast link moves 1 MiB in 20 us. Each member issues a
 * copy of every piece. (Four H200s, Barnes-Hut's tree of 48 MB: the job took 4.6 ms with pieces of
 * at least 1 MiB, 4.3 ms with 4 MiB, 3.9 ms with 8, 4.1 ms with 16.) */
int64_t yk_broadcast_least_bytes = 1 << 20;
static const int64_t most_bytes = 32 << 20; /* of a piece */
/* Most pieces of each member. If it has more than one, the two copies of a row (from the host, then
 * to the other members) overlap: only the second copy of the last piece adds time. */
static const int64_t pieces_each = 4;

int yk_broadcast_open(struct yk_interval rows, int64_t row_bytes, uint32_t members,
                      struct yk_broadcast *out)
{
    int64_t count = __builtin_popcount(members), all = rows.last - rows.first, each, part;
    if (count < 2 || all < count || all * row_bytes < yk_broadcast_least_bytes)
        return 0;
    part = all * row_bytes / count;
    each = part / (2 * yk_broadcast_least_bytes * count);
    if (each > pieces_each)
        each = pieces_each;
    if (each < part / most_bytes)
        each = part / most_bytes;
    if (each < 1)
        each = 1;
    *out = (struct yk_broadcast){ .rows = rows, .members = members };
    out->piece_rows = (all + count * each - 1) / (count * each);
    return 1;
}

int64_t yk_broadcast_pieces(const struct yk_broadcast *broadcast)
{
    return (broadcast->rows.last - broadcast->rows.first + broadcast->piece_rows - 1) /
           broadcast->piece_rows;
}

/* The member with `rank` members before it. rank_of is the reverse. */
static int member_at(uint32_t members, int64_t rank)
{
    while (rank-- > 0)
        members &= members - 1;
    return __builtin_ctz(members);
}

static int64_t rank_of(uint32_t members, int place)
{
    return __builtin_popcount(members & (yk_place_bit(place) - 1));
}

struct yk_interval yk_broadcast_piece(const struct yk_broadcast *broadcast, int place, int64_t nth,
                                      int *owner)
{
    int64_t count = __builtin_popcount(broadcast->members), group = nth / count * count;
    int64_t left = yk_broadcast_pieces(broadcast) - group, piece;
    struct yk_interval rows;
    if (left > count) /* the last group may be shorter */
        left = count;
    piece = group + (rank_of(broadcast->members, place) + nth - group) % left;
    *owner = member_at(broadcast->members, piece - group);
    rows.first = broadcast->rows.first + piece * broadcast->piece_rows;
    rows.last = rows.first + broadcast->piece_rows;
    if (rows.last > broadcast->rows.last)
        rows.last = broadcast->rows.last;
    return rows;
}

/* Returns the place that owns the piece if it is one of `places`. Otherwise returns the first of
 * them behind the place that asks, or the first of all if none is behind it. */
static int choose(const struct yk_piece_state *state, uint32_t places)
{
    uint32_t behind = places & ~(2 * yk_place_bit(state->place) - 1);
    if (places & yk_place_bit(state->owner))
        return state->owner;
    return __builtin_ctz(behind ? behind : places);
}

enum yk_route yk_broadcast_route(const struct yk_piece_state *state, int *via)
{
    uint32_t sent = state->sent & state->coming & state->near;
    if ((state->holders | state->coming) & yk_place_bit(state->place))
        return YK_ROUTE_NONE;
    if (state->holders & state->near) {
        *via = choose(state, state->holders & state->near);
        return YK_ROUTE_DEVICE;
    }
    if (!(state->holders & yk_place_bit(YK_HOST)))
        return YK_ROUTE_NONE;
    if (sent) {
        *via = choose(state, sent);
        return YK_ROUTE_FOLLOW;
    }
    if (!(state->near & yk_place_bit(state->owner)))
        return YK_ROUTE_HOST;
    *via = state->owner;
    return state->coming & yk_place_bit(state->owner) ? YK_ROUTE_AWAIT : YK_ROUTE_PASS_ON;
}
