/* json.c - JSON to standard output, or to a file that appears whole or not at all. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
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
    /* A double would round what lies beyond 2^53. */
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
        return 0; /* a pipe's reader would take this for the end */
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
