/* kb_json.c - lessons as JSON: what `yoke kb export` writes and `yoke kb import` reads. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "kb.h"

static void add_hash(cJSON *object, const char *name, uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    cJSON_AddStringToObject(object, name, text);
}

static cJSON *device_json(const yoke_lesson_device *device)
{
    cJSON *object = cJSON_CreateObject();
    json_text(object, "name", device->name);
    for (int i = 0; yoke_figure_name(i); i++)
        json_number(object, yoke_figure_name(i), device->figures[i]);
    return object;
}

cJSON *kb_lesson_json(const yoke_lesson *lesson)
{
    cJSON *object = cJSON_CreateObject();
    add_hash(object, "machine", lesson->machine);
    json_text(object, "machine_text", lesson->machine_text);
    add_hash(object, "subject", lesson->subject);
    json_text(object, "name", lesson->name);
    json_text(object, "subject_text", lesson->subject_text);
    json_text(object, "partitioner", lesson->partitioner);
    cJSON_AddItemToObject(object, "sizes",
                          cJSON_CreateDoubleArray(lesson->sizes, lesson->size_count));
    json_text(object, "origin", lesson->origin);
    json_integer(object, "confirmed", lesson->confirmed);
    json_integer(object, "seen", lesson->seen);
    json_number(object, "ns", lesson->ns);
    cJSON *team = cJSON_AddArrayToObject(object, "team");
    cJSON *devices = cJSON_AddArrayToObject(object, "devices");
    for (int d = 0; d < lesson->device_count; d++) {
        if (lesson->team >> d & 1)
            cJSON_AddItemToArray(team, cJSON_CreateString(lesson->devices[d].name));
        cJSON_AddItemToArray(devices, device_json(&lesson->devices[d]));
    }
    return object;
}

static int read_hash(const cJSON *object, const char *name, uint64_t *out)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    char *end;
    if (!cJSON_IsString(item) || !isxdigit((unsigned char)item->valuestring[0]))
        return 0;
    errno = 0;
    *out = strtoull(item->valuestring, &end, 16);
    return !errno && !*end;
}

/* Texts are printed in lines, so they must not contain line ends or terminal controls. */
static int read_text(const cJSON *object, const char *name, const char **out)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    const char *at = *out = cJSON_IsString(item) ? item->valuestring : NULL;
    while (at && *at && !iscntrl((unsigned char)*at))
        at++;
    return at && !*at;
}

static int read_number(const cJSON *object, const char *name, double *out)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    *out = cJSON_IsNumber(item) ? item->valuedouble : 0;
    return cJSON_IsNumber(item);
}

static int read_count(const cJSON *object, const char *name, int64_t *out)
{
    double number;
    if (!read_number(object, name, &number) || !(number >= 0 && number < 0x1p53) ||
        number != floor(number))
        return 0;
    *out = (int64_t)number;
    return 1;
}

static int read_sizes(const cJSON *object, yoke_lesson *out)
{
    const cJSON *list = cJSON_GetObjectItem(object, "sizes"), *item;
    if (!cJSON_IsArray(list))
        return 0;
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item) || out->size_count == YOKE_SIZES_MAX)
            return 0;
        out->sizes[out->size_count++] = item->valuedouble;
    }
    return out->size_count > 0;
}

/* A figure known only to a newer yoke is ignored; one that an older yoke did not write is 0. */
static int read_devices(const cJSON *object, yoke_lesson *out)
{
    const cJSON *list = cJSON_GetObjectItem(object, "devices"), *item;
    if (!cJSON_IsArray(list))
        return 0;
    cJSON_ArrayForEach(item, list)
    {
        if (out->device_count == YOKE_LESSON_DEVICES_MAX)
            return 0;
        yoke_lesson_device *device = &out->devices[out->device_count++];
        if (!read_text(item, "name", &device->name))
            return 0;
        for (int i = 0; yoke_figure_name(i); i++)
            if (!read_number(item, yoke_figure_name(i), &device->figures[i]) &&
                cJSON_GetObjectItem(item, yoke_figure_name(i)))
                return 0;
    }
    return 1;
}

static int read_team(const cJSON *object, yoke_lesson *out)
{
    const cJSON *list = cJSON_GetObjectItem(object, "team"), *item;
    if (!cJSON_IsArray(list))
        return 0;
    cJSON_ArrayForEach(item, list)
    {
        int d = 0;
        while (d < out->device_count &&
               (!cJSON_IsString(item) || strcmp(out->devices[d].name, item->valuestring) != 0))
            d++;
        if (d == out->device_count)
            return 0;
        out->team |= (uint32_t)1 << d;
    }
    return 1;
}

/* Reads what the lesson is about: machine, kernel and sizes. Returns NULL, or what is wrong. */
static const char *read_subject(const cJSON *object, yoke_lesson *out)
{
    if (!read_hash(object, "machine", &out->machine) ||
        !read_text(object, "machine_text", &out->machine_text))
        return "has no machine, or one that cannot be shown";
    if (!read_hash(object, "subject", &out->subject) || !read_text(object, "name", &out->name) ||
        !*out->name || !read_text(object, "subject_text", &out->subject_text))
        return "has no subject, or no name, or one that cannot be shown";
    if (!read_text(object, "partitioner", &out->partitioner) &&
        cJSON_GetObjectItem(object, "partitioner")) /* an older yoke does not write it */
        return "has a partitioner that cannot be shown";
    return read_sizes(object, out) ? NULL : "has no sizes, or too many";
}

const char *kb_lesson_read(const cJSON *object, yoke_lesson *out)
{
    const char *wrong;
    memset(out, 0, sizeof *out);
    wrong = read_subject(object, out);
    if (wrong)
        return wrong;
    if (!read_text(object, "origin", &out->origin))
        return "has no origin";
    if (!read_count(object, "confirmed", &out->confirmed) ||
        !read_count(object, "seen", &out->seen))
        return "does not say when it was seen, and how often";
    if (!read_number(object, "ns", &out->ns))
        return "does not say how long a job takes";
    if (!read_devices(object, out))
        return "has no devices, too many, or one without a name or with a figure that is no number";
    return read_team(object, out) ? NULL : "has a team of devices that it does not list";
}
