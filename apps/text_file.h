/* text_file.h - reads a file in lines or in bytes, and knows its position for messages. */
#ifndef YOKE_APPS_TEXT_FILE_H
#define YOKE_APPS_TEXT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <yoke/status.h>

/* Most bytes of a line, and of one read. */
enum { TEXT_LINE_MOST = (1 << 20) - 1 };

struct text_file {
    FILE *file;
    const char *path; /* for messages */
    char *buffer;     /* bytes from `at` to `end` are not taken yet */
    size_t at, end;
    int64_t before; /* bytes of the file before those in the buffer */
    int64_t item;   /* byte of the file at which the item taken last begins */
    int64_t line;   /* number of the line taken last; 0: none yet */
    int64_t joined; /* number of lines after it that a backslash joins to it */
    int ended;
    enum { TEXT_LINES, TEXT_JOINED_LINES, TEXT_BYTES } reading; /* joined: by a backslash */
};

/* Reading starts at the file's current position. `file` and `path` stay the caller's and must live
 * until it is closed. */
yoke_status text_file_open(FILE *file, const char *path, struct text_file *out);
void text_file_close(struct text_file *from);

/* Sets *out to the next line without its end, valid until the next call; NULL if there is none. */
yoke_status text_file_line(struct text_file *from, const char **out);
/* Sets *out to the next `count` bytes, up to TEXT_LINE_MOST; NULL if there are fewer, which are
 * then skipped. */
yoke_status text_file_bytes(struct text_file *from, size_t count, const unsigned char **out);

/* The same as app_fail, preceded by the file and the line, or the byte if bytes are read. */
yoke_status text_file_fail(const struct text_file *from, yoke_status status, const char *format,
                           ...) __attribute__((format(printf, 3, 4)));

#endif
