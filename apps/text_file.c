/* text_file.c - reads any file through one buffer of a megabyte; a line has to fit into it.
 *
 * Lines end with a line feed; a carriage return before it counts as a blank when words are read. A
 * byte 0 is not text: it is rejected here, so that lines can be strings.
 */
#include "text_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "stop.h"

yoke_status text_file_open(FILE *file, const char *path, struct text_file *out)
{
    char *buffer = malloc(TEXT_LINE_MOST + 1);
    if (!buffer)
        return app_fail(YOKE_ENOMEM, "no memory to read %s", path);
    *out = (struct text_file){ .file = file, .path = path, .buffer = buffer };
    return YOKE_OK;
}

void text_file_close(struct text_file *from)
{
    free(from->buffer);
    from->buffer = NULL;
}

yoke_status text_file_fail(const struct text_file *from, yoke_status status, const char *format,
                           ...)
{
    char text[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?'; /* the file's words may go to a terminal */
    if (from->reading == TEXT_BYTES)
        return app_fail(status, "%s: byte %lld: %s", from->path, (long long)from->item, text);
    return app_fail(status, "%s:%lld: %s", from->path, (long long)(from->line ? from->line : 1),
                    text);
}

/* Reads more bytes after those in the buffer, which move to its front. */
static yoke_status refill(struct text_file *from)
{
    yoke_status status = app_stop_check();
    if (status != YOKE_OK)
        return status;
    memmove(from->buffer, from->buffer + from->at, from->end - from->at);
    from->before += (int64_t)from->at;
    from->end -= from->at;
    from->at = 0;
    errno = 0;
    const size_t got = fread(from->buffer + from->end, 1, TEXT_LINE_MOST - from->end, from->file);
    if (ferror(from->file))
        return app_fail(YOKE_EIO, "cannot read %s: %s", from->path,
                        errno ? strerror(errno) : "input failed");
    from->ended = got == 0;
    from->end += got;
    return YOKE_OK;
}

/* Returns 1 if the line from `begin` to `end` continues in the next one, and replaces the backslash
 * and what follows it by blanks. Comments do not continue: paths in them may end with a
 * backslash. */
static int goes_on(const struct text_file *from, size_t begin, size_t end)
{
    char *line = from->buffer + begin, *last = from->buffer + end;
    if (from->reading != TEXT_JOINED_LINES)
        return 0;
    if (last > line && last[-1] == '\r')
        last--;
    if (last == line || last[-1] != '\\' || memchr(line, '#', (size_t)(last - line)))
        return 0;
    memset(last - 1, ' ', (size_t)(from->buffer + end + 1 - (last - 1)));
    return 1;
}

/* Finds where the line ends in the buffer; the file may end there. */
static yoke_status find_end(struct text_file *from, size_t *out)
{
    size_t seen = 0, begin = 0; /* from `at` on: bytes without a line's end; start of the file's
                                 * line */
    for (;;) {
        const char *from_here = from->buffer + from->at + seen;
        const char *feed = memchr(from_here, '\n', from->end - from->at - seen);
        if (feed) {
            *out = (size_t)(feed - from->buffer);
            if (!goes_on(from, from->at + begin, *out))
                return YOKE_OK;
            from->joined++;
            seen = begin = *out + 1 - from->at;
            continue;
        }
        seen = from->end - from->at;
        *out = from->end;
        if (from->ended)
            return YOKE_OK;
        if (seen == TEXT_LINE_MOST)
            return text_file_fail(from, YOKE_EINVAL,
                                  "a line of more than %d characters; lines are shorter",
                                  TEXT_LINE_MOST - 1);
        yoke_status status = refill(from);
        if (status != YOKE_OK)
            return status;
    }
}

yoke_status text_file_line(struct text_file *from, const char **out)
{
    const int64_t last = from->line, joined = from->joined;
    size_t end;
    from->line += 1 + joined;
    from->joined = 0;
    yoke_status status = find_end(from, &end);
    if (status != YOKE_OK)
        return status;
    if (end == from->end && from->at == end) { /* nothing is left; `line` stays that of the last
                                                * line */
        from->line = last + joined;
        *out = NULL;
        return YOKE_OK;
    }
    char *line = from->buffer + from->at;
    if (memchr(line, 0, end - from->at))
        return text_file_fail(from, YOKE_EINVAL, "a byte of 0; a line of text belongs here");
    from->at = end + (end < from->end);
    from->buffer[end] = 0;
    if (from->line == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3; /* some editors' mark of UTF-8 */
    *out = line;
    return YOKE_OK;
}

yoke_status text_file_bytes(struct text_file *from, size_t count, const unsigned char **out)
{
    while (from->end - from->at < count && !from->ended) {
        yoke_status status = refill(from);
        if (status != YOKE_OK)
            return status;
    }
    from->item = from->before + (int64_t)from->at;
    if (from->end - from->at < count) {
        from->item += (int64_t)(from->end - from->at);
        from->at = from->end;
        *out = NULL;
        return YOKE_OK;
    }
    *out = (unsigned char *)from->buffer + from->at;
    from->at += count;
    return YOKE_OK;
}
