/* heap.h - PURE. A priority queue: a heap of ids (small numbers), each in it at most once, with a
 * key that can be changed. Equal keys come out in the order in which they were put in.
 */
#ifndef YK_SIMULATOR_HEAP_H
#define YK_SIMULATOR_HEAP_H

#include <stdint.h>
#include <yoke/status.h>

struct yk_heap_entry {
    double key;
    uint64_t order;
    int id;
};

struct yk_heap {
    struct yk_heap_entry *entries;
    int *places; /* position of each id in entries; -1: not in the heap */
    int count;
    uint64_t puts;
};

yoke_status yk_heap_open(struct yk_heap *heap, int ids); /* 0 .. ids - 1 */
void yk_heap_close(struct yk_heap *heap);
/* Inserts the id with this key, or changes its key. */
void yk_heap_put(struct yk_heap *heap, int id, double key);
void yk_heap_remove(struct yk_heap *heap, int id); /* does nothing if it is not in the heap */
/* The least key; INFINITY if the heap is empty. */
double yk_heap_key(const struct yk_heap *heap);

static inline int yk_heap_first(const struct yk_heap *heap)
{
    return heap->count > 0 ? heap->entries[0].id : -1;
}

static inline int yk_heap_has(const struct yk_heap *heap, int id)
{
    return heap->places[id] >= 0;
}

#endif
