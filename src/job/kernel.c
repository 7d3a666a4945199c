/* kernel.c - see kernel.h: interns kernels, builds them, and finds their memories. */

#include "kernel.h"

#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../platform/clock.h"
#include "builds.h"
#include "notice.h"

yoke_status yk_kernel_intern(struct yk_kernels *kernels, const yoke_kernel *kernel,
                             struct yk_kernel **out)
{
    static const yk_mutex fresh = YK_MUTEX_INITIAL;
    struct yk_kernel *known;
    int i;
    for (known = kernels->first; known; known = known->next)
        if (memcmp(&known->kernel, kernel, sizeof *kernel) == 0)
            break;
    if (!known) {
        known = yk_calloc(1, sizeof *known);
        if (known)
            known->memories[0] = yk_calloc(1, sizeof *known->memories[0]);
        if (!known || !known->memories[0]) {
            yk_free(known);
            return YOKE_ENOMEM;
        }
        memcpy(&known->kernel, kernel, sizeof *kernel);
        for (i = 0; i < YK_PLACES; i++)
            known->builds[i].lock = fresh;
        yk_access_open(&known->kernel, &known->access);
        yk_weight_open(&known->weight);
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
        if (build->kernel)
            yk_thread_join(&build->thread);
        if (build->program && i < count) {
            struct yk_device *device = places->items[i].device;
            device->backend->program_close(device, build->program);
        }
        yk_free(build->text);
        yk_free(build->trouble);
    }
    yk_pairs_close(kernel);
    yk_access_close(&kernel->access);
    yk_free(kernel->story);
    for (i = 0; i < YK_MEMORIES; i++)
        yk_free(kernel->memories[i]);
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

/* Returns the most informative line of a compiler's log: the first one with an error. */
static const char *first_error(const char *log, int *length)
{
    const char *line = log, *found = NULL;
    while (!found && line && *line) {
        const char *end = strchr(line, '\n');
        *length = end ? (int)(end - line) : (int)strlen(line);
        if (memmem(line, (size_t)*length, "error", 5))
            found = line;
        line = end ? end + 1 : NULL;
    }
    if (!found)
        *length = (int)strcspn(log, "\n");
    return found ? found : log;
}

/* Writes the one-line error. The compiler's output follows the first line of build->text. */
static void explain(struct yk_build *build, const char *device, const char *kernel)
{
    const char *log = build->text ? strchr(build->text, '\n') : NULL;
    int length = 0;
    const char *line = log ? first_error(log + 1, &length) : NULL;
    build->trouble =
        line ? yk_format("kernel %s does not compile for %s: %.*s", kernel, device, length, line)
             : yk_strdup(build->text ? build->text : "out of memory");
}

static int is_over(const struct yk_build *build)
{
    int state = atomic_load_explicit(&build->state, memory_order_acquire);
    return state == YK_BUILD_READY || state == YK_BUILD_FAILED;
}

/* The first thread builds. Others wait for build->lock and find the result. */
static void build_now(struct yk_kernel *kernel, struct yk_device *device, struct yk_build *build)
{
    struct yk_notice notice;
    yk_lock(&build->lock);
    if (is_over(build)) {
        yk_unlock(&build->lock);
        return;
    }
    yk_notice_open(&notice, device->desc.virtual_clock ? NULL : kernel->kernel.name,
                   device->desc.name);
    yk_builds_enter();
    atomic_store_explicit(&build->begun_ns, yk_clock_ns(), memory_order_relaxed);
    build->status = device->backend->build(device, &kernel->kernel, &build->program);
    yk_builds_leave();
    yk_notice_close(&notice);
    if (build->status != YOKE_OK) {
        build->text = yk_strdup(yoke_error_text());
        explain(build, device->desc.name, kernel->kernel.name);
        if (build->status == YOKE_EBUILD && build->trouble)
            yk_log(YOKE_LOG_WARN, "%s", build->trouble);
    }
    atomic_store_explicit(&build->state,
                          build->status == YOKE_OK ? YK_BUILD_READY : YK_BUILD_FAILED,
                          memory_order_release);
    yk_unlock(&build->lock);
}

yoke_status yk_kernel_build(struct yk_kernel *kernel, struct yk_device *device, int number)
{
    struct yk_build *build = &kernel->builds[number];
    if (!is_over(build))
        build_now(kernel, device, build);
    return build->status;
}

static void run_builder(void *context)
{
    struct yk_build *build = context;
    build_now(build->kernel, build->device, build);
    yk_builds_leave();
}

void yk_kernel_build_beside(struct yk_kernel *kernel, struct yk_device *device, int number)
{
    struct yk_build *build = &kernel->builds[number];
    const struct yk_thread_spec spec = {
        .name = "yk-build", .cpu = -1, .run = run_builder, .context = build
    };
    int none = YK_BUILD_NONE;
    if (!atomic_compare_exchange_strong(&build->state, &none, YK_BUILD_RUNNING))
        return;
    build->kernel = kernel;
    build->device = device;
    yk_builds_enter(); /* on behalf of the thread, which may start later */
    if (!device->desc.virtual_clock && yk_thread_open(&spec, &build->thread) == YOKE_OK)
        return;
    build->kernel = NULL;
    build_now(kernel, device, build);
    yk_builds_leave();
}

const char *yk_kernel_trouble(const struct yk_kernel *kernel, int number)
{
    const struct yk_build *build = &kernel->builds[number];
    return atomic_load_explicit(&build->state, memory_order_acquire) == YK_BUILD_FAILED
               ? build->trouble
               : NULL;
}

static struct yk_memory *find_memory(struct yk_kernel *kernel, uint64_t key)
{
    int i;
    for (i = 0; i < YK_MEMORIES && kernel->memories[i]; i++)
        if (kernel->memories[i]->used && kernel->memories[i]->key == key) {
            kernel->memories[i]->used = ++kernel->clock;
            return kernel->memories[i];
        }
    return NULL;
}

const struct yk_memory *yk_kernel_recall(struct yk_kernel *kernel, uint64_t key)
{
    return find_memory(kernel, key);
}

/* Returns an unused memory, a new one, or the one that was unused for longest. */
static struct yk_memory *next_memory(struct yk_kernel *kernel)
{
    struct yk_memory *oldest = kernel->memories[0], *fresh;
    int i;
    for (i = 0; i < YK_MEMORIES && kernel->memories[i]; i++)
        if (kernel->memories[i]->used < oldest->used)
            oldest = kernel->memories[i];
    fresh = oldest->used && i < YK_MEMORIES ? yk_calloc(1, sizeof *fresh) : NULL;
    if (!fresh)
        return oldest;
    kernel->memories[i] = fresh;
    return fresh;
}

struct yk_memory *yk_kernel_memorise(struct yk_kernel *kernel, uint64_t key)
{
    struct yk_memory *memory = find_memory(kernel, key);
    int i;
    if (memory)
        return memory;
    memory = next_memory(kernel);
    *memory = (struct yk_memory){ .key = key, .used = ++kernel->clock };
    for (i = 0; i < YK_PLACES; i++)
        yk_learned_open(&memory->device[i]);
    return memory;
}
