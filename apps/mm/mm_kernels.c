/* mm_kernels.c - one text of the product for both types of number, MM_REAL.
 *
 * A group of MM_LANES lanes computes MM_ROWS rows of C, one strip of columns at a time: one column
 * per lane, whose MM_ROWS sums stay in registers. So an element of B is read once, by one lane
 * beside its neighbours, and used MM_ROWS times. Elements of A, which all lanes need, are in local
 * memory. On a CPU the lanes are the vector, and using four elements of B at once saves three
 * quarters of the traffic between sums and first cache. A last strip that would be short begins
 * earlier and computes some columns again, so that only a matrix narrower than a strip has idle
 * lanes.
 */
#include "mm_kernels.h"

#define MM_PARAMETERS                                                                              \
    YOKE_VALUE(int64_t, inner), YOKE_VALUE(int64_t, b_row), YOKE_VALUE(int64_t, c_row),            \
        YOKE_VALUE(int64_t, from_column), YOKE_VALUE(int64_t, to_column), YOKE_IN(MM_REAL, a),     \
        YOKE_IN(MM_REAL, b), YOKE_OUT(MM_REAL, c), YOKE_LOCAL(MM_REAL, tile, MM_ROWS *MM_DEPTH),   \
        YOKE_PRIVATE(MM_REAL, s0), YOKE_PRIVATE(MM_REAL, s1), YOKE_PRIVATE(MM_REAL, s2),           \
        YOKE_PRIVATE(MM_REAL, s3), YOKE_PRIVATE(MM_REAL, s4), YOKE_PRIVATE(MM_REAL, s5),           \
        YOKE_PRIVATE(MM_REAL, s6), YOKE_PRIVATE(MM_REAL, s7), YOKE_PRIVATE(MM_REAL, s8),           \
        YOKE_PRIVATE(MM_REAL, s9), YOKE_PRIVATE(MM_REAL, s10), YOKE_PRIVATE(MM_REAL, s11),         \
        YOKE_PRIVATE(MM_REAL, s12), YOKE_PRIVATE(MM_REAL, s13), YOKE_PRIVATE(MM_REAL, s14),        \
        YOKE_PRIVATE(MM_REAL, s15)

#define MM_EACH_ROW(M)      M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) MM_EACH_HIGH_ROW(M)
#define MM_EACH_HIGH_ROW(M) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)

#define MM_CLEAR(r) YOKE_MINE(s##r) = 0;
#define MM_ADD_FOUR(r)                                                                             \
    {                                                                                              \
        MM_REAL s = YOKE_MINE(s##r);                                                               \
        s += mine[r] * b0;                                                                         \
        s += mine[MM_ROWS + r] * b1;                                                               \
        s += mine[2 * MM_ROWS + r] * b2;                                                           \
        s += mine[3 * MM_ROWS + r] * b3;                                                           \
        YOKE_MINE(s##r) = s;                                                                       \
    }
#define MM_ADD_ONE(r) YOKE_MINE(s##r) += mine[r] * b0;
#define MM_STORE(r)                                                                                \
    if (r < YOKE_COUNT)                                                                            \
        c[(i + r) * c_row + at] = YOKE_MINE(s##r);

/* Computes one strip: lane l computes `column`, an expression of l. `fours` 0 gives shorter
 * code. */
#define MM_STRIP(column, fours)                                                                    \
    {                                                                                              \
        YOKE_LANES(l)                                                                              \
        {                                                                                          \
            MM_EACH_ROW(MM_CLEAR)                                                                  \
        }                                                                                          \
        for (int64_t from = 0; from < inner; from += MM_DEPTH) {                                   \
            const int depth = inner - from < MM_DEPTH ? (int)(inner - from) : MM_DEPTH;            \
            int k = 0;                                                                             \
            YOKE_BARRIER; /* no lane still reads the previous tile */                              \
            YOKE_LANES(l)                                                                          \
            {                                                                                      \
                for (int t = l; t < MM_ROWS * MM_DEPTH; t += MM_LANES) {                           \
                    const int row = t / MM_DEPTH, deep = t % MM_DEPTH;                             \
                    tile[deep * MM_ROWS + row] =                                                   \
                        row < YOKE_COUNT && deep < depth ? a[(i + row) * inner + from + deep] : 0; \
                }                                                                                  \
            }                                                                                      \
            YOKE_BARRIER;                                                                          \
            for (; fours && k + 4 <= depth; k += 4) {                                              \
                YOKE_SHARED const MM_REAL *mine = tile + k * MM_ROWS;                              \
                YOKE_GLOBAL const MM_REAL *row = b + (from + k) * b_row;                           \
                YOKE_LANES(l)                                                                      \
                {                                                                                  \
                    const int64_t at = (column);                                                   \
                    const MM_REAL b0 = row[at], b1 = row[b_row + at];                              \
                    const MM_REAL b2 = row[2 * b_row + at], b3 = row[3 * b_row + at];              \
                    MM_EACH_ROW(MM_ADD_FOUR)                                                       \
                }                                                                                  \
            }                                                                                      \
            for (; k < depth; k++) {                                                               \
                YOKE_SHARED const MM_REAL *mine = tile + k * MM_ROWS;                              \
                YOKE_GLOBAL const MM_REAL *row = b + (from + k) * b_row;                           \
                YOKE_LANES(l)                                                                      \
                {                                                                                  \
                    const MM_REAL b0 = row[(column)];                                              \
                    MM_EACH_ROW(MM_ADD_ONE)                                                        \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define MM_STORE_STRIP(column)                                                                     \
    YOKE_LANES(l)                                                                                  \
    {                                                                                              \
        const int64_t at = (column);                                                               \
        MM_EACH_ROW(MM_STORE)                                                                      \
    }
/* Lanes beyond the last column of a narrow panel compute that column once more. */
#define MM_BODY                                                                                    \
    const int64_t width = to_column - from_column, end = to_column;                                \
    for (int64_t j = from_column; width >= MM_LANES && j < end; j += MM_LANES) {                   \
        const int64_t first = end - j < MM_LANES ? end - MM_LANES : j;                             \
        MM_STRIP(first + l, 1)                                                                     \
        MM_STORE_STRIP(first + l)                                                                  \
    }                                                                                              \
    if (width < MM_LANES) {                                                                        \
        MM_STRIP(l < width ? from_column + l : end - 1, 0)                                         \
        MM_STORE_STRIP(l < width ? from_column + l : end - 1)                                      \
    }

#define MM_REAL double
YOKE_GROUP_KERNEL(mm_double, i, MM_LANES, MM_ROWS, MM_PARAMETERS)
{
    MM_BODY;
}
#undef MM_REAL

#define MM_REAL float
YOKE_GROUP_KERNEL(mm_single, i, MM_LANES, MM_ROWS, MM_PARAMETERS)
{
    MM_BODY;
}
