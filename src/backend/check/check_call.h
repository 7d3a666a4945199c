/* check_call.h - the common path of all operations on a queue: copy, zero, launch. Each slot checks
 * its own arguments and lists the memory it uses. Then it calls open (events, order, injected
 * failure), the backend, and close (what the backend returned).
 */
#ifndef YK_BACKEND_CHECK_CALL_H
#define YK_BACKEND_CHECK_CALL_H

#include "check.h"

struct check_call {
    struct check_operation_spec spec;
    struct check_device *device;
    struct yk_event **after; /* the backend's events */
    int after_count;
    struct check_operation *operation;
    struct check_event *event; /* for the caller, made before the call of the backend; has the
                                * operation's past */
    struct yk_event *made;     /* the backend's event */
    int was_lost, reads_peer;
};

struct check_call_arguments {
    const char *slot;
    struct check_queue *queue;
    struct yk_event *const *after;
    int after_count;
    const struct check_use *uses;
    int use_count;
    const struct check_device *peer; /* of a PEER copy: its events may be in `after`, too */
};

/* Returns the caller's queue; NULL after a breach. */
struct check_queue *yk_check_call_queue(const struct yk_queue *handle, const char *slot,
                                        int needs_memory);
/* If it returns YOKE_OK, call the backend with call->after and call->made, then close. */
yoke_status yk_check_call_open(struct check_call *call, const struct check_call_arguments *a);
/* The caller gets an event only if the backend made one, so that its path for operations that are
 * complete on return is tested too. */
yoke_status yk_check_call_close(struct check_call *call, yoke_status status,
                                struct yk_event **event);

#endif
