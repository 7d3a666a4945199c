/* backend.h - THE device seam: what a kind of device must do for yoke, with pre- and
 * post-conditions.
 *
 * Implemented by cpu/, cuda/, opencl/, sim/ and guard/. Only these folders know a driver's words.
 * check.c wraps any backend and verifies both sides of this contract (debug builds, tests), and
 * injects failures.
 *
 * Rules for all slots
 *   - Status classes: YOKE_ENOMEM (no device memory: caller evicts or makes the chunk smaller),
 * YOKE_EBUILD (this kernel not on this device; text with the compiler's words), YOKE_EDEVICE
 * (device lost: every later call on it fails likewise, quickly), YOKE_EINVAL (caller's mistake).
 * The text names the device.
 *   - Outputs are written only on YOKE_OK.
 *   - A device is driven by one thread at a time unless a slot says otherwise. build() may run in
 * another thread beside everything else. Different devices are independent.
 *   - Operations on one queue take effect in order. Across queues order is made by `after` events.
 *   - An operation may be complete when the call returns; then *event may be NULL, which means
 * complete. Otherwise it runs on, and buffers and host memory it uses stay untouched by the caller
 * until its event is complete.
 *   - `event` may be NULL (the pointer) when the caller does not want one.
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
                             "" if unknown */
    int index;            /* the backend's own number */
    int is_cpu;           /* an OpenCL device that is the CPU, or the cpu backend */
    int host_memory;      /* 1: kernels work on host memory; alloc and copy are not used */
    int ignores_affinity; /* 1: threads need not stay where the one that opens it is bound to */
    int virtual_clock;    /* 1: time is the backend's (sim) */
    int pins_alone;       /* 1: what it pins is pinned for this open device and for no other */
    int checks;           /* 1: launches tell what their indexes may touch (declaration.h) */
    int exact_outcomes;   /* 1: what ended well before the device was lost says so afterwards */
    int cores;            /* cores or compute units */
    int lanes;            /* queues to keep busy by default; cores for the cpu backend */
    int64_t memory_bytes; /* device memory there is; 0 for host_memory */
    int64_t page_bytes;   /* of the pages that commit and decommit deal in; 0: there are none */
    int64_t fill;         /* work-items that fill the device once; 1 per core for a CPU */
    double link_bytes_per_ns; /* rough speed of copies, 0 if unknown; a start for auto */
    double launch_ns;         /* rough cost of a launch; 0 if unknown */
    double peak_per_ns; /* theoretical peak of the cores in use, single-precision operations (sim:
                           units of work); 0 if unknown */
    int copies;     /* of an array that is added to, at most: groups share one less; 0 and 1: one */
    void *settings; /* from "key=value" of the device spec; owned by the list */
    char settings_text[256]; /* that text, "" without; written by yk_devices_find */
};

struct yk_device_list { /* zero-initialise; yk_device_list_close frees */
    struct yk_device_desc *items;
    int count, capacity;
};
/* Takes desc->settings, also when it fails. */
yoke_status yk_device_list_add(struct yk_device_list *list, const struct yk_device_desc *desc);
/* Only the first `count` stay. */
void yk_device_list_cut(struct yk_device_list *list, int count);
void yk_device_list_close(struct yk_device_list *list);

/* One part of a device specification "backend[:index or :cores][:key=value]...", parsed. */
struct yk_device_spec {
    const struct yk_backend *backend;
    char selector[128]; /* what follows the backend's name up to the first key=value: "8", "numa",
                           "0", "" */
    char settings[256]; /* "key=value:key=value" or "" */
};

/* Settings for one device of a spec: defaults, environment, then its key=value parts. For find():
 * each desc gets its own as desc.settings. *out is NULL where the backend has no keys. */
yoke_status yk_device_settings_open(const struct yk_device_spec *spec, void **out);
void yk_device_settings_close(const struct yk_backend *backend, void *settings); /* NULL is fine */

struct yk_device {                            /* every backend's device begins with this */
    const struct yk_backend *_Atomic backend; /* changes once, if it is left (stalled.h) */
    struct yk_device_desc desc;
};

/* PEER: from another device of the same backend, which reach() said can be read. */
enum yk_copy_kind { YK_COPY_TO_DEVICE, YK_COPY_FROM_DEVICE, YK_COPY_WITHIN, YK_COPY_PEER };

struct yk_copy {
    enum yk_copy_kind kind;
    void *host;               /* source or destination on the host; unused WITHIN and PEER */
    struct yk_buffer *buffer; /* destination, or source of FROM_DEVICE */
    int64_t offset, bytes;    /* in buffer; bytes >= 1, offset + bytes <= size of the buffer */
    /* rows > 1: so many runs of `bytes` each (not WITHIN). From the start of one to that of the
     * next it is pitch bytes in buffer and host_pitch on the host, neither below `bytes`; those
     * between are left alone, and may be somebody else's copy at the same time. */
    int64_t rows, pitch, host_pitch;
    struct yk_buffer *from; /* WITHIN: source buffer and offset, not overlapping the destination;
                               PEER: a buffer of `peer`, whose runs are host_pitch apart */
    int64_t from_offset;
    struct yk_device *peer;
    struct yk_event *const *after; /* of this device, PEER also of `peer`; NULL entries count as
                                      complete */
    int after_count;
    int timed;   /* 1: event_times will be asked when it started, which costs some drivers a call */
    int passing; /* 1: what follows it tells of its end, so hardly anybody will wait for it asleep;
                    event_times need not know of it */
};

/* Bytes that are copied, and from the first to the last of them in buffer and on the host. */
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
/* Whether its rows are ones that can be. */
static inline int yk_copy_rows_ok(const struct yk_copy *copy)
{
    return copy->rows >= 0 &&
           (copy->rows <= 1 || (copy->kind != YK_COPY_WITHIN && copy->pitch >= copy->bytes &&
                                copy->host_pitch >= copy->bytes));
}

struct yk_launch_arg {        /* in the order of the kernel's parameters */
    const void *value;        /* YOKE_PARAM_VALUE: `size` bytes, copied by launch */
    struct yk_buffer *buffer; /* arrays: device memory ... */
    void *host;               /* ... or, where desc.host_memory, the address of buffer offset 0 */
    int64_t shift; /* byte offset in the buffer of the array's global element 0; negative when
                      the buffer is a window that starts at a later row */
    /* YOKE_PARAM_ADD: the buffer has so many copies, a power of two up to YK_COPIES_MOST; kernels
     * made by YOKE_KERNEL add to one or another, those by hand to the first. 0: one. */
    int copies;
    int64_t apart; /* bytes from one to the next */
};
enum { YK_COPIES_MOST = 256 };
/* As the kernels' entries take it. */
static inline int64_t yk_launch_copies(const struct yk_launch_arg *arg)
{
    return arg->copies > 1 ? arg->apart * 256 + arg->copies - 1 : 0;
}

struct yk_launch {
    int64_t first, last; /* chunk: first index of the range's first dimension, first < last */
    int64_t extent[2];   /* sizes of the second and third dimension; 1 where the kernel has none */
    struct {
        int64_t first, last; /* which of their indexes, not empty; zeros: 0 .. extent */
    } second, third;
    const struct yk_launch_arg *args;
    int lane; /* CPU lane: which thread is asking, of cores where simulated; 0 elsewhere */
    int team; /* cores the team form may use (cpu), else 1 */
    struct yk_event *const *after;
    int after_count;
    int timed, passing; /* as in yk_copy */
    /* Step kernels: their queue. A device with memory of its own does a part of the chunk and says
     * in the queue's words what is left, or all of it; one that works on host memory all of it, and
     * writes the host's words by the time the launch is complete. NULL: another kind of kernel. */
    const struct yk_step_launch *steps;
    yoke_blocks blocks; /* kernels that reduce: `first` is where a block begins; else size 0 */
    const struct yk_declaration *declared; /* where desc.checks, of jobs; else NULL */
};

struct yk_event_times {
    int64_t started, ended;
}; /* yk_clock_ns or the virtual clock */

struct yk_backend {
    const char *name, *summary;
    const struct yk_option *options; /* keys of a device spec */
    size_t settings_bytes;

    /* Append the devices the spec selects (selector "": all that should be used by default).
     * `asked`: the user named this backend, so absence is an error with a reason and CPU-type
     * OpenCL devices count. Not asked and nothing there: YOKE_OK, nothing appended. `why` (doctor;
     * may be NULL, capacity 512) gets one line about what was found or is missing and what to
     * install. */
    yoke_status (*find)(const struct yk_device_spec *spec, int asked, struct yk_device_list *list,
                        char *why);
    /* Whether the user hid this device, which another backend offers, from this one: then it is
     * hidden from both, unless named. Optional. */
    int (*hides)(const struct yk_device_desc *desc);
    yoke_status (*open)(const struct yk_device_desc *desc, struct yk_device **out);
    void (*close)(struct yk_device
                      *device); /* nothing of it is in use; NULL is fine; works on a lost device */
    /* What is under way may never end: from here on the device is lost, and all of it has failed.
     * Thread-safe. Optional: NULL where no driver can do that (stalled.h). */
    void (*break_off)(struct yk_device *device);

    /* Device memory. Not called where host_memory. Uninitialised contents; bytes >= 1. Where there
     * is a commit slot, alloc only books the memory, which counts as used from here on; */
    yoke_status (*alloc)(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
    void (*free)(struct yk_device *device, struct yk_buffer *buffer);
    int64_t (*memory_free)(struct yk_device *device); /* bytes that could still be had; a hint */
    /* [offset, offset + bytes) of the buffer is about to be used: pages that are not there yet get
     * mapped. What lies there already keeps its contents. YOKE_ENOMEM: others have taken the
     * memory; nothing else is lost. Optional: NULL where alloc did it all. */
    yoke_status (*commit)(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                          int64_t bytes);
    /* Addresses alone, which may be more than there is memory: that is taken by commit and given
     * back by decommit, whole pages that lie in [offset, offset + bytes), whose contents are lost
     * and which nothing under way uses. Optional, both or none; only with commit, and with
     * desc.page_bytes. */
    yoke_status (*reserve)(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
    void (*decommit)(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                     int64_t bytes);

    /* Host memory that copies reach at full speed and beside other work. Thread-safe. Optional, for
     * each device: one that gains nothing has a table without them.
     * pin: whole pages of memory that exists, for all devices of the backend in the process, or
     * (desc.pins_alone) for this one. The program may read and write them meanwhile. YOKE_ENOMEM: a
     * limit; YOKE_EINVAL: memory that cannot be pinned (a read-only map), or is pinned already by
     * somebody else, then *foreign is 1 and copies are fast all the same. */
    yoke_status (*pin)(struct yk_device *device, void *host, int64_t bytes, int *foreign);
    void (*unpin)(struct yk_device *device, void *host); /* nothing is copied from or to it */
    /* Memory of the driver's own that is pinned from the start, for staging. */
    yoke_status (*host_alloc)(struct yk_device *device, int64_t bytes, void **out);
    void (*host_free)(struct yk_device *device, void *host);

    yoke_status (*queue_open)(struct yk_device *device, struct yk_queue **out);
    void (*queue_close)(struct yk_queue *queue); /* waits for what is still running */

    /* Rough speed, in bytes per ns, at which `device` copies from the memory of `from`, another
     * open device of this backend, without the host between them; 0: it cannot. From then on
     * YK_COPY_PEER works on queues of `device` with all that `from` has allocated or will.
     * Optional: NULL where no two devices can. One thread drives both here; in such copies others
     * may drive `from`. */
    double (*reach)(struct yk_device *device, struct yk_device *from);

    /* Host memory that is not pinned may make the call last as long as the copy. PEER: YOKE_ELOST,
     * mostly as the event's outcome, says that `peer` was lost before the copy was over, and this
     * device is well; it may be lost with it too. */
    yoke_status (*copy)(struct yk_queue *queue, const struct yk_copy *copy,
                        struct yk_event **event);
    /* buffer[offset .. offset + bytes) = 0 */
    yoke_status (*zero)(struct yk_queue *queue, struct yk_buffer *buffer, int64_t offset,
                        int64_t bytes, struct yk_event **event);

    /* Thread-safe. May take seconds; uses the disk cache. YOKE_ENOIMPL if the kernel has nothing
     * for it. */
    yoke_status (*build)(struct yk_device *device, const yoke_kernel *kernel,
                         struct yk_program **out);
    void (*program_close)(struct yk_device *device, struct yk_program *program);
    yoke_status (*launch)(struct yk_queue *queue, struct yk_program *program,
                          const struct yk_launch *launch, struct yk_event **event);

    /* Events. Thread-safe. poll: 1 complete (then *outcome says how it went), 0 not yet. */
    int (*poll)(struct yk_event *event, yoke_status *outcome);
    /* Sleep until complete, returns the outcome. Not used where virtual_clock. */
    yoke_status (*wait)(struct yk_event *event);
    /* fn(context) once the event is complete, from any thread, perhaps before notify returns; fn
     * only wakes somebody. Optional: NULL slot means the host thread waits on its oldest event. */
    yoke_status (*notify)(struct yk_event *event, void (*fn)(void *context), void *context);
    /* When the operation ran; 0 if it cannot tell, `started` also if it was not to be timed. Only
     * after completion. */
    void (*event_times)(struct yk_event *event, struct yk_event_times *out);
    void (*event_close)(struct yk_event *event); /* complete or not; NULL is fine */
    /* One more event_close has to be called before it is gone: for who waits for what another
     * device does. There where reach is, else NULL. */
    void (*event_hold)(struct yk_event *event);

    /* Virtual clock (sim only, else NULL), one for all devices of a runtime. */
    int64_t (*now)(void);
    /* Move on to the next completion, or to `until` if that is earlier or nothing is pending. 0: it
     * stands still, for nothing is pending and `until` (0: no limit) is not later than now. */
    int (*advance)(int64_t until);
};

/* All backends, NULL-terminated: cpu first. */
extern const struct yk_backend *const yk_backends[];
const struct yk_backend *yk_backend_find(const char *name); /* NULL if there is none */

/* Parse "cpu:8,opencl:1:mem=256M" into specs (array owned by the caller, yk_free). YOKE_EINVAL
 * names the part. */
yoke_status yk_device_specs_parse(const char *text, struct yk_device_spec **specs, int *count);
/* All devices a text selects; NULL or "": all cores and every GPU there is, each physical GPU once.
 */
yoke_status yk_devices_find(const char *text, struct yk_device_list *list);

/* check.c: the same device behind a wrapper that verifies this contract and counts calls. Takes
 * `device` (and closes it when it fails); closing the wrapper closes it. A breach is logged and
 * ends the process, see check.h. */
yoke_status yk_backend_check(struct yk_device *device, struct yk_device **out);
/* Tests: the nth backend call (alloc, commit, pin, host_alloc, queue_open, copy, zero, build,
 * launch, event outcome) through any wrapper from now on fails with `status`, once for YOKE_ENOMEM,
 * for good on that device for YOKE_EDEVICE; nth 0: off. */
void yk_backend_fail_at(int64_t nth, yoke_status status);
int yk_backend_failed(void); /* whether that call was reached */

#endif
