/* walk.c - see walk.h. */
#include "walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <unistd.h>

#include "backend/backend.h"
#include "base/alloc.h"
#include "runtime/device.h"
#include "under_sanitizer.h"

enum { HANGS_SECONDS = 60 };

int64_t walk_allocations(walk_program *program, const char *devices, unsigned allowed)
{
    int64_t nth, before = yk_alloc_outstanding();
    for (nth = 1;; nth += WALK_STRIDE) {
        yoke_status status;
        alarm(HANGS_SECONDS);
        yk_alloc_fail_at(nth);
        status = program(devices);
        if (!yk_alloc_failed())
            break;
        yk_alloc_fail_at(0);
        if (yk_alloc_outstanding() != before)
            fail_msg("%s: allocation %d fails: %d blocks are left", devices, (int)nth,
                     (int)(yk_alloc_outstanding() - before));
        if (!(allowed & 1u << status))
            fail_msg("%s: allocation %d fails: %s: %s", devices, (int)nth, yoke_status_text(status),
                     yoke_error_text());
    }
    yk_alloc_fail_at(0);
    print_message("%s: %d allocations failed in turn\n", devices, (int)nth - 1);
    return nth - 1;
}

int64_t walk_calls(walk_program *program, const char *devices, yoke_status kind, int64_t *went_well)
{
    int64_t nth, before = yk_alloc_outstanding();
    *went_well = 0;
    for (nth = 1;; nth++) {
        yoke_status status;
        alarm(HANGS_SECONDS);
        yk_backend_fail_at(nth, kind);
        status = program(devices);
        if (!yk_backend_failed())
            break;
        yk_backend_fail_at(0, YOKE_OK);
        if (yk_alloc_outstanding() != before)
            fail_msg("%s: call %d fails: %d blocks are left", devices, (int)nth,
                     (int)(yk_alloc_outstanding() - before));
        *went_well += status == YOKE_OK;
        if (status != YOKE_OK && status != YOKE_ENOMEM && status != YOKE_EDEVICE &&
            status != YOKE_ELOST)
            fail_msg("%s: call %d fails: %s: %s", devices, (int)nth, yoke_status_text(status),
                     yoke_error_text());
    }
    yk_backend_fail_at(0, YOKE_OK);
    print_message("%s: %d calls failed in turn, %d times it was made good\n", devices, (int)nth - 1,
                  (int)*went_well);
    return nth - 1;
}

void walk_everything(walk_program *program, const char *devices)
{
    const unsigned allowed =
        1u << YOKE_OK | 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE | 1u << YOKE_ELOST;
    int64_t went_well;
    yk_check_devices = 1;
    assert_int_equal(program(devices), YOKE_OK);
    walk_allocations(program, devices, allowed);
    walk_calls(program, devices, YOKE_ENOMEM, &went_well);
    assert_true(went_well > 0);
    walk_calls(program, devices, YOKE_EDEVICE, &went_well);
    yk_check_devices = 0;
}
