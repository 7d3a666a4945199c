/* shorthands.c - every shorthand of yoke/arg.h in C, only compiled: values as expressions,
 * constants, members and structs. */
#include <yoke/yoke.h>

struct body {
    float x, y;
};
enum { three = 3 };

void fill(yoke_job *job, yoke_array *a, const struct body *b, int64_t n);
void fill(yoke_job *job, yoke_array *a, const struct body *b, int64_t n)
{
    const uint8_t byte = 4;
    static yoke_at_float result;
    struct body copy = *b;
    yoke_job filled = { .args = { yoke_value(2.0f),
                                  yoke_value(n + 1),
                                  yoke_value(three),
                                  yoke_value(byte),
                                  yoke_value(copy),
                                  yoke_value(*b),
                                  yoke_value(b->x),
                                  yoke_value(3u),
                                  yoke_value(-1.5),
                                  yoke_value_of(b, sizeof *b),
                                  yoke_row_distance(a),
                                  yoke_use(a),
                                  yoke_in(a),
                                  yoke_in_whole(a),
                                  yoke_in_halo(a, 1, 1),
                                  yoke_in_custom(a, NULL, NULL),
                                  yoke_out(a),
                                  yoke_out_home(a),
                                  yoke_inout(a),
                                  yoke_inout_home(a),
                                  yoke_add_to(a),
                                  yoke_reduce_to(&result),
                                  yoke_reduce_onto(&result),
                                  yoke_reduce_to_array(a) } };
    filled.args[0] = (yoke_arg)yoke_value(1.0f);
    filled.args[1] = (yoke_arg)yoke_reduce_onto_array(a);
    *job = filled;
}

yoke_status loops(const yoke_kernel *kernel, yoke_array *a, const struct body *b, int64_t n);
yoke_status loops(const yoke_kernel *kernel, yoke_array *a, const struct body *b, int64_t n)
{
    static float xs[8];
    static const double constants[4] = { 0 };
    float *p = xs;
    const yoke_given kept = yoke_whole(p, 8);
    yoke_status status = yoke_for(NULL, kernel, 8, kept);
    if (status == YOKE_OK)
        status = yoke_for2(NULL, kernel, n, 5, 2.0f, *b, b, xs, constants, p + 1, a, yoke_whole(a),
                           yoke_whole(xs), yoke_whole(b, n), 3ul, ((struct body){ 1, 2 }),
                           yoke_halo(yoke_row(p, 4), 1, 1));
    return status == YOKE_OK
               ? yoke_for3(NULL, kernel, n, yoke_interior(n, 1), yoke_indexes(0, 1, 2), p)
               : status;
}
