/* words.h - PURE. Numbers as text for sentences. Returned by value, so that one call can use
 * several. */
#ifndef YK_BASE_WORDS_H
#define YK_BASE_WORDS_H

#include <stdint.h>

struct yk_words {
    char text[32];
};

/* "235.8 us": a time in the unit that fits it. */
struct yk_words yk_time_words(double ns);
/* "1 item", "7 items" of "item". */
struct yk_words yk_count_words(int64_t count, const char *one);
/* "26316", "1.25": four significant digits, or all digits before the point. */
struct yk_words yk_number_words(double number);

#endif
