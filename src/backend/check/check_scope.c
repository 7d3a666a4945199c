/* check_scope.c - what is checked in every call: one thread is inside the device at a time, and a
 * call writes its output exactly if it returns YOKE_OK. */
#include "check.h"

#include <string.h>

#include "../../base/status.h"

void *yk_check_untouched(void)
{
    static char untouched;
    return &untouched;
}

yoke_status yk_check_enter(struct check_device *device, const char *slot)
{
    /* The default order (seq_cst) is enough: only the count is exchanged. */
    if (atomic_fetch_add(&device->inside, 1) && !device->base.desc.host_memory) {
        atomic_fetch_sub(&device->inside, 1);
        return yk_check_breach(device, slot, "another thread is inside the device");
    }
    return YOKE_OK;
}

void yk_check_leave(struct check_device *device)
{
    atomic_fetch_sub(&device->inside, 1);
}

yoke_status yk_check_returned(struct check_device *device, const struct check_return *result)
{
    yoke_status status = result->status;
    int untouched = result->made == yk_check_untouched();
    if (status == YOKE_EDEVICE)
        atomic_store(&device->lost, 1);
    else if (status == YOKE_OK && result->was_lost) /* only report: the object exists */
        yk_check_breach(device, result->slot, "worked on a device that was lost");
    if (status != YOKE_OK && !(result->allowed & 1u << status))
        return yk_check_breach(device, result->slot, "may not fail with '%s'",
                               yoke_status_text(status));
    if (untouched != (status != YOKE_OK))
        return yk_check_breach(device, result->slot, "%s",
                               untouched ? "left its output unwritten"
                                         : "wrote its output and failed");
    if ((status == YOKE_EDEVICE || status == YOKE_EBUILD) &&
        !strstr(yoke_error_text(), device->base.desc.name))
        return yk_check_breach(device, result->slot, "the text does not name the device: %s",
                               yoke_error_text());
    return status;
}
