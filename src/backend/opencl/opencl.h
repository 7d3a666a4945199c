/* opencl.h - what the files of this folder share. Other folders use only yk_backend.
 *
 *   opencl_load.c     the driver, found at run time; error codes as texts and status classes
 *   opencl_find.c     which devices there are, and what they are
 *   opencl_device.c   open, close, memory; the backend's table
 *   opencl_host.c     host memory that copies reach at full speed
 *   opencl_queue.c    queues, copies, clearing
 *   opencl_event.c    outcomes, and times on the host's clock
 *   opencl_watch.c    waiting without spinning
 *   opencl_program.c  text to machine code, with the disk cache
 *   opencl_log.c      its compiler's messages in terms of the user's file
 *   opencl_launch.c   a chunk to an index space
 *
 * Nothing runs at process exit: drivers unload before libraries' destructors.
 */
#ifndef YK_BACKEND_OPENCL_H
#define YK_BACKEND_OPENCL_H

#include <stdatomic.h>

#include "../../platform/thread.h"
#include "../backend.h"
#include "../kernel_shape.h"
#include "../narrow_choice.h"
#include "../watcher.h"
#include "opencl_api.h"

extern const struct yk_backend yk_backend_opencl;

/* Settings of "opencl:0:mem=1G:lanes=2:units=1"; 0: the default. In the settings of a device that
 * was found, `pin` is the value that auto was resolved to. */
enum yk_opencl_wake { YK_OPENCL_WAKE_AUTO, YK_OPENCL_WAKE_CALLBACK, YK_OPENCL_WAKE_POLL };
enum yk_opencl_pin { YK_OPENCL_PIN_AUTO, YK_OPENCL_PIN_YES, YK_OPENCL_PIN_STAGE, YK_OPENCL_PIN_NO };
struct yk_opencl_settings {
    int64_t memory_bytes, lanes, units, copies;
    int wake; /* enum yk_opencl_wake */
    int pin;  /* enum yk_opencl_pin */
};
extern const struct yk_option yk_opencl_options[];

struct yk_opencl_device {
    struct yk_device base;   /* first */
    struct yk_backend table; /* base.backend points here: without the slots this device lacks */
    const struct yk_opencl_api *cl;
    cl_device_id handle;
    cl_context context;
    cl_command_queue errands; /* to allocate memory and compare clocks */
    int64_t memory_used, allocation_bytes_max;
    size_t group_items_max;
    _Atomic int64_t lost_ns; /* when the device was lost; 0 while it works */
    int calls_back;          /* 1: the driver calls back when work ends, see opencl_watch.c */
    atomic_int callbacks;    /* number of callbacks that the driver has still to make */
    struct yk_watcher watcher;
    struct yk_opencl_watch *watches;
    _Atomic int64_t clock_gap; /* yk_clock_ns minus the device's time */
    struct yk_queue *pinning;  /* queue for pinning; NULL: the device does not stage or pin */
    yk_mutex host_lock;        /* guards `hosts`; open while `pinning` is */
    struct yk_opencl_host *hosts;
};

struct yk_buffer {
    cl_mem memory;
    int64_t bytes;
};

struct yk_queue {
    struct yk_opencl_device *device;
    cl_command_queue handle;
};

struct yk_program {
    struct yk_opencl_device *device;
    struct yk_kernel_shape shape;
    cl_program handle; /* NULL for a native function */
    cl_kernel kernel; /* holds the arguments of the launch being made: one thread drives a device */
    cl_kernel narrow_kernel; /* like `kernel`, for 32-bit indexes; NULL: there is none */
    struct yk_narrow_choice narrow;
    yoke_opencl_fn *native;
    int generated;           /* 1: made by YOKE_KERNEL; 0: handwritten */
    size_t group_items;      /* work-items in a group */
    int64_t rehearsal_items; /* an empty range is launched with this many work-items */
};

/* opencl_load.c */
enum { YK_OPENCL_PLATFORMS_MAX = 32 };
struct yk_opencl_platform {
    const struct yk_opencl_api *cl; /* functions for all objects of this platform */
    cl_platform_id id;
};
struct yk_opencl_platforms {
    char path[256]; /* path of the loader, or of the only driver */
    int count;      /* 0: a loader, but no driver */
    struct yk_opencl_platform items[YK_OPENCL_PLATFORMS_MAX];
};
/* Loads on the first call, and later returns the same result. YOKE_ENODEV if there is no
 * library. */
yoke_status yk_opencl_load(const struct yk_opencl_platforms **out);
const char *yk_opencl_code_name(cl_int code);
/* Reports that `what` failed and returns the error's class. A fatal error loses the device. */
yoke_status yk_opencl_fail(struct yk_opencl_device *device, cl_int code, const char *what);
/* Call it first in every slot. Returns YOKE_EDEVICE if the device is lost, otherwise YOKE_OK. */
yoke_status yk_opencl_alive(const struct yk_opencl_device *device);

/* opencl_find.c */
yoke_status yk_opencl_find(const struct yk_device_spec *spec, int asked,
                           struct yk_device_list *list, char *why);
/* Sets the driver's functions and its handle of the device, by the number in its desc. */
yoke_status yk_opencl_handle(struct yk_opencl_device *device);
/* The major number of an NVIDIA GPU's compute capability; 0 for other devices. */
int yk_opencl_nvidia(const struct yk_opencl_api *cl, cl_device_id device);
/* Returns a property of a device as text; "" if it has none. */
struct yk_opencl_property {
    char text[1024];
};
struct yk_opencl_property yk_opencl_property(const struct yk_opencl_api *cl, cl_device_id device,
                                             cl_uint name);

/* opencl_event.c. An operation has three steps: begin makes the event, if one is wanted, so that
 * nothing can fail once work is queued; then come the driver's calls, which store their event in
 * yk_opencl_event_slot; then end. */
struct yk_opencl_operation {
    struct yk_queue *queue;
    const char *what;        /* for messages */
    struct yk_event **event; /* where the caller gets the event, or NULL */
    struct yk_event *made;   /* made by begin; NULL if no event is wanted */
};
yoke_status yk_opencl_operation_begin(struct yk_opencl_operation *operation);
/* Flushes the queued work to the device, and gives the event to the caller. `code` is the result of
 * the driver's calls. */
yoke_status yk_opencl_operation_end(struct yk_opencl_operation *operation, cl_int code);
cl_event *yk_opencl_event_slot(struct yk_event *event);       /* NULL if `event` is NULL */
cl_event *yk_opencl_event_begin_slot(struct yk_event *event); /* marks the start, if used */
/* The driver's handles of the events for which an operation must still wait. */
struct yk_opencl_waits {
    cl_event fixed[16];
    cl_event *list; /* NULL if count is 0 */
    cl_uint count;
};
yoke_status yk_opencl_waits_open(struct yk_opencl_waits *waits, const struct yk_queue *queue,
                                 struct yk_event *const *after, int count);
void yk_opencl_waits_close(struct yk_opencl_waits *waits);
/* Asks the driver. Returns YK_OPENCL_PENDING, 0 (complete) or an error code. */
enum { YK_OPENCL_PENDING = 1 };
int yk_opencl_look(struct yk_event *event);
void yk_opencl_settle(struct yk_event *event, int state); /* notes its end; later calls have no
                                                           * effect */
void yk_opencl_event_hold(struct yk_event *event);        /* one more close is needed */
struct yk_opencl_device *yk_opencl_event_device(const struct yk_event *event);
/* Measures clock_gap. */
yoke_status yk_opencl_clock_compare(struct yk_opencl_device *device);
int yk_opencl_poll(struct yk_event *event, yoke_status *outcome);
void yk_opencl_event_times(struct yk_event *event, struct yk_event_times *out);
void yk_opencl_event_close(struct yk_event *event);

/* opencl_watch.c */
/* Returns 0 if the driver still has watches that point to the device: then do not free it. */
int yk_opencl_watcher_close(struct yk_opencl_device *device);
yoke_status yk_opencl_wait(struct yk_event *event);
yoke_status yk_opencl_notify(struct yk_event *event, void (*fn)(void *context), void *context);

/* opencl_host.c. Only for devices that pin or stage. open makes `pinning`; close it when no memory
 * is pinned. */
yoke_status yk_opencl_host_open(struct yk_opencl_device *device);
void yk_opencl_host_close(struct yk_opencl_device *device);
yoke_status yk_opencl_pin(struct yk_device *device, void *host, int64_t bytes, int *foreign);
yoke_status yk_opencl_host_alloc(struct yk_device *device, int64_t bytes, void **out);
void yk_opencl_host_release(struct yk_device *device, void *host); /* unpin, host_free */

/* opencl_queue.c */
/* Sleeps until all queued work is over. */
void yk_opencl_queue_drain(struct yk_queue *queue);
yoke_status yk_opencl_queue_open(struct yk_device *device, struct yk_queue **out);
void yk_opencl_queue_close(struct yk_queue *queue);
yoke_status yk_opencl_copy(struct yk_queue *queue, const struct yk_copy *copy,
                           struct yk_event **event);
yoke_status yk_opencl_zero(struct yk_queue *queue, const struct yk_buffer_range *range,
                           struct yk_event **event);

/* opencl_log.c. Returns a compiler's log with the user's file and line in place of <kernel>:LINE;
 * `text` is what was compiled. The caller frees it; NULL if there is no memory. */
char *yk_opencl_log(const char *log, const char *text);

/* opencl_program.c */
yoke_status yk_opencl_build(struct yk_device *device, const yoke_kernel *kernel,
                            struct yk_program **out);
void yk_opencl_program_close(struct yk_device *device, struct yk_program *program);

/* The option without which the driver of that CL_DEVICE_VERSION compiles kernels with barriers
 * wrongly; "" if it needs none. PoCL's optimiser moves conditions on lanes across barriers, and
 * then drops them: after `if (l < 64 && ...)` all lanes went on, and YOKE_ONCE was done by all
 * lanes, or by none (PoCL 3.1; tests/kernel: few lanes, barriers in branches, scan). `lanes`: of a
 * group kernel; others have no barriers of the user's. */
const char *yk_opencl_optimisation(int lanes, const char *version);

/* opencl_launch.c */
yoke_status yk_opencl_launch(struct yk_queue *queue, struct yk_program *program,
                             const struct yk_launch *launch, struct yk_event **event);

#endif
