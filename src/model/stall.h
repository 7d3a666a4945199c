/* stall.h - PURE. Detects that a device's work will never end.
 *
 * A kernel in an endless loop blocks its GPU for ever. When some of its chunks have been measured,
 * its expected time is known; a chunk that takes many times as long is judged endless. A wrong
 * verdict loses a device; without a verdict the program hangs. So the bounds are wide: a verdict
 * needs a wait of YK_STALL_LEAST_NS, and YK_STALL_MEASURED measured chunks of that kernel.
 */
#ifndef YK_MODEL_STALL_H
#define YK_MODEL_STALL_H

#include <stdint.h>

/* In ns. A debugger, a suspended virtual machine and other processes' kernels delay a GPU for
 * seconds; display drivers with a watchdog of their own wait for 2 to 10 s. */
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
    double factor;        /* it is endless after this many times its expected time; <= 0: it may
                           * take any time */
};
/* Returns the ns that the chunk may take; 0: any time (too little is known, or factor <= 0). */
double yk_stall_allows(const struct yk_pace *pace, const struct yk_stall_chunk *chunk);

/* A device's chunks in flight, done one by one. Zero: none. Time counts only while a thread looks:
 * if a process was stopped for an hour, its chunk did not take an hour. */
struct yk_stall {
    int count, untold; /* chunks in flight; number of these that may take any time */
    double allowed_ns; /* sum of the allowed times of the others */
    double waited_ns;  /* since a chunk ended, or the first one began */
    int64_t looked_ns; /* time of the latest look */
};
/* Call these when a chunk begins and ends; allowed_ns is what yk_stall_allows returned for it. */
void yk_stall_begin(struct yk_stall *stall, double allowed_ns, int64_t now);
void yk_stall_end(struct yk_stall *stall, double allowed_ns, int64_t now);
/* Call it while no chunk ends. Returns 1 if no chunk will ever end. Otherwise returns 0 and sets
 * *again_ns to the time of the next look; 0: none is needed. */
int yk_stall_look(struct yk_stall *stall, int64_t now, int64_t *again_ns);

#endif
