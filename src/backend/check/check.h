/* check.h - inside the checking wrapper: the objects behind its handles, and where breaches are
 * reported.
 *
 * Every buffer, queue, program and event that a caller gets is an object of the wrapper that
 * remembers its device and the backend's own handle. All live objects are in one list. A handle is
 * looked up there before it is followed, so a handle that was freed twice, or belongs to another
 * device, is found without touching it. Each call costs a walk of that list: for debug builds and
 * tests.
 *
 * One lock guards the list and the operations in flight. Calls to the backend are made without it.
 */
#ifndef YK_BACKEND_CHECK_H
#define YK_BACKEND_CHECK_H

#include <stdatomic.h>

#include "../backend.h"

/* For tests: passes breaches to fn(context, text); the call with the breach returns YOKE_EINVAL. If
 * fn is NULL, a breach is logged as an error and aborts the process. */
void yk_check_on_breach(void (*fn)(void *context, const char *text), void *context);

enum { CHECK_QUEUES = 160 }; /* number of queues, of all devices, whose order is checked */

enum check_kind { CHECK_DEVICE, CHECK_BUFFER, CHECK_QUEUE, CHECK_PROGRAM, CHECK_EVENT };

struct check_device;

struct check_object { /* first member of buffers, queues, programs and events */
    enum check_kind kind;
    struct check_device *device;
    struct check_object *next;
};

struct check_device {
    struct yk_device base;
    struct check_object object;
    struct yk_backend table; /* base.backend points here */
    struct yk_device *inner;
    const struct yk_backend *backend; /* the inner device's */
    atomic_int lost;     /* 1: it has returned YOKE_EDEVICE, and must return only that from now
                          * on */
    atomic_int injected; /* 1: lost by yk_backend_fail_at: the backend is not called any more */
    atomic_int reaches;  /* 1: it reaches some other device */
    atomic_int inside;   /* number of threads in calls that only one thread may make at a time */
};

struct check_range { /* bytes of a buffer that were committed, in any order */
    int64_t first, last;
    struct check_range *next;
};

struct check_buffer {
    struct check_object object;
    struct yk_buffer *inner;
    int64_t bytes;
    struct check_range *committed; /* only if there is a commit slot */
    int reserved;
};

/* The operations that end before another begins: on each queue those up to number `upto`. Entries
 * from `slots` on are undefined and mean no operation, which makes copies cheap: most programs have
 * few queues, and each call copies pasts. So copy a past only with yk_check_past_copy. */
struct check_past {
    int slots;
    int64_t upto[CHECK_QUEUES];
};

struct check_queue {
    struct check_object object;
    struct yk_queue *inner;
    int slot; /* its index in check_past.upto; -1: its order is not checked */
    struct check_past past;
};

struct check_program {
    struct check_object object;
    struct yk_program *inner;
    int is_step, param_count;
    yoke_param *params;
};

struct check_event {
    struct check_object object;
    struct yk_event *inner;
    struct check_past past; /* including its own operation */
    int done;               /* 1: seen complete */
    int holders;            /* owners beside the first; guarded by the lock */
    yoke_status outcome;
};

/* Memory that an operation in flight reads or writes. */
struct check_use {
    const struct check_buffer *buffer; /* NULL: host memory */
    uintptr_t first, last;
    int64_t run, pitch; /* if run > 0, only the first `run` bytes of each `pitch` bytes */
    int writes;
    int by_kernel; /* 1: a kernel uses an unknown part of it, which only prevents freeing it */
};

/* check_object.c */
void yk_check_lock(void);
void yk_check_unlock(void);
/* Logs or reports a breach, and sets the error text. Returns YOKE_EINVAL. */
yoke_status yk_check_breach(const struct check_device *device, const char *slot, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));
void yk_check_add(struct check_object *object);    /* locks */
void yk_check_remove(struct check_object *object); /* locks */
/* Returns the object. NULL after a breach: it is closed, was never opened, is of another kind, or
 * belongs to another device than `device` (if not NULL). */
void *yk_check_find(const struct check_device *device, enum check_kind kind, const void *handle,
                    const char *slot);
struct check_device *yk_check_device_find(const void *handle, const char *slot);
/* Returns an object of that kind that the device still has; NULL if there is none. */
struct check_object *yk_check_left(const struct check_device *device, enum check_kind kind);
const char *yk_check_kind_name(enum check_kind kind);

/* check_scope.c: called around each slot that only one thread at a time may call. */
yoke_status yk_check_enter(struct check_device *device, const char *slot);
void yk_check_leave(struct check_device *device);
/* What a slot returned, and what it wrote to *made, which was yk_check_untouched() before. */
struct check_return {
    const char *slot;
    yoke_status status;
    unsigned allowed; /* statuses allowed beside YOKE_OK, as bits 1 << status */
    const void *made;
    int was_lost; /* before the call */
};
void *yk_check_untouched(void);
yoke_status yk_check_returned(struct check_device *device, const struct check_return *result);

/* check_order.c: what is in flight. */
struct check_operation; /* opaque */
struct check_operation_spec {
    struct check_queue *queue;
    struct check_past *past; /* all operations before it, without itself */
    const struct check_use *uses;
    int use_count;
    const char *slot;
};
/* YOKE_EINVAL after a breach: an operation in flight uses the same memory and is not ordered before
 * this one. Pass *out (NULL if order is not checked) to yk_check_issued, or to yk_free if the
 * operation is not issued after all. */
yoke_status yk_check_order(const struct check_operation_spec *spec, struct check_operation **out);
/* Call it after the operation was issued, with `pending` 0 if it is already complete. Adds the
 * operation to the pasts of its event and of its queue. */
void yk_check_issued(const struct check_operation_spec *spec, struct check_operation *operation,
                     int pending);
void yk_check_past_copy(struct check_past *past, const struct check_past *from);
void yk_check_past_add(struct check_past *past, const struct check_past *other);
/* Removes the operations in `past` from those in flight: they are complete. */
void yk_check_settle(const struct check_past *past);
int yk_check_in_use(const struct check_buffer *buffer);
int yk_check_host_in_use(uintptr_t first, uintptr_t last);
int yk_check_slot_open(const struct check_device *device);
void yk_check_slot_close(int slot);

/* check_memory.c */
yoke_status yk_check_alloc(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
void yk_check_free(struct yk_device *device, struct yk_buffer *buffer);
int64_t yk_check_memory_free(struct yk_device *device);
yoke_status yk_check_reserve(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
void yk_check_decommit(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                       int64_t bytes);
yoke_status yk_check_commit(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                            int64_t bytes);
/* Reports a breach unless all of these bytes are committed. */
yoke_status yk_check_committed(const struct check_buffer *buffer, const char *slot, int64_t first,
                               int64_t last);

/* check_host.c */
yoke_status yk_check_pin(struct yk_device *device, void *host, int64_t bytes, int *foreign);
const void *yk_check_pinned_until(struct yk_device *device, const void *host);
void yk_check_unpin(struct yk_device *device, void *host);
yoke_status yk_check_host_alloc(struct yk_device *device, int64_t bytes, void **out);
void yk_check_host_free(struct yk_device *device, void *host);
/* Reports a breach if a copy of this host memory would cover parts that were pinned separately. */
yoke_status yk_check_in_one(const struct check_device *device, const void *host, int64_t bytes);
/* Returns 1 if `host` lies in memory of the device's host_alloc; *use then says that a kernel uses
 * it. */
int yk_check_host_is_own(const struct check_device *device, const void *host,
                         struct check_use *use);
/* Reports memory that the device still has pinned or allocated as breaches, and releases it. */
void yk_check_host_left(struct check_device *device);

/* check_operation.c */
yoke_status yk_check_copy(struct yk_queue *queue, const struct yk_copy *copy,
                          struct yk_event **event);
double yk_check_reach(struct yk_device *device, struct yk_device *from);
yoke_status yk_check_zero(struct yk_queue *queue, const struct yk_buffer_range *range,
                          struct yk_event **event);
yoke_status yk_check_launch(struct yk_queue *queue, struct yk_program *program,
                            const struct yk_launch *launch, struct yk_event **event);

/* check_event.c */
int yk_check_poll(struct yk_event *event, yoke_status *outcome);
yoke_status yk_check_wait(struct yk_event *event);
yoke_status yk_check_notify(struct yk_event *event, void (*fn)(void *context), void *context);
void yk_check_event_times(struct yk_event *event, struct yk_event_times *out);
void yk_check_event_close(struct yk_event *event);
void yk_check_event_hold(struct yk_event *event);

/* check_fault.c: Returns YOKE_OK, or the status to return instead of calling the backend. */
yoke_status yk_check_inject(struct check_device *device, const char *slot);

#endif
