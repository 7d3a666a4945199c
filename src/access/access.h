/* access.h - which elements of its arrays a made kernel touches, as far as its text shows.
 *
 * The text that a kernel carries for devices contains its body. Each `x[...]` in it is read as a
 * polynomial of the index i: stride * i + rest, in which results of other operators are variables.
 * So a job that touches elements which devices with their own memory would not have is refused when
 * it is submitted, wherever it would run. The list has only what is certain. Pure.
 *
 * Handwritten kernels, group and step kernels and kernels without texts have empty lists: their
 * bodies handle several indexes.
 */
#ifndef YK_ACCESS_ACCESS_H
#define YK_ACCESS_ACCESS_H

#include "condition.h"

struct yk_touch { /* one index expression */
    int parameter;
    struct yk_polynomial stride, rest;
    struct yk_guard guard; /* the guard under which it is touched; never unsure */
    int writes;            /* 1: the element is changed; 0: it is read, or passed to a function */
    int alters; /* bit d: what is written there depends on the index of dimension d, or on what was
                 * there: two indexes that touch the same element race */
    int line;   /* in kernel->file */
    const char *text; /* as written in the text; lives as long as the text */
    int length;
};

struct yk_access {
    int wrong_add_line[YOKE_ARGS_MAX]; /* mode add: line where the array is changed without
                                        * yoke_add; 0: none
                                        */
    struct yk_touch *touches;          /* all different */
    int count;
    struct yk_condition *conditions; /* that guards refer to by number */
    struct yk_operation *operations; /* whose results polynomials have as variables */
    int operation_count;
    uint32_t values; /* bit p: some polynomial may have the value of parameter p */
};

/* Never fails: what cannot be read, or gets no memory, is left out. */
void yk_access_open(const yoke_kernel *kernel, struct yk_access *out);
void yk_access_close(struct yk_access *access);

#endif
