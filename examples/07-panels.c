/* 07-panels.c - C = A B in column panels: each panel of B and C is a job, so a device computes with
 * the first panel while the others are being copied, and C remains one array. */
#include <yoke/kernel.h>

/* Computes row i, columns from .. to - 1. On every device columns count as in the whole matrix,
 * whose rows have n elements. */
YOKE_KERNEL(multiply, i, YOKE_VALUE(int64_t, n), YOKE_VALUE(int64_t, from), YOKE_VALUE(int64_t, to),
            YOKE_IN(float, a), YOKE_IN(float, b), YOKE_OUT(float, c))
{
    for (int64_t j = from; j < to; j++) {
        float sum = 0.0f;
        for (int64_t k = 0; k < n; k++)
            sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
    }
}

#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { N = 256, PANELS = 4, WIDTH = N / PANELS };
static float as[N * N], bs[N * N];

static void must(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", yoke_error_text());
    _Exit(status == YOKE_ENODEV ? 77 : 1);
}

static yoke_array *matrix(yoke_runtime *rt, void *host, const char *name)
{
    yoke_array *array;
    must(yoke_array_open(rt,
                         &(yoke_array_spec){ .host = host,
                                             .rows = N,
                                             .row_elements = N,
                                             .element_size = sizeof(float),
                                             .name = name },
                         &array));
    return array;
}

/* Small integers: their sums are exact in any order. */
static void fill(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            as[i * N + j] = (float)((i + 2 * j) % 5);
            bs[i * N + j] = (float)((3 * i + j) % 7);
        }
}

static double trace(const float *c)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (double)c[i * N + i];
    return sum;
}

int main(void)
{
    yoke_runtime *rt;
    yoke_array *b_panels[PANELS], *c_panels[PANELS];
    int64_t n = N;
    fill();
    must(yoke_open(NULL, &rt));
    yoke_array *a = matrix(rt, as, "A"), *b = matrix(rt, bs, "B"), *c = matrix(rt, NULL, "C");
    for (int p = 0; p < PANELS; p++) {
        int64_t from = p * WIDTH, to = from + WIDTH;
        yoke_ticket *ticket; /* not waited for: it ends with the runtime */
        must(yoke_array_panel(b, from, WIDTH, &b_panels[p]));
        must(yoke_array_panel(c, from, WIDTH, &c_panels[p]));
        yoke_job job = { .kernel = &multiply,
                         .range = { .last = N },
                         .args = { yoke_value(n), yoke_value(from), yoke_value(to), yoke_in(a),
                                   yoke_in_whole(b_panels[p]), yoke_out(c_panels[p]) } };
        must(yoke_submit(rt, &job, &ticket));
    }
    must(yoke_array_acquire(c, YOKE_READ)); /* needs all columns, so it waits for all jobs */
    const float *cs = yoke_array_host(c);
    printf("c[1][2] = %g, trace %.0f\n", (double)cs[N + 2], trace(cs));
    for (int p = 0; p < PANELS; p++) {
        must(yoke_array_close(b_panels[p]));
        must(yoke_array_close(c_panels[p]));
    }
    must(yoke_array_close(a));
    must(yoke_array_close(b));
    must(yoke_array_close(c));
    must(yoke_close(rt));
    return 0;
}
#endif
