/* sim_spec.c - virtual devices from their description.
 *
 *     sim:cpu:cores=8:rate=1e9,sim:gpu*2:rate=20e9:mem=256M
 *     sim:KIND[LABEL][*COUNT][:key=value]...
 *
 * KIND is cpu (works in host memory, `cores` lanes) or gpu (its own memory behind a link). LABEL is
 * any further letters and digits of the name. "*COUNT" makes several devices, numbered from 0, each
 * with its own noise. "sim" alone is one device of each kind. find() offers these devices only if
 * the user names them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/status.h"
#include "sim.h"

struct sim_selector {
    enum yk_machine_kind kind;
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
    *out = (struct sim_selector){ .kind = text[0] == 'c' ? YK_MACHINE_CORES : YK_MACHINE_GPU,
                                  .count = (int)count,
                                  .numbered = *rest == '*' };
    memcpy(out->word, text, length);
    return YOKE_OK;
}

static yoke_status settings_read(const struct sim_selector *selector, const char *text,
                                 struct yk_machine_device *out)
{
    char what[48];
    const struct yk_machine_use use = { what, selector->kind, YK_MACHINE_BACKEND };
    snprintf(what, sizeof what, "sim:%s", selector->word);
    yoke_status status = yk_machine_device_open(&use, out);
    if (status == YOKE_OK)
        status = yk_machine_device_read(&use, text, out);
    if (status == YOKE_OK)
        status = yk_machine_device_check(&use, out);
    return status == YOKE_OK ? yk_slowdowns_parse(what, out->load, &out->loads) : status;
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

static void desc_fill(const struct sim_selector *selector, struct yk_machine_device *s,
                      struct yk_device_desc *desc)
{
    int cpu = selector->kind == YK_MACHINE_CORES;
    desc->backend = &yk_backend_sim;
    desc->settings = s;
    desc->is_cpu = desc->host_memory = cpu;
    desc->virtual_clock = 1;
    desc->exact_outcomes = 1;
    desc->cores = cpu ? (int)s->cores : 1;
    desc->lanes = cpu ? (int)s->cores : (int)s->lanes;
    desc->memory_bytes = s->memory;
    desc->page_bytes = s->pages;
    desc->fill = cpu ? s->cores : s->fill;
    desc->link_bytes_per_ns = s->link / 1e9;
    desc->launch_ns = 1e9 * (s->fixed + s->launch);
    desc->peak_per_ns = s->peak * s->rate * desc->cores / 1e9;
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
        status = settings_read(selector, spec->settings, settings);
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
