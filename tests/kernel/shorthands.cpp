/* shorthands.cpp - every shorthand of yoke/arg.h and yoke/for.h in C++, only compiled. */
#include <vector>
#include <yoke/yoke.h>

struct body {
    float x, y;
};

void fill(yoke_job *job, yoke_array *a, const body &b, int64_t n);
void fill(yoke_job *job, yoke_array *a, const body &b, int64_t n)
{
    static yoke_at_float result;
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
                              yoke_add_to(a),
                              yoke_reduce_to(&result),
                              yoke_reduce_onto(&result),
                              yoke_reduce_to_array(a),
                              yoke_reduce_onto_array(a) };
    int p = 0;
    for (const yoke_arg &arg : args)
        job->args[p++] = arg;
}

yoke_status loops(const yoke_kernel *kernel, yoke_array *a, const body *b, int64_t n);
yoke_status loops(const yoke_kernel *kernel, yoke_array *a, const body *b, int64_t n)
{
    static float xs[8];
    static const double constants[4] = { 0 };
    float *p = xs;
    std::vector<float> some(8);
    const std::vector<int> others(8);
    const yoke_given kept = yoke_whole(p, 8);
    yoke_status status = yoke_for(nullptr, kernel, 8, kept);
    if (status == YOKE_OK)
        status = yoke_for2(nullptr, kernel, n, 5, 2.0f, *b, b, xs, constants, p + 1, a,
                           yoke_whole(a), yoke_whole(xs), yoke_whole(b, n), 3ul, body{ 1, 2 }, some,
                           others, (float *)nullptr, yoke_whole(some), yoke_whole(some, n),
                           yoke_halo(yoke_row(p, 4), 1, 1));
    if (status == YOKE_OK)
        status = yoke_submit_for(nullptr, kernel, n, 2.0f, yoke_halo(a, 1, 1), a);
    if (status == YOKE_OK)
        status = yoke_submit_for2(nullptr, kernel, n, yoke_interior(n, 1), a);
    if (status == YOKE_OK)
        status = yoke_submit_for3(nullptr, kernel, n, 2, 3, yoke_whole(a));
    return status == YOKE_OK ? yoke_for3(nullptr, kernel, n, yoke_interior(n, 1), yoke_indexes(0, 1, 2), p)
                             : status;
}
