/* heap.c - see heap.h: a binary heap, and the position of each number in it. */
#include "heap.h"

#include <math.h>

#include "../base/alloc.h"

yoke_status yk_heap_open(struct yk_heap *heap, int ids)
{
    *heap = (struct yk_heap){ .count = 0 };
    heap->entries = yk_calloc((size_t)ids, sizeof *heap->entries);
    heap->places = yk_calloc((size_t)ids, sizeof *heap->places);
    if (!heap->entries || !heap->places) {
        yk_heap_close(heap);
        return YOKE_ENOMEM;
    }
    for (int id = 0; id < ids; id++)
        heap->places[id] = -1;
    return YOKE_OK;
}

void yk_heap_close(struct yk_heap *heap)
{
    yk_free(heap->entries);
    yk_free(heap->places);
    *heap = (struct yk_heap){ .count = 0 };
}

static int before(const struct yk_heap_entry *a, const struct yk_heap_entry *b)
{
    return a->key < b->key || (a->key == b->key && a->order < b->order);
}

static void place(struct yk_heap *heap, int at, struct yk_heap_entry entry)
{
    heap->entries[at] = entry;
    heap->places[entry.id] = at;
}

static void rise(struct yk_heap *heap, int at, struct yk_heap_entry entry)
{
    while (at > 0 && before(&entry, &heap->entries[(at - 1) / 2])) {
        place(heap, at, heap->entries[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    place(heap, at, entry);
}

static void sink(struct yk_heap *heap, int at, struct yk_heap_entry entry)
{
    for (int child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && before(&heap->entries[child + 1], &heap->entries[child]))
            child++;
        if (!before(&heap->entries[child], &entry))
            break;
        place(heap, at, heap->entries[child]);
    }
    place(heap, at, entry);
}

void yk_heap_put(struct yk_heap *heap, int id, double key)
{
    struct yk_heap_entry entry = { .key = key, .order = heap->puts++, .id = id };
    int at = heap->places[id];
    if (at < 0) {
        rise(heap, heap->count++, entry);
        return;
    }
    if (before(&entry, &heap->entries[at]))
        rise(heap, at, entry);
    else
        sink(heap, at, entry);
}

void yk_heap_remove(struct yk_heap *heap, int id)
{
    int at = heap->places[id];
    if (at < 0)
        return;
    heap->places[id] = -1;
    heap->count--;
    if (at == heap->count)
        return;
    struct yk_heap_entry last = heap->entries[heap->count];
    if (at > 0 && before(&last, &heap->entries[(at - 1) / 2]))
        rise(heap, at, last);
    else
        sink(heap, at, last);
}

double yk_heap_key(const struct yk_heap *heap)
{
    return heap->count > 0 ? heap->entries[0].key : INFINITY;
}
