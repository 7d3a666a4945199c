/* opencl_log.c - a compiler's log in terms of the user's file.
 *
 * Kernel texts contain line markers (#line 12 "kernels.c", or # 12 "kernels.c" as preprocessors
 * write them). Most drivers' compilers obey them. NVIDIA's instead counts the lines of the whole
 * text and says <kernel>:57:9; such places are translated here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/alloc.h"
#include "opencl.h"

struct place {
    const char *file; /* not terminated; NULL: before any marker */
    int file_length;
    long line;
};

/* Returns 1 if the line is a marker, and sets *place to where the following line comes from. */
static int read_marker(const char *line, struct place *place)
{
    if (*line++ != '#')
        return 0;
    line += strspn(line, " \t");
    if (strncmp(line, "line", 4) == 0)
        line += 4;
    char *end;
    long number = strtol(line, &end, 10);
    if (end == line || number < 1)
        return 0;
    place->line = number;
    end += strspn(end, " \t");
    if (*end == '"') {
        place->file = end + 1;
        place->file_length = (int)strcspn(end + 1, "\"\n");
    }
    return 1;
}

/* Returns where line `wanted` of the text (counted from 1) comes from. */
static struct place find_place(const char *text, long wanted)
{
    struct place place = { NULL, 0, 1 };
    for (long line = 1; line < wanted && *text; ++line) {
        if (!read_marker(text, &place))
            place.line++;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return place;
}

/* Like snprintf(to, capacity, ...): returns the length of the complete result. */
static size_t translate(const char *log, const char *text, char *to, size_t capacity)
{
    static const char mark[] = "<kernel>:";
    size_t used = 0;
    while (*log) {
        char *at = used < capacity ? to + used : NULL;
        size_t room = used < capacity ? capacity - used : 0;
        const char *next = strstr(log, mark);
        char *end = NULL;
        long line = next == log ? strtol(log + strlen(mark), &end, 10) : 0;
        struct place place = { 0 };
        if (line > 0)
            place = find_place(text, line);
        if (place.file) {
            used +=
                (size_t)snprintf(at, room, "%.*s:%ld", place.file_length, place.file, place.line);
            log = end;
            continue;
        }
        size_t plain = next == log ? strlen(mark) : next ? (size_t)(next - log) : strlen(log);
        used += (size_t)snprintf(at, room, "%.*s", (int)plain, log);
        log += plain;
    }
    return used;
}

/* Adds the cure to the first error that plain C gets in OpenCL: pointers to an array's elements say
 * where they point. Frees `log`, and returns NULL without memory. */
static char *with_cure(char *log)
{
    static const char error[] = "changes address space of pointer";
    const char *at = strstr(log, error);
    char *cured = log;
    if (at) {
        at += strlen(error);
        cured = yk_format("%.*s (write YOKE_GLOBAL before its type: YOKE_GLOBAL const float *p)%s",
                          (int)(at - log), log, at);
        yk_free(log);
    }
    return cured;
}

char *yk_opencl_log(const char *log, const char *text)
{
    size_t length = translate(log, text, NULL, 0);
    char *translated = yk_calloc(length + 1, 1);
    if (!translated)
        return NULL;
    translate(log, text, translated, length + 1);
    return with_cure(translated);
}
