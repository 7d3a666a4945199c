/* guard_room.c - the parts of a launch's memory that concern a piece: the rows it may touch, and
 * the gaps between them, on which it must not depend. */
#include <stdlib.h>
#include <string.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "guard.h"

/* --- lists --- */

static yoke_status grow(void *items, int64_t *capacity, int64_t count, size_t size)
{
    void **list = items, *larger;
    int64_t room = *capacity * 2 > count ? *capacity * 2 : count;
    if (count <= *capacity)
        return YOKE_OK;
    larger = yk_realloc(*list, (size_t)room, size);
    if (!larger)
        return YOKE_ENOMEM;
    *list = larger;
    *capacity = room;
    return YOKE_OK;
}

static yoke_status need(struct guard_bytes *bytes, int64_t count)
{
    return grow(&bytes->data, &bytes->capacity, count, 1);
}

static yoke_status append(struct guard_spans *spans, struct guard_span span)
{
    yoke_status status =
        grow(&spans->items, &spans->capacity, spans->count + 1, sizeof *spans->items);
    if (status == YOKE_OK)
        spans->items[spans->count++] = span;
    return status;
}

void yk_guard_work_close(struct guard_work *work)
{
    int r;
    for (r = 0; r < YOKE_ARGS_MAX; r++)
        yk_free(work->rooms[r].declared.items);
    yk_free(work->traps);
    yk_free(work->changes);
    yk_free(work->filled.data);
    yk_free(work->plain.data);
    yk_free(work->other.data);
}

/* --- arguments --- */

static int reads(yoke_param_mode mode)
{
    return mode == YOKE_PARAM_IN || mode == YOKE_PARAM_INOUT;
}

/* Offset in the buffer where row 0 of the argument's array would be. */
static int64_t row_zero(const struct guard_work *work, int arg)
{
    return work->launch->args[arg].shift + work->declared->args[arg].column;
}

int64_t yk_guard_row_of(const struct guard_work *work, int arg, int64_t offset)
{
    const int64_t pitch = work->declared->args[arg].pitch, at = offset - row_zero(work, arg);
    return at >= 0 ? at / pitch : -((pitch - 1 - at) / pitch);
}

int yk_guard_arg_at(const struct guard_work *work, int room, int64_t offset, int64_t *row)
{
    int p, found = -1;
    for (p = 0; p < work->declared->count; p++) {
        const struct yk_declared *d = &work->declared->args[p];
        int64_t here, inside;
        if (work->room_of[p] != room || d->pitch < 1)
            continue;
        here = yk_guard_row_of(work, p, offset);
        inside = offset - row_zero(work, p) - here * d->pitch;
        if (found >= 0 && (inside >= d->row_bytes || here < d->first_row || here >= d->last_row))
            continue; /* the place belongs to another array, or another panel */
        *row = here;
        found = p;
    }
    return found;
}

/* --- rooms --- */

static int room_for(struct guard_work *work, struct yk_buffer *buffer)
{
    int r = 0;
    while (r < work->room_count && work->rooms[r].buffer != buffer)
        r++;
    if (r == work->room_count) {
        struct guard_room *room = &work->rooms[work->room_count++];
        room->buffer = buffer;
        room->writes = 0;
        room->alignment = 1;
    }
    return r;
}

/* Alignment of a parameter's elements; a handwritten descriptor may omit it. */
static int64_t alignment_of(const yoke_param *param)
{
    int64_t alignment = param->alignment;
    if (alignment < 1)
        for (alignment = 1; alignment < 64 && param->size % (2 * alignment) == 0;)
            alignment *= 2;
    return alignment;
}

yoke_status yk_guard_rooms_open(struct guard_work *work)
{
    yoke_status status = YOKE_OK;
    int p, r;
    work->room_count = 0;
    for (p = 0; p < work->declared->count; p++) {
        const int64_t alignment = alignment_of(&work->declared->params[p]);
        work->room_of[p] = -1;
        if (work->declared->args[p].mode == YOKE_PARAM_VALUE)
            continue;
        if (!work->launch->args[p].buffer)
            return yk_fail(YOKE_EINVAL, "%s: argument %d has no memory", work->declared->job,
                           p + 1);
        r = room_for(work, work->launch->args[p].buffer);
        work->room_of[p] = r;
        work->rooms[r].writes |= work->declared->args[p].mode != YOKE_PARAM_IN;
        if (work->rooms[r].alignment < alignment)
            work->rooms[r].alignment = alignment;
    }
    for (r = 0; r < work->room_count && status == YOKE_OK; r++)
        status = yk_guard_views_open(work->rooms[r].buffer);
    return status;
}

void yk_guard_rooms_close(struct guard_work *work)
{
    int r;
    for (r = 0; r < work->room_count; r++)
        yk_guard_views_empty(work->rooms[r].buffer);
}

/* --- a piece --- */

static yoke_status add_trap(struct guard_work *work, const struct guard_trap *trap)
{
    yoke_status status =
        grow(&work->traps, &work->trap_capacity, work->trap_count + 1, sizeof *work->traps);
    if (status != YOKE_OK)
        return status;
    work->traps[work->trap_count] = *trap;
    work->traps[work->trap_count++].at = work->trap_bytes;
    work->trap_bytes += trap->span.last - trap->span.first;
    return YOKE_OK;
}

static yoke_status add_change(struct guard_work *work, int arg, struct guard_span span)
{
    const int is_out = work->declared->args[arg].mode == YOKE_PARAM_OUT;
    struct guard_change change = { work->room_of[arg], arg, -1, span, work->change_bytes };
    yoke_status status =
        grow(&work->changes, &work->change_capacity, work->change_count + 1, sizeof *work->changes);
    if (status == YOKE_OK && is_out) {
        const struct guard_trap trap = { change.room, arg, span, 0 };
        change.trap = (int)work->trap_count;
        status = add_trap(work, &trap);
    }
    if (status != YOKE_OK)
        return status;
    work->changes[work->change_count++] = change;
    work->change_bytes += span.last - span.first;
    return YOKE_OK;
}

static yoke_status declare(struct guard_work *work, int arg, struct guard_span span)
{
    yoke_status status = append(&work->rooms[work->room_of[arg]].declared, span);
    if (status == YOKE_OK && work->declared->args[arg].mode != YOKE_PARAM_IN)
        status = add_change(work, arg, span);
    return status;
}

/* Declares the rows of an argument that the piece's indexes may use; of a sum, all rows. */
static yoke_status declare_rows(struct guard_work *work, int arg)
{
    const struct yk_declared *d = &work->declared->args[arg];
    const int64_t zero = row_zero(work, arg);
    yoke_rows rows = { d->first_row, d->last_row };
    yoke_status status = YOKE_OK;
    int64_t row;
    if (d->mode != YOKE_PARAM_ADD)
        rows = work->declared->rows(work->declared->context, arg,
                                    (yoke_rows){ work->first, work->last });
    work->rows[arg] = rows;
    if (rows.first >= rows.last)
        return YOKE_OK;
    if (d->row_bytes == d->pitch)
        return declare(
            work, arg,
            (struct guard_span){ zero + rows.first * d->pitch, zero + rows.last * d->pitch });
    for (row = rows.first; row < rows.last && status == YOKE_OK; row++)
        status = declare(
            work, arg,
            (struct guard_span){ zero + row * d->pitch, zero + row * d->pitch + d->row_bytes });
    return status;
}

static int by_first(const void *a, const void *b)
{
    const struct guard_span *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Sorts the spans, and joins those that touch. */
static void order(struct guard_spans *spans)
{
    int64_t i, last = 0;
    if (spans->count < 2)
        return;
    qsort(spans->items, (size_t)spans->count, sizeof *spans->items, by_first);
    for (i = 1; i < spans->count; i++) {
        const struct guard_span span = spans->items[i];
        if (span.first > spans->items[last].last)
            spans->items[++last] = span;
        else if (span.last > spans->items[last].last)
            spans->items[last].last = span.last;
    }
    spans->count = last + 1;
}

static yoke_status enclose(struct guard_work *work, int r)
{
    struct guard_room *room = &work->rooms[r];
    const struct guard_spans *declared = &room->declared;
    yoke_status status = YOKE_OK;
    int64_t i;
    order(&room->declared);
    room->all = (struct guard_span){ 0, 0 };
    if (declared->count > 0)
        room->all = (struct guard_span){ declared->items[0].first,
                                         declared->items[declared->count - 1].last };
    for (i = 1; i < declared->count && status == YOKE_OK; i++)
        status = add_trap(
            work, &(struct guard_trap){
                      r, -1, { declared->items[i - 1].last, declared->items[i].first }, 0 });
    return status;
}

static yoke_status need_stores(struct guard_work *work)
{
    yoke_status status = need(&work->filled, work->trap_bytes);
    if (status == YOKE_OK)
        status = need(&work->plain, work->change_bytes);
    return status == YOKE_OK ? need(&work->other, work->change_bytes) : status;
}

yoke_status yk_guard_piece_open(struct guard_work *work, int64_t first, int64_t last)
{
    yoke_status status = YOKE_OK;
    int p, r;
    work->first = first;
    work->last = last;
    work->trap_count = work->trap_bytes = work->change_count = work->change_bytes = 0;
    for (r = 0; r < work->room_count; r++)
        work->rooms[r].declared.count = 0;
    for (p = 0; p < work->declared->count && status == YOKE_OK; p++)
        if (work->room_of[p] >= 0)
            status = declare_rows(work, p);
    for (r = 0; r < work->room_count && status == YOKE_OK; r++)
        status = enclose(work, r);
    return status == YOKE_OK ? need_stores(work) : status;
}

void yk_guard_piece_keep(struct guard_work *work)
{
    int64_t i;
    for (i = 0; i < work->change_count; i++) {
        const struct guard_change *c = &work->changes[i];
        memcpy(work->rooms[c->room].buffer->data + c->span.first, work->plain.data + c->at,
               (size_t)(c->span.last - c->span.first));
    }
}

/* --- what is in the traps --- */

/* Returns an argument that reads rows of the room and has rows in this piece; -1 if none does. */
static int example(const struct guard_work *work, int room)
{
    int p;
    for (p = 0; p < work->declared->count; p++)
        if (work->room_of[p] == room && reads(work->declared->args[p].mode) &&
            work->rows[p].first < work->rows[p].last)
            return p;
    return -1;
}

/* Fills a trap with plausible values: those that must be kept, or else those of a declared row. */
static void fill_plausibly(const struct guard_work *work, const struct guard_trap *trap,
                           unsigned char *out)
{
    const int arg = trap->arg < 0 ? example(work, trap->room) : -1;
    const int64_t bytes = trap->span.last - trap->span.first;
    const struct yk_declared *d = &work->declared->args[arg < 0 ? 0 : arg];
    const unsigned char *row;
    int64_t i, phase;
    if (trap->arg >= 0 && work->declared->args[trap->arg].keeps) {
        memcpy(out, work->rooms[trap->room].buffer->data + trap->span.first, (size_t)bytes);
        return;
    }
    if (arg < 0) {
        memset(out, 0, (size_t)bytes);
        return;
    }
    row = work->rooms[trap->room].buffer->data + row_zero(work, arg) +
          work->rows[arg].first * d->pitch;
    phase = (trap->span.first - row_zero(work, arg)) % d->pitch;
    phase += phase < 0 ? d->pitch : 0;
    for (i = 0; i < bytes; i++) {
        out[i] = phase < d->row_bytes ? row[phase] : 0;
        if (++phase == d->pitch)
            phase = 0;
    }
}

static void fill_oddly(const struct guard_work *work, const struct guard_trap *trap,
                       struct guard_odd odd)
{
    int64_t first = odd.first - trap->at, last = odd.last - trap->at;
    const int64_t bytes = trap->span.last - trap->span.first;
    first = first < 0 ? 0 : first;
    last = last > bytes ? bytes : last;
    if (first < last)
        memset(work->filled.data + trap->at + first, work->odd_byte, (size_t)(last - first));
}

unsigned char *yk_guard_seen(const struct guard_work *work, int room, int64_t offset)
{
    const struct guard_view *view = &work->rooms[room].buffer->views[work->side];
    /* an integer, because the offset may be outside the memory */
    return (unsigned char *)((uintptr_t)view->memory + (uintptr_t)(view->shift + offset));
}

void yk_guard_fill(struct guard_work *work, enum guard_side side, struct guard_odd odd)
{
    int64_t i;
    int r;
    work->side = side;
    for (r = 0; r < work->room_count; r++)
        yk_guard_view_show(&work->rooms[r], side);
    for (i = 0; i < work->trap_count; i++) {
        const struct guard_trap *trap = &work->traps[i];
        fill_plausibly(work, trap, work->filled.data + trap->at);
        fill_oddly(work, trap, odd);
        memcpy(yk_guard_seen(work, trap->room, trap->span.first), work->filled.data + trap->at,
               (size_t)(trap->span.last - trap->span.first));
    }
    for (r = 0; r < work->room_count; r++)
        yk_guard_view_seal(&work->rooms[r], side);
}

int yk_guard_gap_changed(const struct guard_work *work, struct guard_breach *out)
{
    int64_t i, at;
    for (i = 0; i < work->trap_count; i++) {
        const struct guard_trap *trap = &work->traps[i];
        const unsigned char *now = yk_guard_seen(work, trap->room, trap->span.first);
        const unsigned char *then = work->filled.data + trap->at;
        const int64_t bytes = trap->span.last - trap->span.first;
        if (trap->arg >= 0 || !work->rooms[trap->room].writes ||
            memcmp(now, then, (size_t)bytes) == 0)
            continue;
        for (at = 0; now[at] == then[at];)
            at++;
        *out = (struct guard_breach){
            .kind = GUARD_WRITE, .room = trap->room, .arg = -1, .offset = trap->span.first + at
        };
        return 1;
    }
    return 0;
}
