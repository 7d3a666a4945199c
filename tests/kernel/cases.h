/* cases.h - the test kernels with their inputs and independent references, for any way to launch.
 *
 * Every case cuts its range into chunks. Each launch gets its own copies of the rows it may touch,
 * of exactly their size, so the address sanitizer detects a wrong shift or a read outside (on the
 * CPU). All chunks except the first work on windows that do not start at row 0. */
#ifndef TESTS_KERNEL_CASES_H
#define TESTS_KERNEL_CASES_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/kernel_type.h>

struct launch_arg {
    const void *value;
    void *window; /* memory with the rows that this launch may touch */
    size_t bytes;
    int64_t shift; /* byte offset of global element 0 from `window` */
};

struct launcher {
    void *state;
    /* Runs the chunk to its end; the window contents are input and output. */
    void (*launch)(void *state, const yoke_kernel *kernel, const struct launch_arg *args,
                   const yoke_chunk *chunk);
};

struct kernel_case {
    const char *name;
    void (*run)(const struct launcher *launcher); /* fails the cmocka test */
};
extern const struct kernel_case kernel_cases[]; /* ended by a NULL name */
extern const yoke_kernel *const test_kernels[]; /* NULL-terminated */

#endif
