/* lines.h - reads small text files of the kernel line by line, without heap memory.
 *
 * A line longer than the buffer is cut; the lines needed from /proc and /sys are short.
 */
#ifndef YK_PLATFORM_LINES_H
#define YK_PLATFORM_LINES_H

#include <stddef.h>
#include <stdint.h>

enum { yk_path_bytes = 1024, yk_line_bytes = 1024 };

struct yk_lines {
    int fd; /* -1: it could not be opened; then there are no lines */
    size_t at, have;
    char buffer[4096];
    char line[yk_line_bytes];
};

/* The path is put together from three parts; nothing is opened if it is too long. */
void yk_lines_open(struct yk_lines *lines, const char *root, const char *folder, const char *file);
/* The next line without its end, valid until the next call; NULL after the last. */
char *yk_lines_next(struct yk_lines *lines);
void yk_lines_close(struct yk_lines *lines);

/* The number after a key at the start of a line ("MemTotal:   16 kB", "inactive_file 4096"); -1 if
 * there is none. */
int64_t yk_lines_value(struct yk_lines *lines, const char *key);

#endif
