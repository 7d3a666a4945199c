/* stall.h - PURE. When a device takes so long that what it does will never end.
 *
 * A kernel in an endless loop holds its GPU for good. What it should take is known once some of its
 * chunks were measured; what takes many times that is taken to be endless. A device that is taken
 * out wrongly costs speed, and one that is waited for in vain costs the program, so the bounds are
 * wide: nothing is said before yk_stall_least_ns and YK_STALL_MEASURED chunks of that kernel.
 */
#ifndef YK_MODEL_STALL_H
#define YK_MODEL_STALL_H

#include <stdint.h>

/* A debugger, a suspended virtual machine and other processes' kernels hold up a GPU for seconds;
 * display drivers that have a watchdog of their own wait for 2 to 10 s. */
#define YK_STALL_LEAST_NS 10e9
/* No copy is slower, in bytes a ns: a tenth of USB's. */
#define YK_STALL_COPY 0.004
enum { YK_STALL_MEASURED = 3 };

/* What was measured of one kernel's chunks on one device. Zero: nothing. */
struct yk_pace {
    int64_t chunks;
    double item_ns;    /* of the dearest */
    double longest_ns; /* of all */
};
void yk_pace_note(struct yk_pace *pace, int64_t items, int64_t ns);

struct yk_stall_chunk {
    int64_t items, bytes; /* bytes: to and from the device for it */
    double expected_ns;   /* by the model; 0: it does not know */
    double factor;        /* so many times longer than expected is never; <= 0: whatever it takes */
};
/* So long the chunk may take; 0: there is no telling. */
double yk_stall_allows(const struct yk_pace *pace, const struct yk_stall_chunk *chunk);

/* One device, on which several chunks are under way, one behind the other. Zero: none is. Time
 * counts only while somebody looks: a process that was stopped for an hour does not find that its
 * chunk took one. */
struct yk_stall {
    int count, untold; /* chunks under way; those of them that may take any time */
    double allowed_ns; /* the others, together */
    double waited_ns;  /* since one of them ended, or the first began */
    int64_t looked_ns; /* when somebody did last */
};
/* A chunk begins, or ends, that may take so long, as yk_stall_allows has it. */
void yk_stall_begin(struct yk_stall *stall, double allowed_ns, int64_t now);
void yk_stall_end(struct yk_stall *stall, double allowed_ns, int64_t now);
/* None has ended so far. 1: none ever will; 0: look again at *again_ns (0: no need to). */
int yk_stall_look(struct yk_stall *stall, int64_t now, int64_t *again_ns);

#endif
