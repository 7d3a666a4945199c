/* plain.h - PURE. Makes text from files and command lines safe to show in messages. */
#ifndef YK_BASE_PLAIN_H
#define YK_BASE_PLAIN_H

#include <stddef.h>

/* Copies `text` with each byte that is not readable UTF-8 written as \xNN: invalid bytes, and
 * control characters except tab and line end, because they could control a terminal. Cut to `size`
 * bytes, including the final 0. Returns the length of the complete result. */
size_t yk_plain_text(const char *text, char *out, size_t size);

#endif
