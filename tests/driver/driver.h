/* driver.h - what the files of the stand-in driver share.
 *
 *   settings.c   the simulated machine, from the environment
 *   fail.c       calls that are made to fail
 *   hold.c       calls that are made to wait
 *   device.c     initialization, and the properties of the GPUs
 *   context.c    contexts, the current one of each thread, the objects they own
 *   memory.c     device memory from cuMemAlloc; which addresses may be used
 *   virtual.c    reserved addresses and the memory mapped there
 *   host.c       pinned host memory
 *   stream.c     streams: one thread each, which does the work in order
 *   event.c      marks in streams, and waiting for them
 *   copy.c       copies and clearing
 *   peer.c       GPUs that access each other's memory
 *   module.c     loading of machine code
 *   launch.c     a kernel's grid, block by block
 *   fault.c      a kernel that accesses an illegal address
 *   fiber.c      the threads of a block that meet at barriers
 *
 * Every entry point begins with standin_call or standin_enter, which count the call and decide
 * whether it fails. There are many small locks on purpose: one large lock would order what yoke
 * left unordered, and so hide from a race detector errors that a real driver shows. */
#ifndef STANDIN_DRIVER_H
#define STANDIN_DRIVER_H

#include <stdatomic.h>

#include "backend/cuda/cuda_api.h"
#include "standin.h"

enum { /* codes of the driver for which yoke has no name */
       STANDIN_INVALID_HANDLE = 400,
       STANDIN_ILLEGAL_ADDRESS = 700
};

#pragma GCC visibility push(default)
#define STANDIN_EXPORT(name, symbol, parameters) CUresult cu##name parameters __asm__(symbol);
YK_CUDA_FUNCTIONS(STANDIN_EXPORT)
YK_CUDA_VIRTUAL_FUNCTIONS(STANDIN_EXPORT)
YK_CUDA_PEER_FUNCTIONS(STANDIN_EXPORT)
#undef STANDIN_EXPORT
#pragma GCC visibility pop

/* settings.c */
enum { STANDIN_GPUS_MOST = 8 };
struct standin_settings {
    int gpus, visible[STANDIN_GPUS_MOST], visible_count;
    int arch, version, compute_mode, cores;
    int peers;                         /* 0: no GPU can access another's memory */
    int unified;                       /* 0: host memory has other addresses on GPUs */
    int init_code, context_code;       /* of cuInit and cuCtxCreate, if not 0 */
    int init_ms;                       /* duration of cuInit */
    size_t memory_bytes, pinned_bytes; /* of each GPU; largest total of the host */
    struct standin_failure failure;    /* nth 0: none */
};
const struct standin_settings *standin_settings(void);

/* fail.c */
/* The code to fail with, or 0. Sets *for_good if the context is dead from now on. */
CUresult standin_due(const char *function, int *for_good);
CUresult standin_due_later(void);

/* hold.c */
void standin_await_hold(const char *function);

/* context.c */
enum standin_object_kind { STANDIN_STREAM, STANDIN_EVENT, STANDIN_MODULE };
struct standin_object { /* first member of every object of a context */
    enum standin_object_kind kind;
    struct CUctx_st *context;
    struct standin_object *next, **link;
};
CUresult standin_call(const char *function);
/* Sets *context to the current context, if it is alive. */
CUresult standin_enter(const char *function, CUcontext *context);
/* The same for calls that free `object`. 0: the caller frees it and returns *code. Otherwise the
 * caller returns this code: a dead context frees nothing before it is destroyed. */
CUresult standin_give_back(const char *function, CUcontext *context, CUresult *code);
void standin_die(CUcontext context, CUresult code);
CUresult standin_health(CUcontext context); /* 0 while alive, otherwise its code */
int standin_device_of(CUcontext context);
void standin_context_admit(CUcontext context, int device); /* the device may use its memory */
int standin_context_admits(CUcontext context, int device);
void standin_object_add(struct standin_object *object, enum standin_object_kind kind,
                        CUcontext context);
void standin_object_remove(struct standin_object *object);
/* Waits until nothing runs in it. */
void standin_context_wait(CUcontext context);
void standin_held(long change); /* adds to standin_outstanding's count */

/* memory.c: free bytes of a device, and ranges of addresses that may be used */
int standin_memory_take(int device, size_t bytes);
void standin_memory_give(int device, size_t bytes);
struct standin_range {
    CUdeviceptr start;
    size_t bytes;
    CUcontext context; /* allocated memory: its context; NULL: mapped memory, which belongs to the
                          process */
    unsigned usable;   /* mapped memory: bit mask of the devices that may use it; otherwise 1 */
    void *block;       /* allocated memory: the whole block, with its guard page */
    size_t block_bytes;
    struct standin_physical *physical; /* of mapped memory */
    struct standin_range *next;
};
int standin_range_add(const struct standin_range *range);
/* Removes the range with this start and length; bytes 0: any length. */
int standin_range_take(CUdeviceptr start, size_t bytes, struct standin_range *out);
/* The device may use the ranges from now on that fill these bytes exactly; *first: no device could
 * use any before. */
int standin_range_allow(CUdeviceptr start, size_t bytes, int device, int *first);
int standin_ranges_touch(CUdeviceptr start, size_t bytes);
/* True if every byte may be used; by this device. */
int standin_ranges_cover(CUdeviceptr start, size_t bytes);
int standin_ranges_open_to(int device, CUdeviceptr start, size_t bytes);
long standin_memory_sweep(CUcontext context); /* frees all of it; number of blocks */
size_t standin_page_bytes(void);

/* copy.c */
CUresult standin_copy_add(const char *function, CUstream stream, CUdeviceptr to, CUdeviceptr from,
                          size_t bytes);

/* host.c */
enum standin_host { STANDIN_PAGEABLE, STANDIN_PINNED, STANDIN_CROSSING };
enum standin_host standin_host_kind(const void *host, size_t bytes);
long standin_host_sweep(CUcontext context);

/* stream.c */
struct standin_work { /* first member of each kind of work, made by malloc */
    /* On the stream's thread. */
    CUresult (*run)(struct standin_work *work);
    void (*close)(struct standin_work *work); /* NULL: free */
    int always; /* runs also in a dead context: it tells other streams how far this one is */
    struct standin_work *next;
};
/* Takes ownership of the work. */
void standin_stream_add(CUstream stream, struct standin_work *work);
/* Waits until all work queued before this call has run. */
void standin_stream_wait(CUstream stream);
void standin_stream_close(CUstream stream);
CUcontext standin_stream_context(CUstream stream);

/* event.c */
void standin_event_close(CUevent event);

/* module.c */
struct standin_entry;
struct standin_indices;
struct CUfunc_st {
    struct CUmod_st *module;
    const struct standin_entry *entry;
    char name[128];
    struct CUfunc_st *next;
};
struct standin_indices *standin_module_indices(CUmodule module); /* of the calling thread */
CUcontext standin_module_context(CUmodule module);
void standin_module_close(CUmodule module);

/* fiber.c */
struct standin_fiber;
struct standin_fiber *standin_fiber_open(void (*run)(void *context), void *context);
void standin_fiber_resume(struct standin_fiber *fiber); /* returns when the fiber yields or ends */
void standin_fiber_yield(struct standin_fiber *fiber);  /* on the fiber; run must not return */
void standin_fiber_close(struct standin_fiber *fiber);

/* fault.c */
/* 0: the kernel's thread accessed an illegal address and was abandoned there. */
int standin_guard(void (*kernel)(void *const *args), void *const *args);
/* Leaves the guard at a barrier, where other threads run; returns to it afterwards. */
void *standin_guard_leave(void);
void standin_guard_return(void *guard);

/* launch.c */
void standin_barrier(void); /* __syncthreads() */

#endif
