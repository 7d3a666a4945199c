/* shorthands.cpp - every shorthand of yoke/arg.h in C++, compiled only. */
#include <yoke/yoke.h>

struct body {
    float x, y;
};

void fill(yoke_job *job, yoke_array *a, const body &b, int64_t n);
void fill(yoke_job *job, yoke_array *a, const body &b, int64_t n)
{
    const yoke_arg args[] = { yoke_value(2.0f),
                              yoke_value(n + 1),
                              yoke_value(b),
                              yoke_value(b.x),
                              yoke_value_of(&b, sizeof b),
                              yoke_row_distance(a),
                              yoke_use(a),
                              yoke_in(a),
                              yoke_in_whole(a),
                              yoke_in_halo(a, 1, 1),
                              yoke_in_custom(a, nullptr, nullptr),
                              yoke_out(a),
                              yoke_out_home(a),
                              yoke_inout(a),
                              yoke_inout_home(a),
                              yoke_add_to(a) };
    int p = 0;
    for (const yoke_arg &arg : args)
        job->args[p++] = arg;
}
