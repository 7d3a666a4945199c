/* plain.c - see plain.h. */
#include "plain.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the UTF-8 character that begins here; 0: there is none. */
static size_t character(const unsigned char *at)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t bytes = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
    uint32_t code = bytes > 1 ? *at & (0x7fu >> bytes) : *at;
    for (size_t i = 1; i < bytes; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    if (bytes > 1 && (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)))
        return 0;
    return bytes;
}

static int is_control(const unsigned char *at, size_t bytes)
{
    if (bytes == 1)
        return (*at < 0x20 && *at != '\n' && *at != '\t') || *at == 0x7f;
    return bytes == 2 && at[0] == 0xc2 && at[1] < 0xa0; /* U+0080 to U+009F */
}

size_t yk_plain_text(const char *text, char *out, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *at = (const unsigned char *)text;
    size_t length = 0;
    int fits = size > 0;
    while (*at) {
        const size_t bytes = character(at);
        const int shown = bytes && !is_control(at, bytes);
        const char escape[] = { '\\', 'x', digits[*at >> 4], digits[*at & 15] };
        const size_t wide = shown ? bytes : sizeof escape;
        fits = fits && length + wide < size;
        if (fits)
            memcpy(out + length, shown ? (const char *)at : escape, wide);
        else if (size > 0 && length < size)
            out[length] = '\0', size = 0;
        length += wide;
        at += shown ? bytes : 1;
    }
    if (fits)
        out[length] = '\0';
    return length;
}
