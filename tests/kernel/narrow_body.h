/* narrow_body.h - random bodies of range kernels of two dimensions, in the form of flattened texts,
 * for tests of their conversion to 32-bit indexes. Not thread-safe.
 *
 * They read n, m and 16 elements each of a, b, c and d, and write 8 of y. Divisors are not 0, and
 * arithmetic in int does not overflow. */
#ifndef NARROW_BODY_H
#define NARROW_BODY_H

#include <stdint.h>
#include <yoke/kernel_type.h>

enum { NARROW_BODY_PARAMS = 7, NARROW_BODY_READ = 16, NARROW_BODY_WRITTEN = 8 };
extern const yoke_param narrow_body_params[NARROW_BODY_PARAMS];

/* Factors of indexes, which have 33 bits, have at most `bits`. */
void narrow_body_begin(uint64_t seed, int bits);
uint32_t narrow_body_below(uint32_t count); /* random */
/* The text of kernel k<number>; valid until the next call. `entry` is the text of its entry, in
 * which two %d stand for the number. */
const char *narrow_body_write(int number, const char *entry);

#endif
