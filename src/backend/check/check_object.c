/* check_object.c - the live handles of all checked devices, and what happens on a breach. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../base/process_lock.h"
#include "../../base/status.h"
#include "../../platform/thread.h"

static struct {
    struct yk_process_lock lock;
    struct check_object *objects;
    void (*on_breach)(void *context, const char *text);
    void *breach_context;
} checked = { .lock = YK_PROCESS_LOCK_INITIAL };

void yk_check_lock(void)
{
    yk_process_lock(&checked.lock);
}

void yk_check_unlock(void)
{
    yk_process_unlock(&checked.lock);
}

void yk_check_on_breach(void (*fn)(void *context, const char *text), void *context)
{
    yk_check_lock();
    checked.on_breach = fn;
    checked.breach_context = context;
    yk_check_unlock();
}

yoke_status yk_check_breach(const struct check_device *device, const char *slot, const char *format,
                            ...)
{
    char what[256], text[384];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(text, sizeof text, "device contract broken: %s %s: %s",
             device ? device->base.desc.name : "no device", slot, what);
    yk_check_lock();
    void (*fn)(void *, const char *) = checked.on_breach;
    void *context = checked.breach_context;
    yk_check_unlock();
    yk_log(YOKE_LOG_ERROR, "%s", text);
    if (!fn) { /* the log may be off, and the process ends here */
        fprintf(stderr, "yoke: %s\n", text);
        abort();
    }
    fn(context, text);
    return yk_fail(YOKE_EINVAL, "%s", text);
}

void yk_check_add(struct check_object *object)
{
    yk_check_lock();
    object->next = checked.objects;
    checked.objects = object;
    yk_check_unlock();
}

void yk_check_remove(struct check_object *object)
{
    yk_check_lock();
    struct check_object **at = &checked.objects;
    while (*at && *at != object)
        at = &(*at)->next;
    if (*at)
        *at = object->next;
    yk_check_unlock();
}

const char *yk_check_kind_name(enum check_kind kind)
{
    static const char *const names[] = { "device", "buffer", "queue", "program", "event" };
    return names[kind];
}

void *yk_check_find(const struct check_device *device, enum check_kind kind, const void *handle,
                    const char *slot)
{
    yk_check_lock();
    struct check_object *object = handle ? checked.objects : NULL;
    while (object && (const void *)object != handle)
        object = object->next;
    yk_check_unlock();
    if (!object || object->kind != kind)
        yk_check_breach(device, slot, "%p is no open %s", handle, yk_check_kind_name(kind));
    else if (device && object->device != device)
        yk_check_breach(device, slot, "the %s belongs to %s", yk_check_kind_name(kind),
                        object->device->base.desc.name);
    else
        return object;
    return NULL;
}

struct check_device *yk_check_device_find(const void *handle, const char *slot)
{
    yk_check_lock();
    struct check_object *object = checked.objects;
    while (object && !(object->kind == CHECK_DEVICE && (const void *)object->device == handle))
        object = object->next;
    yk_check_unlock();
    if (object)
        return object->device;
    yk_check_breach(NULL, slot, "%p is no open device", handle);
    return NULL;
}

struct check_object *yk_check_left(const struct check_device *device, enum check_kind kind)
{
    yk_check_lock();
    struct check_object *object = checked.objects;
    while (object && (object->device != device || object->kind != kind))
        object = object->next;
    yk_check_unlock();
    return object;
}
