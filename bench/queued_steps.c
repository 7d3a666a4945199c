/* queued_steps.c - what a short step of a queue costs: a program submits steps that depend on each
 * other, on arrays that stay on the device, and waits at the end.
 *
 *     yoke-bench-queued-steps [ITEMS [STEPS [one|two|waited]]]
 *
 * one: y += x / 2, always the same kernel; two: by turns with x = 1 - y / 2; waited: the first, and
 * each step is waited for. Prints five rounds in us a step, and checks the result. The devices are
 * those of YOKE_DEVICES. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/yoke.h>

#include "program.h"
#include "queued_steps_kernels.h"

struct steps {
    int64_t items, count;
    int two, waited;
    yoke_array *x, *y;
};

static void do_steps(const struct steps *s)
{
    for (int64_t t = 0; t < s->count; t++)
        if (s->two && t % 2)
            must(yoke_submit_for(NULL, &take_half, s->items, s->y, s->x), "submitting");
        else if (s->waited)
            must(yoke_for(NULL, &add_half, s->items, s->x, s->y), "a step");
        else
            must(yoke_submit_for(NULL, &add_half, s->items, s->x, s->y), "submitting");
    must(yoke_wait_all(NULL), "waiting");
}

/* The same steps on one item. */
static float expected(const struct steps *s, int rounds)
{
    float x = 1, y = 0;
    for (int r = 0; r < rounds; r++)
        for (int64_t t = 0; t < s->count; t++)
            if (s->two && t % 2)
                x = 1 - y / 2;
            else
                y += x / 2;
    return y;
}

/* Returns 0 if an item is wrong. */
static int is_right(const struct steps *s, const float *y, int rounds)
{
    const float right = expected(s, rounds);
    for (int64_t i = 0; i < s->items; i++)
        if (!(fabsf(y[i] - right) <= 1e-4f * fabsf(right))) {
            printf("item %lld is %g, not %g\n", (long long)i, (double)y[i], (double)right);
            return 0;
        }
    return 1;
}

int main(int argc, char **argv)
{
    enum { ROUNDS = 5 };
    const char *way = argc > 3 ? argv[3] : "one";
    struct steps s = { .items = argc > 1 ? atoll(argv[1]) : 1000,
                       .count = argc > 2 ? atoll(argv[2]) : 10000,
                       .two = strcmp(way, "two") == 0,
                       .waited = strcmp(way, "waited") == 0 };
    float *x = malloc((size_t)s.items * sizeof *x), *y = calloc((size_t)s.items, sizeof *y);
    if (!x || !y || s.items < 1)
        return 2;
    for (int64_t i = 0; i < s.items; i++)
        x[i] = 1;
    must(yoke_ready(yoke_default()), "opening the devices");
    must(yoke_array_wrap(yoke_default(), x, s.items, sizeof *x, &s.x), "opening x");
    must(yoke_array_wrap(yoke_default(), y, s.items, sizeof *y, &s.y), "opening y");
    for (int r = 0; r < ROUNDS; r++) {
        const double start = now_s();
        do_steps(&s);
        printf("%.2f ", (now_s() - start) * 1e6 / (double)s.count);
    }
    must(yoke_array_close(s.x), "closing x");
    must(yoke_array_close(s.y), "closing y");
    printf("us a step\n");
    return !is_right(&s, y, ROUNDS);
}
