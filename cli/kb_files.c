/* kb_files.c - yoke kb export, import and forget. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "kb.h"

static int collect_one(void *context, const yoke_lesson *lesson)
{
    cJSON_AddItemToArray(context, kb_lesson_json(lesson));
    return 1;
}

int kb_export(struct kb *kb)
{
    const char *path = kb->json ? kb->json : kb->word ? kb->word : "-";
    cJSON *top = cJSON_CreateObject();
    json_integer(top, "schema", 1);
    json_text(top, "version", yoke_version());
    cJSON *lessons = cJSON_AddArrayToObject(top, "lessons");
    if (!lessons) {
        cJSON_Delete(top);
        return command_failed("no memory for the JSON text");
    }
    if (yoke_knowledge_each(kb->knowledge, &kb->filter, collect_one, lessons) != YOKE_OK) {
        cJSON_Delete(top);
        return command_failed(yoke_error_text());
    }
    if (kb->filter.name && cJSON_GetArraySize(lessons) == 0) {
        cJSON_Delete(top);
        return kb_nothing(kb);
    }
    return json_write(top, path);
}

/* Returns NULL after a message. */
static char *read_all(const char *path)
{
    struct json_why why;
    char *text = json_read(path, &why);
    if (!text)
        fprintf(stderr, "yoke: %s cannot be read: %s\n",
                strcmp(path, "-") ? path : "standard input", why.text);
    return text;
}

struct import {
    int added, kept;
    int before, fresh; /* lessons before the import; imported lessons that did not exist before */
};

static int wrong_lesson(int place, const char *what)
{
    fprintf(stderr, "yoke: lesson %d of the file %s; nothing was imported\n", place, what);
    return 1;
}

/* Checks all lessons first: a file with an invalid one is not imported at all. */
static int check_all(const cJSON *lessons, yoke_lesson *room)
{
    const cJSON *item;
    int place = 0;
    cJSON_ArrayForEach(item, lessons)
    {
        const char *wrong = kb_lesson_read(item, room);
        place++;
        if (wrong)
            return wrong_lesson(place, wrong);
    }
    return 0;
}

static int count_one(void *context, const yoke_lesson *lesson)
{
    (void)lesson;
    ++*(int *)context;
    return 1;
}

static int count_all(struct kb *kb, int *out)
{
    *out = 0;
    return yoke_knowledge_each(kb->knowledge, NULL, count_one, out) == YOKE_OK;
}

/* If the base is full, adding removes the lessons not seen for longest, also just imported ones. */
static void tell_import(struct kb *kb, const struct import *import)
{
    int there, gone = 0;
    if (count_all(kb, &there))
        gone = import->before + import->fresh - there;
    printf("%d lesson%s imported", import->added, import->added == 1 ? "" : "s");
    if (import->kept)
        printf(", %d that %s known already", import->kept, import->kept == 1 ? "was" : "were");
    putchar('\n');
    if (gone > 0)
        printf("Removed the %d lesson%s not seen for longest: there is room for %d; "
               "YOKE_KB_LIMIT limits the size of the file.\n",
               gone, gone == 1 ? "" : "s", there);
}

static int add_all(struct kb *kb, const cJSON *lessons, yoke_lesson *room)
{
    struct import import = { 0 };
    const cJSON *item;
    int place = 0, status = 0;
    if (!count_all(kb, &import.before))
        return command_failed(yoke_error_text());
    cJSON_ArrayForEach(item, lessons)
    {
        int added = 0;
        place++;
        kb_lesson_read(item, room);
        yoke_status put = yoke_knowledge_add(kb->knowledge, room, &added);
        if (put != YOKE_OK) {
            fprintf(stderr, "yoke: lesson %d of the file was left out: %s\n", place,
                    yoke_error_text());
            status = 1;
            if (put != YOKE_EINVAL)
                break;
        }
        import.added += put == YOKE_OK && added;
        import.fresh += put == YOKE_OK && added == 1;
        import.kept += put == YOKE_OK && !added;
    }
    tell_import(kb, &import);
    return status;
}

int kb_import(struct kb *kb)
{
    char *text = read_all(kb->word);
    cJSON *top = text ? cJSON_ParseWithOpts(text, NULL, 1) : NULL; /* nothing may follow the
                                                                    * object */
    const cJSON *lessons = cJSON_GetObjectItem(top, "lessons");
    const cJSON *schema = cJSON_GetObjectItem(top, "schema");
    yoke_lesson *room = calloc(1, sizeof *room);
    int status = 1;
    if (!text)
        status = 1;
    else if (!room)
        status = command_failed("no memory for a lesson");
    else if (!cJSON_IsArray(lessons) || !cJSON_IsNumber(schema))
        status = command_failed("the file is none that 'yoke kb export' wrote, or more than one");
    else if (schema->valuedouble != 1)
        status = command_failed("the file is a newer yoke's; export it with this one's version");
    else
        status = check_all(lessons, room);
    if (text && room && status == 0)
        status = add_all(kb, lessons, room);
    free(room);
    cJSON_Delete(top);
    free(text);
    return status;
}

int kb_forget(struct kb *kb)
{
    int64_t count = 0;
    if (yoke_knowledge_forget(kb->knowledge, &kb->filter, &count) != YOKE_OK)
        return command_failed(yoke_error_text());
    if (count == 0 && kb->filter.name)
        return kb_nothing(kb);
    printf("%" PRId64 " lesson%s forgotten\n", count, count == 1 ? "" : "s");
    return 0;
}
