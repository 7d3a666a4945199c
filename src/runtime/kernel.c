/* kernel.c - see kernel.h. */
#include "kernel.h"

#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"

yoke_status yk_kernel_intern(struct yk_kernels *kernels, const yoke_kernel *kernel,
                             struct yk_kernel **out)
{
    struct yk_kernel *known;
    for (known = kernels->first; known; known = known->next)
        if (memcmp(&known->kernel, kernel, sizeof *kernel) == 0)
            break;
    if (!known) {
        known = yk_calloc(1, sizeof *known);
        if (!known)
            return YOKE_ENOMEM;
        memcpy(&known->kernel, kernel, sizeof *kernel);
        known->next = kernels->first;
        kernels->first = known;
    }
    *out = known;
    return YOKE_OK;
}

static void close_kernel(struct yk_kernel *kernel, struct yk_places *places)
{
    int i, count = atomic_load(&places->count);
    for (i = 0; i < YK_PLACES; i++) {
        struct yk_build *build = &kernel->builds[i];
        if (build->program && i < count) {
            struct yk_device *device = places->items[i].device;
            device->backend->program_close(device, build->program);
        }
        yk_free(build->text);
    }
    yk_free(kernel);
}

void yk_kernels_close(struct yk_kernels *kernels, struct yk_places *places)
{
    while (kernels->first) {
        struct yk_kernel *kernel = kernels->first;
        kernels->first = kernel->next;
        close_kernel(kernel, places);
    }
}

yoke_status yk_kernel_build(struct yk_kernel *kernel, struct yk_device *device, int number)
{
    struct yk_build *build = &kernel->builds[number];
    int state = atomic_load_explicit(&build->state, memory_order_acquire);
    if (state == YK_BUILD_NONE) {
        build->status = device->backend->build(device, &kernel->kernel, &build->program);
        if (build->status != YOKE_OK) {
            build->text = yk_strdup(yoke_error_text());
            if (build->status == YOKE_EBUILD)
                yk_log(YOKE_LOG_WARN, "%s takes no part: %s", device->desc.name, yoke_error_text());
        }
        state = build->status == YOKE_OK ? YK_BUILD_READY : YK_BUILD_FAILED;
        atomic_store_explicit(&build->state, state, memory_order_release);
    }
    return build->status;
}

const struct yk_memory *yk_kernel_recall(struct yk_kernel *kernel, uint64_t key)
{
    int i;
    for (i = 0; i < YK_MEMORIES; i++)
        if (kernel->memories[i].used && kernel->memories[i].key == key) {
            kernel->memories[i].used = ++kernel->clock;
            return &kernel->memories[i];
        }
    return NULL;
}

struct yk_memory *yk_kernel_memorise(struct yk_kernel *kernel, uint64_t key)
{
    struct yk_memory *oldest = &kernel->memories[0];
    int i;
    for (i = 0; i < YK_MEMORIES; i++) {
        struct yk_memory *memory = &kernel->memories[i];
        if (memory->used && memory->key == key) {
            memory->used = ++kernel->clock;
            return memory;
        }
        if (memory->used < oldest->used)
            oldest = memory;
    }
    memset(oldest, 0, sizeof *oldest);
    oldest->key = key;
    oldest->used = ++kernel->clock;
    for (i = 0; i < YK_PLACES; i++)
        yk_learned_open(&oldest->device[i]);
    return oldest;
}
