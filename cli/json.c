/* json.c - JSON to standard output, or to a file that appears complete or not at all. */
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yoke/doctor.h>

#include "command.h"
#include "platform/new_file.h"

void json_number(cJSON *object, const char *name, double value)
{
    if (isfinite(value))
        cJSON_AddNumberToObject(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

void json_integer(cJSON *object, const char *name, int64_t value)
{
    /* A double would round values beyond 2^53. */
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    cJSON_AddRawToObject(object, name, text);
}

void json_text(cJSON *object, const char *name, const char *value)
{
    if (value)
        cJSON_AddStringToObject(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

void json_machine(cJSON *object)
{
    yoke_machine machine;
    if (yoke_machine_get(&machine) != YOKE_OK) {
        cJSON_AddNullToObject(object, "machine");
        return;
    }
    cJSON *part = cJSON_AddObjectToObject(object, "machine");
    json_text(part, "processor", machine.processor);
    json_integer(part, "cores", machine.cores);
    json_number(part, "quota_cores", machine.quota_cores ? machine.quota_cores : NAN);
    json_integer(part, "memory_bytes", machine.memory_bytes);
}

static int cannot_be_written(const char *path, int wrong)
{
    fprintf(stderr, "yoke: %s cannot be written: %s; choose another place\n", path,
            strerror(wrong));
    return 1;
}

int file_check(const char *path)
{
    struct yk_new_file file;
    struct stat there;
    int wrong;
    if (!path || !strcmp(path, "-"))
        return 0;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return 0; /* closing a pipe here would tell its reader that the output has ended */
    wrong = yk_new_file_open(&file, path);
    if (wrong)
        return cannot_be_written(path, wrong);
    yk_new_file_drop(&file);
    return 0;
}

static int write_file(const char *text, const char *path)
{
    struct yk_new_file file;
    int wrong = yk_new_file_open(&file, path);
    if (!wrong) {
        fprintf(file.stream, "%s\n", text);
        wrong = yk_new_file_finish(&file);
    }
    return wrong ? cannot_be_written(path, wrong) : 0;
}

int json_write(cJSON *object, const char *path)
{
    int status = 0;
    char *text = object ? cJSON_Print(object) : NULL;
    if (!text)
        status = command_failed("no memory for the JSON text");
    else if (!strcmp(path, "-"))
        printf("%s\n", text);
    else
        status = write_file(text, path);
    cJSON_free(text);
    cJSON_Delete(object);
    return status;
}

/* In bytes. READ_MOST is needed because a device or a pipe may never end; it is 16 times the
 * default limit of a knowledge base, and longer than any timeline seen. READ_FIRST is the first
 * buffer. Texts below ASKED_BYTES are read without checking the available memory. */
enum { READ_MOST = 1 << 30, READ_FIRST = 1 << 16, ASKED_BYTES = 1 << 22 };
/* Bytes of memory per byte of text: cJSON takes some 110 bytes for a member of about 12. */
enum { PARSED = 10 };

static char *refuse(struct json_why *why, char *text, const char *cause)
{
    snprintf(why->text, sizeof why->text, "%s", cause);
    free(text);
    return NULL;
}

/* Returns 1 if `bytes` of text, and the objects made of them, fit into memory. */
static int fits(size_t bytes, struct json_why *why)
{
    const double mib = 1 << 20, needed = (double)PARSED * (double)bytes;
    yoke_machine machine;
    if (bytes < ASKED_BYTES || yoke_machine_get(&machine) != YOKE_OK ||
        needed <= (double)machine.memory_available)
        return 1;
    snprintf(why->text, sizeof why->text,
             "it needs %.0f MiB of memory or more, and %.0f MiB are available", needed / mib,
             (double)machine.memory_available / mib);
    return 0;
}

static int is_object(const char *text)
{
    text += strspn(text, " \t\r\n");
    return *text == '{' || *text == '\0';
}

static char *read_text(FILE *in, struct json_why *why)
{
    size_t used = 0, room = READ_FIRST, got;
    char *text = malloc(room), *more;
    if (!text)
        return refuse(why, NULL, strerror(ENOMEM));
    while ((got = fread(text + used, 1, room - used - 1, in)) > 0) {
        if (memchr(text + used, 0, got))
            return refuse(why, text, "a byte of 0 is in it, so it is no JSON");
        used += got;
        text[used] = '\0';
        if (!is_object(text))
            return text; /* the parser or its caller refuses it */
        if (used < room - 1)
            continue;
        if (room >= READ_MOST)
            return refuse(why, text, "it is longer than 1 GiB, so it is none that yoke wrote");
        if (!fits(2 * room, why)) {
            free(text);
            return NULL;
        }
        if (!(more = realloc(text, room *= 2)))
            return refuse(why, text, strerror(ENOMEM));
        text = more;
    }
    if (ferror(in))
        return refuse(why, text, strerror(errno));
    text[used] = '\0';
    return text;
}

char *json_read(const char *path, struct json_why *why)
{
    FILE *in = strcmp(path, "-") ? fopen(path, "re") : stdin;
    if (!in)
        return refuse(why, NULL, strerror(errno));
    char *text = read_text(in, why);
    if (in != stdin)
        fclose(in);
    return text;
}
