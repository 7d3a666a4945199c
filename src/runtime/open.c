/* open.c - open, close, and the settings of a runtime. */

#include "open.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../base/variables.h"
#include "../job/builds.h"
#include "../job/entry.h"
#include "../job/reduction.h"
#include "../job/ticket.h"
#include "../job/workspace.h"
#include "../life/knowledge.h"
#include "../life/story.h"
#include "../life/weights.h"
#include "../partition/partitioner.h"
#include "../platform/fork.h"
#include "../work/ticketless.h"
#include "../work/wait.h"
#include "default.h"
#include "device.h"
#include "explain.h"
#include "loading.h"
#include "tracing.h"

static const char *const waiting_names[] = { "auto", "spin", "yield", "block", NULL };
static const char *const loading_names[] = { "later", "open", NULL };
static const char *const no_yes[] = { "0", "1", NULL };

struct settings {
    char *devices, *partitioner, *trace, *knowledge;
    int64_t threads;
    double watchdog;
    int waiting, loading, explains, checks;
};

static const struct yk_option options[] = {
    { "devices", "YOKE_DEVICES", NULL, "devices to use, as cpu:8,opencl:0:mem=1G (default: all)",
      YK_OPTION_TEXT, offsetof(struct settings, devices), NULL },
    { "partitioner", "YOKE_PARTITIONER", NULL,
      "the partitioner, which decides the chunks, as dynamic:chunk=4096", YK_OPTION_TEXT,
      offsetof(struct settings, partitioner), NULL },
    { "threads", "YOKE_THREADS", "0",
      "threads that do CPU work, 1 to 4096 (0: one for each core; nc-ht: and one for each GPU "
      "stream)",
      YK_OPTION_INT, offsetof(struct settings, threads), NULL },
    { "wait", "YOKE_WAIT", "auto", "how host threads wait for their device", YK_OPTION_CHOICE,
      offsetof(struct settings, waiting), waiting_names },
    /* In all measurements a device's time for the same work varied by a factor of less than 10, and
     * so did the cost of rows of one job (bench/, path tracing). The default is the product, 100.
     */
    { "watchdog", "YOKE_WATCHDOG", "100",
      "a GPU is taken out if a chunk exceeds this multiple of its expected time, and 10 s (0: "
      "never)",
      YK_OPTION_REAL, offsetof(struct settings, watchdog), NULL },
    { "load", "YOKE_LOAD", "later", "when drivers of GPUs that were not named are loaded",
      YK_OPTION_CHOICE, offsetof(struct settings, loading), loading_names },
    { "trace", "YOKE_TRACE", NULL, "write a timeline here at close (.json or .html)",
      YK_OPTION_TEXT, offsetof(struct settings, trace), NULL },
    { "knowledge", "YOKE_KB", NULL,
      "file that keeps what was learned, or off (default: knowledge.db in the cache folder)",
      YK_OPTION_TEXT, offsetof(struct settings, knowledge), NULL },
    { "explain", "YOKE_EXPLAIN", "0", "1: say at close what each device got, and why",
      YK_OPTION_CHOICE, offsetof(struct settings, explains), no_yes },
    { "check", "YOKE_CHECK", "0", "1: check on the cores what kernels touch (slow)",
      YK_OPTION_CHOICE, offsetof(struct settings, checks), no_yes },
    { .name = NULL },
};

static yoke_status replace(char **field, const char *text)
{
    char *copy;
    if (!text)
        return YOKE_OK;
    copy = yk_strdup(text);
    if (!copy)
        return YOKE_ENOMEM;
    yk_free(*field);
    *field = copy;
    return YOKE_OK;
}

/* Returns 1 if the runtime does not do the program's own work (a simulation, for example), so its
 * jobs are not explained. */
static int is_private(const yoke_config *config)
{
    return config && yk_option_is(config->knowledge, "off");
}

static yoke_status check_layout(const yoke_config *config)
{
    if (config->size == 0 || config->size == sizeof *config)
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   "config.size is %zu, this library (%s) knows %zu; zero the config before "
                   "it is filled, or use the library of the program's headers",
                   config->size, YOKE_VERSION, sizeof *config);
}

/* Replaces the settings that the program's configuration names. */
static yoke_status take_config(const yoke_config *config, struct settings *out)
{
    yoke_status status = replace(&out->devices, config->devices);
    if (status == YOKE_OK)
        status = replace(&out->partitioner, config->partitioner);
    if (status == YOKE_OK)
        status = replace(&out->trace, config->trace);
    if (status == YOKE_OK)
        status = replace(&out->knowledge, config->knowledge);
    if (config->threads)
        out->threads = config->threads;
    if (config->check)
        out->checks = 1;
    if (config->watchdog != 0)
        out->watchdog = config->watchdog < 0 ? 0 : config->watchdog;
    if (config->waiting)
        out->waiting = (int)config->waiting;
    if (config->loading)
        out->loading = (int)config->loading;
    return status;
}

static yoke_status check_settings(const struct settings *settings)
{
    const double watchdog = settings->watchdog;
    if (settings->threads < 0 || settings->threads > 4096)
        return yk_fail(YOKE_EINVAL, "threads=%lld; give 1 to 4096, or 0 for one for each core",
                       (long long)settings->threads);
    if (watchdog != 0 && !(watchdog >= 2 && isfinite(watchdog)))
        return yk_fail(YOKE_EINVAL,
                       "watchdog=%g; give a chunk's time limit as a multiple of its expected "
                       "time, at least 2 (default 100), or 0 (config.watchdog: -1) for no limit",
                       watchdog);
    if ((unsigned)settings->waiting > YOKE_WAIT_BLOCK)
        return yk_fail(YOKE_EINVAL, "waiting=%d is none of YOKE_WAIT_*", settings->waiting);
    if ((unsigned)settings->loading > YOKE_LOAD_OPEN)
        return yk_fail(YOKE_EINVAL, "loading=%d is none of YOKE_LOAD_*", settings->loading);
    return YOKE_OK;
}

/* Reads the environment, then the program's configuration, which overrides it. */
static yoke_status read_settings(const yoke_config *config, struct settings *out)
{
    yoke_status status = yk_options_default(options, out);
    if (status == YOKE_OK && config)
        status = check_layout(config);
    if (status == YOKE_OK && config)
        status = take_config(config, out);
    return status == YOKE_OK ? check_settings(out) : status;
}

/* Sets *streams (see yoke_runtime), and refuses a partitioner that there is not. A thread that
 * drives a GPU sleeps, unless it polls. So for each one that counts as a lane of the CPU and does
 * nothing else, the CPU gets one thread more than it has cores. */
static yoke_status extra_threads(const struct settings *settings, int64_t *streams)
{
    int sleep = settings->waiting == YOKE_WAIT_AUTO || settings->waiting == YOKE_WAIT_BLOCK;
    yoke_status status = yk_partitioner_streams(settings->partitioner, streams);
    if (status == YOKE_OK && (settings->threads || !sleep ||
                              yk_partitioner_find(settings->partitioner)->hosts != YK_HOSTS_IDLE))
        *streams = 0;
    return status;
}

static yoke_status open_locks(yoke_runtime *runtime)
{
    yoke_status status = yk_mutex_open(&runtime->lock);
    if (status != YOKE_OK)
        return status;
    status = yk_mutex_open(&runtime->load_lock);
    if (status != YOKE_OK)
        goto close_lock;
    status = yk_mutex_open(&runtime->places.evict_lock);
    if (status != YOKE_OK)
        goto close_load_lock;
    status = yk_mutex_open(&runtime->driving);
    if (status == YOKE_OK)
        return YOKE_OK;
    yk_mutex_close(&runtime->places.evict_lock);
close_load_lock:
    yk_mutex_close(&runtime->load_lock);
close_lock:
    yk_mutex_close(&runtime->lock);
    return status;
}

static void free_runtime(yoke_runtime *runtime)
{
    yk_workspaces_close(runtime);
    yk_job_forget_spare(runtime);
    yk_knowledge_close(runtime->knowledge);
    yk_trace_close(runtime->trace);
    yk_mutex_close(&runtime->driving);
    yk_mutex_close(&runtime->places.evict_lock);
    yk_mutex_close(&runtime->load_lock);
    yk_mutex_close(&runtime->lock);
    yk_free(runtime->partitioner);
    yk_free(runtime->trace_path);
    yk_free(runtime);
}

/* Enlists the runtime before drivers begin to load, because that may fail. */
static yoke_status start(yoke_runtime *runtime, const char *devices, yoke_loading loading)
{
    yoke_status status = yk_runtime_enlist(runtime);
    if (status != YOKE_OK)
        return status;
    status = yk_runtime_start_devices(runtime, devices, loading);
    if (status != YOKE_OK)
        yk_runtime_delist(runtime);
    return status;
}

yoke_status yoke_open(const yoke_config *config, yoke_runtime **out)
{
    struct settings settings = { 0 };
    yoke_runtime *runtime;
    int64_t streams;
    yoke_status status;
    if (!out)
        return yk_fail(YOKE_EINVAL, "yoke_open: out is NULL");
    yk_fork_watch();
    yk_builds_end_with_main();
    yk_variables_check();
    status = read_settings(config, &settings);
    if (status == YOKE_OK)
        status = extra_threads(&settings, &streams);
    if (status != YOKE_OK)
        goto clear_settings;
    runtime = yk_alloc_aligned(sizeof *runtime, 64);
    if (!runtime) {
        status = YOKE_ENOMEM;
        goto clear_settings;
    }
    memset(runtime, 0, sizeof *runtime);
    status = open_locks(runtime);
    if (status != YOKE_OK) {
        yk_free(runtime);
        goto clear_settings;
    }
    runtime->partitioner = settings.partitioner;
    runtime->trace_path = settings.trace;
    settings.partitioner = settings.trace = NULL;
    runtime->threads = (int)settings.threads;
    runtime->streams = streams;
    runtime->watchdog = settings.watchdog;
    runtime->waiting = (yoke_waiting)settings.waiting;
    runtime->places.sleeps = runtime->waiting == YOKE_WAIT_BLOCK;
    atomic_init(&runtime->return_ns, YK_WAKE_NS);
    atomic_init(&runtime->core_return_ns, YK_WAKE_NS / 8); /* mostly the caller ends them */
    runtime->checks = runtime->places.checks = settings.checks;
    runtime->explains = settings.explains && !is_private(config);
    status = yk_runtime_open_weight(runtime, config);
    if (status == YOKE_OK)
        status = yk_knowledge_open(
            runtime->checks ? "off"
                            : settings.knowledge, /* times of checked kernels teach nothing */
            &runtime->knowledge);
    if (status == YOKE_OK && runtime->trace_path)
        status = yk_runtime_open_trace(runtime);
    if (status == YOKE_OK)
        status = start(runtime, settings.devices, (yoke_loading)settings.loading);
    if (status == YOKE_OK) {
        runtime->tells = runtime->explains || yk_knowledge_keeps(runtime);
        yk_knowledge_get_ready(runtime);
        *out = runtime;
    } else {
        atomic_store(&runtime->stop, 1);
        yk_runtime_close_devices(runtime);
        free_runtime(runtime);
    }
clear_settings:
    yk_options_clear(options, &settings);
    return status;
}

yoke_status yk_runtime_conclude(yoke_runtime *runtime)
{
    yk_jobs_wait_for(runtime, NULL, 1);
    yk_loading_leave(runtime);
    yk_tickets_forget(runtime);
    yk_ticketless_close(runtime);
    if (runtime->explains)
        yk_runtime_explain(runtime);
    yk_knowledge_keep(runtime);
    yk_story_forget(runtime);
    return runtime->trace && runtime->trace_path
               ? yk_trace_write(runtime->trace, runtime->trace_path)
               : YOKE_OK;
}

static yoke_status check_arrays(yoke_runtime *runtime)
{
    const yoke_array *array;
    yk_lock(&runtime->lock);
    array = runtime->arrays;
    yk_unlock(&runtime->lock);
    return array ? yk_fail(YOKE_EBUSY, "the runtime still has arrays (%s); close them first",
                           array->name)
                 : YOKE_OK;
}

yoke_status yoke_close(yoke_runtime *runtime)
{
    yoke_status status;
    if (!runtime)
        return YOKE_OK;
    if (!yk_runtime_claim(runtime))
        return yk_runtime_unknown("yoke_close");
    if (yk_runtime_refuses(runtime, "yoke_close")) {
        status = YOKE_EINVAL;
        goto disclaim;
    }
    yk_jobs_wait_for(runtime, NULL, 1);
    yk_partials_forget(runtime);
    status = check_arrays(runtime);
    if (status != YOKE_OK)
        goto disclaim;
    yk_runtime_delist(runtime);
    yk_default_forget(runtime);
    status = yk_runtime_conclude(runtime);
    atomic_store(&runtime->stop, 1);
    yk_runtime_close_devices(runtime);
    free_runtime(runtime);
    return status;
disclaim:
    yk_runtime_disclaim(runtime);
    return status;
}

yoke_status yoke_ready(yoke_runtime *runtime)
{
    const yoke_status status = yk_runtime_check(runtime, "yoke_ready");
    return status == YOKE_OK ? yk_loading_finish(runtime) : status;
}

int yoke_device_count(yoke_runtime *runtime)
{
    if (yk_runtime_check(runtime, "yoke_device_count") != YOKE_OK)
        return 0;
    yk_loading_finish(runtime); /* after an error: the devices that are available */
    return atomic_load(&runtime->device_count);
}

yoke_status yoke_device_get(yoke_runtime *runtime, int index, yoke_device *out)
{
    const struct yk_runtime_device *device;
    const struct yk_device_desc *desc;
    int count;
    if (yk_runtime_check(runtime, "yoke_device_get") != YOKE_OK)
        return YOKE_EINVAL;
    if (!out)
        return yk_fail(YOKE_EINVAL, "yoke_device_get: out is NULL");
    count = atomic_load(&runtime->device_count);
    if (index >= count) /* entries of devices that are there do not change */
        count = yoke_device_count(runtime);
    if (index < 0 || index >= count)
        return yk_fail(YOKE_EINVAL, "there is no device %d, only %d", index, count);
    device = &runtime->devices[index];
    desc = &device->device->desc;
    *out = (yoke_device){ .backend = desc->backend->name,
                          .cores = desc->cores,
                          .lanes = device->lanes,
                          .memory_bytes = desc->memory_bytes,
                          .link_bytes_per_second = desc->link_bytes_per_ns * 1e9,
                          .lost = atomic_load(&device->place->lost) };
    memcpy(out->name, desc->name, sizeof out->name);
    memcpy(out->model, desc->model, sizeof out->model);
    memcpy(out->driver, desc->driver, sizeof out->driver);
    memcpy(out->identity, desc->identity, sizeof out->identity);
    snprintf(out->spec, sizeof out->spec, "%s%s%s", desc->name, desc->settings_text[0] ? ":" : "",
             desc->settings_text);
    return YOKE_OK;
}

yoke_status yoke_trace_start(yoke_runtime *runtime)
{
    if (yk_runtime_check(runtime, "yoke_trace_start") != YOKE_OK)
        return YOKE_EINVAL;
    if (runtime->trace)
        return YOKE_OK;
    yk_jobs_wait_for(runtime, NULL, 1);
    yk_loading_finish(runtime); /* so that no device joins after this */
    return yk_runtime_open_trace(runtime);
}

yoke_status yoke_trace_write(yoke_runtime *runtime, const char *path)
{
    if (yk_runtime_check(runtime, "yoke_trace_write") != YOKE_OK)
        return YOKE_EINVAL;
    if (!path)
        return yk_fail(YOKE_EINVAL, "yoke_trace_write: path is NULL");
    if (!runtime->trace)
        return yk_fail(YOKE_EINVAL, "nothing was recorded; call yoke_trace_start first, or set "
                                    "config.trace");
    yk_jobs_wait_for(runtime, NULL, 1);
    return yk_trace_write(runtime->trace, path);
}

double yoke_seconds(yoke_runtime *runtime)
{
    return yk_runtime_is_open(runtime) ? (double)yk_now(runtime) * 1e-9 : 0;
}

const char *yoke_version(void)
{
    return YOKE_VERSION;
}
