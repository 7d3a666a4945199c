/* guard_narrow.c - narrows a piece with a breach down to one index.
 *
 * A half has fewer declared rows than the piece, so one of the halves has the breach, too.
 */
#include "guard.h"

static yoke_status check_part(struct guard_work *work, int64_t first, int64_t last,
                              struct guard_breach *found)
{
    struct guard_breach part;
    yoke_status status = yk_guard_check(work, first, last, &part);
    if (status == YOKE_OK && part.kind != GUARD_FINE)
        *found = part;
    return status;
}

yoke_status yk_guard_narrow(struct guard_work *work, struct guard_breach *breach)
{
    const int64_t unit = work->declared->unit;
    yoke_status status = YOKE_OK;
    while (status == YOKE_OK && breach->last - breach->first > unit) {
        const int64_t first = breach->first, last = breach->last;
        const int64_t middle = first + ((last - first) / unit + 1) / 2 * unit;
        if (middle >= last)
            break;
        status = check_part(work, first, middle, breach);
        if (status == YOKE_OK && breach->last == last)
            status = check_part(work, middle, last, breach);
        if (breach->first == first && breach->last == last)
            break;
    }
    return status;
}
