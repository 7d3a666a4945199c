/* spmv_product_body.h - y = scale A x; a group computes one tile. Included once per type,
 * SPMV_REAL.
 *
 * On a device, the group first makes all products of its tile and puts them into local memory.
 * Neighbouring lanes make neighbouring products, because memory is fastest that way. Then the way
 * to sum up depends on the tile:
 *   rows are short   a lane sums up a row;
 *   some are long    a lane sums up SPMV_EACH products, of whatever rows. What comes before the
 *                    first beginning of a row belongs to an earlier lane: the one with that row's
 *                    beginning. That lane adds up everything until the row ends.
 * If there are few rows, or more non-zeros than local memory can hold (tiles by rows: spmv_cut.h),
 * all lanes together sum up one row after the other. On a CPU, rows are summed up one after the
 * other, and long rows with vectors.
 */
#define SPMV_PRODUCT(k) (values[k] * x[columns[k]])
/* Stores the sum of part i of the tile: row here.row + i; the part after the last row is the
 * carry. */
#define SPMV_STORE(i, sum)                                                                         \
    {                                                                                              \
        if ((i) < rows)                                                                            \
            y[here.row + (i)] = scale * (sum);                                                     \
        else                                                                                       \
            carry[t] = scale * (sum);                                                              \
    }
/* Where part i of the tile begins and ends, counted from the tile's first non-zero. Starts are
 * stored modulo 2^32: differences within a tile are right for any number of non-zeros. */
#define SPMV_FROM(i) ((i) == 0 ? 0 : (int32_t)(starts[here.row + (i)] - base))
#define SPMV_TO(i)   ((i) < rows ? (int32_t)(starts[here.row + (i) + 1] - base) : count)

/* On a CPU: adds products from k0 up to the row's end. The empty instruction keeps compilers from
 * vectorising the loop, which would make short rows slower (half the speed for rows of 7
 * floats). */
#define SPMV_SHORT_ROW(end)                                                                        \
    for (const int64_t stop_at = first + (end); k0 < stop_at; k0++) {                              \
        __asm__ volatile("" : "+r"(k0));                                                           \
        all += SPMV_PRODUCT(k0);                                                                   \
    }
/* All lanes together sum up one row after the other. */
#define SPMV_ROW_BY_ROW                                                                            \
    for (int32_t i = 0; i <= rows; i++) {                                                          \
        const int64_t k0 = first + SPMV_FROM(i), k1 = first + SPMV_TO(i);                          \
        YOKE_LANE_SUM(SPMV_REAL, all, k, k0, k1, SPMV_PRODUCT(k))                                  \
        YOKE_ONCE                                                                                  \
        {                                                                                          \
            SPMV_STORE(i, all)                                                                     \
        }                                                                                          \
    }
/* Puts a lane's products into local memory. Beyond the last product, the last one is made again: so
 * there is no branch, and all loads run at the same time. */
#define SPMV_MAKE_PRODUCTS                                                                         \
    {                                                                                              \
        int32_t column[SPMV_EACH];                                                                 \
        SPMV_REAL value[SPMV_EACH];                                                                \
        YOKE_UNROLL(9)                                                                             \
        for (int j = 0; j < SPMV_EACH; j++) {                                                      \
            const int32_t k = l + j * SPMV_LANES;                                                  \
            const int64_t at = first + (k < count ? k : count - 1);                                \
            column[j] = columns[at];                                                               \
            value[j] = values[at];                                                                 \
        }                                                                                          \
        YOKE_UNROLL(9)                                                                             \
        for (int j = 0; j < SPMV_EACH; j++)                                                        \
            part[l + j * SPMV_LANES] = value[j] * x[column[j]];                                    \
    }
/* A lane sums up a row. The starts of rows are loaded while products are made. */
#define SPMV_LANE_A_ROW                                                                            \
    YOKE_LANES(l)                                                                                  \
    {                                                                                              \
        YOKE_MINE(from) = l <= rows ? SPMV_FROM(l) : 0;                                            \
        YOKE_MINE(to) = l <= rows ? SPMV_TO(l) : 0;                                                \
        if (count > 0)                                                                             \
            SPMV_MAKE_PRODUCTS                                                                     \
    }                                                                                              \
    YOKE_BARRIER;                                                                                  \
    YOKE_LANES(l)                                                                                  \
    {                                                                                              \
        for (int32_t i = l; i <= rows; i += SPMV_LANES) {                                          \
            const int32_t k0 = i == l ? YOKE_MINE(from) : SPMV_FROM(i);                            \
            const int32_t k1 = i == l ? YOKE_MINE(to) : SPMV_TO(i);                                \
            SPMV_REAL all = 0;                                                                     \
            for (int32_t k = k0; k < k1; k++)                                                      \
                all += part[k];                                                                    \
            SPMV_STORE(i, all)                                                                     \
        }                                                                                          \
    }
/* A lane sums up SPMV_EACH products. */
#define SPMV_PRODUCTS_A_LANE                                                                       \
    YOKE_LANES(l)                                                                                  \
    {                                                                                              \
        for (int32_t k = l; k < count; k += SPMV_LANES)                                            \
            head[k] = 0;                                                                           \
        SPMV_MAKE_PRODUCTS                                                                         \
    }                                                                                              \
    YOKE_BARRIER;                                                                                  \
    YOKE_LANES(l)                                                                                  \
    {                                                                                              \
        for (int32_t i = l; i <= rows; i += SPMV_LANES) {                                          \
            const int32_t k0 = SPMV_FROM(i);                                                       \
            if (k0 < SPMV_TO(i))                                                                   \
                head[k0] = (uint16_t)(i + 1);                                                      \
            else                                                                                   \
                SPMV_STORE(i, 0)                                                                   \
        }                                                                                          \
    }                                                                                              \
    YOKE_BARRIER;                                                                                  \
    YOKE_LANES(l)                                                                                  \
    {                                                                                              \
        const int32_t k0 = l * SPMV_EACH, end = k0 + SPMV_EACH;                                    \
        const int32_t k1 = end < count ? end : count;                                              \
        SPMV_REAL all = 0;                                                                         \
        before[l] = 0;                                                                             \
        YOKE_MINE(open) = 0;                                                                       \
        for (int32_t k = k0; k < k1; k++) {                                                        \
            if (head[k]) {                                                                         \
                if (YOKE_MINE(open))                                                               \
                    SPMV_STORE(YOKE_MINE(open) - 1, all)                                           \
                else                                                                               \
                    before[l] = all;                                                               \
                YOKE_MINE(open) = head[k];                                                         \
                all = 0;                                                                           \
            }                                                                                      \
            all += part[k];                                                                        \
        }                                                                                          \
        if (!YOKE_MINE(open))                                                                      \
            before[l] = all;                                                                       \
        stop[l] = YOKE_MINE(open);                                                                 \
        YOKE_MINE(sum) = all;                                                                      \
    }                                                                                              \
    YOKE_BARRIER;                                                                                  \
    YOKE_LANES(l)                                                                                  \
    {                                                                                              \
        if (YOKE_MINE(open)) {                                                                     \
            SPMV_REAL all = YOKE_MINE(sum);                                                        \
            for (int32_t m = l + 1; m < SPMV_LANES; m++) {                                         \
                all += before[m];                                                                  \
                if (stop[m])                                                                       \
                    break;                                                                         \
            }                                                                                      \
            SPMV_STORE(YOKE_MINE(open) - 1, all)                                                   \
        }                                                                                          \
    }

SPMV_KERNEL(SPMV_NAME(spmv), t, SPMV_LANES, 1, YOKE_VALUE(SPMV_REAL, scale),
            YOKE_IN(spmv_tile_t, tiles), YOKE_IN(uint32_t, starts), YOKE_IN(int32_t, columns),
            YOKE_IN(SPMV_REAL, values), YOKE_IN(SPMV_REAL, x), YOKE_OUT(SPMV_REAL, y),
            YOKE_OUT(SPMV_REAL, carry), YOKE_LOCAL(SPMV_REAL, part, SPMV_PRODUCTS),
            YOKE_LOCAL(uint16_t, head, SPMV_PRODUCTS), YOKE_LOCAL(SPMV_REAL, before, SPMV_LANES),
            YOKE_LOCAL(int32_t, stop, SPMV_LANES), YOKE_PRIVATE(SPMV_REAL, sum),
            YOKE_PRIVATE(int32_t, open), YOKE_PRIVATE(int32_t, from), YOKE_PRIVATE(int32_t, to))
{
    const spmv_tile_t here = tiles[t], next = tiles[t + 1];
    const int32_t rows = next.row - here.row, count = (int32_t)(next.entry - here.entry);
    const int64_t first = here.entry;
    const uint32_t base = (uint32_t)first;
#ifndef YOKE_FLATTEN
    int64_t k0 = first;
    if (here.longest < SPMV_SHORT)
        for (int32_t i = 0; i <= rows; i++) {
            SPMV_REAL all = 0;
            SPMV_SHORT_ROW(SPMV_TO(i))
            SPMV_STORE(i, all)
        }
    else
        for (int32_t i = 0; i <= rows; i++) {
            const int64_t k1 = first + SPMV_TO(i);
            SPMV_REAL all = 0;
            if (k1 - k0 < SPMV_SHORT) {
                SPMV_SHORT_ROW(SPMV_TO(i))
            } else {
                YOKE_LANE_SUM(SPMV_REAL, wide, k, k0, k1, SPMV_PRODUCT(k))
                all = wide;
                k0 = k1;
            }
            SPMV_STORE(i, all)
        }
    (void)base, (void)part, (void)head, (void)before, (void)stop;
    (void)sum, (void)open, (void)from, (void)to;
#else
    if (count > SPMV_PRODUCTS || rows < SPMV_FEW) {
        SPMV_ROW_BY_ROW
    } else if (here.longest <= SPMV_SHORT) {
        SPMV_LANE_A_ROW
    } else {
        SPMV_PRODUCTS_A_LANE
    }
#endif
}
#undef SPMV_PRODUCT
#undef SPMV_STORE
#undef SPMV_FROM
#undef SPMV_TO
#undef SPMV_ROW_BY_ROW
#undef SPMV_LANE_A_ROW
#undef SPMV_PRODUCTS_A_LANE
#undef SPMV_MAKE_PRODUCTS
#undef SPMV_SHORT_ROW
