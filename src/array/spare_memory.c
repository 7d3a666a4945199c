/* spare_memory.c - device memory that is kept for later: what a job needs for itself and returns at
 * its end (windows, queues, copies of sums), and the memory of small arrays that were closed.
 *
 * To allocate memory from a driver and to free it takes 0.1 ms and more, during which the device
 * may be idle. But the next job mostly needs the same sizes, and a program that opens arrays for
 * each call opens equal arrays. So the memory is kept until the room is needed for something else.
 * Only a few buffers are kept: the largest so far.
 */
#include "array.h"
#include "place.h"

int64_t yk_place_spare_bytes(const struct yk_place *place)
{
    int64_t bytes = 0;
    int i;
    for (i = 0; i < YK_SPARES; i++)
        bytes += place->spares[i].bytes;
    return bytes;
}

int yk_place_free_spare(struct yk_place *place)
{
    struct yk_spare *largest = &place->spares[0];
    int i;
    for (i = 1; i < YK_SPARES; i++)
        if (place->spares[i].bytes > largest->bytes)
            largest = &place->spares[i];
    if (!largest->buffer)
        return 0;
    place->device->backend->free(place->device, largest->buffer);
    *largest = (struct yk_spare){ 0 };
    return 1;
}

void yk_place_keep(struct yk_place *place, const struct yk_spare *memory)
{
    struct yk_spare *smallest = &place->spares[0];
    struct yk_buffer *buffer = memory->buffer;
    int i;
    for (i = 1; i < YK_SPARES; i++) /* an empty entry is the smallest */
        if (place->spares[i].bytes < smallest->bytes)
            smallest = &place->spares[i];
    if (smallest->bytes < memory->bytes) {
        const struct yk_spare before = *smallest;
        *smallest = *memory;
        buffer = before.buffer;
    }
    if (buffer)
        place->device->backend->free(place->device, buffer);
}

void yk_place_give(struct yk_place *place, const struct yk_spare *memory)
{
    yk_lock(&place->lock);
    yk_place_keep(place, memory);
    yk_unlock(&place->lock);
}
