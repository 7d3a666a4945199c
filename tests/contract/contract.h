/* contract.h - one list of cases for every backend, with and without the checking wrapper.
 *
 * A case gets an open device with one queue and may do with it what backend.h allows. `memory` is
 * device memory, or host memory if the device works in it, so that kernels are tested on both in
 * the same way. */
#ifndef CONTRACT_H
#define CONTRACT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/backend.h"

struct subject {
    const char *devices; /* device text */
    int checked;         /* behind the wrapper */
    const char *title;
};

struct contract {
    const struct subject *subject;
    struct yk_device *device;
    const struct yk_backend *backend; /* device->backend: the wrapper's, if there is one */
    struct yk_queue *queue;
};

struct memory {
    struct yk_buffer *buffer;
    void *host;
    int64_t bytes;
};

typedef void contract_case(struct contract *contract);
struct named_case { /* name NULL ends the list */
    const char *name;
    contract_case *run;
    enum {
        NEEDS_NOTHING,
        NEEDS_MEMORY,  /* of the device's own */
        NEEDS_PINS,    /* it pins host memory */
        NEEDS_STAGING, /* it allocates pinned host memory, */
        NEEDS_REACH,   /* which its kernels use directly */
        NEEDS_CHECK    /* the wrapper, which makes calls fail */
    } needs;
};
extern const struct named_case contract_memory_cases[], contract_pages_cases[],
    contract_host_cases[], contract_event_cases[], contract_launch_cases[], contract_fault_cases[];

/* NULL: this machine does not have the device. */
struct yk_device *contract_open(const struct subject *subject);

/* Waits for an event (NULL: complete) in the way that its device needs; closes it. */
yoke_status finish(const struct yk_backend *backend, struct yk_event *event);

/* Commits the buffer's pages, if they are on demand. */
void commit_all(struct contract *contract, struct yk_buffer *buffer, int64_t bytes);
struct memory memory_open(struct contract *contract, const void *contents, int64_t bytes);
void memory_read(struct contract *contract, const struct memory *memory, void *out);
void memory_close(struct contract *contract, struct memory *memory);
/* Bytes without a short period, different for each seed. */
void pattern(unsigned char *bytes, size_t count, unsigned seed);
/* Issues the copy on the queue and waits for it. */
void run_copy(struct contract *contract, const struct yk_copy *copy);
/* The argument of a launch for memory that holds an array from element `first` on. */
struct yk_launch_arg memory_arg(const struct memory *memory, int64_t first, size_t element);

#endif
