/* stall.h - PURE. Detects that a device's work will never end.
 *
 * A kernel in an endless loop blocks its GPU for ever. Its expected time is known once some of its
 * chunks were measured; a chunk that takes many times that is taken to be endless. A wrong verdict
 * costs the speed of a device; without a verdict the program hangs. So the bounds are wide: a
 * verdict needs at least YK_STALL_LEAST_NS and YK_STALL_MEASURED chunks of that kernel.
 */
#ifndef YK_MODEL_STALL_H
#define YK_MODEL_STALL_H

#include <stdint.h>

/* A debugger, a suspended virtual machine and other processes' kernels delay a GPU for seconds;
 * display drivers with a watchdog of their own wait for 2 to 10 s. */
#define YK_STALL_LEAST_NS 10e9
/* No copy is slower than this, in bytes per ns: a tenth of USB's speed. */
#define YK_STALL_COPY 0.004
enum { YK_STALL_MEASURED = 3 };

/* Measurements of one kernel's chunks on one device. Zero: none. */
struct yk_pace {
    int64_t chunks;
    double item_ns;    /* largest time per item */
    double longest_ns; /* longest chunk */
};
void yk_pace_note(struct yk_pace *pace, int64_t items, int64_t ns);

struct yk_stall_chunk {
    int64_t items, bytes; /* bytes: copied to and from the device for it */
    double expected_ns;   /* by the model; 0: unknown */
    double factor;        /* multiple of the expected time after which it counts as endless; <=
                           * 0: it may take any time */
};
/* ns that the chunk may take; 0: unknown. */
double yk_stall_allows(const struct yk_pace *pace, const struct yk_stall_chunk *chunk);

/* One device with several chunks under way, one behind the other. Zero: none. Time counts only
 * while a thread looks: if a process was stopped for an hour, its chunk did not take an hour. */
struct yk_stall {
    int count, untold; /* chunks under way; those of them that may take any time */
    double allowed_ns; /* sum over the others */
    double waited_ns;  /* since a chunk ended, or the first one began */
    int64_t looked_ns; /* time of the latest look */
};
/* A chunk begins or ends that may take allowed_ns, as yk_stall_allows returned. */
void yk_stall_begin(struct yk_stall *stall, double allowed_ns, int64_t now);
void yk_stall_end(struct yk_stall *stall, double allowed_ns, int64_t now);
/* Call while no chunk ends. Returns 1 if none ever will; otherwise 0: look again at *again_ns (0:
 * no need to). */
int yk_stall_look(struct yk_stall *stall, int64_t now, int64_t *again_ns);

#endif
