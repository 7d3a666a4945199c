/* expression.c - the possible values of an index expression, as polynomials of the index. Reads C's
 * grammar as far as indexes need it: operators, casts, `?:`, locals that stand for their
 * initialisers, loads. Anything else that depends on i is unknown.
 */
#include <stdlib.h>
#include <string.h>

#include "body.h"

enum { DEPTH_MOST = 24 }; /* nesting of brackets and of locals that stand for their initialisers */

struct reader {
    const struct yk_body *body;
    int at, last, depth;
};

static struct yk_forms read_binary(struct reader *reader, int least);
static struct yk_forms read_ternary(struct reader *reader);

static const struct yk_forms unknown = { 0 };

static struct yk_forms one(struct yk_polynomial form)
{
    return (struct yk_forms){ .count = 1, .form = { form } };
}

static int fewer_bits(int a, int b)
{
    return !a || (b && b < a) ? b : a;
}

static int next_is(const struct reader *reader, const char *word)
{
    return reader->at < reader->last && yk_token_is(&reader->body->tokens[reader->at], word);
}

static int any_has(const struct yk_forms *forms, int variable)
{
    for (int f = 0; f < forms->count; f++)
        if (yk_polynomial_has(&forms->form[f], variable))
            return 1;
    return 0;
}

/* What is made of both in an unknown way: only known not to depend on i. */
static struct yk_forms mixed(const struct yk_forms *a, const struct yk_forms *b)
{
    if (a->count != 1 || b->count != 1 || yk_polynomial_bends(&a->form[0]) ||
        yk_polynomial_bends(&b->form[0]))
        return unknown;
    int loaded = any_has(a, YK_VAR_LOADED) || any_has(b, YK_VAR_LOADED);
    return one(yk_polynomial_variable(loaded ? YK_VAR_LOADED : YK_VAR_INNER));
}

/* The result of an operator other than + - *. With a loaded operand it may be any value, and a
 * value that the reader does not know gives no known result. */
struct yk_forms yk_expression_operate(const struct yk_body *body, const struct yk_forms *a,
                                      const struct yk_token *sign, const struct yk_forms *b)
{
    struct yk_operation operation = { .a = a->form[0],
                                      .b = b->form[0],
                                      .unsigned_bits =
                                          fewer_bits(a->unsigned_bits, b->unsigned_bits) };
    struct yk_forms result;
    int variable;
    if (a->count != 1 || b->count != 1)
        return unknown;
    result = one(yk_polynomial_variable(YK_VAR_LOADED));
    result.unsigned_bits = operation.unsigned_bits;
    result.guard[0] = a->guard[0];
    yk_guard_join(&result.guard[0], &b->guard[0]);
    if (any_has(a, YK_VAR_LOADED) || any_has(b, YK_VAR_LOADED))
        return result;
    if (any_has(a, YK_VAR_INNER) || any_has(b, YK_VAR_INNER))
        return mixed(a, b);
    memcpy(operation.sign, sign->text, (size_t)sign->length);
    variable = yk_operations_add(&body->conditions->operations, &operation);
    if (variable < 0)
        return mixed(a, b);
    result.form[0] = yk_polynomial_variable(variable);
    return result;
}

static struct yk_forms combined(const struct yk_forms *a, const struct yk_forms *b, char sign)
{
    struct yk_forms out = { .unsigned_bits = fewer_bits(a->unsigned_bits, b->unsigned_bits) };
    for (int s = 0; s < a->count; s++)
        for (int t = 0; t < b->count; t++) {
            if (out.count == YK_FORMS_MOST)
                return unknown;
            out.guard[out.count] = a->guard[s];
            yk_guard_join(&out.guard[out.count], &b->guard[t]);
            struct yk_polynomial *to = &out.form[out.count++];
            int fine = sign == '*'
                           ? yk_polynomial_multiply(&a->form[s], &b->form[t], to)
                           : yk_polynomial_add(&a->form[s], &b->form[t], sign == '-' ? -1 : 1, to);
            if (!fine)
                return unknown;
        }
    return out;
}

static struct yk_forms read_number(const struct yk_token *token)
{
    struct yk_forms forms;
    char *end;
    char text[32];
    if (token->length >= (int)sizeof text)
        return unknown;
    memcpy(text, token->text, (size_t)token->length);
    text[token->length] = 0;
    unsigned long long number = strtoull(text, &end, 0);
    if (number > INT64_MAX)
        return unknown;
    if (strspn(end, "uUlL") !=
        strlen(end)) /* a number with a point is no index, and depends on nothing */
        return one(yk_polynomial_variable(YK_VAR_INNER));
    forms = one(yk_polynomial_number((int64_t)number));
    forms.unsigned_bits = strpbrk(end, "uU") ? 32 : 0;
    return forms;
}

static int is_integer_type(const char *type)
{
    static const char *const types[] = { "int64_t", "int32_t", "uint32_t", "int", "unsigned" };
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (strcmp(type, types[t]) == 0)
            return 1;
    return 0;
}

static struct yk_forms read_start(const struct reader *reader, const struct yk_local *local)
{
    struct reader inner = { reader->body, local->first, local->last, reader->depth + 1 };
    const struct yk_forms forms = read_ternary(&inner);
    return inner.at == inner.last ? forms : unknown;
}

/* The value of a counter in the last iteration; unknown if an array holds it, because how far such
 * a loop goes is not in the text. */
static struct yk_forms read_end(const struct reader *reader, const struct yk_counter_end *end)
{
    struct reader inner = { reader->body, end->first, end->last, reader->depth + 1 };
    const struct yk_forms bound = read_binary(&inner, 1);
    const struct yk_forms beyond = one(yk_polynomial_number(end->beyond));
    if (inner.at < inner.last || any_has(&bound, YK_VAR_LOADED) || any_has(&bound, YK_VAR_INNER))
        return unknown;
    return combined(&bound, &beyond, '+');
}

static struct yk_forms read_local(const struct reader *reader, const struct yk_token *name)
{
    const struct yk_local *local = yk_local_at(reader->body, (int)(name - reader->body->tokens));
    if (!local || reader->depth >= DEPTH_MOST ||
        reader->body->conditions->readings++ >= YK_READINGS_MOST)
        return unknown;
    struct yk_forms forms = reader->body->at_end >> (local - reader->body->locals) & 1
                                ? read_end(reader, &local->end)
                                : read_start(reader, local);
    forms.unsigned_bits = fewer_bits(forms.unsigned_bits, local->unsigned_bits);
    return forms;
}

static struct yk_forms read_name(const struct reader *reader, const struct yk_token *name)
{
    const struct yk_body *body = reader->body;
    const int dimensions = body->kernel->dimensions > 1 ? body->kernel->dimensions : 1;
    for (int d = 0; d < dimensions; d++)
        if (body->index[d].length == name->length &&
            memcmp(body->index[d].text, name->text, (size_t)name->length) == 0)
            return one(yk_polynomial_variable(YK_VAR_I + d));
    if (yk_token_is(name, "yk_size2"))
        return one(yk_polynomial_variable(YK_VAR_SIZE2));
    if (yk_token_is(name, "yk_size3"))
        return one(yk_polynomial_variable(YK_VAR_SIZE3));
    int p = yk_body_parameter(body, name);
    if (p < 0)
        return read_local(reader, name);
    if (body->kernel->params[p].mode != YOKE_PARAM_VALUE || body->changed >> p & 1)
        return unknown; /* a pointer */
    if (!is_integer_type(body->kernel->params[p].type))
        return one(yk_polynomial_variable(YK_VAR_INNER));
    body->conditions->values |= UINT32_C(1) << p;
    struct yk_forms forms = one(yk_polynomial_variable(YK_VAR_VALUE + p));
    forms.unsigned_bits = *body->kernel->params[p].type == 'u' ? 32 : 0;
    return forms;
}

/* From '(' on: f(a, b) mixes its arguments. */
static struct yk_forms read_call(struct reader *reader)
{
    const int end = yk_body_close_of(reader->body, reader->at);
    struct yk_forms all = one(yk_polynomial_variable(YK_VAR_INNER));
    reader->at++;
    while (reader->at < end - 1) {
        struct yk_forms argument = read_ternary(reader);
        all = mixed(&all, &argument);
        if (!all.count || !(next_is(reader, ",") || reader->at == end - 1))
            break;
        reader->at += next_is(reader, ",");
    }
    if (reader->at != end - 1)
        all = unknown;
    reader->at = end;
    return all;
}

/* Reads what follows a name: [ ] and members load, ( ) calls. */
static struct yk_forms read_suffixes(struct reader *reader, const struct yk_token *name)
{
    struct yk_forms forms = unknown;
    const struct yk_body *body = reader->body;
    int p = yk_body_parameter(body, name);
    if (next_is(reader, "("))
        forms = read_call(reader);
    else if (next_is(reader, "[")) {
        forms = one(yk_polynomial_variable(YK_VAR_LOADED));
        reader->at = yk_body_close_of(body, reader->at);
    } else if (!next_is(reader, ".") || p < 0 || body->kernel->params[p].mode != YOKE_PARAM_VALUE)
        forms = read_name(reader, name);
    else
        forms = one(yk_polynomial_variable(YK_VAR_INNER));
    for (;;) {
        if (next_is(reader, "."))
            reader->at += 2;
        else if (next_is(reader, "["))
            reader->at = yk_body_close_of(body, reader->at);
        else if (next_is(reader, "->") || next_is(reader, "++") || next_is(reader, "--"))
            return unknown;
        else
            return forms;
    }
}

/* Whether the bracket is a cast: it has only names of types. */
static int is_cast(const struct reader *reader)
{
    static const char *const words[] = { "const",    "int",      "long",    "short",    "unsigned",
                                         "char",     "float",    "double",  "int8_t",   "uint8_t",
                                         "int16_t",  "uint16_t", "int32_t", "uint32_t", "int64_t",
                                         "uint64_t", "size_t" };
    int at = reader->at + 1;
    for (; at < reader->last && !yk_token_is(&reader->body->tokens[at], ")"); at++) {
        size_t w = 0;
        while (w < sizeof words / sizeof *words &&
               !yk_token_is(&reader->body->tokens[at], words[w]))
            w++;
        if (w == sizeof words / sizeof *words)
            return 0;
    }
    return at > reader->at + 1;
}

static struct yk_forms read_unary(struct reader *reader)
{
    struct yk_forms zero = one(yk_polynomial_number(0)), forms;
    if (reader->at >= reader->last || reader->depth >= DEPTH_MOST)
        return unknown;
    const struct yk_token *token = &reader->body->tokens[reader->at];
    if (yk_token_is(token, "(") && is_cast(reader)) {
        const int end = yk_body_close_of(reader->body, reader->at);
        int narrows = 0, bits = 0;
        for (; reader->at < end; reader->at++) {
            narrows |= yk_token_is_inexact(&reader->body->tokens[reader->at]);
            bits = fewer_bits(bits, yk_token_unsigned_bits(&reader->body->tokens[reader->at]));
        }
        forms = read_unary(reader);
        forms.unsigned_bits = fewer_bits(forms.unsigned_bits, bits);
        return narrows ? mixed(&forms, &zero) : forms;
    }
    reader->at++;
    if (yk_token_is(token, "(")) {
        reader->depth++;
        forms = read_ternary(reader);
        reader->depth--;
        if (!next_is(reader, ")"))
            return unknown;
        reader->at++;
        return forms;
    }
    if (yk_token_is(token, "-") || yk_token_is(token, "+")) {
        forms = read_unary(reader);
        return combined(&zero, &forms, *token->text);
    }
    if (yk_token_is(token, "!") || yk_token_is(token, "~")) {
        forms = read_unary(reader);
        return yk_expression_operate(reader->body, &forms, token, &zero);
    }
    if (token->kind == YK_TOKEN_NUMBER)
        return read_number(token);
    return token->kind == YK_TOKEN_NAME ? read_suffixes(reader, token) : unknown;
}

/* Rank of a binary operator of C; 0: it is none. */
static int rank_of(const struct reader *reader)
{
    static const struct {
        const char *sign;
        int rank;
    } ranks[] = { { "*", 10 }, { "/", 10 }, { "%", 10 }, { "+", 9 },  { "-", 9 },  { "<<", 8 },
                  { ">>", 8 }, { "<", 7 },  { ">", 7 },  { "<=", 7 }, { ">=", 7 }, { "==", 6 },
                  { "!=", 6 }, { "&", 5 },  { "^", 4 },  { "|", 3 },  { "&&", 2 }, { "||", 1 } };
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
        if (next_is(reader, ranks[r].sign))
            return ranks[r].rank;
    return 0;
}

static struct yk_forms read_binary(struct reader *reader, int least)
{
    struct yk_forms left = read_unary(reader);
    for (int rank = rank_of(reader); rank >= least && rank > 0; rank = rank_of(reader)) {
        const struct yk_token *sign = &reader->body->tokens[reader->at++];
        struct yk_forms right = read_binary(reader, rank + 1);
        if (yk_token_is(sign, "+") || yk_token_is(sign, "-") || yk_token_is(sign, "*"))
            left = combined(&left, &right, *sign->text);
        else
            left = yk_expression_operate(reader->body, &left, sign, &right);
    }
    return left;
}

static struct yk_forms read_ternary(struct reader *reader)
{
    const int first = reader->at;
    struct yk_forms forms = read_binary(reader, 1), other;
    struct yk_guard yes = { 0 }, no = { 0 };
    if (!next_is(reader, "?"))
        return forms;
    if (++reader->depth > DEPTH_MOST)
        return unknown;
    yk_guard_add(reader->body, (struct yk_token_span){ first, reader->at }, 1, &yes);
    yk_guard_add(reader->body, (struct yk_token_span){ first, reader->at }, 0, &no);
    reader->at++;
    forms = read_ternary(reader);
    for (int f = 0; f < forms.count; f++)
        yk_guard_join(&forms.guard[f], &yes);
    if (!next_is(reader, ":"))
        return unknown;
    reader->at++;
    other = read_ternary(reader);
    forms.unsigned_bits = fewer_bits(forms.unsigned_bits, other.unsigned_bits);
    for (int f = 0; f < other.count; f++) {
        if (forms.count == YK_FORMS_MOST)
            return unknown;
        forms.guard[forms.count] = other.guard[f];
        yk_guard_join(&forms.guard[forms.count], &no);
        forms.form[forms.count++] = other.form[f];
    }
    reader->depth--;
    return forms; /* if one alternative is unknown, the other is still used */
}

struct yk_forms yk_expression_read(const struct yk_body *body, int first, int last)
{
    struct reader reader = { body, first, last, 0 };
    struct yk_forms forms = read_ternary(&reader);
    return reader.at == last ? forms : unknown;
}
