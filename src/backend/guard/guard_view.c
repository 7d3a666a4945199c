/* guard_view.c - what a kernel sees of a buffer: copies of a piece's rows, in pages that hold
 * nothing else.
 *
 * A page is larger than a row, so closed pages can adjoin a copy of rows on one side only. So a
 * buffer has two views: in one the rows end with a page, in the other they begin with one. A piece
 * runs once in each, so a use of memory just after or just before its rows is a fault in one of
 * them.
 *
 * Rows always begin or end at the middle of a view's addresses. So pieces of the same size use the
 * same pages, and few pages have to be opened or closed between them. Each half of the addresses is
 * as long as the buffer, so that all of the buffer can be addressed from there.
 */
#include <string.h>
#include <sys/mman.h>

#include "../../base/status.h"
#include "guard.h"

/* After a launch pages stay open for the next one, unless they have more bytes than this. */
enum { KEPT_BYTES = 1 << 20 };

static int64_t middle_of(const struct yk_buffer *buffer)
{
    return buffer->mapped + buffer->device->page;
}

static int64_t view_bytes(const struct yk_buffer *buffer)
{
    return 2 * middle_of(buffer);
}

static void protect(struct guard_view *view, int how)
{
    view->writable = how & PROT_WRITE;
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
        view->holds = (struct guard_span){ 0, 0 };
    }
    return YOKE_OK;
}

void yk_guard_views_empty(struct yk_buffer *buffer)
{
    int side;
    for (side = 0; side < GUARD_SIDES; side++) {
        struct guard_view *view = &buffer->views[side];
        const struct guard_span open = view->open;
        if (open.last - open.first <= KEPT_BYTES)
            continue;
        protect(view, PROT_NONE);
        madvise(view->memory + open.first, (size_t)(open.last - open.first), MADV_DONTNEED);
        view->open = (struct guard_span){ 0, 0 };
    }
}

void yk_guard_views_close(struct yk_buffer *buffer)
{
    int side;
    for (side = 0; side < GUARD_SIDES; side++)
        yk_guard_unmap(buffer->views[side].memory, view_bytes(buffer));
}

/* Returns the offset of the buffer's byte 0 in the view, a multiple of the alignment, so that
 * elements stay aligned. */
static int64_t shift_for(const struct guard_room *room, enum guard_side side)
{
    const int64_t middle = middle_of(room->buffer), alignment = room->alignment;
    if (side == GUARD_ENDS)
        return (middle - room->all.last) / alignment * alignment;
    return (middle - room->all.first + alignment - 1) / alignment * alignment;
}

static void open_pages(struct guard_view *view, struct guard_span pages)
{
    if (pages.first != view->open.first || pages.last != view->open.last) {
        protect(view, PROT_NONE);
        view->open = pages;
    } else if (view->writable) {
        return;
    }
    protect(view, PROT_READ | PROT_WRITE);
}

void yk_guard_view_show(struct guard_room *room, enum guard_side side)
{
    struct yk_buffer *buffer = room->buffer;
    struct guard_view *view = &buffer->views[side];
    const struct guard_spans *declared = &room->declared;
    const int64_t page = buffer->device->page;
    const int is_one = declared->count == 1 && !room->writes;
    struct guard_span pages = { 0, 0 };
    int64_t i;
    if (is_one && view->holds.first == room->all.first && view->holds.last == room->all.last)
        return;
    view->holds = (struct guard_span){ 0, 0 };
    if (declared->count > 0) {
        view->shift = shift_for(room, side);
        pages.first = (view->shift + room->all.first) / page * page;
        pages.last = (view->shift + room->all.last + page - 1) / page * page;
    }
    open_pages(view, pages);
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
    struct guard_view *view = &room->buffer->views[side];
    if (!room->writes && view->writable)
        protect(view, PROT_READ);
}
