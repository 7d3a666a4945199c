/* prelude.c - the device languages' preludes, embedded, and the size checks of shared types.
 *
 * If host and device lay out a struct differently, results are silently wrong. An array type of
 * size -1 makes that a compile error. Checking sizes is enough: all known differences between
 * layouts of fixed-width members are in padding, which changes the size.
 */
#include "prelude.h"

#include <stdio.h>

#include "../access/alone.h"
#include "../base/alloc.h"
#include "prelude_cuda.inc"
#include "prelude_opencl.inc"

const char *yk_prelude_opencl(void)
{
    return prelude_opencl;
}

const char *yk_prelude_cuda(void)
{
    return prelude_cuda;
}

/* Lanes of a step kernel have different items and rarely add to one element together. So its sums
 * are not folded over warps, nor are those in functions that its body calls: at each sum the fold
 * would cost some 100 instructions, and more registers. */
static const char *settings(const yoke_kernel *kernel)
{
    return kernel->kind == YOKE_KERNEL_STEP ? "#define YK_FOLDS 0\n" : "";
}

/* Of two entries only the one for 32-bit indexes gathers sums (yoke/kernel_gather_cuda.h). Its text
 * says how many a thread keeps. */
static const char *const gathers = "\n#undef YK_GATHERS\n#define YK_GATHERS 1\n"
                                   "#undef YK_SUMS\n#define YK_SUMS(n) YK_SUMS_##n\n";

/* Returns what the p-th check is about: a parameter, or after the last one a step kernel's item.
 * NULL for -1, the heading. */
static const yoke_param *subject(const yoke_kernel *kernel, int p, yoke_param *item)
{
    if (p < kernel->param_count)
        return p < 0 ? NULL : &kernel->params[p];
    *item =
        (yoke_param){ .type = kernel->step.type, .name = "its_item", .size = kernel->step.size };
    return item;
}

/* Like snprintf(text, size, ...) for all checks: returns the length of the whole text. */
static size_t checks_print(const yoke_kernel *kernel, char *text, size_t size)
{
    const int count = kernel->param_count + (kernel->kind == YOKE_KERNEL_STEP);
    size_t used = 0;
    for (int p = -1; p < count; p++) {
        yoke_param item;
        const yoke_param *param = subject(kernel, p, &item);
        char *at = used < size ? text + used : NULL;
        size_t room = used < size ? size - used : 0;
        int length =
            !param ? snprintf(at, room, "\n#line 1 \"sizes of %s's parameters\"\n", kernel->name)
                   : snprintf(at, room,
                              "typedef char yk_size_differs_from_the_host_%s_%s"
                              "[sizeof(%s) == %u ? 1 : -1];\n",
                              kernel->name, param->name, param->type, (unsigned)param->size);
        used += length > 0 ? (size_t)length : 0;
    }
    return used;
}

char *yk_prelude_checks(const yoke_kernel *kernel)
{
    size_t length = checks_print(kernel, NULL, 0);
    char *text = yk_calloc(length + 1, 1);
    if (text)
        checks_print(kernel, text, length + 1);
    return text;
}

char *yk_prelude_source(const yoke_kernel *kernel, const struct yk_source_parts *parts)
{
    const int by_hand = parts->text->entry != NULL;
    char *text = by_hand ? NULL : yk_alone_text(parts->text->text, kernel->name);
    char *last = by_hand ? NULL : yk_prelude_checks(kernel);
    const char *const texts[] = { parts->head,
                                  by_hand ? "" : settings(kernel),
                                  parts->narrow ? "#define YK_GATHERS 0\n" : "",
                                  parts->spreads ? "#define YK_SPREADS\n" : "",
                                  by_hand ? "" : parts->prelude,
                                  by_hand ? parts->text->text : text,
                                  parts->narrow ? gathers : "",
                                  parts->narrow ? parts->narrow : "",
                                  by_hand ? "" : last };
    char *source = by_hand || (text && last) ? yk_join(texts, sizeof texts / sizeof *texts) : NULL;
    yk_free(text);
    yk_free(last);
    return source;
}
