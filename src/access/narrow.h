/* narrow.h - a second entry of a made range kernel, whose body computes indexes in 32 bits.
 *
 * GPUs compute in 64 bits at a fraction of their speed: bodies with many indexes took up to 1.6
 * times as long as with int (docs/results/kernels-h200.md). So the body is rewritten: i, j, k, the
 * sizes, values and locals of type int64_t that are never changed, and loop counters become
 * int32_t, and operations on them alone are done in 32 bits. Where such a number meets another one,
 * it is first converted to int64_t, so the meaning does not change. Each narrowed operation has its
 * bounds (bounds.h), which tell for the sizes of a launch whether any exceeds 32 bits; if one may,
 * the first entry is used. If the reader does not understand something, the kernel gets no second
 * entry, so no second entry is wrong. Pure.
 *
 * Not for group and step kernels, whose bodies have few indexes; for kernels that reduce, whose
 * entries have their own loops; or for handwritten kernels.
 */
#ifndef YK_ACCESS_NARROW_H
#define YK_ACCESS_NARROW_H

#include "bounds.h"

struct yk_narrow {
    char *text; /* to append to the kernel's text: yk_body32_NAME, and yoke_entry32_NAME with the
                 * parameters of yoke_entry_NAME. NULL: there is no second entry */
    struct yk_bounds_list bounds; /* the entry is right if they hold */
    int keeps_sums; /* 1: each thread of the entry keeps all its sums (narrow_sums.c) */
};

/* Made from the kernel's text for one language. If there is no second entry, or no memory, `out` is
 * all 0. A kernel gets one only if an operation on two indexes, or a loop's counter, becomes
 * cheaper, or if its threads can keep sums: saxpy's x[i] would gain nothing, and a sum of an index
 * and a constant becomes part of an address. */
void yk_narrow_open(const yoke_kernel *kernel, const char *text, struct yk_narrow *out);
void yk_narrow_close(struct yk_narrow *narrow);

#endif
