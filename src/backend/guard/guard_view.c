/* guard_view.c - what a kernel sees of a buffer: copies of the rows that a piece has, in pages that
 * hold nothing else.
 *
 * A page is larger than a row, so one copy cannot be closed on both sides. Of the two views of a
 * buffer one ends with a page, the other begins with one: a piece runs once in each, and what it
 * touches just behind or just before its rows is a fault in one of them.
 */
#include <string.h>
#include <sys/mman.h>

#include "../../base/status.h"
#include "guard.h"

/* Reserved for a view: its rows may lie up to a page further back than in the buffer. */
static int64_t view_bytes(const struct yk_buffer *buffer)
{
    return buffer->mapped + buffer->device->page;
}

static void protect(const struct guard_view *view, int how)
{
    if (view->open.first < view->open.last)
        mprotect(view->memory + view->open.first, (size_t)(view->open.last - view->open.first),
                 how);
}

yoke_status yk_guard_views_open(struct yk_buffer *buffer)
{
    int side;
    for (side = 0; side < GUARD_SIDES; side++) {
        struct guard_view *view = &buffer->views[side];
        if (!view->memory)
            view->memory = yk_guard_map(view_bytes(buffer), 0);
        if (!view->memory)
            return yk_fail(YOKE_ENOMEM, "%s: no addresses for %lld bytes; use smaller arrays",
                           buffer->device->base.desc.name, (long long)view_bytes(buffer));
        view->holds = view->open = (struct guard_span){ 0, 0 };
    }
    return YOKE_OK;
}

void yk_guard_views_empty(struct yk_buffer *buffer)
{
    int side;
    for (side = 0; side < GUARD_SIDES; side++) {
        struct guard_view *view = &buffer->views[side];
        if (!view->memory)
            continue;
        protect(view, PROT_NONE);
        madvise(view->memory, (size_t)view_bytes(buffer), MADV_DONTNEED);
        view->holds = view->open = (struct guard_span){ 0, 0 };
    }
}

void yk_guard_views_close(struct yk_buffer *buffer)
{
    int side;
    for (side = 0; side < GUARD_SIDES; side++)
        yk_guard_unmap(buffer->views[side].memory, view_bytes(buffer));
}

/* The buffer's byte 0 lies that far into the view. Elements stay as far from multiples of their
 * alignment as they are in the buffer. */
static int64_t shift_for(const struct guard_room *room, enum guard_side side, int64_t page)
{
    const struct guard_span all = room->all;
    if (side == GUARD_ENDS)
        return (page - all.last % page) % page / room->alignment * room->alignment;
    return (page - all.first % page + room->alignment - 1) / room->alignment * room->alignment %
           page;
}

void yk_guard_view_show(struct guard_room *room, enum guard_side side)
{
    struct yk_buffer *buffer = room->buffer;
    struct guard_view *view = &buffer->views[side];
    const struct guard_spans *declared = &room->declared;
    const int64_t page = buffer->device->page;
    const int is_one = declared->count == 1 && !room->writes;
    int64_t i;
    if (is_one && view->holds.first == room->all.first && view->holds.last == room->all.last)
        return;
    protect(view, PROT_NONE);
    view->holds = view->open = (struct guard_span){ 0, 0 };
    if (declared->count == 0)
        return;
    view->shift = shift_for(room, side, page);
    view->open.first = (view->shift + room->all.first) / page * page;
    view->open.last = (view->shift + room->all.last + page - 1) / page * page;
    protect(view, PROT_READ | PROT_WRITE);
    for (i = 0; i < declared->count; i++) {
        const struct guard_span span = declared->items[i];
        memcpy(view->memory + view->shift + span.first, buffer->data + span.first,
               (size_t)(span.last - span.first));
    }
    if (is_one)
        view->holds = room->all;
}

void yk_guard_view_seal(const struct guard_room *room, enum guard_side side)
{
    if (!room->writes)
        protect(&room->buffer->views[side], PROT_READ);
}
