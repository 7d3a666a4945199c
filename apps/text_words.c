/* text_words.c - reads numbers of a text, which is nearly all the work of a loader.
 *
 * strtod depends on the locale and takes several times as long. Here up to 19 digits are read as
 * one whole number, which is scaled by a power of ten. The result is exact for whole numbers up to
 * 2^53 and powers up to 10^22; otherwise its error is far below single precision's last place.
 */
#include "text_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { EXACT_TENS = 22, EXPONENT_MOST = 400, DIGITS_MOST = 1 << 24 };

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (!text_word_ends(at + length))
        length++;
    return length;
}

size_t text_take_word(const char **at, const char **out)
{
    const size_t length = text_at_end(at) ? 0 : word_length(*at);
    *out = *at;
    *at += length;
    return length;
}

int text_take_this(const char **at, const char *word)
{
    const char *here = text_skip_blanks(*at);
    const size_t length = strlen(word);
    if (word_length(here) != length || memcmp(here, word, length) != 0)
        return 0;
    *at = here + length;
    return 1;
}

size_t text_take_rest(const char **at, const char **out)
{
    size_t length;
    *out = text_skip_blanks(*at);
    length = strlen(*out);
    *at = *out + length;
    while (length > 0 && text_is_blank((*out)[length - 1]))
        length--;
    return length;
}

/* Returns `digits` (not 0) times 10^`exponent`. */
static double scaled(double digits, int exponent)
{
    static const double tens[EXACT_TENS + 1] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    if (exponent > EXPONENT_MOST)
        return INFINITY;
    if (exponent < -EXPONENT_MOST)
        return 0;
    for (; exponent > EXACT_TENS; exponent -= EXACT_TENS)
        digits *= tens[EXACT_TENS];
    for (; exponent < -EXACT_TENS; exponent += EXACT_TENS)
        digits /= tens[EXACT_TENS];
    return exponent < 0 ? digits / tens[-exponent] : digits * tens[exponent];
}

/* Reads what follows an e. Returns 0 if that is not an exponent. */
static int take_exponent(const char **at, int *exponent)
{
    const char *c = *at;
    const int negative = *c == '-';
    int value = 0;
    c += *c == '-' || *c == '+';
    if (!is_digit(*c))
        return 0;
    for (; is_digit(*c); c++)
        value = value < DIGITS_MOST ? value * 10 + (*c - '0') : value;
    *exponent += negative ? -value : value;
    *at = c;
    return 1;
}

/* Reads a number without a sign. Returns 0 if there are no digits. */
static int take_digits(const char **at, double *out)
{
    const char *c = *at;
    uint64_t digits = 0;
    int exponent = 0, any = is_digit(*c);
    for (; is_digit(*c); c++) {
        if (digits < TEXT_WHOLE_MOST)
            digits = digits * 10 + (uint64_t)(*c - '0');
        else
            exponent++;
    }
    if (*c == '.') {
        c++;
        any |= is_digit(*c);
        for (; is_digit(*c); c++)
            if (digits < TEXT_WHOLE_MOST) {
                digits = digits * 10 + (uint64_t)(*c - '0');
                exponent--;
            }
    }
    if (!any)
        return 0;
    if (*c == 'e' || *c == 'E') {
        c++;
        if (!take_exponent(&c, &exponent))
            return 0;
    }
    *out = digits ? scaled((double)digits, exponent) : 0;
    *at = c;
    return 1;
}

/* Reads nan and inf, as C prints them. */
static int take_name(const char **at, double *out)
{
    static const struct {
        const char *name;
        double value;
    } names[] = { { "nan", NAN }, { "inf", INFINITY }, { "infinity", INFINITY } };
    const size_t length = word_length(*at);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strlen(names[k].name) == length && strncasecmp(*at, names[k].name, length) == 0) {
            *out = names[k].value;
            *at += length;
            return 1;
        }
    return 0;
}

int text_take_number(const char **at, double *out)
{
    const char *c = text_skip_blanks(*at);
    const int negative = *c == '-';
    double value;
    c += *c == '-' || *c == '+';
    if (!take_digits(&c, &value) && !take_name(&c, &value))
        return 0;
    if (!text_word_ends(c))
        return 0;
    *out = negative ? -value : value;
    *at = c;
    return 1;
}

int text_take_whole(const char **at, int64_t *out)
{
    const char *c = text_skip_blanks(*at);
    const int negative = *c == '-';
    int64_t value = 0;
    c += *c == '-' || *c == '+';
    if (!is_digit(*c))
        return 0;
    for (; is_digit(*c); c++)
        if (value <= TEXT_WHOLE_MOST / 10)
            value = value * 10 + (*c - '0');
        else
            value = 2 * TEXT_WHOLE_MOST;
    *out = negative ? -value : value;
    *at = c;
    return 1;
}

struct text_whole text_whole_at(const char *at)
{
    enum { SHOWN = 40 };
    const char *begin = text_skip_blanks(at), *end = begin + (*begin == '-' || *begin == '+');
    struct text_whole whole;
    while (is_digit(*end))
        end++;
    snprintf(whole.text, sizeof whole.text, "%.*s%s",
             end - begin < SHOWN ? (int)(end - begin) : SHOWN, begin,
             end - begin > SHOWN ? "..." : "");
    return whole;
}

yoke_status text_not_this(const struct text_file *from, const char *at, const char *what)
{
    const char *word;
    const size_t length = text_take_word(&at, &word);
    if (length == 0)
        return text_file_fail(from, YOKE_EINVAL, "the line ends, but %s belongs here", what);
    return text_file_fail(from, YOKE_EINVAL, "'%.*s' is not %s", length < 40 ? (int)length : 40,
                          word, what);
}

yoke_status text_number(const struct text_file *from, const char **at, const char *what,
                        double *out)
{
    return text_take_number(at, out) ? YOKE_OK : text_not_this(from, *at, what);
}
