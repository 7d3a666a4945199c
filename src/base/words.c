/* words.c - see words.h. */
#include "words.h"

#include <stdio.h>

struct yk_words yk_time_words(double ns)
{
    static const char *const units[] = { "ns", "us", "ms", "s" };
    struct yk_words words;
    int unit = 0;
    if (ns < 1e-4) /* the rounding error of a fit */
        ns = 0;
    for (; ns >= 999.95 && unit < 3; unit++)
        ns /= 1000;
    snprintf(words.text, sizeof words.text, "%.4g %s", ns, units[unit]);
    return words;
}

struct yk_words yk_number_words(double number)
{
    struct yk_words words;
    snprintf(words.text, sizeof words.text, number < 9999.5 || number > 1e15 ? "%.4g" : "%.0f",
             number);
    return words;
}

struct yk_words yk_count_words(int64_t count, const char *one)
{
    struct yk_words words;
    snprintf(words.text, sizeof words.text, "%lld %s%s", (long long)count, one,
             count == 1 ? "" : "s");
    return words;
}
