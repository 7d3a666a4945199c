/* plain.h - PURE. Text from files and command lines as messages may show it. */
#ifndef YK_BASE_PLAIN_H
#define YK_BASE_PLAIN_H

#include <stddef.h>

/* `text` with each byte that is no part of readable UTF-8 (control characters but tab and line end,
 * which could command a terminal, and what is no UTF-8) as \xNN; cut to `size` bytes with the end.
 * The length that all of it has. */
size_t yk_plain_text(const char *text, char *out, size_t size);

#endif
