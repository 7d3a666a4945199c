/* step.c - reads a step from its text. See step.h for the grammar. */
#include "step.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../base/status.h"

struct reader {
    const char *text, *at;
    struct yk_step *step;
};

static const char *const modes[] = { "in", "whole", "inout", "out", "sum" };

static yoke_status expected(const struct reader *reader, const char *what)
{
    return yk_fail(YOKE_EINVAL, "step, character %d ('%.20s'): %s is expected",
                   (int)(reader->at - reader->text) + 1, reader->at, what);
}

static void skip_space(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
}

/* Whether the next character is `one`, which is then read. */
static int took(struct reader *reader, char one)
{
    skip_space(reader);
    if (*reader->at != one)
        return 0;
    reader->at++;
    return 1;
}

static yoke_status read_name(struct reader *reader, const char *what, char out[YK_STEP_NAME_MAX])
{
    size_t length = 0;
    skip_space(reader);
    while (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_')
        length++;
    if (length == 0 || isdigit((unsigned char)*reader->at))
        return expected(reader, what);
    if (length >= YK_STEP_NAME_MAX)
        return expected(reader, "a shorter name, of 31 characters at most,");
    memcpy(out, reader->at, length);
    out[length] = '\0';
    reader->at += length;
    return YOKE_OK;
}

/* A whole number of 1 .. 10^9. */
static yoke_status read_number(struct reader *reader, const char *what, int64_t *out)
{
    char *end;
    skip_space(reader);
    const long long value = isdigit((unsigned char)*reader->at) ? strtoll(reader->at, &end, 10) : 0;
    if (value < 1 || value > 1000000000)
        return expected(reader, what);
    reader->at = end;
    *out = value;
    return YOKE_OK;
}

static yoke_status read_mode(struct reader *reader, enum yk_step_mode *out)
{
    const char *const begin = reader->at;
    char word[YK_STEP_NAME_MAX];
    yoke_status status = read_name(reader, "in, whole, inout, out or sum", word);
    if (status != YOKE_OK)
        return status;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(word, modes[i]) == 0) {
            *out = (enum yk_step_mode)i;
            return YOKE_OK;
        }
    reader->at = begin;
    skip_space(reader);
    return expected(reader, "in, whole, inout, out or sum");
}

/* Sets *out to the array of the next name, which may be a new one. */
static yoke_status read_array(struct reader *reader, int *out)
{
    struct yk_step *step = reader->step;
    char name[YK_STEP_NAME_MAX];
    yoke_status status = read_name(reader, "an array's name", name);
    if (status != YOKE_OK)
        return status;
    int array = 0;
    while (array < step->array_count && strcmp(step->arrays[array].name, name) != 0)
        array++;
    if (array == YK_STEP_ARRAYS)
        return expected(reader, "an array that was named before (there may be 16)");
    if (array == step->array_count) {
        memcpy(step->arrays[array].name, name, sizeof name);
        step->array_count++;
    }
    *out = array;
    return YOKE_OK;
}

static yoke_status read_bytes(struct reader *reader, struct yk_step_array *array)
{
    int64_t bytes = 0;
    yoke_status status = read_number(reader, "bytes of a row, 1 to 10^9,", &bytes);
    if (status == YOKE_OK && array->bytes && array->bytes != bytes)
        return expected(reader, "the number of bytes that the array had before");
    if (status == YOKE_OK)
        array->bytes = bytes;
    return status;
}

static yoke_status read_arg(struct reader *reader, struct yk_step_arg *arg)
{
    *arg = (struct yk_step_arg){ .array = -1 };
    yoke_status status = read_mode(reader, &arg->mode);
    if (status != YOKE_OK || arg->mode == YK_STEP_SUM)
        return status;
    status = read_array(reader, &arg->array);
    if (status == YOKE_OK && took(reader, ':'))
        status = read_bytes(reader, &reader->step->arrays[arg->array]);
    if (status != YOKE_OK || !took(reader, '['))
        return status;
    if (arg->mode != YK_STEP_IN)
        return expected(reader, "no halo: only 'in' has one");
    status = read_number(reader, "a number of rows, 1 to 10^9,", &arg->halo);
    return status != YOKE_OK || took(reader, ']') ? status : expected(reader, "']'");
}

static int writes(enum yk_step_mode mode)
{
    return mode == YK_STEP_INOUT || mode == YK_STEP_OUT;
}

/* One array cannot be read by other indexes than the one that writes it, nor written twice. */
static yoke_status check_arrays(const struct reader *reader, const struct yk_step_kernel *kernel)
{
    for (int a = 0; a < kernel->arg_count; a++)
        for (int b = 0; b < kernel->arg_count; b++)
            if (a != b && kernel->args[a].array >= 0 && writes(kernel->args[a].mode) &&
                kernel->args[a].array == kernel->args[b].array)
                return yk_fail(YOKE_EINVAL,
                               "step: %s has '%s' twice and writes it; name two arrays",
                               kernel->name, reader->step->arrays[kernel->args[a].array].name);
    return YOKE_OK;
}

/* The arguments up to the closing parenthesis. */
static yoke_status read_args(struct reader *reader, struct yk_step_kernel *kernel)
{
    do {
        const int number = kernel->arg_count;
        if (number == YK_STEP_ARGS)
            return expected(reader, "')' (a kernel has 8 arguments at most)");
        kernel->arg_count++;
        yoke_status status = read_arg(reader, &kernel->args[number]);
        if (status != YOKE_OK)
            return status;
        if (number > 0 && kernel->args[number].mode == YK_STEP_SUM)
            return expected(reader, "sum as the first argument");
    } while (took(reader, ','));
    return took(reader, ')') ? YOKE_OK : expected(reader, "',' or ')'");
}

/* What follows the kernel's name. */
static yoke_status read_kernel(struct reader *reader, struct yk_step_kernel *kernel)
{
    kernel->arg_count = 0;
    kernel->items = 1;
    if (!took(reader, '('))
        return expected(reader, "'('");
    yoke_status status = read_args(reader, kernel);
    if (status == YOKE_OK && took(reader, '*'))
        status = read_number(reader, "a number of items, 1 to 10^9,", &kernel->items);
    return status == YOKE_OK ? check_arrays(reader, kernel) : status;
}

static yoke_status read_action(struct reader *reader)
{
    struct yk_step *step = reader->step;
    struct yk_step_action *action = &step->actions[step->action_count];
    if (step->kernel_count == YK_STEP_KERNELS || step->action_count == YK_STEP_ACTIONS)
        return expected(reader, "the end (a step has 16 kernels and 32 actions at most)");
    struct yk_step_kernel *kernel = &step->kernels[step->kernel_count];
    yoke_status status = read_name(reader, "a kernel's name, read or write", kernel->name);
    if (status != YOKE_OK)
        return status;
    step->action_count++;
    skip_space(reader);
    action->doing = *reader->at == '('                   ? YK_STEP_RUNS
                    : strcmp(kernel->name, "read") == 0  ? YK_STEP_READS
                    : strcmp(kernel->name, "write") == 0 ? YK_STEP_WRITES
                                                         : YK_STEP_RUNS;
    if (action->doing != YK_STEP_RUNS)
        return read_array(reader, &action->of);
    action->of = step->kernel_count++;
    return read_kernel(reader, kernel);
}

yoke_status yk_step_parse(const char *text, struct yk_step *out)
{
    struct yk_step step = { .kernel_count = 0 };
    struct reader reader = { text, text, &step };
    do {
        yoke_status status = read_action(&reader);
        if (status != YOKE_OK)
            return status;
    } while (took(&reader, ';'));
    if (*reader.at || step.kernel_count == 0)
        return expected(&reader, *reader.at ? "';' or the end" : "a kernel");
    for (int a = 0; a < step.array_count; a++)
        if (!step.arrays[a].bytes)
            step.arrays[a].bytes = 8;
    *out = step;
    return YOKE_OK;
}
