/* sparse_fields.c - a field is copied, with what only FORTRAN writes put into other words: D for
 * an exponent's E, and an exponent's sign without a letter before it.
 */
#include "sparse_fields.h"

#include <math.h>
#include <string.h>

#include "../text_words.h"
#include "sparse_build.h"

enum { WIDTH_MOST = 64 };

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Up to four digits; 0 if there are none. */
static int take_digits(const char **at, int *out)
{
    const char *begin = *at;
    *out = 0;
    for (; is_digit(**at) && *at - begin < 4; (*at)++)
        *out = *out * 10 + (**at - '0');
    return *at > begin;
}

static int take_format(const char **at, struct sparse_format *out)
{
    const char *c = *at;
    int number, digits;
    *out = (struct sparse_format){ .count = 1 };
    if (*c++ != '(')
        return 0;
    digits = take_digits(&c, &number);
    if (digits && (*c == 'P' || *c == 'p')) {
        out->scale = number;
        c++;
        c += *c == ',';
        digits = take_digits(&c, &number);
    }
    if (digits)
        out->count = number;
    if (*c == 0 || !strchr("IiEeDdFfGg", *c))
        return 0;
    c++;
    if (!take_digits(&c, &out->width))
        return 0;
    if (*c == '.') {
        c++;
        if (!take_digits(&c, &number))
            return 0;
    }
    if ((*c == 'E' || *c == 'e') && is_digit(c[1])) {
        c++;
        take_digits(&c, &number);
    }
    if (*c != ')' || out->count < 1 || out->width < 1 || out->width >= WIDTH_MOST)
        return 0;
    *at = c + 1;
    return 1;
}

yoke_status sparse_take_format(const struct text_file *from, const char **at,
                               struct sparse_format *out)
{
    *at = text_skip_blanks(*at);
    if (!take_format(at, out))
        return text_not_this(from, *at, "a format such as (16I5) or (1P,4E20.12)");
    return YOKE_OK;
}

/* The next field's characters, with a 0 behind them. */
static yoke_status next_field(struct sparse_fields *fields, const char *what, char *out)
{
    const struct sparse_format *format = fields->format;
    size_t length;
    if (!fields->line || fields->at == format->count) {
        yoke_status status = text_file_line(fields->from, &fields->line);
        if (status != YOKE_OK)
            return status;
        fields->at = 0;
    }
    if (!fields->line)
        return text_file_fail(fields->from, YOKE_EINVAL,
                              "the file ends, but %s belongs here; is it complete?", what);
    length = strnlen(fields->line, (size_t)format->width);
    memcpy(out, fields->line, length);
    out[length] = 0;
    fields->line += length;
    fields->at++;
    return YOKE_OK;
}

yoke_status sparse_next_whole(struct sparse_fields *fields, const char *what, int64_t *out)
{
    char field[WIDTH_MOST];
    const char *at = field;
    yoke_status status = next_field(fields, what, field);
    if (status != YOKE_OK)
        return status;
    if (!text_take_whole(&at, out) || !text_at_end(&at) || *out > TEXT_WHOLE_MOST ||
        *out < -TEXT_WHOLE_MOST)
        return text_not_this(fields->from, field, what);
    return YOKE_OK;
}

/* Whether there is an exponent, which then has its e. */
static int rewrite(const char *field, char *out)
{
    int has_exponent = 0;
    for (const char *c = field; *c; c++) {
        const int sign = (*c == '-' || *c == '+') && c > field && (is_digit(c[-1]) || c[-1] == '.');
        const int letter = *c == 'D' || *c == 'd' || *c == 'E' || *c == 'e';
        if (sign)
            *out++ = 'e';
        *out++ = letter ? 'e' : *c;
        has_exponent |= sign || letter;
    }
    *out = 0;
    return has_exponent;
}

yoke_status sparse_next_value(struct sparse_fields *fields, double *out)
{
    char field[WIDTH_MOST], number[2 * WIDTH_MOST];
    const char *at = number;
    int has_exponent;
    yoke_status status = next_field(fields, "a value", field);
    if (status != YOKE_OK)
        return status;
    has_exponent = rewrite(field, number);
    status = sparse_take_value(fields->from, &at, out);
    if (status == YOKE_OK)
        status = sparse_take_end(fields->from, &at);
    if (status == YOKE_OK && !has_exponent && fields->format->scale)
        *out /= pow(10, fields->format->scale);
    return status;
}
