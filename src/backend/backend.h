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
 * YOKE_EINVAL (caller's mistake). The text names the device.
 *   - Outputs are written only on YOKE_OK.
 *   - One thread at a time drives a device, unless a slot says otherwise. build() may run in
 * another thread beside everything else. Different devices are independent.
 *   - Operations on one queue take effect in order. Between queues `after` events define the order.
 *   - An operation may be complete when the call returns; then *event may be NULL, which means
 *     complete. Otherwise it continues, and the caller leaves the buffers and host memory it uses
 *     untouched until its event is complete.
 *   - `event` (the pointer) may be NULL if the caller needs no event.
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
    char identity[64];    /* the same for one physical device under any driver: UUID or PCI address;
                           * "" if unknown */
    int index;            /* the backend's own number */
    int is_cpu;           /* an OpenCL device that is the CPU, or the cpu backend */
    int host_memory;      /* 1: kernels work on host memory; alloc and copy are not used */
    int ignores_affinity; /* 1: its threads need not stay on the cores of the thread that opens
                           * it */
    int virtual_clock;    /* 1: time is defined by the backend (sim) */
    int reaches_host;     /* 1: its kernels read and write memory of its host_alloc directly */
    int pins_alone;       /* 1: what it pins is pinned only for this open device */
    int checks;           /* 1: it checks what indexes touch against the launch's declaration
                           * (declaration.h) */
    int exact_outcomes;   /* 1: after a loss, events still report success for what ended before
                           * it */
    int cores;            /* cores or compute units */
    int lanes;            /* default number of queues to keep busy; for the cpu backend its cores */
    int64_t memory_bytes; /* bytes of device memory; 0 for host_memory */
    int64_t page_bytes;   /* bytes of a page of commit and decommit, of a small buffer; 0: there are
                           * no pages */
    int64_t page_most;    /* the same of the largest buffers (yk_page_bytes); 0: page_bytes */
    int64_t fill;         /* work-items that fill the device once; 1 per core for a CPU */
    double link_bytes_per_ns; /* rough speed of copies, 0 if unknown; auto starts with it */
    double launch_ns;         /* rough cost of a launch; 0 if unknown */
    double peak_per_ns; /* theoretical peak of the cores in use, single-precision operations per ns
                         * (sim: units of work per ns); 0 if unknown */
    int copies;     /* most copies of an array that is added to; each work-group adds to one. 0 and
                     * 1: one copy */
    void *settings; /* from "key=value" of the device spec; owned by the list */
    char settings_text[256]; /* the text of `settings`, "" if none; written by yk_devices_find */
};

struct yk_device_list { /* zero-initialise; yk_device_list_close frees */
    struct yk_device_desc *items;
    int count, capacity;
};
/* Takes desc->settings, even on failure. */
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

/* Settings for one device of a spec: defaults, then the environment, then its key=value parts. For
 * find(): each desc gets its own as desc.settings. *out is NULL if the backend has no keys. */
yoke_status yk_device_settings_open(const struct yk_device_spec *spec, void **out);
void yk_device_settings_close(const struct yk_backend *backend, void *settings); /* NULL is fine */

struct yk_device {                            /* every backend's device begins with this */
    const struct yk_backend *_Atomic backend; /* changes once, if the device is broken off
                                               * (stalled.h) */
    struct yk_device_desc desc;
};

/* To map a page takes a GPU's driver about as long for any size, so large buffers have larger
 * pages: twice as large as long as there are 4 of them. */
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

/* PEER: from another device of the same backend that this one reaches (see reach). */
enum yk_copy_kind { YK_COPY_TO_DEVICE, YK_COPY_FROM_DEVICE, YK_COPY_WITHIN, YK_COPY_PEER };

struct yk_copy {
    enum yk_copy_kind kind;
    void *host;               /* source or destination on the host; unused WITHIN and PEER */
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
    struct yk_event *const *after; /* events of this device, for PEER also of `peer`; NULL entries
                                    * count as complete */
    int after_count;
    int timed;   /* 1: event_times must know when it started, which costs some drivers a call */
    int passing; /* 1: a later operation tells when this one ended, so it will rarely be waited for
                  * asleep, and event_times need not know it */
};

/* Bytes copied; bytes from the first to the last of them in the buffer, and on the host. */
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
/* Whether its rows are valid. */
static inline int yk_copy_rows_ok(const struct yk_copy *copy)
{
    return copy->rows >= 0 &&
           (copy->rows <= 1 || (copy->kind != YK_COPY_WITHIN && copy->pitch >= copy->bytes &&
                                copy->host_pitch >= copy->bytes));
}

struct yk_launch_arg {        /* in the order of the kernel's parameters */
    const void *value;        /* YOKE_PARAM_VALUE: `size` bytes, copied by launch */
    struct yk_buffer *buffer; /* arrays: device memory ... */
    /* ... or, if there is no buffer, the address of buffer offset 0 on the host: any memory if
     * desc.host_memory, memory of the device's host_alloc if desc.reaches_host. */
    void *host;
    int64_t shift; /* byte offset in the buffer of the array's global element 0; negative if the
                    * buffer is a window that starts at a later row */
    /* YOKE_PARAM_ADD: number of copies in the buffer, a power of two up to YK_COPIES_MOST. Kernels
     * made by YOKE_KERNEL spread their additions over them; handwritten kernels add to the first.
     * 0: one. */
    int copies;
    int64_t apart; /* bytes from one copy to the next */
};
enum { YK_COPIES_MOST = 256 };
/* As the kernels' entries take it. */
static inline int64_t yk_launch_copies(const struct yk_launch_arg *arg)
{
    return arg->copies > 1 ? arg->apart * 256 + arg->copies - 1 : 0;
}

struct yk_launch {
    int64_t first, last; /* the chunk: indexes of the range's first dimension, first < last */
    int64_t extent[2];   /* sizes of the second and third dimension; 1 if the kernel does not have
                          * it */
    struct {
        int64_t first, last; /* the indexes of that dimension, not empty; zeros: 0 .. extent */
    } second, third;
    const struct yk_launch_arg *args;
    int lane; /* CPU lane: the calling thread's, of the cores if these are simulated; 0 elsewhere */
    int team; /* cores that the team form may use (cpu), otherwise 1 */
    struct yk_event *const *after;
    int after_count;
    int timed, passing; /* as in yk_copy */
    /* The queue of a step kernel; NULL for other kernels. A device with its own memory does all or
     * part of the chunk and writes into the queue's words how much is left. A device that works in
     * host memory does all of the chunk, and writes the words before the launch is complete. */
    const struct yk_step_launch *steps;
    yoke_blocks blocks; /* reductions: their blocks; `first` begins a block. Otherwise size 0 */
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
     * `asked`: the user named this backend, so absence is an error with a reason, and CPU-type
     * OpenCL devices count. Not asked and nothing found: YOKE_OK, nothing appended. `why` (for
     * doctor; may be NULL, capacity 512) gets one line about what was found, or what is missing and
     * how to install it. */
    yoke_status (*find)(const struct yk_device_spec *spec, int asked, struct yk_device_list *list,
                        char *why);
    /* Whether the user hid this device, which another backend offers, from this backend. It is then
     * hidden from both, unless the user names it. Optional. */
    int (*hides)(const struct yk_device_desc *desc);
    yoke_status (*open)(const struct yk_device_desc *desc, struct yk_device **out);
    void (*close)(struct yk_device *device); /* nothing of it is in use; NULL is allowed; works on a
                                              * lost device */
    /* Work under way may never end: the device is lost from now on, and all that work has failed.
     * Thread-safe. Optional: NULL if no driver can do that (stalled.h). */
    void (*break_off)(struct yk_device *device);

    /* Device memory. Not called if host_memory. Contents are undefined; bytes >= 1. If there is a
     * commit slot, alloc only reserves the memory, which counts as used from then on. */
    yoke_status (*alloc)(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
    void (*free)(struct yk_device *device, struct yk_buffer *buffer);
    int64_t (*memory_free)(struct yk_device *device); /* bytes that could still be allocated; a
                                                       * hint */
    /* [offset, offset + bytes) of the buffer is about to be used: maps pages that are missing.
     * Contents that exist stay. YOKE_ENOMEM: the memory went elsewhere; nothing else is lost.
     * Optional: NULL if alloc does it all. */
    yoke_status (*commit)(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                          int64_t bytes);
    /* reserve gives addresses only, possibly for more than the memory. commit takes memory for
     * them, and decommit returns it: all whole pages in [offset, offset + bytes). Their contents
     * are lost, and nothing under way may use them. Optional, both or none; only with commit and
     * with desc.page_bytes. */
    yoke_status (*reserve)(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
    void (*decommit)(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                     int64_t bytes);

    /* Host memory that copies reach at full speed and without a core. Thread-safe. Optional for
     * each device: a device that gains nothing has a table without these slots. pin: whole pages of
     * existing memory, for all devices of the backend in the process, or (desc.pins_alone) for this
     * device. The program may read and write them meanwhile. YOKE_ENOMEM: a limit. YOKE_EINVAL: the
     * memory cannot be pinned (a read-only map), or other code has pinned it: then *foreign is 1,
     * and copies are fast anyway. */
    yoke_status (*pin)(struct yk_device *device, void *host, int64_t bytes, int *foreign);
    /* Where the pinned memory around `host` ends, whichever code has pinned it; NULL: it is not
     * pinned, or the driver does not say how far. Optional. */
    const void *(*pinned_until)(struct yk_device *device, const void *host);
    void (*unpin)(struct yk_device *device, void *host); /* no copy is reading or writing it */
    /* The driver's own memory, always pinned: for staging, and with desc.reaches_host for kernels.
     * Once a launch is complete, the host sees what its kernel wrote there. */
    yoke_status (*host_alloc)(struct yk_device *device, int64_t bytes, void **out);
    void (*host_free)(struct yk_device *device, void *host);

    yoke_status (*queue_open)(struct yk_device *device, struct yk_queue **out);
    void (*queue_close)(struct yk_queue *queue); /* waits for what is still running */

    /* Rough speed, in bytes per ns, at which `device` copies from the memory of `from`, another
     * open device of this backend, without using the host; 0: it cannot. After that YK_COPY_PEER
     * works on queues of `device` with everything that `from` has allocated or will allocate.
     * Optional: NULL if no two devices can do it. One thread drives both during this call; during
     * such copies other threads may drive `from`. */
    double (*reach)(struct yk_device *device, struct yk_device *from);

    /* If the host memory is not pinned, the call may last as long as the copy. PEER: YOKE_ELOST,
     * mostly as the event's outcome, says that `peer` was lost before the copy was over and that
     * this device works; it may also be lost with `peer`. */
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

    /* Events. Thread-safe. poll: 1: complete, *outcome is its outcome; 0: not yet. */
    int (*poll)(struct yk_event *event, yoke_status *outcome);
    /* Sleeps until complete; returns the outcome. Not used if virtual_clock. */
    yoke_status (*wait)(struct yk_event *event);
    /* Calls fn(context) once the event is complete, from any thread, possibly before notify
     * returns. fn only wakes a thread. Optional: if the slot is NULL, the host thread waits on its
     * oldest event. */
    yoke_status (*notify)(struct yk_event *event, void (*fn)(void *context), void *context);
    /* When the operation ran. 0 if unknown; `started` also if it was not to be timed. Only after
     * completion. */
    void (*event_times)(struct yk_event *event, struct yk_event_times *out);
    void (*event_close)(struct yk_event *event); /* complete or not; NULL is allowed */
    /* One more event_close is needed before the event is freed. For threads that wait for another
     * device's work. Present if reach is, otherwise NULL. */
    void (*event_hold)(struct yk_event *event);

    /* Virtual clock (sim only, otherwise NULL), one for all devices of a runtime. */
    int64_t (*now)(void);
    /* Advances to the next completion, or to `until` if that is earlier or nothing is pending. 0:
     * time did not advance, because nothing is pending and `until` (0: no limit) is not later than
     * now. */
    int (*advance)(int64_t until);
};

/* All backends, NULL-terminated: cpu first. */
extern const struct yk_backend *const yk_backends[];
const struct yk_backend *yk_backend_find(const char *name); /* NULL if there is none */

/* Parses "cpu:8,opencl:1:mem=256M" into specs (array owned by the caller, yk_free). YOKE_EINVAL
 * names the part that is wrong. */
yoke_status yk_device_specs_parse(const char *text, struct yk_device_spec **specs, int *count);
/* All devices that a text selects; NULL or "": all cores and all GPUs, each physical GPU once.
 */
yoke_status yk_devices_find(const char *text, struct yk_device_list *list);

/* check/: wraps a device; the wrapper verifies this contract and counts calls. Takes `device`, and
 * closes it on failure; closing the wrapper closes it. A breach is logged and ends the process, see
 * check/check.h. */
yoke_status yk_backend_check(struct yk_device *device, struct yk_device **out);
/* Tests: the nth backend call from now on (alloc, commit, pin, host_alloc, queue_open, copy, zero,
 * build, launch, event outcome), through any wrapper, fails with `status`: once for YOKE_ENOMEM, on
 * that device for good for YOKE_EDEVICE; nth 0: off. */
void yk_backend_fail_at(int64_t nth, yoke_status status);
int yk_backend_failed(void); /* whether that call was reached */

#endif
