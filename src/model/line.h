/* line.h - PURE. A device's time as a straight line: T(v) = item_ns * v + fixed_ns (papers/004,
 * section 3: a and b).
 */
#ifndef YK_MODEL_LINE_H
#define YK_MODEL_LINE_H

/* item_ns 0: unknown. */
struct yk_line {
    double item_ns;  /* a: ns per item, > 0 */
    double fixed_ns; /* b: ns that the device costs for any number of items, >= 0 */
};

static inline double yk_line_ns(const struct yk_line *line, double items)
{
    return line->item_ns * items + line->fixed_ns;
}

#endif
