/* narrow.h - a second entry of a made range kernel, whose body computes indexes in 32 bits.
 *
 * GPUs compute in 64 bits at a fraction of their speed: bodies with many indexes took up to 1.6
 * times as long as with int (docs/results/kernels-h200.md). So the body is written again: i, j, k,
 * the sizes, values and locals of type int64_t that are never changed, and loops' counters become
 * int32_t, and what is computed of them alone stays in 32 bits. Where such a number meets another
 * one it is made an int64_t first, and the meaning is what it was. Each narrowed operation has its
 * bounds (bounds.h), which say for the sizes of a launch whether none leaves 32 bits; if one may,
 * the first entry does the work. What the reader does not understand keeps a kernel from a second
 * entry, never from being right. Pure.
 *
 * Not for group and step kernels, whose bodies see few indexes, for kernels that reduce, whose
 * entries have loops of their own, and not for kernels by hand.
 */
#ifndef YK_ACCESS_NARROW_H
#define YK_ACCESS_NARROW_H

#include "bounds.h"

struct yk_narrow {
    char *text; /* to stand behind the kernel's text: yk_body32_NAME, and yoke_entry32_NAME with the
                   parameters of yoke_entry_NAME. NULL: there is no second entry */
    struct yk_bounds_list bounds; /* the entry is right where they hold */
};

/* From the kernel's text for one language. Without a second entry, also for want of memory, `out`
 * is all 0. A kernel gets one only if an operation on two indexes, or a loop's counter, becomes
 * cheaper: saxpy's x[i] would gain nothing, and a sum of an index and a constant becomes part of an
 * address. */
void yk_narrow_open(const yoke_kernel *kernel, const char *text, struct yk_narrow *out);
void yk_narrow_close(struct yk_narrow *narrow);

#endif
