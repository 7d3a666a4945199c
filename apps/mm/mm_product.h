/* mm_product.h - the matrices of one product, all by rows. */
#ifndef YOKE_APPS_MM_PRODUCT_H
#define YOKE_APPS_MM_PRODUCT_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/status.h>

struct mm_product {
    int64_t rows, inner, columns; /* C: rows x columns, A: rows x inner, B: inner x columns */
    int single;                   /* 1: float, otherwise double */
    uint64_t seed;
    void *a, *b, *c;
};

size_t mm_element_size(const struct mm_product *product);
/* Fills A and B with elements in [-1, 1), each determined by the seed and its index alone. */
yoke_status mm_product_fill(struct mm_product *product);
/* Sets all of C to NaN (in either type, all bits set), so that elements not computed are
 * detected. */
yoke_status mm_product_spoil(struct mm_product *product);

#endif
