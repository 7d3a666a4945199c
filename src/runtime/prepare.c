/* prepare.c - yoke_prepare: builds kernels before the first job needs them, for each device in a
 * separate thread. */
#include "../base/alloc.h"
#include "../base/status.h"
#include "../job/entry.h"
#include "../job/kernel.h"
#include "../job/sum.h"
#include "../job/validate.h"
#include "default.h"
#include "loading.h"

/* The kernels of a call: those that were named, and those that fold their sums. */
struct preparing {
    yoke_runtime *runtime;
    struct yk_kernel **kernels;
    int count;
};

/* One device's part of the work. */
struct builder {
    const struct preparing *all;
    int device;
    int has_thread;
    struct yk_thread thread;
};

static void build_all(void *context)
{
    struct builder *builder = context;
    yoke_runtime *runtime = builder->all->runtime;
    const struct yk_runtime_device *device = &runtime->devices[builder->device];
    const int is_virtual = device->device->desc.virtual_clock;
    int k;
    for (k = 0; k < builder->all->count && !atomic_load(&device->place->lost); k++) {
        if (is_virtual) /* because another thread may move its clock */
            yk_lock(&runtime->driving);
        yk_kernel_build(builder->all->kernels[k], device->device, device->number);
        if (is_virtual)
            yk_unlock(&runtime->driving);
    }
}

static int compiles(const yoke_runtime *runtime, int device)
{
    return !runtime->devices[device].device->desc.host_memory &&
           !atomic_load(&runtime->devices[device].place->lost);
}

static void build_everywhere(struct preparing *all)
{
    struct builder builders[YK_PLACES] = { { 0 } };
    const struct yk_thread_spec any = { .name = "yk-build", .cpu = -1, .run = build_all };
    int d, count = atomic_load_explicit(&all->runtime->device_count, memory_order_acquire);
    for (d = 0; d < count; d++) {
        struct yk_thread_spec spec = any;
        builders[d] = (struct builder){ .all = all, .device = d };
        spec.context = &builders[d];
        if (!compiles(all->runtime, d))
            continue;
        builders[d].has_thread = !all->runtime->virtual_clock && d < count - 1 &&
                                 yk_thread_open(&spec, &builders[d].thread) == YOKE_OK;
        if (!builders[d].has_thread)
            build_all(&builders[d]);
    }
    for (d = 0; d < count; d++)
        if (builders[d].has_thread)
            yk_thread_join(&builders[d].thread);
}

/* Fails if a kernel cannot run anywhere, or does not compile on a device. A device for which a
 * kernel has no implementation is no error if another device has one. */
static yoke_status judge(const struct preparing *all, struct yk_kernel *kernel)
{
    const struct yk_build *wrong = NULL;
    int d, able = 0, count = atomic_load(&all->runtime->device_count);
    for (d = 0; d < count; d++) {
        const struct yk_build *build = &kernel->builds[all->runtime->devices[d].number];
        int is_host = all->runtime->devices[d].device->desc.host_memory;
        if (is_host ? yk_kernel_runs_on_host(&kernel->kernel)
                    : yk_kernel_is_ready(kernel, all->runtime->devices[d].number))
            able++;
        else if (yk_kernel_has_failed(kernel, all->runtime->devices[d].number) &&
                 (!wrong || wrong->status == YOKE_ENOIMPL))
            wrong = build;
    }
    if (wrong && (wrong->status != YOKE_ENOIMPL || !able))
        return yk_fail(wrong->status, "%s", wrong->text ? wrong->text : kernel->kernel.name);
    if (!able)
        return yk_fail(YOKE_ENOIMPL,
                       "kernel %s has no implementation for any device of the runtime",
                       kernel->kernel.name);
    return YOKE_OK;
}

/* With runtime.lock held. */
static yoke_status add(struct preparing *all, const yoke_kernel *kernel)
{
    yoke_status status =
        yk_kernel_intern(&all->runtime->kernels, kernel, &all->kernels[all->count]);
    if (status == YOKE_OK)
        all->count++;
    return status;
}

/* Adds the folds of all the kernel's sums. Devices do not fold sums that the program merges itself,
 * but only a job says which sums these are. With runtime.lock held. */
static yoke_status add_folds(struct preparing *all, const yoke_kernel *kernel)
{
    yoke_status status = YOKE_OK;
    int p;
    for (p = 0; p < kernel->param_count && status == YOKE_OK; p++) {
        const struct yk_sum *sum =
            kernel->params[p].mode == YOKE_PARAM_ADD ? yk_sum_of(kernel->params[p].type) : NULL;
        if (sum)
            status = add(all, sum->fold);
    }
    return status;
}

/* Interns the kernels and the folds of their sums. */
static yoke_status add_all(struct preparing *all, const yoke_kernel *const *kernels, int count)
{
    yoke_status status = YOKE_OK;
    int k;
    yk_lock(&all->runtime->lock);
    for (k = 0; k < count && status == YOKE_OK; k++)
        status = add(all, kernels[k]);
    for (k = 0; k < count && status == YOKE_OK; k++)
        status = add_folds(all, kernels[k]);
    yk_unlock(&all->runtime->lock);
    return status;
}

yoke_status yoke_prepare(yoke_runtime *runtime, const yoke_kernel *const *kernels, int count)
{
    struct preparing all = { .runtime = runtime };
    yoke_status status = YOKE_OK;
    int k;
    if (count < 0 || (count && !kernels))
        return yk_fail(YOKE_EINVAL, "yoke_prepare: %d kernels at %p", count, (const void *)kernels);
    if (!runtime)
        status = yk_default_get(&all.runtime);
    if (status == YOKE_OK)
        status = yk_runtime_check(all.runtime, "yoke_prepare");
    for (k = 0; k < count && status == YOKE_OK; k++)
        status = yk_kernel_check(kernels[k]);
    if (status != YOKE_OK || count == 0)
        return status;
    all.kernels = yk_calloc((size_t)count * (1 + YOKE_ARGS_MAX), sizeof(*all.kernels));
    if (!all.kernels)
        return YOKE_ENOMEM;
    status = yk_loading_finish(all.runtime);
    if (status == YOKE_OK)
        status = add_all(&all, kernels, count);
    if (status == YOKE_OK)
        build_everywhere(&all);
    for (k = 0; k < count && status == YOKE_OK; k++)
        status = judge(&all, all.kernels[k]);
    yk_free(all.kernels);
    return status;
}
