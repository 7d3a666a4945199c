/* unaligned.c - see unaligned.h. */
#include "unaligned.h"

#include <string.h>

#include "array/copy.h"
#include "job_kernels.h"
#include "runtime/device.h"

struct unaligned unaligned;

void unaligned_fill(struct unaligned *u)
{
    int i;
    u->x = u->room[0] + SHIFT;
    u->y = u->room[1] + SHIFT;
    u->z = u->room[2] + SHIFT;
    memset(u->h, 0, sizeof u->h);
    for (i = 0; i < N; i++) {
        u->x[i] = (float)(i % 100);
        u->y[i] = 1;
        u->z[i] = -1;
        u->keys[i] = i;
    }
}

yoke_status unaligned_saxpy(yoke_runtime *rt, yoke_array *x, yoke_array *y, int home)
{
    const float a = 2;
    yoke_job job = { .kernel = &k_saxpy,
                     .range = { 0, N },
                     .partitioner = "dynamic:chunk=1000",
                     .args = { yoke_value(a), yoke_in(x), yoke_inout(y) } };
    job.args[2].home = home ? YOKE_HOME_NOW : YOKE_HOME_LATER;
    return yoke_run(rt, &job, NULL);
}

yoke_status unaligned_blur(yoke_runtime *rt, yoke_array *x, yoke_array *z)
{
    const bounds_t b = { 0, N, 1 };
    yoke_job job = { .kernel = &k_blur,
                     .range = { 0, N },
                     .partitioner = "dynamic:chunk=3000",
                     .args = { yoke_value(b), yoke_in_halo(x, 1, 1), yoke_out_home(z) } };
    return yoke_run(rt, &job, NULL);
}

int unaligned_sizes(void **state)
{
    (void)state;
    yk_check_devices = 1;
    yk_pin_terms = (struct yk_pin_terms){ .page = PAGE,
                                          .unit = PAGE,
                                          .most = 2 * PAGE,
                                          .pin_mib_ns = 36e3,
                                          .slow_mib_ns = 400e3,
                                          .fast_mib_ns = 18e3 };
    yk_stage_slot_bytes = 300;
    yk_copy_small_bytes = 40;
    return 0;
}
