/* leavable.h - slots that call a driver which may never return. Once the device is broken off
 * (stalled.h), the thread is forced out of the call (platform/escape.h), and the slot returns that
 * the device is lost.
 */
#ifndef YK_BACKEND_LEAVABLE_H
#define YK_BACKEND_LEAVABLE_H

#include "../platform/escape.h"
#include "backend.h"

/* Reports that the device was abandoned; returns YOKE_EDEVICE. */
yoke_status yk_device_left(void);

/* Defines leavable_copy, which calls yk_BACKEND_copy, and so on: for all slots that a chunk calls
 * from its first copy until its events are closed. */
#define YK_LEAVABLE_SLOTS(backend)                                                                 \
    YK_LEAVABLE(backend, copy,                                                                     \
                (struct yk_queue * q, const struct yk_copy *c, struct yk_event **e), (q, c, e))    \
    YK_LEAVABLE(backend, zero,                                                                     \
                (struct yk_queue * q, const struct yk_buffer_range *range, struct yk_event **e),   \
                (q, range, e))                                                                     \
    YK_LEAVABLE(backend, launch,                                                                   \
                (struct yk_queue * q, struct yk_program * program, const struct yk_launch *launch, \
                 struct yk_event **e),                                                             \
                (q, program, launch, e))                                                           \
    YK_LEAVABLE(backend, wait, (struct yk_event * e), (e))                                         \
    YK_LEAVABLE(backend, notify, (struct yk_event * e, void (*fn)(void *context), void *context),  \
                (e, fn, context))                                                                  \
    static int leavable_poll(struct yk_event *e, yoke_status *outcome)                             \
    {                                                                                              \
        int complete;                                                                              \
        if (sigsetjmp(yk_escape_self()->back, 0) != 0) {                                           \
            *outcome = yk_device_left();                                                           \
            return 1;                                                                              \
        }                                                                                          \
        yk_escape_enter();                                                                         \
        complete = yk_##backend##_poll(e, outcome);                                                \
        yk_escape_leave();                                                                         \
        return complete;                                                                           \
    }                                                                                              \
    static void leavable_event_close(struct yk_event *e)                                           \
    {                                                                                              \
        if (sigsetjmp(yk_escape_self()->back, 0) != 0)                                             \
            return;                                                                                \
        yk_escape_enter();                                                                         \
        yk_##backend##_event_close(e);                                                             \
        yk_escape_leave();                                                                         \
    }

#define YK_LEAVABLE(backend, slot, parameters, arguments)                                          \
    static yoke_status leavable_##slot parameters                                                  \
    {                                                                                              \
        yoke_status status;                                                                        \
        if (sigsetjmp(yk_escape_self()->back, 0) != 0)                                             \
            return yk_device_left();                                                               \
        yk_escape_enter();                                                                         \
        status = yk_##backend##_##slot arguments;                                                  \
        yk_escape_leave();                                                                         \
        return status;                                                                             \
    }

#endif
