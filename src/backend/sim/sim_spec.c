/* sim_spec.c - virtual devices from their description.
 *
 *     sim:cpu:cores=8:rate=1e9,sim:gpu*2:rate=20e9:mem=256M
 *     sim:KIND[LABEL][*COUNT][:key=value]...
 *
 * KIND is cpu (works in host memory, `cores` lanes) or gpu (its own memory behind a link). LABEL is
 * any further letters and digits of the name. "*COUNT" makes several devices, numbered from 0, each
 * with its own noise. "sim" alone is one device of each kind. Never found unless asked for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/status.h"
#include "sim.h"

#define FIELD(name) offsetof(struct sim_settings, name)
static const char *const offers[] = { "no", "yes", "refused", NULL }; /* enum sim_offer */
static const char *const build_outcomes[] = { "works", "fails", NULL };

/* Defaults that differ between the kinds are not here but in initial_settings(). */
const struct yk_option yk_sim_options[] = {
    { "rate", NULL, NULL, "items per second of one core or of a whole GPU [1e9, 20e9]",
      YK_OPTION_REAL, FIELD(rate), NULL },
    { "work", NULL, "1", "work of one item: 2 halves the rate", YK_OPTION_REAL, FIELD(work), NULL },
    { "slow", NULL, NULL, "kernels of this name take `slowed` times as long", YK_OPTION_TEXT,
      FIELD(slow), NULL },
    { "slowed", NULL, "10", "see slow", YK_OPTION_REAL, FIELD(slowed), NULL },
    { "cores", NULL, NULL, "cpu: cores, each a lane of its own [4]", YK_OPTION_INT, FIELD(cores),
      NULL },
    { "mem", NULL, NULL, "gpu: device memory [1G]", YK_OPTION_BYTES, FIELD(mem), NULL },
    { "pages", NULL, "0", "gpu: memory is mapped on demand in pages of this size; 0: at once",
      YK_OPTION_BYTES, FIELD(pages), NULL },
    { "taken", NULL, "0", "gpu: bytes of memory that others take between booking and mapping",
      YK_OPTION_BYTES, FIELD(taken), NULL },
    { "pin", NULL, "no", "gpu: whether its driver pins host memory, or refuses to",
      YK_OPTION_CHOICE, FIELD(pin), offers },
    { "pinnable", NULL, "0", "gpu: bytes that can be pinned; 0: all", YK_OPTION_BYTES,
      FIELD(pinnable), NULL },
    { "staging", NULL, "no", "gpu: whether its driver has pinned memory to give, or none left",
      YK_OPTION_CHOICE, FIELD(staging), offers },
    { "pageable", NULL, "0",
      "gpu: bytes per second of copies of memory that is not pinned; 0: as link", YK_OPTION_REAL,
      FIELD(pageable), NULL },
    { "link", NULL, NULL, "gpu: bytes per second of copies, in each direction [12e9]",
      YK_OPTION_REAL, FIELD(link), NULL },
    { "peer", NULL, "0",
      "gpu: bytes per second of copies from another GPU with this setting; 0: none", YK_OPTION_REAL,
      FIELD(peer), NULL },
    { "latency", NULL, NULL, "gpu: cost of a copy beside its bytes [10us]", YK_OPTION_SECONDS,
      FIELD(latency), NULL },
    { "bandwidth", NULL, NULL, "gpu: bytes per second of copies within its memory [500e9]",
      YK_OPTION_REAL, FIELD(bandwidth), NULL },
    { "fill", NULL, NULL, "gpu: items that run at once; a kernel's time grows in steps of it [1]",
      YK_OPTION_INT, FIELD(fill), NULL },
    { "lanes", NULL, NULL, "gpu: queues to keep busy [2]", YK_OPTION_INT, FIELD(lanes), NULL },
    { "launch", NULL, NULL, "cost of a kernel beside its items [0 cpu, 5us gpu]", YK_OPTION_SECONDS,
      FIELD(launch), NULL },
    { "noise", NULL, "0", "times vary by up to this fraction, the same way for the same seed",
      YK_OPTION_REAL, FIELD(noise), NULL },
    { "seed", NULL, "1", "seed of the noise", YK_OPTION_INT, FIELD(seed), NULL },
    { "load", NULL, NULL, "FROM-TO*F: its kernels take F times as long meanwhile; several with +",
      YK_OPTION_TEXT, FIELD(load), NULL },
    { "contention", NULL, "0",
      "kernels take longer by this fraction for each other device that is computing",
      YK_OPTION_REAL, FIELD(contention), NULL },
    { "fail", NULL, "0", "the device is lost at this time; 0: never", YK_OPTION_SECONDS,
      FIELD(fail), NULL },
    { "stall", NULL, "0", "gpu: kernels that run at this time or later never end; 0: all do",
      YK_OPTION_SECONDS, FIELD(stall), NULL },
    { "fail_after", NULL, "0", "the device is lost after this many operations; 0: never",
      YK_OPTION_INT, FIELD(fail_after), NULL },
    { "identity", NULL, NULL, "devices of the same identity are one device, offered twice",
      YK_OPTION_TEXT, FIELD(identity), NULL },
    { "build", NULL, "works", "whether kernels build", YK_OPTION_CHOICE, FIELD(build),
      build_outcomes },
    { NULL, NULL, NULL, NULL, YK_OPTION_INT, 0, NULL }
};

enum sim_kind { SIM_CPU, SIM_GPU };

struct sim_selector {
    enum sim_kind kind;
    char word[32]; /* kind and label */
    int count, numbered;
};

static yoke_status selector_parse(const char *text, struct sim_selector *out)
{
    size_t length =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    const char *rest = text + length;
    long count = 1;
    if (strncmp(text, "cpu", 3) && strncmp(text, "gpu", 3))
        return yk_fail(YOKE_EINVAL,
                       "sim has no kind of device '%s'; write sim:cpu or sim:gpu, with "
                       "key=value after a colon",
                       text);
    if (length >= sizeof out->word)
        return yk_fail(YOKE_EINVAL, "the name sim:%s is too long; it may have %zu characters", text,
                       sizeof out->word - 1);
    if (*rest == '*') {
        char *end;
        count = rest[1] >= '1' && rest[1] <= '9' ? strtol(rest + 1, &end, 10) : 0;
        if (count < 1 || count > 64 || *end)
            return yk_fail(YOKE_EINVAL, "sim:%s: the count after '*' has to be 1 to 64", text);
    } else if (*rest) {
        return yk_fail(YOKE_EINVAL, "sim:%s: '%c' cannot be in a name; use letters and digits",
                       text, *rest);
    }
    *out = (struct sim_selector){ .kind = text[0] == 'c' ? SIM_CPU : SIM_GPU,
                                  .count = (int)count,
                                  .numbered = *rest == '*' };
    memcpy(out->word, text, length);
    return YOKE_OK;
}

static void initial_settings(enum sim_kind kind, struct sim_settings *settings)
{
    if (kind == SIM_CPU) {
        settings->rate = 1e9;
        settings->cores = 4;
        return;
    }
    settings->rate = 20e9;
    settings->mem = (int64_t)1 << 30;
    settings->link = 12e9;
    settings->latency = 10e-6;
    settings->bandwidth = 500e9;
    settings->fill = 1;
    settings->lanes = 2;
    settings->launch = 5e-6;
}

struct sim_bound {
    const char *key;
    double value;
    struct {
        double least, most; /* both 0: the kind has no such thing */
    } of[2];                /* enum sim_kind */
};

static yoke_status settings_check(const char *word, enum sim_kind kind,
                                  const struct sim_settings *s)
{
    const double hour = 3600, huge = 1e18;
    const struct sim_bound bounds[] = {
        { "rate", s->rate, { { 1e-3, huge }, { 1e-3, huge } } },
        { "work", s->work, { { 1e-9, 1e9 }, { 1e-9, 1e9 } } },
        { "slowed", s->slowed, { { 1e-9, 1e9 }, { 1e-9, 1e9 } } },
        { "cores", (double)s->cores, { { 1, 4096 }, { 0, 0 } } },
        { "mem", (double)s->mem, { { 0, 0 }, { 1, huge } } },
        { "pages", (double)s->pages, { { 0, 0 }, { 0, 1e12 } } },
        { "taken", (double)s->taken, { { 0, 0 }, { 0, huge } } },
        { "pin", s->pin, { { 0, 0 }, { 0, SIM_REFUSED } } },
        { "pinnable", (double)s->pinnable, { { 0, 0 }, { 0, huge } } },
        { "staging", s->staging, { { 0, 0 }, { 0, SIM_REFUSED } } },
        { "pageable", s->pageable, { { 0, 0 }, { 0, huge } } },
        { "link", s->link, { { 0, 0 }, { 1, huge } } },
        { "peer", s->peer, { { 0, 0 }, { 0, huge } } },
        { "latency", s->latency, { { 0, 0 }, { 0, hour } } },
        { "bandwidth", s->bandwidth, { { 0, 0 }, { 1, huge } } },
        { "fill", (double)s->fill, { { 0, 0 }, { 1, 1e12 } } },
        { "lanes", (double)s->lanes, { { 0, 0 }, { 1, 64 } } },
        { "launch", s->launch, { { 0, hour }, { 0, hour } } },
        { "noise", s->noise, { { 0, 0.99 }, { 0, 0.99 } } },
        { "contention", s->contention, { { 0, 1e3 }, { 0, 1e3 } } },
        { "fail", s->fail, { { 0, 1e6 }, { 0, 1e6 } } },
        { "stall", s->stall, { { 0, 0 }, { 0, 1e6 } } },
        { "fail_after", (double)s->fail_after, { { 0, huge }, { 0, huge } } },
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const double value = bounds[i].value, least = bounds[i].of[kind].least,
                     most = bounds[i].of[kind].most;
        if (most == 0 && value != 0)
            return yk_fail(YOKE_EINVAL, "sim:%s: a simulated %s has no '%s'; leave it out", word,
                           kind == SIM_GPU ? "GPU" : "CPU", bounds[i].key);
        if (!(value >= least && value <= most))
            return yk_fail(YOKE_EINVAL, "sim:%s: %s=%g is out of range; it may be %g to %g", word,
                           bounds[i].key, value, least, most);
    }
    return YOKE_OK;
}

static yoke_status load_check(const char *word, const struct sim_settings *s)
{
    struct yk_slowdowns slowdowns;
    char what[48];
    snprintf(what, sizeof what, "sim:%s: load", word);
    return yk_slowdowns_parse(what, s->load, &slowdowns);
}

static int name_taken(const struct yk_device_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (!strcmp(list->items[i].name, name))
            return 1;
    return 0;
}

/* "sim:gpu", or the first free name of "sim:gpu0", "sim:gpu1" ... */
static void name_choose(const struct yk_device_list *list, const struct sim_selector *selector,
                        char name[YOKE_DEVICE_NAME_MAX])
{
    snprintf(name, YOKE_DEVICE_NAME_MAX, "sim:%s", selector->word);
    for (int number = selector->numbered ? 0 : 1;
         (number == 0 && selector->numbered) || name_taken(list, name); number++)
        snprintf(name, YOKE_DEVICE_NAME_MAX, "sim:%s%d", selector->word, number);
}

static void desc_fill(const struct sim_selector *selector, struct sim_settings *s,
                      struct yk_device_desc *desc)
{
    int cpu = selector->kind == SIM_CPU;
    desc->backend = &yk_backend_sim;
    desc->settings = s;
    desc->is_cpu = desc->host_memory = cpu;
    desc->virtual_clock = 1;
    desc->exact_outcomes = 1;
    desc->cores = cpu ? (int)s->cores : 1;
    desc->lanes = cpu ? (int)s->cores : (int)s->lanes;
    desc->memory_bytes = s->mem;
    desc->page_bytes = s->pages;
    desc->fill = cpu ? s->cores : s->fill;
    desc->link_bytes_per_ns = s->link / 1e9;
    desc->launch_ns = s->launch * 1e9;
    desc->peak_per_ns = s->rate * desc->cores / 1e9;
    snprintf(desc->identity, sizeof desc->identity, "%s", s->identity ? s->identity : "");
    snprintf(desc->driver, sizeof desc->driver, "sim");
    snprintf(desc->model, sizeof desc->model, "simulated %s, %g items/s", cpu ? "CPU core" : "GPU",
             s->rate / s->work);
}

static yoke_status find_kind(const struct yk_device_spec *spec, const struct sim_selector *selector,
                             struct yk_device_list *list)
{
    for (int i = 0; i < selector->count; i++) {
        struct yk_device_desc desc = { .index = list->count };
        struct yk_device_spec plain = { .backend = spec->backend };
        void *settings = NULL;
        yoke_status status = yk_device_settings_open(&plain, &settings);
        if (status != YOKE_OK)
            return status;
        initial_settings(selector->kind, settings);
        if (spec->settings[0])
            status = yk_options_parse(yk_sim_options, "sim", spec->settings, settings);
        if (status == YOKE_OK)
            status = settings_check(selector->word, selector->kind, settings);
        if (status == YOKE_OK)
            status = load_check(selector->word, settings);
        if (status != YOKE_OK) {
            yk_device_settings_close(spec->backend, settings);
            return status;
        }
        name_choose(list, selector, desc.name);
        desc_fill(selector, settings, &desc);
        status = yk_device_list_add(list, &desc);
        if (status != YOKE_OK)
            return status;
    }
    return YOKE_OK;
}

yoke_status yk_sim_find(const struct yk_device_spec *spec, int asked, struct yk_device_list *list,
                        char *why)
{
    struct sim_selector selector;
    if (why)
        snprintf(why, 512, "virtual devices; only used if named, as sim:cpu:cores=8,sim:gpu*2");
    if (!asked)
        return YOKE_OK;
    yoke_status status = selector_parse(spec->selector[0] ? spec->selector : "cpu", &selector);
    if (status == YOKE_OK)
        status = find_kind(spec, &selector, list);
    if (status != YOKE_OK || spec->selector[0])
        return status;
    status = selector_parse("gpu", &selector);
    return status == YOKE_OK ? find_kind(spec, &selector, list) : status;
}
