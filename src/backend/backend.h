/* backend.h - THE device seam: what a kind of device must do for yoke, with pre- and
 * post-conditions.
 *
 * Implemented by cpu/, cuda/, opencl/, sim/ and guard/. Only these folders use a driver's names.
 * check/ wraps any backend, verifies both sides of this contract (debug builds, tests), and
 * injects failures.
 *
 * Rules for all slots
 *   - Status classes: YOKE_ENOMEM (no device memory: the caller evicts or makes the chunk smaller),
 *     YOKE_EBUILD (this kernel cannot be built for this device; the text has the compiler's words),
 *     YOKE_EDEVICE (device lost: every later call on it fails in the same way, quickly),
 *     YOKE_EINVAL (caller's mistake). The text names the device.
 *   - Outputs are written only on YOKE_OK.
 *   - One thread at a time drives a device, unless a slot says otherwise. build() may run in
 *     another thread at the same time. Different devices are independent.
 *   - Operations on one queue take effect in order. Between queues `after` events define the order.
 *   - If an operation is complete when the call returns, *event may be NULL, which means complete.
 *     Otherwise it continues, and the caller must not touch the buffers and host memory that it
 *     uses until its event is complete.
 *   - The argument `event` may be NULL if the caller needs no event.
 */
#ifndef YK_BACKEND_BACKEND_H
#define YK_BACKEND_BACKEND_H

#include <stdint.h>
#include <yoke/device.h>
#include <yoke/kernel_type.h>

#include "../base/option.h"
#include "declaration.h"
#include "step_queue.h"

struct yk_backend;
struct yk_buffer;  /* device memory */
struct yk_queue;   /* in-order stream of operations */
struct yk_program; /* a kernel built for a device */
struct yk_event;

/* A device that could be opened. Plain data, copied freely. */
struct yk_device_desc {
    const struct yk_backend *backend;
    char name[YOKE_DEVICE_NAME_MAX]; /* "cpu", "opencl:1", "sim:0": what the user types */
    char model[96];                  /* "AMD EPYC", "NVIDIA H200" */
    char driver[96];                 /* driver or platform and its version; part of the cache key */
    char identity[64];    /* UUID or PCI address, the same in every driver of one physical device;
                           * "" if unknown */
    int index;            /* the backend's number of the device */
    int is_cpu;           /* 1: a device of the cpu backend, or an OpenCL device that is the CPU */
    int host_memory;      /* 1: kernels work on host memory; alloc and copy are not used */
    int ignores_affinity; /* 1: its threads need not stay on the cores of the thread that opens
                           * it */
    int virtual_clock;    /* 1: the backend defines the time (sim) */
    int reaches_host;     /* 1: its kernels read and write memory of its host_alloc directly */
    int pins_alone;       /* 1: memory that it pins is pinned for this open device only */
    int fails_as_one;     /* 1: once an operation has failed, all later ones fail */
    int checks;           /* 1: it checks what indexes touch against the launch's declaration
                           * (declaration.h) */
    int exact_outcomes;   /* 1: after a loss, events of operations that ended before it still report
                           * success */
    int cores;            /* cores or compute units */
    int lanes;            /* default number of queues to keep busy; for the cpu backend its cores */
    int64_t memory_bytes; /* bytes of device memory; 0 for host_memory */
    int64_t page_bytes;   /* page size of small buffers for commit and decommit, in bytes; 0: there
                           * are no pages */
    int64_t page_most;    /* page size of the largest buffers (yk_page_bytes); 0: page_bytes */
    int64_t fill;         /* work-items that occupy every processing element once; of a CPU:
                           * cores */
    double link_bytes_per_ns; /* rough speed of copies, which `auto` uses at first; 0 if unknown */
    double launch_ns;         /* rough cost of a launch; 0 if unknown */
    double peak_per_ns; /* theoretical peak of the cores in use, single-precision operations per ns
                         * (sim: units of work per ns); 0 if unknown */
    int copies;     /* most copies of an array of mode `add`; each work-group adds to one of them. 0
                     * and 1: one copy */
    void *settings; /* from "key=value" of the device spec; owned by the list */
    char settings_text[256]; /* the text of `settings`, "" if none; written by yk_devices_find */
};

struct yk_device_list { /* zero-initialise; yk_device_list_close frees */
    struct yk_device_desc *items;
    int count, capacity;
};
/* Takes ownership of desc->settings, also on failure. */
yoke_status yk_device_list_add(struct yk_device_list *list, const struct yk_device_desc *desc);
/* Removes all but the first `count`. */
void yk_device_list_cut(struct yk_device_list *list, int count);
void yk_device_list_close(struct yk_device_list *list);

/* One part of a device specification "backend[:index or :cores][:key=value]...", parsed. */
struct yk_device_spec {
    const struct yk_backend *backend;
    char selector[128]; /* the text between the backend's name and the first key=value: "8", "numa",
                         * "0", "" */
    char settings[256]; /* "key=value:key=value" or "" */
};

/* Makes the settings of one device of a spec: the defaults, overridden by the environment, then by
 * its key=value parts. find() makes them for each desc (desc.settings). *out is NULL if the backend
 * has no keys. */
yoke_status yk_device_settings_open(const struct yk_device_spec *spec, void **out);
void yk_device_settings_close(const struct yk_backend *backend, void *settings); /* NULL is fine */

struct yk_device {                            /* every backend's device begins with this */
    const struct yk_backend *_Atomic backend; /* changes once, if the device is broken off
                                               * (stalled.h) */
    struct yk_device_desc desc;
};

/* Mapping a page takes a GPU's driver about the same time for every page size, so large buffers
 * have larger pages: the size doubles as long as the buffer still has YK_PAGES_LEAST pages. */
enum { YK_PAGES_LEAST = 4 };
static inline int64_t yk_page_bytes(const struct yk_device_desc *desc, int64_t buffer_bytes)
{
    int64_t page = desc->page_bytes;
    while (page > 0 && page <= desc->page_most / 2 && buffer_bytes / (2 * page) >= YK_PAGES_LEAST)
        page *= 2;
    return page;
}

/* Bytes offset .. offset + bytes - 1 of a buffer. */
struct yk_buffer_range {
    struct yk_buffer *buffer;
    int64_t offset, bytes;
};

/* PEER copies from another device of the same backend, which this device reaches (see reach). */
enum yk_copy_kind { YK_COPY_TO_DEVICE, YK_COPY_FROM_DEVICE, YK_COPY_WITHIN, YK_COPY_PEER };

struct yk_copy {
    enum yk_copy_kind kind;
    void *host;               /* source or destination on the host; WITHIN and PEER ignore it */
    struct yk_buffer *buffer; /* destination, or source of FROM_DEVICE */
    int64_t offset, bytes;    /* in buffer; bytes >= 1, offset + bytes <= size of the buffer */
    /* rows > 1: this many runs of `bytes` each (not WITHIN). Runs start `pitch` bytes apart in the
     * buffer and `host_pitch` bytes apart on the host, neither less than `bytes`. The bytes between
     * runs are not touched; another copy may use them at the same time. */
    int64_t rows, pitch, host_pitch;
    struct yk_buffer *from; /* WITHIN: source buffer and offset, must not overlap the destination.
                             * PEER: a buffer of `peer`, whose runs are host_pitch apart */
    int64_t from_offset;
    struct yk_device *peer;
    struct yk_event *const *after; /* events of this device and of devices that it reaches (see
                                    * reach); NULL entries count as complete */
    int after_count;
    int timed;   /* 1: event_times must report when it started; some drivers need a call for that */
    int passing; /* 1: the caller learns from a later operation that this one has ended: it rarely
                  * sleeps until the end, and event_times need not report it */
};

/* Bytes that a copy moves; then the bytes from the first to the last of them, in buffer and
 * host. */
static inline int64_t yk_copy_total(const struct yk_copy *copy)
{
    return copy->rows > 1 ? copy->rows * copy->bytes : copy->bytes;
}
static inline int64_t yk_copy_span(const struct yk_copy *copy)
{
    return copy->rows > 1 ? (copy->rows - 1) * copy->pitch + copy->bytes : copy->bytes;
}
static inline int64_t yk_copy_host_span(const struct yk_copy *copy)
{
    return copy->rows > 1 ? (copy->rows - 1) * copy->host_pitch + copy->bytes : copy->bytes;
}
/* Returns whether rows, pitch and host_pitch are valid. */
static inline int yk_copy_rows_ok(const struct yk_copy *copy)
{
    return copy->rows >= 0 &&
           (copy->rows <= 1 || (copy->kind != YK_COPY_WITHIN && copy->pitch >= copy->bytes &&
                                copy->host_pitch >= copy->bytes));
}

struct yk_launch_arg {        /* in the order of the kernel's parameters */
    const void *value;        /* YOKE_PARAM_VALUE: `size` bytes, copied by launch */
    struct yk_buffer *buffer; /* arrays: device memory ... */
    /* ... or, if `buffer` is NULL, the host address that takes the place of its byte 0: in any
     * memory if desc.host_memory, in memory of the device's host_alloc if desc.reaches_host. */
    void *host;
    int64_t shift; /* byte offset of the array's global element 0 in the buffer; negative if the
                    * buffer is a window that starts at a later row */
    /* YOKE_PARAM_ADD: number of copies in the buffer, a power of two up to YK_COPIES_MOST. Kernels
     * made by YOKE_KERNEL spread their additions over them; handwritten kernels add to the first.
     * 0: one. */
    int copies;
    int64_t apart; /* bytes from one copy to the next: at least the array's */
};
enum { YK_COPIES_MOST = 256 };
/* Returns `copies` and `apart` packed in the one number that the kernels' entries take. gathers:
 * each block adds to sums of its own first, in memory that its work-items share. */
static inline int64_t yk_launch_copies(const struct yk_launch_arg *arg, int gathers)
{
    return arg->apart * 512 + (gathers ? 256 : 0) + (arg->copies > 1 ? arg->copies - 1 : 0);
}

struct yk_launch {
    int64_t first, last; /* the chunk: indexes of the range's first dimension, first < last */
    int64_t extent[2];   /* sizes of the second and third dimension; 1 if the kernel does not have
                          * it */
    struct {
        int64_t first, last; /* indexes of that dimension, not empty; zeros mean 0 .. extent */
    } second, third;
    const struct yk_launch_arg *args;
    int lane; /* if desc.host_memory, the lane of the calling thread, of simulated cores below
               * desc.lanes; otherwise 0 */
    int team; /* cores that the team form may use (cpu), otherwise 1 */
    struct yk_event *const *after;
    int after_count;
    int timed, passing; /* as in yk_copy */
    /* The queue of a step kernel; NULL for other kernels. A device with its own memory does all or
     * part of the chunk and writes into the queue's words how much is left. A device that works in
     * host memory does all of the chunk, and writes the words before the launch is complete. */
    const struct yk_step_launch *steps;
    yoke_blocks blocks;  /* of reductions, otherwise size 0; a block begins at `first` */
    int64_t block_count; /* of the whole range of a reduction */
    const struct yk_declaration *declared; /* for jobs on a device with desc.checks; otherwise
                                            * NULL */
};

struct yk_event_times {
    int64_t started, ended;
}; /* in yk_clock_ns or virtual time */

struct yk_backend {
    const char *name, *summary;
    const struct yk_option *options; /* keys of a device spec */
    size_t settings_bytes;

    /* Appends the devices that the spec selects (selector "": all that should be used by default).
     * If `asked`, the user named this backend: then it is an error, with a reason, if there is no
     * device, and OpenCL devices that are the CPU are included. If not asked, it returns YOKE_OK
     * even if it finds nothing. `why` (for doctor; may be NULL, capacity 512) gets one line about
     * what was found, or what is missing and how to install it. */
    yoke_status (*find)(const struct yk_device_spec *spec, int asked, struct yk_device_list *list,
                        char *why);
    /* Returns whether the user has hidden this device, which another backend offers, from this
     * backend. Then both leave it out, unless the user names it. Optional. */
    int (*hides)(const struct yk_device_desc *desc);
    yoke_status (*open)(const struct yk_device_desc *desc, struct yk_device **out);
    void (*close)(struct yk_device *device); /* call it when nothing of the device is in use; NULL
                                              * is allowed; works on a lost device */
    /* Called if operations in flight may never end: declares the device lost and all of them
     * failed. Thread-safe. Optional: NULL if the driver cannot do that (stalled.h). */
    void (*break_off)(struct yk_device *device);

    /* Device memory. Not called if host_memory. Contents are undefined; bytes >= 1. If there is a
     * commit slot, alloc only reserves the memory, which counts as used from then on. */
    yoke_status (*alloc)(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
    void (*free)(struct yk_device *device, struct yk_buffer *buffer);
    int64_t (*memory_free)(struct yk_device *device); /* bytes that could still be allocated; a
                                                       * hint */
    /* Maps the missing pages of [offset, offset + bytes), which the caller is about to use.
     * Contents of mapped pages stay, also on failure. YOKE_ENOMEM: others have taken the memory.
     * Optional: NULL if alloc maps all pages. */
    yoke_status (*commit)(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                          int64_t bytes);
    /* reserve gives addresses only, possibly more than there is memory. commit takes memory for
     * them, and decommit returns it: all whole pages in [offset, offset + bytes), whose contents
     * are lost. Call decommit only if no operation in flight uses these pages. Optional, both or
     * none; only with commit and with desc.page_bytes. */
    yoke_status (*reserve)(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
    void (*decommit)(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                     int64_t bytes);

    /* Host memory that copies reach at full speed and without a core. Thread-safe. Optional for
     * each device: a device that gains nothing has a table without these slots. pin takes whole
     * pages of existing memory and pins them for all devices of the backend in the process, or
     * (desc.pins_alone) for this device. The program may read and write them meanwhile.
     * YOKE_ENOMEM: a limit is reached. YOKE_EINVAL: the memory cannot be pinned (a read-only map),
     * or other code has pinned it: then *foreign is 1, and copies are fast anyway. */
    yoke_status (*pin)(struct yk_device *device, void *host, int64_t bytes, int *foreign);
    /* Returns where the pinned memory around `host` ends, whichever code has pinned it; NULL if it
     * is not pinned, or if the driver does not report the end. Optional. */
    const void *(*pinned_until)(struct yk_device *device, const void *host);
    void (*unpin)(struct yk_device *device, void *host); /* call it when no copy uses the memory */
    /* The driver's own memory, always pinned: for staging, and with desc.reaches_host for kernels.
     * Once a launch is complete, the host sees what its kernel wrote there. */
    yoke_status (*host_alloc)(struct yk_device *device, int64_t bytes, void **out);
    void (*host_free)(struct yk_device *device, void *host);

    yoke_status (*queue_open)(struct yk_device *device, struct yk_queue **out);
    void (*queue_close)(struct yk_queue *queue); /* waits for its operations */

    /* Returns the rough speed, in bytes per ns, at which `device` copies from the memory of `from`,
     * another open device of this backend, without using the host; 0 if it cannot. If it can,
     * YK_COPY_PEER works from then on in queues of `device`, with all memory that `from` has or
     * will allocate. Optional: NULL if no two devices can do it. During this call one thread drives
     * both devices; during PEER copies other threads may drive `from`. */
    double (*reach)(struct yk_device *device, struct yk_device *from);

    /* If the host memory is not pinned, the call may last as long as the copy. If `peer` is lost
     * before a PEER copy is complete, the copy fails with YOKE_ELOST (mostly as the event's
     * outcome) and this device still works. If the driver cannot tell which device failed, this
     * device is lost, too. */
    yoke_status (*copy)(struct yk_queue *queue, const struct yk_copy *copy,
                        struct yk_event **event);
    /* Sets all bytes of the range to 0. */
    yoke_status (*zero)(struct yk_queue *queue, const struct yk_buffer_range *range,
                        struct yk_event **event);

    /* Thread-safe. May take seconds; uses the disk cache. YOKE_ENOIMPL if the kernel has no
     * implementation for this backend. */
    yoke_status (*build)(struct yk_device *device, const yoke_kernel *kernel,
                         struct yk_program **out);
    void (*program_close)(struct yk_device *device, struct yk_program *program);
    yoke_status (*launch)(struct yk_queue *queue, struct yk_program *program,
                          const struct yk_launch *launch, struct yk_event **event);

    /* Events. Thread-safe. poll returns 1 if the event is complete, with its outcome in *outcome;
     * otherwise 0. */
    int (*poll)(struct yk_event *event, yoke_status *outcome);
    /* Sleeps until complete; returns the outcome. Not used if virtual_clock. */
    yoke_status (*wait)(struct yk_event *event);
    /* Calls fn(context) once the event is complete, from any thread, possibly before notify
     * returns. fn only wakes a thread. Optional: if the slot is NULL, the host thread waits on its
     * oldest event. */
    yoke_status (*notify)(struct yk_event *event, void (*fn)(void *context), void *context);
    /* Reports when the operation ran; call it only after completion. A time is 0 if unknown,
     * `started` also if the operation was not `timed`. */
    void (*event_times)(struct yk_event *event, struct yk_event_times *out);
    void (*event_close)(struct yk_event *event); /* complete or not; NULL is allowed */
    /* Adds a reference: one more event_close is needed before the event is freed. For threads that
     * wait for another device's work. NULL if and only if reach is NULL. */
    void (*event_hold)(struct yk_event *event);

    /* Virtual clock (sim only, otherwise NULL), one for all devices of a runtime. */
    int64_t (*now)(void);
    /* Advances to the next completion, or to `until` (0: no limit) if that is earlier or nothing is
     * pending. Returns 0 if the clock cannot move: nothing is pending, and `until` is not later
     * than now. */
    int (*advance)(int64_t until);
};

/* All backends, NULL-terminated: cpu first. */
extern const struct yk_backend *const yk_backends[];
const struct yk_backend *yk_backend_find(const char *name); /* NULL if there is none */

/* Parses "cpu:8,opencl:1:mem=256M" into specs (array owned by the caller, yk_free). YOKE_EINVAL
 * names the part that is wrong. */
yoke_status yk_device_specs_parse(const char *text, struct yk_device_spec **specs, int *count);
/* Finds all devices that a text selects; NULL or "": all cores and GPUs, each physical GPU once. */
yoke_status yk_devices_find(const char *text, struct yk_device_list *list);

/* check/: wraps a device; the wrapper verifies this contract and counts calls. Takes `device`, and
 * closes it on failure; closing the wrapper closes it. A breach is logged and ends the process, see
 * check/check.h. */
yoke_status yk_backend_check(struct yk_device *device, struct yk_device **out);
/* For tests: makes the nth backend call from now on (alloc, commit, pin, host_alloc, queue_open,
 * copy, zero, build, launch, event outcome), through any wrapper, fail with `status`. YOKE_EDEVICE
 * also loses that device for good. nth 0 switches this off. */
void yk_backend_fail_at(int64_t nth, yoke_status status);
int yk_backend_failed(void); /* whether that call was reached */

#endif
