/* access.h - which elements of its arrays a made kernel touches, as far as its text tells.
 *
 * The text that a kernel carries for devices holds its body. Each `x[...]` there is read as a
 * polynomial of the index i: stride * i + rest. So a job whose arrays cannot be right on devices
 * with memory of their own is refused when it is submitted, wherever it runs. What cannot be told
 * is left out: the list only says what is certain. Pure.
 *
 * Kernels by hand, group and step kernels and kernels without texts have empty lists: their bodies
 * deal with several indexes.
 */
#ifndef YK_ACCESS_ACCESS_H
#define YK_ACCESS_ACCESS_H

#include "condition.h"

struct yk_touch { /* one index expression */
    int parameter;
    struct yk_polynomial stride, rest;
    struct yk_guard guard; /* under which it is touched; never unsure */
    int line;              /* in kernel->file */
    const char *text;      /* as the text has it; lives as long as that */
    int length;
};

struct yk_access {
    int wrong_add_line[YOKE_ARGS_MAX]; /* mode add: where it is changed without yoke_add; 0: nowhere
                                        */
    struct yk_touch *touches;          /* all different */
    int count;
    struct yk_condition *conditions; /* that guards name by number */
};

/* Never fails: what cannot be read, or finds no memory, is left out. */
void yk_access_open(const yoke_kernel *kernel, struct yk_access *out);
void yk_access_close(struct yk_access *access);

#endif
