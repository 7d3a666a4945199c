/* sparse_fields.c - formats and numbers as the FORTRAN standard defines them (Fortran 2018, 13.7.2
 * and 13.8.6). In a field without a decimal point, the last d digits are the fraction. A scale
 * factor kP divides a number without an exponent by 10^k. Blanks are ignored. An exponent may have
 * a D, or just its sign.
 */
#include "sparse_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text_words.h"
#include "sparse_build.h"

enum { WIDTH_MOST = 64, NESTED_MOST = 4, EXPONENT_MOST = 99999 /* beyond every double */ };

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes up to four digits. Returns 0 if there are none. */
static int take_digits(const char **at, int *out)
{
    const char *begin = *at;
    *out = 0;
    for (; is_digit(**at) && *at - begin < 4; (*at)++)
        *out = *out * 10 + (**at - '0');
    return *at > begin;
}

static int is_one_of(char c, const char *letters)
{
    return c != 0 && strchr(letters, c) != NULL;
}

static void skip_blanks(const char **at)
{
    while (**at == ' ' || **at == '\t')
        (*at)++;
}

/* A format while it is read. */
struct reader {
    const char *at;
    int scale, skip; /* in force; blank columns before the next field */
    struct sparse_format *to;
};

static int add(struct reader *reader, struct sparse_field field)
{
    if (reader->to->count == SPARSE_FIELDS_MOST || field.width < 1 || field.width >= WIDTH_MOST)
        return 0;
    field.skip = reader->skip;
    field.scale = reader->scale;
    reader->skip = 0;
    reader->to->fields[reader->to->count++] = field;
    return 1;
}

/* After the repeat count: Iw[.m], Fw.d, Ew.d[Ee], Dw.d, Gw.d[Ee], ENw.d, ESw.d. */
static int take_edit(struct reader *reader, int count)
{
    struct sparse_field field = { 0 };
    int digits, whole;
    if (!is_one_of(*reader->at, "IiEeDdFfGg"))
        return 0;
    whole = is_one_of(*reader->at, "Ii");
    if (is_one_of(*reader->at, "Ee") && is_one_of(reader->at[1], "NnSs"))
        reader->at++;
    reader->at++;
    if (!take_digits(&reader->at, &field.width))
        return 0;
    if (*reader->at == '.') {
        reader->at++;
        if (!take_digits(&reader->at, &digits))
            return 0;
        field.decimals = whole ? 0 : digits;
    }
    if (is_one_of(*reader->at, "Ee") && is_digit(reader->at[1])) {
        reader->at++;
        take_digits(&reader->at, &digits);
    }
    while (count-- > 0)
        if (!add(reader, field))
            return 0;
    return 1;
}

static int take_list(struct reader *reader, int depth);

/* r(...): repeats the fields in the parentheses r times. A scale factor in them stays in force. */
static int take_group(struct reader *reader, int count, int depth)
{
    const char *begin = ++reader->at;
    for (int turn = 0; turn < count; turn++) {
        reader->at = begin;
        if (!take_list(reader, depth + 1))
            return 0;
    }
    return count > 0;
}

/* After the repeat count: blank columns, a group, or a field's form. */
static int take_repeated(struct reader *reader, int count, int depth)
{
    if (count < 1)
        return 0;
    if (is_one_of(*reader->at, "Xx")) {
        reader->at++;
        reader->skip += count;
        return reader->skip < 4 * WIDTH_MOST;
    }
    if (*reader->at == '(')
        return depth < NESTED_MOST && take_group(reader, count, depth);
    return take_edit(reader, count);
}

static int take_item(struct reader *reader, int depth)
{
    int number, sign = 1, has_number;
    if (*reader->at == '-' || *reader->at == '+')
        sign = *reader->at++ == '-' ? -1 : 1;
    has_number = take_digits(&reader->at, &number);
    if (has_number && is_one_of(*reader->at, "Pp")) {
        reader->at++;
        reader->scale = sign * number;
        skip_blanks(&reader->at);
        return *reader->at == ',' || *reader->at == ')' || take_item(reader, depth);
    }
    return sign > 0 && take_repeated(reader, has_number ? number : 1, depth);
}

/* Up to and including the closing parenthesis. */
static int take_list(struct reader *reader, int depth)
{
    for (;;) {
        skip_blanks(&reader->at);
        if (!take_item(reader, depth))
            return 0;
        skip_blanks(&reader->at);
        if (*reader->at == ')') {
            reader->at++;
            return 1;
        }
        if (*reader->at++ != ',')
            return 0;
    }
}

yoke_status sparse_take_format(const struct text_file *from, const char **at,
                               struct sparse_format *out)
{
    struct reader reader = { .to = out };
    *at = text_skip_blanks(*at);
    reader.at = *at + 1;
    out->count = 0;
    if (**at != '(' || !take_list(&reader, 0) || out->count == 0)
        return text_not_this(from, *at, "a FORTRAN format such as (16I5) or (1P,4E20.12)");
    *at = reader.at;
    return YOKE_OK;
}

/* The next field: its characters, with a 0 at the end, and how to read them. */
static yoke_status next_field(struct sparse_fields *fields, const char *what, char *out,
                              const struct sparse_field **how)
{
    size_t length;
    if (!fields->line || fields->at == fields->format->count) {
        yoke_status status = text_file_line(fields->from, &fields->line);
        if (status != YOKE_OK)
            return status;
        fields->at = 0;
    }
    if (!fields->line)
        return text_file_fail(fields->from, YOKE_EINVAL,
                              "the file ends, but %s belongs here; is it complete?", what);
    *how = &fields->format->fields[fields->at++];
    fields->line += strnlen(fields->line, (size_t)(*how)->skip);
    length = strnlen(fields->line, (size_t)(*how)->width);
    memcpy(out, fields->line, length);
    out[length] = 0;
    fields->line += length;
    return YOKE_OK;
}

yoke_status sparse_next_whole(struct sparse_fields *fields, const char *what, int64_t *out)
{
    char field[WIDTH_MOST];
    const char *at = field;
    const struct sparse_field *how;
    yoke_status status = next_field(fields, what, field, &how);
    if (status != YOKE_OK)
        return status;
    if (!text_take_whole(&at, out) || !text_at_end(&at) || *out > TEXT_WHOLE_MOST ||
        *out < -TEXT_WHOLE_MOST)
        return text_not_this(fields->from, field, what);
    return YOKE_OK;
}

/* Reads an exponent, and copies its digits to `digits`, which has WIDTH_MOST bytes. Returns 0 if it
 * is none. */
static int read_exponent(const char *at, char *digits, long *out)
{
    char *end, *to = digits;
    for (at += is_one_of(*at, "DdEeQq"); *at; at++)
        if (*at != ' ')
            *to++ = *at;
    *to = 0;
    *out = strtol(digits, &end, 10);
    if (*out > EXPONENT_MOST)
        *out = EXPONENT_MOST;
    if (*out < -EXPONENT_MOST)
        *out = -EXPONENT_MOST;
    return end != digits && !*end;
}

/* Writes a field without its blanks as a C number. The implied point, the scale factor and a
 * FORTRAN exponent become one exponent. */
static void rewrite(const char *field, const struct sparse_field *how, char *out, size_t room)
{
    char mantissa[WIDTH_MOST];
    int length = 0, has_point = 0;
    long exponent = 0;
    const char *c = field;
    for (; *c; c++) {
        if (*c == ' ')
            continue;
        if (length > 0 && (strchr("DdEeQq", *c) || *c == '-' || *c == '+'))
            break;
        has_point |= *c == '.';
        mantissa[length++] = *c;
    }
    mantissa[length] = 0;
    if (mantissa[strspn(mantissa, "0123456789.+-")]) { /* no number: the caller refuses it */
        snprintf(out, room, "%s", field);
        return;
    }
    if (length == 0) {
        snprintf(out, room, "0"); /* a blank field */
        return;
    }
    if (!*c) {
        exponent = -how->scale;
    } else {
        char digits[WIDTH_MOST];
        if (!read_exponent(c, digits, &exponent)) { /* the caller refuses it */
            snprintf(out, room, "%se%s", mantissa, digits);
            return;
        }
    }
    if (!has_point)
        exponent -= how->decimals;
    snprintf(out, room, "%se%ld", mantissa, exponent);
}

yoke_status sparse_next_value(struct sparse_fields *fields, double *out)
{
    char field[WIDTH_MOST], number[3 * WIDTH_MOST];
    const char *at = number;
    const struct sparse_field *how;
    yoke_status status = next_field(fields, "a value", field, &how);
    if (status != YOKE_OK)
        return status;
    rewrite(field, how, number, sizeof number);
    status = sparse_take_value(fields->from, &at, out);
    return status == YOKE_OK ? sparse_take_end(fields->from, &at) : status;
}
