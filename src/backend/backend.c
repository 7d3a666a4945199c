/* backend.c - the list of backends, and how a text becomes a list of devices.
 *
 *     cpu:8,opencl:1:mem=256M      specs are separated by commas
 *     backend[:selector][:key=value]...        blanks around them are ignored
 *
 * The parser knows only this frame; selectors and keys belong to the backends. Without a text,
 * every backend offers what should be used by default. A physical GPU that two drivers offer is
 * taken once, from the first backend in the list. Callers: the runtime, `yoke info`, `yoke doctor`;
 * any thread.
 */
#include "backend.h"

#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"

extern const struct yk_backend yk_backend_cpu, yk_backend_cuda, yk_backend_opencl, yk_backend_sim;

/* The order matters: a GPU that two drivers offer is taken from the first. */
const struct yk_backend *const yk_backends[] = { &yk_backend_cpu, &yk_backend_cuda,
                                                 &yk_backend_opencl, &yk_backend_sim, NULL };

const struct yk_backend *yk_backend_find(const char *name)
{
    for (int i = 0; name && yk_backends[i]; i++)
        if (!strcmp(yk_backends[i]->name, name))
            return yk_backends[i];
    return NULL;
}

yoke_status yk_device_settings_open(const struct yk_device_spec *spec, void **out)
{
    const struct yk_backend *backend = spec->backend;
    if (!backend->options || !backend->settings_bytes) {
        if (spec->settings[0])
            return yk_fail(YOKE_EINVAL, "%s takes no key=value settings; leave out '%s'",
                           backend->name, spec->settings);
        *out = NULL;
        return YOKE_OK;
    }
    void *settings = yk_calloc(1, backend->settings_bytes);
    if (!settings)
        return YOKE_ENOMEM;
    yoke_status status = yk_options_default(backend->options, settings);
    if (status == YOKE_OK && spec->settings[0])
        status = yk_options_parse(backend->options, backend->name, spec->settings, settings);
    if (status != YOKE_OK) {
        yk_device_settings_close(backend, settings);
        return status;
    }
    *out = settings;
    return YOKE_OK;
}

void yk_device_settings_close(const struct yk_backend *backend, void *settings)
{
    if (!settings)
        return;
    if (backend->options)
        yk_options_clear(backend->options, settings);
    yk_free(settings);
}

yoke_status yk_device_list_add(struct yk_device_list *list, const struct yk_device_desc *desc)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity ? 2 * list->capacity : 8;
        struct yk_device_desc *items =
            yk_realloc(list->items, (size_t)capacity, sizeof *list->items);
        if (!items) {
            yk_device_settings_close(desc->backend, desc->settings);
            return YOKE_ENOMEM;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = *desc;
    return YOKE_OK;
}

void yk_device_list_cut(struct yk_device_list *list, int count)
{
    while (list->count > count) {
        struct yk_device_desc *last = &list->items[--list->count];
        yk_device_settings_close(last->backend, last->settings);
    }
}

void yk_device_list_close(struct yk_device_list *list)
{
    if (!list)
        return;
    yk_device_list_cut(list, 0);
    yk_free(list->items);
    *list = (struct yk_device_list){ 0 };
}

static yoke_status backend_unknown(const char *name, size_t length)
{
    char names[128] = "";
    for (int i = 0; yk_backends[i]; i++) {
        strncat(names, i ? ", " : "", sizeof names - strlen(names) - 1);
        strncat(names, yk_backends[i]->name, sizeof names - strlen(names) - 1);
    }
    return yk_fail(YOKE_EINVAL, "no device backend is called '%.*s'; there are %s",
                   (int)(length < 64 ? length : 64), name, names);
}

/* Appends `length` bytes of a field to a ':'-separated list in text[size]; returns 0 if they do not
 * fit. */
static int field_append(char *text, size_t size, const char *field, size_t length)
{
    size_t used = strlen(text);
    if (used + (used > 0) + length >= size)
        return 0;
    if (used)
        text[used++] = ':';
    memcpy(text + used, field, length);
    text[used + length] = '\0';
    return 1;
}

/* Parses one spec, text[0 .. length). */
static yoke_status spec_parse(const char *text, size_t length, struct yk_device_spec *spec)
{
    const char *end = text + length;
    const char *colon = memchr(text, ':', length);
    size_t name_length = (size_t)((colon ? colon : end) - text);
    char name[32] = "";
    if (!length)
        return yk_fail(YOKE_EINVAL,
                       "an empty device name in a list of devices; take out the extra comma");
    if (name_length < sizeof name)
        memcpy(name, text, name_length);
    *spec = (struct yk_device_spec){ .backend = yk_backend_find(name) };
    if (!spec->backend)
        return backend_unknown(text, name_length);
    while (colon) {
        const char *field = colon + 1;
        colon = memchr(field, ':', (size_t)(end - field));
        size_t field_length = (size_t)((colon ? colon : end) - field);
        int is_key = memchr(field, '=', field_length) != NULL;
        if (!field_length)
            return yk_fail(YOKE_EINVAL,
                           "device '%.*s' has an empty part; write "
                           "backend:selector:key=value",
                           (int)length, text);
        if (!is_key && spec->settings[0])
            return yk_fail(YOKE_EINVAL, "device '%.*s': '%.*s' has no value; write key=value",
                           (int)length, text, (int)field_length, field);
        char *list = is_key ? spec->settings : spec->selector;
        if (!field_append(list, is_key ? sizeof spec->settings : sizeof spec->selector, field,
                          field_length))
            return yk_fail(YOKE_EINVAL,
                           "device '%.40s...' is too long; a selector has at most "
                           "%zu characters, the settings %zu",
                           text, sizeof spec->selector - 1, sizeof spec->settings - 1);
    }
    return YOKE_OK;
}

yoke_status yk_device_specs_parse(const char *text, struct yk_device_spec **specs, int *count)
{
    size_t parts = 0;
    if (text && text[0])
        for (const char *at = text; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
            parts++;
    struct yk_device_spec *items = yk_calloc(parts, sizeof *items);
    if (!items)
        return YOKE_ENOMEM;
    const char *part = text;
    for (size_t i = 0; i < parts; i++) {
        const size_t length = strcspn(part, ","), blanks = strspn(part, " \t");
        const char *first = blanks < length ? part + blanks : part + length, *last = part + length;
        while (last > first && (last[-1] == ' ' || last[-1] == '\t'))
            last--;
        yoke_status status = spec_parse(first, (size_t)(last - first), &items[i]);
        if (status != YOKE_OK) {
            yk_free(items);
            return status;
        }
        part += length + 1;
    }
    *specs = items;
    *count = (int)parts;
    return YOKE_OK;
}

/* Whether two descs are one physical device. The CPU as an OpenCL device counts as another device
 * than the cpu backend's: it is only in the list if the user asked for it. */
static int same_device(const struct yk_device_desc *a, const struct yk_device_desc *b)
{
    if (a->backend == b->backend && !strcmp(a->name, b->name))
        return 1;
    return !a->is_cpu && !b->is_cpu && a->identity[0] && !strcmp(a->identity, b->identity);
}

static void list_remove(struct yk_device_list *list, int index)
{
    yk_device_settings_close(list->items[index].backend, list->items[index].settings);
    list->count--;
    memmove(&list->items[index], &list->items[index + 1],
            (size_t)(list->count - index) * sizeof *list->items);
}

/* Devices from `first` on were found for one spec. Removes those that are in the list already. If
 * the user named both (`asked`), that is an error. */
static yoke_status keep_once(struct yk_device_list *list, int first, int asked)
{
    for (int i = first; i < list->count; i++) {
        int twin = 0;
        while (twin < i && !same_device(&list->items[twin], &list->items[i]))
            twin++;
        if (twin == i)
            continue;
        if (asked && twin < first)
            return yk_fail(YOKE_EINVAL, "%s and %s are the same device; name it once",
                           list->items[twin].name, list->items[i].name);
        yk_log(YOKE_LOG_INFO, "%s is left out: it is the same device as %s", list->items[i].name,
               list->items[twin].name);
        list_remove(list, i--);
    }
    return YOKE_OK;
}

static void leave_hidden(struct yk_device_list *list, int first)
{
    for (int i = first; i < list->count; i++)
        for (int b = 0; yk_backends[b]; b++) {
            if (yk_backends[b] == list->items[i].backend || !yk_backends[b]->hides ||
                !yk_backends[b]->hides(&list->items[i]))
                continue;
            yk_log(YOKE_LOG_INFO, "%s is left out: it is hidden from %s", list->items[i].name,
                   yk_backends[b]->name);
            list_remove(list, i--);
            break;
        }
}

static yoke_status find_all(const struct yk_device_spec *specs, int count, int asked,
                            struct yk_device_list *list)
{
    for (int i = 0; i < count; i++) {
        int first = list->count;
        yoke_status status = specs[i].backend->find(&specs[i], asked, list, NULL);
        if (status == YOKE_OK && !asked)
            leave_hidden(list, first);
        if (status == YOKE_OK)
            status = keep_once(list, first, asked);
        for (int found = first; found < list->count; found++)
            memcpy(list->items[found].settings_text, specs[i].settings, sizeof specs[i].settings);
        if (status != YOKE_OK)
            return status;
    }
    return YOKE_OK;
}

yoke_status yk_devices_find(const char *text, struct yk_device_list *list)
{
    struct yk_device_list found = { 0 };
    struct yk_device_spec *specs = NULL, every[sizeof yk_backends / sizeof *yk_backends] = { 0 };
    int count = 0, asked = text && text[0];
    yoke_status status = yk_device_specs_parse(text, &specs, &count);
    if (status != YOKE_OK)
        return status;
    if (!asked)
        while (yk_backends[count]) {
            every[count].backend = yk_backends[count];
            count++;
        }
    status = find_all(asked ? specs : every, count, asked, &found);
    if (status == YOKE_OK && !found.count)
        status = yk_fail(YOKE_ENODEV, "no device was found for '%s'; `yoke doctor` says why",
                         asked ? text : "all");
    yk_free(specs);
    if (status != YOKE_OK) {
        yk_device_list_close(&found);
        return status;
    }
    *list = found;
    return YOKE_OK;
}
