/* standin.h - how a test steers the stand-in driver: what fails when, and what is still held.
 *
 * The stand-in is an emulator of the part of the CUDA driver that yoke uses. Copies copy, kernels
 * are compiled by the host's compiler and compute, streams are threads, device memory is limited.
 * So the real CUDA backend runs where no GPU is. A test links libyoke-standin-cuda.so and names it
 * in YOKE_CUDA_LIBRARY; then both are the same library. Programs that know nothing of it are
 * steered by the environment, see settings.c.
 */
#ifndef STANDIN_H
#define STANDIN_H

enum standin_kind {
    STANDIN_ONCE,     /* that call fails, nothing else happens */
    STANDIN_FOR_GOOD, /* and the context in which it was called is dead from then on */
    STANDIN_HANGS,    /* it never returns; code is not 0 */
    STANDIN_LATER     /* not a call: the nth copy, clearing or kernel on a stream fails while it
                         runs, after the call that queued it went well; its context is dead */
};

struct standin_failure {
    long nth; /* 1: the next */
    int code; /* CUresult */
    enum standin_kind kind;
    const char *function; /* "cuMemAlloc": only its calls count; NULL: all do. Borrowed */
};

#pragma GCC visibility push(default)
/* NULL: nothing fails any more. A call that gives something back does so even when it fails. */
void standin_fail(const struct standin_failure *failure);
int standin_failed(void);                    /* whether that call was reached */
long standin_calls(void);                    /* calls so far that could have failed, */
long standin_calls_of(const char *function); /* and those of "cuMemAlloc" */
/* Kernels launched so far whose names begin with what was told last, and after that. */
void standin_count_launches(const char *prefix); /* borrowed; NULL: of none */
long standin_launches(void);
/* Contexts and what is in them, device memory, addresses, pinned host memory: 0 after all is
 * closed. */
long standin_outstanding(void);
/* What contexts in good health still held when they were destroyed: leaks that the driver hid. */
long standin_swept(void);
/* 1: threads that call "cuMemHostRegister", say, wait in that call until this is 0 again. Up to
 * four functions; the name is borrowed. */
void standin_hold(const char *function, int hold);
int standin_held_calls(void); /* how many threads wait like that */
/* For libraries that stand on the driver (cublas.c): the calling thread's current context, and work
 * on a stream, in its order. `run` returns a CUresult; it is not called any more where the context
 * died before. Not 0: a CUresult, and it is not queued. */
void *standin_current(void);
int standin_run_on(void *stream, int (*run)(void *context), void *context);
#pragma GCC visibility pop

#endif
