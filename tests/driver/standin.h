/* standin.h - how a test controls the stand-in driver: which calls fail, and what is still
 * allocated.
 *
 * The stand-in emulates the part of the CUDA driver that yoke uses. Copies copy, kernels are
 * compiled by the host's compiler and compute, streams are threads, device memory is limited. So
 * the real CUDA backend runs without a GPU. A test links libyoke-standin-cuda.so and names it in
 * YOKE_CUDA_LIBRARY; then both are the same library. Programs that do not link it are controlled by
 * the environment, see settings.c. */
#ifndef STANDIN_H
#define STANDIN_H

enum standin_kind {
    STANDIN_ONCE,     /* only that call fails */
    STANDIN_FOR_GOOD, /* the call fails, and its context is dead from then on */
    STANDIN_HANGS,    /* the call never returns; code must not be 0 */
    STANDIN_LATER     /* the nth copy, clearing or kernel on a stream fails while it runs, after the
                         call that queued it succeeded; its context is dead */
};

struct standin_failure {
    long nth; /* 1: the next */
    int code; /* CUresult */
    enum standin_kind kind;
    const char *function; /* "cuMemAlloc": count only its calls; NULL: all calls. Borrowed */
};

#pragma GCC visibility push(default)
/* NULL: nothing fails any more. A call that frees something does so even if it fails. */
void standin_fail(const struct standin_failure *failure);
int standin_failed(void);                    /* whether that call was reached */
long standin_calls(void);                    /* number of calls so far that could have failed, */
long standin_calls_of(const char *function); /* and of those of one function, say "cuMemAlloc" */
/* standin_launches: kernels launched so far whose names begin with the latest prefix, counted since
 * it was set. */
void standin_count_launches(const char *prefix); /* borrowed; NULL: count none */
long standin_launches(void);
unsigned standin_shared(void); /* the most shared memory that one of these launches asked for */
/* Number of contexts and objects in them, device memory blocks, address ranges and pinned pieces of
 * host memory; 0 after all are closed. */
long standin_outstanding(void);
/* Objects that healthy contexts still owned when they were destroyed: leaks that the driver hid. */
long standin_swept(void);
/* 1: threads that call this function (say "cuMemHostRegister") wait in it until it is 0 again. Up
 * to four functions; the name is borrowed. */
void standin_hold(const char *function, int hold);
int standin_held_calls(void); /* number of threads that wait in held calls */
/* For libraries on top of the driver (cublas.c): the calling thread's current context, and work in
 * the order of a stream. `run` returns a CUresult; it is not called if the context died before. Not
 * 0: a CUresult, and the work is not queued. */
void *standin_current(void);
int standin_run_on(void *stream, int (*run)(void *context), void *context);
#pragma GCC visibility pop

#endif
