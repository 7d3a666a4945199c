/* shorthands.c - every shorthand of yoke/arg.h in C, compiled only: values as expressions, constants,
 * members and structs.
 */
#include <yoke/yoke.h>

struct body {
    float x, y;
};
enum { three = 3 };

void fill(yoke_job *job, yoke_array *a, const struct body *b, int64_t n);
void fill(yoke_job *job, yoke_array *a, const struct body *b, int64_t n)
{
    const uint8_t byte = 4;
    struct body copy = *b;
    yoke_job filled = { .args = { yoke_value(2.0f), yoke_value(n + 1), yoke_value(three),
                                  yoke_value(byte), yoke_value(copy), yoke_value(*b),
                                  yoke_value(b->x), yoke_value(3u), yoke_value(-1.5),
                                  yoke_value_of(b, sizeof *b), yoke_row_distance(a), yoke_use(a),
                                  yoke_in(a), yoke_in_whole(a), yoke_in_halo(a, 1, 1),
                                  yoke_in_custom(a, NULL, NULL), yoke_out(a), yoke_out_home(a),
                                  yoke_inout(a), yoke_inout_home(a), yoke_add_to(a) } };
    filled.args[0] = (yoke_arg)yoke_value(1.0f);
    *job = filled;
}
