/* check_fault.c - makes the nth backend call fail, so that tests reach every error path of the
 * callers.
 *
 * The count covers, across all wrappers, alloc, commit, pin, host_alloc, queue_open, copy, zero,
 * build, launch, and the first time an event is seen complete. For a status that only a build may
 * return, only builds count. A device that was lost this way stays lost. Its backend is not called
 * any more, but operations in flight are allowed to end, because they still use the caller's
 * memory.
 */
#include <string.h>

#include "../../base/status.h"
#include "check.h"

static struct {
    atomic_llong left; /* calls up to and including the one that fails; <= 0: off */
    atomic_int status, reached;
} fault;

void yk_backend_fail_at(int64_t nth, yoke_status status)
{
    atomic_store(&fault.left, 0);
    atomic_store(&fault.status, (int)status);
    atomic_store(&fault.reached, 0);
    atomic_store(&fault.left, nth);
}

int yk_backend_failed(void)
{
    return atomic_load(&fault.reached);
}

yoke_status yk_check_inject(struct check_device *device, const char *slot)
{
    const char *name = device->base.desc.name;
    if (atomic_load(&device->injected))
        return yk_fail(YOKE_EDEVICE, "%s is lost (injected failure)", name);
    yoke_status status = (yoke_status)atomic_load(&fault.status);
    int build_only = status == YOKE_EBUILD || status == YOKE_ENOIMPL;
    if (atomic_load(&fault.left) <= 0 || (build_only && strcmp(slot, "build")))
        return YOKE_OK;
    if (atomic_fetch_sub(&fault.left, 1) != 1)
        return YOKE_OK;
    atomic_store(&fault.reached, 1);
    device->base.desc.exact_outcomes = 0; /* work that is reported as failed may in fact have been
                                           * done */
    if (status == YOKE_EDEVICE) {
        atomic_store(&device->injected, 1);
        atomic_store(&device->lost, 1);
    }
    return yk_fail(status, "%s: injected failure of %s (%s)", name, slot, yoke_status_text(status));
}
