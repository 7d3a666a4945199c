/* lines.c - reading line by line from one buffer. */
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void yk_lines_open(struct yk_lines *lines, const char *root, const char *folder, const char *file)
{
    char path[yk_path_bytes];
    int length = snprintf(path, sizeof path, "%s%s/%s", root, folder, file);
    lines->fd = length < yk_path_bytes ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    lines->at = lines->have = 0;
}

static int next_byte(struct yk_lines *lines)
{
    if (lines->at == lines->have) {
        ssize_t got;
        do {
            got = lines->fd < 0 ? 0 : read(lines->fd, lines->buffer, sizeof lines->buffer);
        } while (got < 0 && errno == EINTR);
        if (got <= 0) {
            return -1;
        }
        lines->at = 0;
        lines->have = (size_t)got;
    }
    return (unsigned char)lines->buffer[lines->at++];
}

char *yk_lines_next(struct yk_lines *lines)
{
    size_t length = 0;
    int byte = next_byte(lines);
    if (byte < 0) {
        return NULL;
    }
    for (; byte >= 0 && byte != '\n'; byte = next_byte(lines)) {
        if (length < sizeof lines->line - 1) {
            lines->line[length++] = (char)byte;
        }
    }
    lines->line[length] = '\0';
    return lines->line;
}

void yk_lines_close(struct yk_lines *lines)
{
    if (lines->fd >= 0) {
        close(lines->fd);
        lines->fd = -1;
    }
}

int64_t yk_lines_value(struct yk_lines *lines, const char *key)
{
    size_t length = strlen(key);
    for (char *line; (line = yk_lines_next(lines));) {
        if (strncmp(line, key, length) == 0 && strchr(": \t", line[length])) {
            int64_t value;
            return sscanf(line + length, "%*[: \t]%" SCNd64, &value) == 1 ? value : -1;
        }
    }
    return -1;
}
