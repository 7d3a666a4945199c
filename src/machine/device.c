/* device.c - what operations take.
 *
 *     kernel   fixed + its items' cost; with stair=yes, the number of items counts as if it were
 *              rounded up to a multiple of fill
 *     copy     latency + bytes / rate
 */
#include "device.h"

#include <math.h>

#include "random.h"

double yk_machine_kernel_ns(const struct yk_machine_device *device,
                            const struct yk_machine_work *work)
{
    const double fill = (double)device->fill;
    double cost = work->cost;
    if (device->stair && device->fill > 1)
        cost *= ceil(work->items / fill) * fill / work->items;
    return device->fixed * 1e9 + cost * work->item_ns;
}

double yk_machine_copy_ns(const struct yk_machine_device *device, double rate, double bytes)
{
    return 1e9 * (device->latency + (rate > 0 ? bytes / rate : 0));
}

double yk_machine_noise(double noise, uint64_t *state)
{
    return noise > 0 ? 1 + noise * (2 * yk_random_next(state) - 1) : 1;
}
