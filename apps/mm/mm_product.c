/* mm_product.c - fills matrices by all cores: one core would take longer than the product. */
#include "mm_product.h"

#include <string.h>

#include "../cores.h"
#include "../random.h"

enum { BLOCKS = 256 };

static void *element(const struct mm_product *p, void *matrix, int64_t index)
{
    return (char *)matrix + (size_t)index * mm_element_size(p);
}

size_t mm_element_size(const struct mm_product *p)
{
    return p->single ? sizeof(float) : sizeof(double);
}

static void fill_span(const struct mm_product *p, void *matrix, uint64_t seed,
                      struct cores_span span)
{
    float *singles = matrix;
    double *doubles = matrix;
    int64_t i;
    for (i = span.first; i < span.last; i++) {
        const double value = random_uniform(seed, (uint64_t)i) * 2 - 1;
        if (p->single)
            singles[i] = (float)value;
        else
            doubles[i] = value;
    }
}

static void fill_block(void *context, int64_t block)
{
    const struct mm_product *p = context;
    fill_span(p, p->a, p->seed, cores_span(p->rows * p->inner, BLOCKS, block));
    fill_span(p, p->b, p->seed + 1, cores_span(p->inner * p->columns, BLOCKS, block));
}

static void spoil_block(void *context, int64_t block)
{
    const struct mm_product *p = context;
    const struct cores_span span = cores_span(p->rows * p->columns, BLOCKS, block);
    memset(element(p, p->c, span.first), 0xff,
           (size_t)(span.last - span.first) * mm_element_size(p));
}

yoke_status mm_product_fill(struct mm_product *p)
{
    const struct cores_work work = { "fill", fill_block, p, BLOCKS };
    return cores_run_once(&work);
}

yoke_status mm_product_spoil(struct mm_product *p)
{
    const struct cores_work work = { "spoil", spoil_block, p, BLOCKS };
    return cores_run_once(&work);
}
