/* fuzz.h - shared by the fuzz targets. A target is one function over bytes; a violated property
 * ends the process, which both drivers report: libFuzzer if clang has it, otherwise fuzz_driver.c.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Like assert, but also active with NDEBUG. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The bytes up to the first 0 as text, in memory of exactly that size, so that a sanitizer detects
 * an access one byte beyond it. */
static inline char *fuzz_text(const uint8_t *bytes, size_t size)
{
    size_t length = strnlen((const char *)bytes, size);
    char *text = malloc(length + 1);
    FUZZ_CHECK(text);
    memcpy(text, bytes, length);
    text[length] = '\0';
    return text;
}

#endif
