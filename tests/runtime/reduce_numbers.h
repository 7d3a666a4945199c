/* reduce_numbers.h - a kernel with every operator of a type. Each type has a file of its own;
 * otherwise devices would compile all types for one. */
#ifndef REDUCE_NUMBERS_H
#define REDUCE_NUMBERS_H

#include <yoke/kernel.h>

/* Every operator that the type supports. */
#define NUMBERS(T, x, y)                                                                           \
    YOKE_IN(T, x), YOKE_IN(T, y), YOKE_REDUCE(SUM, T, sum), YOKE_REDUCE(PRODUCT, T, product),      \
        YOKE_REDUCE(MIN, T, low), YOKE_REDUCE(MAX, T, high), YOKE_REDUCE(MIN_AT, T, low_at),       \
        YOKE_REDUCE(MAX_AT, T, high_at)
#define REDUCE_NUMBERS                                                                             \
    yoke_reduce(sum, x[i]);                                                                        \
    yoke_reduce(product, y[i]);                                                                    \
    yoke_reduce(low, x[i]);                                                                        \
    yoke_reduce(high, x[i]);                                                                       \
    yoke_reduce_at(low_at, x[i], i);                                                               \
    yoke_reduce_at(high_at, x[i], i);
#define REDUCE_INTEGERS(T)                                                                         \
    YOKE_KERNEL(k_reduce_##T, i, NUMBERS(T, x, y), YOKE_REDUCE(AND, T, all),                       \
                YOKE_REDUCE(OR, T, any), YOKE_REDUCE(XOR, T, odd))                                 \
    {                                                                                              \
        REDUCE_NUMBERS                                                                             \
        yoke_reduce(all, x[i]);                                                                    \
        yoke_reduce(any, x[i]);                                                                    \
        yoke_reduce(odd, x[i]);                                                                    \
    }
#define REDUCE_REALS(T)                                                                            \
    YOKE_KERNEL(k_reduce_##T, i, NUMBERS(T, x, y))                                                 \
    {                                                                                              \
        REDUCE_NUMBERS                                                                             \
    }

#endif
