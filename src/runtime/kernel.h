/* kernel.h - the kernels a runtime has met: own copies, what was built for each device, what was
 * learned.
 *
 * A descriptor is copied when first seen, because building it may go on in a device's host thread
 * after the job that brought it is done. The texts and names it points to are string literals in
 * all but unusual programs and are not copied: they must live as long as the runtime.
 */
#ifndef YK_RUNTIME_KERNEL_H
#define YK_RUNTIME_KERNEL_H

#include <stdatomic.h>
#include <yoke/kernel_type.h>

#include "../array/place.h"
#include "../partition/learned.h"
#include "../partition/team.h"

enum yk_build_state { YK_BUILD_NONE, YK_BUILD_READY, YK_BUILD_FAILED };

struct yk_build {
    atomic_int state; /* release when program or text is there */
    struct yk_program *program;
    yoke_status status; /* of a failed build */
    char *text;
};

/* Speeds seen with one kernel, range and set of array shapes. */
struct yk_memory {
    uint64_t key;
    uint64_t used; /* for replacing the oldest */
    struct yk_learned device[YK_PLACES];
    struct yk_team team;
};

enum { YK_MEMORIES = 16 };

struct yk_kernel {
    yoke_kernel kernel; /* a copy */
    struct yk_build builds[YK_PLACES];
    struct yk_memory memories[YK_MEMORIES]; /* under the runtime's lock */
    uint64_t clock;
    struct yk_kernel *next;
};

struct yk_kernels {
    struct yk_kernel *first;
};

/* The runtime's copy of `kernel`, made at the first call. Under the runtime's lock. */
yoke_status yk_kernel_intern(struct yk_kernels *kernels, const yoke_kernel *kernel,
                             struct yk_kernel **out);
void yk_kernels_close(struct yk_kernels *kernels, struct yk_places *places);
/* The kernel's program on a device, built now if need be. Only the device's driving thread calls it
 * (CPU devices: under the runtime's lock). */
yoke_status yk_kernel_build(struct yk_kernel *kernel, struct yk_device *device, int number);

const struct yk_memory *yk_kernel_recall(struct yk_kernel *kernel, uint64_t key);
struct yk_memory *yk_kernel_memorise(struct yk_kernel *kernel, uint64_t key);

#endif
