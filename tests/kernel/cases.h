/* cases.h - the test kernels with their inputs and independent references, for any way to launch.
 *
 * Every case cuts its range into chunks and gives each launch its own exactly sized copies of the
 * rows it may touch, so that a wrong shift or a read outside shows (to the address sanitizer on the
 * CPU), and all but the first chunk work on windows that do not start at row 0.
 */
#ifndef TESTS_KERNEL_CASES_H
#define TESTS_KERNEL_CASES_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/kernel_type.h>

struct launch_arg {
    const void *value;
    void *window; /* bytes of memory that hold the rows this launch may touch */
    size_t bytes;
    int64_t shift; /* byte offset of global element 0 from `window` */
};

struct launcher {
    void *state;
    /* Run the chunk to its end; window contents go in and come out. */
    void (*launch)(void *state, const yoke_kernel *kernel, const struct launch_arg *args,
                   const yoke_chunk *chunk);
};

struct kernel_case {
    const char *name;
    void (*run)(const struct launcher *launcher); /* fails the cmocka test */
};
extern const struct kernel_case kernel_cases[]; /* NULL name ends them */
extern const yoke_kernel *const test_kernels[]; /* NULL-terminated */

#endif
