/* cuda.h - what the files of this folder share. Other folders use only yk_backend.
 *
 *   cuda_load.c     driver and compiler, found at run time
 *   cuda_error.c    the driver's codes as texts and status classes; entering a context
 *   cuda_find.c     which GPUs there are, and what they are
 *   cuda_device.c   open, close, pinned host memory; the backend's table
 *   cuda_memory.c   device memory: addresses at once, pages as they are needed
 *   cuda_peer.c     memory of other GPUs: which GPU reaches it, and copies out of it
 *   cuda_queue.c    streams, copies, clearing
 *   cuda_event.c    outcomes, and times on the host's clock
 *   cuda_watch.c    waiting without spinning
 *   cuda_compile.c  text to machine code by NVRTC
 *   cuda_program.c  a kernel on a device, with the disk cache
 *   cuda_launch.c   a chunk to a grid
 *   cuda_gather.c   grids of kernels that add
 *   cuda_spread.c   grids of kernels that reduce
 *
 * Each device has its own context, so that a device that fails does not affect others. The context
 * is current only during a call (pushed and popped): if the program itself uses CUDA, the thread's
 * own context is not changed. Nothing runs at process exit: drivers unload before libraries'
 * destructors.
 */
#ifndef YK_BACKEND_CUDA_H
#define YK_BACKEND_CUDA_H

#include <stdatomic.h>

#include "../../platform/thread.h"
#include "../backend.h"
#include "../cache.h"
#include "../kernel_shape.h"
#include "../narrow_choice.h"
#include "../watcher.h"
#include "cuda_api.h"

extern const struct yk_backend yk_backend_cuda;

/* Settings of "cuda:0:mem=1G:lanes=3"; 0: the default. */
struct yk_cuda_settings {
    int64_t memory_bytes, lanes, copies;
};
extern const struct yk_option yk_cuda_options[];

struct yk_cuda_device {
    struct yk_device base; /* first */
    const struct yk_cuda_api *cu;
    CUdevice handle;
    CUcontext context;
    int arch;                 /* 90 for compute capability 9.0 */
    int64_t shared_bytes;     /* shared memory of a multiprocessor; 0: unknown */
    int64_t grain;            /* bytes of the smallest page; 0: pages cannot be mapped on demand */
    CUdeviceptr first_memory; /* makes the driver keep its memory for small buffers; 0: none */
    yk_mutex pieces_lock;     /* guards the lists of what its buffers have mapped */
    _Atomic int64_t booked;   /* bytes of all buffers */
    _Atomic int64_t mapped;   /* bytes of `booked` that are mapped */
    /* Bytes that other processes left to this one, and when the driver reported that. */
    _Atomic int64_t ours, asked_ns;
    atomic_int lost;
    _Atomic int64_t well_ns; /* when the driver last accepted work for this device */

    yk_mutex event_lock; /* guards the unused events */
    struct yk_event *unused_events;
    CUevent anchor;      /* event that links the device's clock to the host's */
    int64_t anchor_ns;   /* time of `anchor` on the host's clock */
    CUevent next_anchor; /* unused; becomes the next anchor */

    struct yk_program *taker; /* copies little from a peer (cuda_peer.c); NULL: no such kernel */

    struct yk_watcher watcher;
    struct yk_cuda_watch *first_watch, **watch_end;
    int telling; /* 1: the watcher is calling a notify function */
};

enum { YK_CUDA_READERS_MOST = 32 }; /* number of GPUs with a bit in open_to */

struct yk_buffer {
    CUdeviceptr address;
    int64_t bytes;  /* as requested */
    int64_t page;   /* bytes mapped at a time */
    int64_t span;   /* bytes of addresses reserved: whole pages */
    int64_t booked; /* bytes of memory booked; for reserved addresses, the mapped bytes */
    int reserved;
    struct yk_cuda_segment *pieces; /* segments mapped so far */
    unsigned char *mapped;          /* for each page 1 if it is mapped; NULL: allocated at once */
    _Atomic uint32_t *open_to;      /* for each page a bit per GPU number: that GPU may read it */
};

struct yk_queue {
    struct yk_cuda_device *device;
    CUstream stream;
};

struct yk_program {
    struct yk_cuda_device *device;
    struct yk_kernel_shape shape;
    CUmodule module; /* NULL for a native function */
    CUfunction function;
    CUfunction narrow_function; /* for 32-bit indexes; NULL: there is none */
    struct yk_narrow_choice narrow;
    int spreads;                /* 1: its module has such an entry: */
    CUfunction spread_function; /* with several threads for a lane (cuda_spread.c) */
    yoke_cuda_fn *native;
    int generated;      /* 1: made by YOKE_KERNEL; 0: handwritten */
    int block_items;    /* threads in a block */
    char launching[96]; /* what an error of a launch names; formatting it takes 0.3 us */
};

/* cuda_load.c. Both load on the first call, and later return the same result. */
struct yk_cuda_driver {
    struct yk_cuda_api api;
    char path[256];
    int version; /* 12040 for CUDA 12.4 */
};
/* YOKE_ENODEV with the reason: no driver, a driver that is too old, or one that finds no GPU. */
yoke_status yk_cuda_load(const struct yk_cuda_driver **out);
struct yk_nvrtc {
    struct yk_nvrtc_api api;
    char path[256];
    int major, minor;
};
yoke_status yk_nvrtc_load(const struct yk_nvrtc **out);

/* cuda_error.c */
/* Returns a name such as "CUDA_ERROR_OUT_OF_MEMORY"; api may be NULL. */
const char *yk_cuda_code_name(const struct yk_cuda_api *api, CUresult code);
/* Reports that `what` failed and returns the error's class. Marks the device as lost, unless the
 * code only means that there is no memory. */
yoke_status yk_cuda_fail(struct yk_cuda_device *device, CUresult code, const char *what);
/* Like yk_cuda_fail, but for calls with arguments of the caller: if these are wrong, the device is
 * not lost. */
yoke_status yk_cuda_refuse(struct yk_cuda_device *device, CUresult code, const char *what);
/* Like yk_cuda_fail, but marks the device as lost for every code: it is unknown which queued work
 * took effect, so it cannot be repeated on the memory that it may have changed. */
yoke_status yk_cuda_lose(struct yk_cuda_device *device, CUresult code, const char *what);
/* Call it first in every slot. Returns YOKE_EDEVICE if the device is lost; otherwise makes its
 * context current until yk_cuda_leave. */
yoke_status yk_cuda_enter(struct yk_cuda_device *device);
void yk_cuda_leave(struct yk_cuda_device *device);
/* For slots that clean up, also on a lost device. Returns 0 if the context cannot be entered. */
int yk_cuda_enter_anyway(struct yk_cuda_device *device);

/* cuda_find.c */
yoke_status yk_cuda_find(const struct yk_device_spec *spec, int asked, struct yk_device_list *list,
                         char *why);
int yk_cuda_hides(const struct yk_device_desc *desc);

/* cuda_memory.c */
extern int64_t yk_cuda_step_bytes; /* page size of a small buffer; tests make it smaller */
void yk_cuda_memory_open(struct yk_cuda_device *device);
void yk_cuda_memory_close(struct yk_cuda_device *device);
yoke_status yk_cuda_alloc(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
void yk_cuda_free(struct yk_device *device, struct yk_buffer *buffer);
int64_t yk_cuda_memory_free(struct yk_device *device);
yoke_status yk_cuda_commit(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                           int64_t bytes);
yoke_status yk_cuda_reserve(struct yk_device *base, int64_t bytes, struct yk_buffer **out);
void yk_cuda_decommit(struct yk_device *base, struct yk_buffer *buffer, int64_t offset,
                      int64_t bytes);

/* Call it in a thread that waits for work queued at `since_ns`. If that was some time ago, and the
 * driver's latest answer is old, it asks the driver for free memory: the thread has the time. */
void yk_cuda_memory_notice(struct yk_cuda_device *device, int64_t since_ns);

/* Lets `reader` read the memory that `copy` takes from its peer; that must be mapped, and stay
 * so. */
CUresult yk_cuda_memory_open_to(const struct yk_cuda_device *reader, const struct yk_copy *copy);

/* cuda_peer.c */
double yk_cuda_reach(struct yk_device *device, struct yk_device *from);
/* Call it with the queue's context current. */
CUresult yk_cuda_copy_peer(const struct yk_queue *queue, const struct yk_copy *copy);
CUmemcpySide yk_cuda_peer_side(const struct yk_copy *copy); /* source of a copy of several runs */
/* Gives the queue's device access to the memory that `copy` reads. YOKE_ELOST if the device that
 * owns this memory no longer works. */
yoke_status yk_cuda_peer_ready(const struct yk_queue *queue, const struct yk_copy *copy);

/* cuda_queue.c */
yoke_status yk_cuda_queue_open(struct yk_device *device, struct yk_queue **out);
void yk_cuda_queue_close(struct yk_queue *queue);
void yk_cuda_queue_release(struct yk_queue *queue); /* if no notify function is in the queue; other
                                                     * threads may use the device */
yoke_status yk_cuda_copy(struct yk_queue *queue, const struct yk_copy *copy,
                         struct yk_event **event);
yoke_status yk_cuda_zero(struct yk_queue *queue, const struct yk_buffer_range *range,
                         struct yk_event **event);

/* cuda_event.c. An operation has three steps, all between enter and leave: begin makes the event,
 * if one is wanted, and lets the queue wait for `after`; then come the driver's calls; then end. */
struct yk_cuda_operation {
    struct yk_queue *queue;
    const char *what;
    struct yk_event *const *after;
    int after_count;
    int timed;               /* 1: record its start, too */
    int passing;             /* 1: no thread will sleep until its end */
    struct yk_event **event; /* where the caller gets the event; NULL: it wants none */
    struct yk_event *made;
};
yoke_status yk_cuda_operation_begin(struct yk_cuda_operation *operation);
/* `code` is the result of the driver's calls. On failure it waits for all that was queued; the
 * device is lost if the calls succeeded and only the end could not be recorded. */
yoke_status yk_cuda_operation_end(struct yk_cuda_operation *operation, CUresult code);

yoke_status yk_cuda_events_open(struct yk_cuda_device *device); /* event_lock must be open */
void yk_cuda_events_close(struct yk_cuda_device *device);
enum { YK_CUDA_PENDING = 600 }; /* CUDA_ERROR_NOT_READY */
CUresult yk_cuda_look(struct yk_event *event);
/* Sleeps until the event is over; returns its outcome. */
CUresult yk_cuda_sleep(struct yk_event *event);
void yk_cuda_event_hold(struct yk_event *event); /* one more close is needed */
struct yk_cuda_device *yk_cuda_event_device(const struct yk_event *event);
int yk_cuda_poll(struct yk_event *event, yoke_status *outcome);
yoke_status yk_cuda_wait(struct yk_event *event);
void yk_cuda_event_times(struct yk_event *event, struct yk_event_times *out);
void yk_cuda_event_close(struct yk_event *event);

/* cuda_watch.c */
yoke_status yk_cuda_watcher_open(struct yk_cuda_device *device);
void yk_cuda_watcher_drain(struct yk_cuda_device *device);
yoke_status yk_cuda_notify(struct yk_event *event, void (*fn)(void *context), void *context);

/* cuda_compile.c. `image->bytes` (yk_free) is machine code for this GPU; if the compiler does not
 * know the GPU, PTX for the newest architecture that it knows. */
struct yk_cuda_source {
    const char *kernel, *text;
    const char *options[4];
    int option_count;
    int to_ptx;
};
/* Sets the options for compiling the source for this device; YOKE_EBUILD if there is no
 * compiler. */
yoke_status yk_cuda_source_plan(const struct yk_cuda_device *device, struct yk_cuda_source *source,
                                char arch_option[48]);
yoke_status yk_cuda_compile(const struct yk_cuda_device *device,
                            const struct yk_cuda_source *source, struct yk_blob *image);

/* cuda_warm.c: Between these two calls another thread prepares the compiler. */
struct yk_cuda_warming {
    struct yk_thread thread;
    int runs;
};
void yk_cuda_warm_begin(struct yk_cuda_device *device, struct yk_cuda_warming *warming);
void yk_cuda_warm_end(struct yk_cuda_warming *warming);

/* cuda_program.c */
yoke_status yk_cuda_build(struct yk_device *device, const yoke_kernel *kernel,
                          struct yk_program **out);
void yk_cuda_program_close(struct yk_device *device, struct yk_program *program);

/* cuda_launch.c */
yoke_status yk_cuda_launch(struct yk_queue *queue, struct yk_program *program,
                           const struct yk_launch *launch, struct yk_event **event);

/* cuda_gather.c */
/* Returns the bytes of shared memory that a block of `threads` threads may use without keeping
 * others from the device. */
int64_t yk_cuda_shared_room(const struct yk_cuda_device *device, int64_t threads);
/* Returns the bytes of shared memory in which each block, of `threads` threads, gathers; 0: it adds
 * to the device's memory. */
int64_t yk_cuda_gathered_bytes(const struct yk_program *program, const struct yk_launch *launch,
                               int64_t threads);
/* Returns how many turns a block that gathers should do, if it takes `blocks` of one turn.
 * keeps_sums: each thread keeps all its sums. */
int64_t yk_cuda_gather_turns(const struct yk_program *program, int keeps_sums, int64_t blocks,
                             int64_t threads);

/* cuda_spread.c */
/* Whether the kernel gets a second entry, with several threads for each lane. */
int yk_cuda_may_spread(const struct yk_program *program, const yoke_kernel *kernel);
/* Returns the number of threads of a group; more than its lanes: in the second entry. */
int yk_cuda_spread(const struct yk_program *program, const struct yk_launch *launch);

#endif
