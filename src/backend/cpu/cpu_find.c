/* cpu_find.c - from a selector to sets of cores.
 *
 *     cpu            all cores this process may use, within the cgroup's quota
 *     cpu:8          the first 8 of them
 *     cpu:numa       one device for each NUMA node; cpu:numa:1 only the second
 *     cpu:L3 cpu:L2  one device for each shared cache (the fission of the Marrow system)
 *
 * affinity=ignore takes all of the process's cpuset, even if the calling thread is bound to fewer
 * cores.
 *
 * Cores with the same number at the selected level (numa, L3, L2) become one device.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../base/words.h"
#include "../../platform/affinity.h"
#include "../../platform/topology.h"
#include "../find.h"
#include "cpu_settings.h"
#include "variant.h"

static const char *const affinity_choices[] = { "keep", "ignore", NULL };
static const char *const variant_choices[] = { "auto", "base", "v3", "v4", NULL };

const struct yk_option yk_cpu_options[] = {
    { .name = "variant",
      .variable = "YOKE_CPU_VARIANT",
      .initial = "auto",
      .help = "instructions that kernels use: auto (the fastest for each kernel), base, v3 (AVX2), "
              "v4 (AVX-512)",
      .type = YK_OPTION_CHOICE,
      .offset = offsetof(struct cpu_settings, variant),
      .choices = variant_choices },
    { .name = "affinity",
      .variable = "YOKE_CPU_AFFINITY",
      .initial = "keep",
      .help = "cores to use: keep (those to which the opening thread is bound), ignore (all of the "
              "cpuset)",
      .type = YK_OPTION_CHOICE,
      .offset = offsetof(struct cpu_settings, ignores_affinity),
      .choices = affinity_choices },
    { .name = NULL },
};

struct level {
    const char *name, *what;
    size_t offset; /* of the level's number in yk_core */
};

static const struct level levels[] = {
    { "numa", "NUMA node", offsetof(struct yk_core, numa) },
    { "L3", "L3 cache", offsetof(struct yk_core, l3) },
    { "L2", "L2 cache", offsetof(struct yk_core, l2) },
};

struct search {
    const struct yk_device_spec *spec;
    struct yk_device_list *list;
    struct yk_topology topology;
    int ignores_affinity;
    int usable; /* number of cores, at most the quota */
    double core_ghz;
};

static int number_at(const struct yk_core *core, const struct level *level)
{
    int number;
    memcpy(&number, (const char *)core + level->offset, sizeof number);
    return number;
}

/* Each device gets its own settings. Refuses a variant that the processor does not have: it would
 * crash later. */
static yoke_status settings_open(const struct search *search, struct cpu_settings **out)
{
    void *settings;
    yoke_status status = yk_device_settings_open(search->spec, &settings);
    if (status != YOKE_OK)
        return status;
    int wanted = ((struct cpu_settings *)settings)->variant - 1; /* -1: auto */
    if (wanted > yk_cpu_variant_best()) {
        yk_device_settings_close(&yk_backend_cpu, settings);
        return yk_fail(YOKE_EINVAL,
                       "cpu: this processor cannot run variant %s; use variant=%s or leave it out",
                       yk_cpu_variant_name(wanted), yk_cpu_variant_name(yk_cpu_variant_best()));
    }
    *out = settings;
    return YOKE_OK;
}

/* Returns the single-precision operations that a core begins per cycle: two fused multiply-adds of
 * its widest vectors, as server cores do; in the baseline variant, which lacks this instruction,
 * one addition and one multiplication. 0 on processors other than x86, whose width is unknown
 * here. */
static double operations_each(int variant)
{
#if defined(__x86_64__)
    static const double operations[] = { 2 * 4, 2 * 2 * 8, 2 * 2 * 16 };
    return operations[variant];
#else
    (void)variant;
    return 0;
#endif
}

/* Selects the cores of one device: of the first `count` cores those that have `number` at `level`,
 * or all of them if level is NULL. */
struct selection {
    int count;
    const struct level *level;
    int number;
};

static yoke_status add(const struct search *search, const char *name,
                       const struct selection *selection)
{
    const struct level *level = selection->level;
    struct cpu_settings *settings = NULL;
    yoke_status status = settings_open(search, &settings);
    if (status != YOKE_OK)
        return status;
    struct yk_device_desc desc = { .backend = &yk_backend_cpu,
                                   .index = level ? selection->number : 0,
                                   .is_cpu = 1,
                                   .host_memory = 1,
                                   .ignores_affinity = settings->ignores_affinity,
                                   .launch_ns = 100,
                                   .settings = settings };
    for (int i = 0; i < selection->count && desc.cores < YK_CPU_CORES_MAX; i++)
        if (!level || number_at(&search->topology.cores[i], level) == selection->number)
            settings->cpus[desc.cores++] = search->topology.cores[i].cpu;
    desc.lanes = desc.cores;
    desc.fill = desc.cores;
    desc.peak_per_ns =
        desc.cores * search->core_ghz *
        operations_each(settings->variant ? settings->variant - 1 : yk_cpu_variant_best());
    snprintf(desc.name, sizeof desc.name, "%s", name);
    snprintf(desc.model, sizeof desc.model, "%s", search->topology.model);
    return yk_device_list_add(search->list, &desc);
}

/* A whole decimal number, or -1. */
static int number_of(const char *text)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || number > 1000000)
        return -1;
    return (int)number;
}

static yoke_status add_first(const struct search *search)
{
    char name[YOKE_DEVICE_NAME_MAX] = "cpu";
    int count = search->usable;
    if (search->spec->selector[0]) {
        count = number_of(search->spec->selector);
        snprintf(name, sizeof name, "cpu:%d", count);
    }
    if (count < 1 || count > search->usable)
        return yk_fail(
            YOKE_EINVAL, "cpu:%s: this process may use %s; ask for 1 to %d, or for numa, L3 or L2",
            search->spec->selector, yk_count_words(search->usable, "core").text, search->usable);
    return add(search, name, &(struct selection){ .count = count });
}

/* Whether an earlier core has the same number at the level. */
static int seen_before(const struct search *search, int core, const struct level *level)
{
    for (int i = 0; i < core; i++)
        if (number_at(&search->topology.cores[i], level) ==
            number_at(&search->topology.cores[core], level))
            return 1;
    return 0;
}

/* `which` -1: every node or cache. */
static yoke_status add_level(const struct search *search, const struct level *level, int which)
{
    int before = search->list->count;
    for (int i = 0; i < search->usable; i++) {
        char name[YOKE_DEVICE_NAME_MAX];
        int number = number_at(&search->topology.cores[i], level);
        if (number < 0 || (which >= 0 && number != which) || seen_before(search, i, level))
            continue;
        snprintf(name, sizeof name, "cpu:%s:%d", level->name, number);
        yoke_status status =
            add(search, name, &(struct selection){ search->usable, level, number });
        if (status != YOKE_OK)
            return status;
    }
    if (search->list->count == before)
        return yk_fail(YOKE_ENODEV, "cpu:%s: no usable core has such a %s; use cpu or cpu:numa",
                       search->spec->selector, level->what);
    return YOKE_OK;
}

static yoke_status select_cores(const struct search *search)
{
    const char *selector = search->spec->selector;
    size_t length = strcspn(selector, ":");
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (length != strlen(levels[i].name) || strncasecmp(selector, levels[i].name, length))
            continue;
        int which = selector[length] ? number_of(selector + length + 1) : -1;
        if (selector[length] && which < 0)
            return yk_fail(YOKE_EINVAL, "cpu:%s: '%s' is no number; use cpu:%s:0", selector,
                           selector + length + 1, levels[i].name);
        return add_level(search, &levels[i], which);
    }
    return add_first(search);
}

/* If a binding leaves out some cores of the process's cpuset, reports what bound the thread. The
 * log line is a warning if the binding was not meant for this program (a side effect), otherwise
 * information. It is logged once. */
static void tell_binding(const struct search *search, char *why)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const struct yk_topology *topology = &search->topology;
    struct yk_topology whole;
    struct yk_processors bound;
    struct yk_binder binder;
    char processors[64];
    if (topology->core_count == topology->machine_cores || yk_affinity_read(&bound) != YOKE_OK)
        return;
    yk_processors_write(&bound, processors, sizeof processors);
    yk_processors_close(&bound);
    if (yk_topology_open_cpuset(&whole) != YOKE_OK)
        return;
    yk_binder_find(&binder);
    if (whole.core_count > topology->core_count && why)
        yk_find_say(why,
                    "; %d more in its cpuset: %s bound it to processors %s; %s, or set "
                    "YOKE_CPU_AFFINITY=ignore",
                    whole.core_count - topology->core_count, binder.name, processors, binder.cure);
    else if (whole.core_count > topology->core_count && !atomic_flag_test_and_set(&told))
        yk_log(binder.is_side_effect ? YOKE_LOG_WARN : YOKE_LOG_INFO,
               "cpu: %d of %s: %s bound the thread that opens yoke to processors %s; %s, or set "
               "YOKE_CPU_AFFINITY=ignore to use all",
               topology->core_count, yk_count_words(whole.core_count, "core").text, binder.name,
               processors, binder.cure);
    yk_topology_close(&whole);
}

static yoke_status open_topology(struct search *search)
{
    struct cpu_settings *settings = NULL;
    yoke_status status = settings_open(search, &settings);
    if (status != YOKE_OK)
        return status;
    search->ignores_affinity = settings->ignores_affinity;
    yk_device_settings_close(&yk_backend_cpu, settings);
    return search->ignores_affinity ? yk_topology_open_cpuset(&search->topology)
                                    : yk_topology_open(&search->topology);
}

yoke_status yk_cpu_find(const struct yk_device_spec *spec, int asked, struct yk_device_list *list,
                        char *why)
{
    struct search search = { .spec = spec, .list = list, .core_ghz = yk_core_ghz() };
    (void)asked; /* there always is a CPU */
    yoke_status status = open_topology(&search);
    if (status != YOKE_OK)
        return status;
    const struct yk_topology *topology = &search.topology;
    search.usable = topology->core_count;
    if (topology->quota_cores > 0 && topology->quota_cores < search.usable)
        search.usable = topology->quota_cores;
    int before = list->count;
    status = select_cores(&search);
    if (status != YOKE_OK)
        yk_device_list_cut(list, before);
    if (status == YOKE_OK && why)
        snprintf(why, 512, "%d of %s this process may use%s, variant %s", search.usable,
                 yk_count_words(topology->core_count, "core").text,
                 search.usable < topology->core_count ? " (cgroup quota)" : "",
                 yk_cpu_variant_name(yk_cpu_variant_best()));
    /* a named number of cores needs no hint */
    if (status == YOKE_OK && !search.ignores_affinity && number_of(spec->selector) < 0)
        tell_binding(&search, why);
    yk_topology_close(&search.topology);
    return status;
}
