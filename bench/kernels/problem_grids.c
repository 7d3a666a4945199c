/* problem_grids.c - problems on pictures and in space: Mandelbrot, blur, histogram, stencil, push.
 */
#include <math.h>
#include <stdlib.h>

#include "problems.h"

static int64_t at_least_1(int64_t size)
{
    return size < 1 ? 1 : size;
}
static int64_t within(int64_t index, int64_t size)
{
    return index < 0 ? 0 : index >= size ? size - 1 : index;
}
static void picture(struct problem *p, int64_t items)
{
    p->size[0] = at_least_1((int64_t)sqrt((double)items));
    p->size[1] = at_least_1(items / p->size[0]);
}

/* ---- Mandelbrot ---- */

static void mandelbrot_shape(struct problem *p, int64_t items)
{
    picture(p, items);
    problem_array_add(p, p->size[0], p->size[1], sizeof(int32_t));
}

static void mandelbrot_fill(const struct problem *p)
{
    int32_t *count = p->array[0].at;
    for (int64_t k = 0; k < p->size[0] * p->size[1]; k++)
        count[k] = -1;
}

/* Single precision may count differently if |z| comes close to 2 or c is close to the set's edge.
 * `error` bounds the distance between the kernel's z and the one here. So both ends of the allowed
 * range are known: the first step at which |z|^2 could be 4 or more, and the first step at which it
 * must be. */
static void mandelbrot_counts(double cx, double cy, int32_t *least, int32_t *most)
{
    const double eps = 0x1p-24;
    double x = 0, y = 0, error = 0;
    *least = *most = mandelbrot_limit;
    for (int32_t n = 0; n < mandelbrot_limit; n++) {
        const double square = x * x + y * y, length = sqrt(square);
        const double square_error = error * (2 * length + error) + 4 * eps * square;
        const double next = x * x - y * y + cx;
        if (square + square_error >= 4 && *least == mandelbrot_limit)
            *least = n;
        if (square - square_error >= 4) {
            *most = n;
            return;
        }
        if (!(error < 4)) /* z is unknown from here on */
            return;
        error = error * (2 * length + error) + 4 * eps * (square + 4); /* 4: cx and cy round, too */
        y = 2 * x * y + cy;
        x = next;
    }
}

static int64_t mandelbrot_wrong(const struct problem *p)
{
    const int32_t *count = p->array[0].at;
    const int64_t all = p->size[0] * p->size[1];
    int64_t wrong = 0, unsure = 0;
#pragma omp parallel for reduction(+ : wrong, unsure) schedule(dynamic)
    for (int64_t i = 0; i < p->size[0]; i++)
        for (int64_t j = 0; j < p->size[1]; j++) {
            int32_t least, most;
            mandelbrot_counts(-2 + 3 * (double)j / (double)p->size[1],
                              -1.5 + 3 * (double)i / (double)p->size[0], &least, &most);
            wrong += count[i * p->size[1] + j] < least || count[i * p->size[1] + j] > most;
            unsure += least != most;
        }
    return unsure > all / 10 ? all : wrong; /* otherwise nearly everything would pass */
}

const struct problem_kind problem_mandelbrot = { "mandelbrot", mandelbrot_shape, mandelbrot_fill,
                                                 mandelbrot_wrong };

/* ---- blur: from, between, to ---- */

static void blur_shape(struct problem *p, int64_t items)
{
    picture(p, items);
    for (int a = 0; a < 3; a++)
        problem_array_add(p, p->size[0], p->size[1], sizeof(float));
}

static void blur_fill(const struct problem *p)
{
    problem_fill_floats(p, 0, 0, 1);
    problem_fill_floats(p, 1, -1, -1);
    problem_fill_floats(p, 2, -1, -1);
}

static double blurred(const struct problem *p, int64_t i, int64_t j)
{
    static const double taps[7] = { 1, 6, 15, 20, 15, 6, 1 };
    const float *from = p->array[0].at;
    double sum = 0;
    for (int64_t a = -3; a <= 3; a++)
        for (int64_t b = -3; b <= 3; b++)
            sum += taps[a + 3] * taps[b + 3] *
                   from[within(i + a, p->size[0]) * p->size[1] + within(j + b, p->size[1])];
    return sum / 64 / 64;
}

static int64_t blur_wrong(const struct problem *p)
{
    const float *to = p->array[2].at;
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t i = 0; i < p->size[0]; i++)
        for (int64_t j = 0; j < p->size[1]; j++)
            wrong += !problem_is_near(to[i * p->size[1] + j], blurred(p, i, j), 2e-6);
    return wrong;
}

const struct problem_kind problem_blur = { "blur", blur_shape, blur_fill, blur_wrong };

/* ---- histogram: pixel, bins ---- */

static void histogram_shape(struct problem *p, int64_t items)
{
    p->size[0] = items;
    problem_array_add(p, items, 1, sizeof(uint8_t));
    problem_array_add(p, HISTOGRAM_BINS, 1, sizeof(uint32_t));
}

/* Dark pixels are more frequent, as in pictures. */
static uint8_t histogram_pixel(int64_t k)
{
    const double r = problem_random(k, 0);
    return (uint8_t)(256 * r * r);
}

static void histogram_fill(const struct problem *p)
{
    uint8_t *pixel = p->array[0].at;
    uint32_t *bins = p->array[1].at;
#pragma omp parallel for
    for (int64_t k = 0; k < p->size[0]; k++)
        pixel[k] = histogram_pixel(k);
    for (uint32_t b = 0; b < HISTOGRAM_BINS; b++)
        bins[b] = b; /* the kernel adds to these old values */
}

static int64_t histogram_wrong(const struct problem *p)
{
    const uint32_t *bins = p->array[1].at;
    uint32_t want[HISTOGRAM_BINS];
    int64_t wrong = 0;
    for (uint32_t b = 0; b < HISTOGRAM_BINS; b++)
        want[b] = b;
    for (int64_t k = 0; k < p->size[0]; k++)
        want[histogram_pixel(k)] += (uint32_t)p->runs;
    for (int b = 0; b < HISTOGRAM_BINS; b++)
        wrong += bins[b] != want[b];
    return wrong;
}

const struct problem_kind problem_histogram = { "histogram", histogram_shape, histogram_fill,
                                                histogram_wrong };

/* ---- stencil: from, to ---- */

static void stencil_shape(struct problem *p, int64_t items)
{
    const int64_t side = at_least_1((int64_t)(cbrt((double)items) + 1e-9));
    for (int d = 0; d < 3; d++)
        p->size[d] = side;
    problem_array_add(p, side, side * side, sizeof(float));
    problem_array_add(p, side, side * side, sizeof(float));
}

static void stencil_fill(const struct problem *p)
{
    problem_fill_floats(p, 0, 0, 1);
    problem_fill_floats(p, 1, -1, -1);
}

/* `face`: the value of elements on a face; NULL: they keep the value of `from`. */
static double stencilled(const struct problem *p, const int64_t place[3], const double *face)
{
    const int64_t n = p->size[0], stride[3] = { n * n, n, 1 };
    const float *here = (const float *)p->array[0].at + (place[0] * n + place[1]) * n + place[2];
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        if (place[d] == 0 || place[d] == n - 1)
            return face ? *face : *here;
        sum += (double)here[-stride[d]] + here[stride[d]];
    }
    return *here / 4.0 + sum / 8;
}

static int64_t stencils_wrong(const struct problem *p, const double *face)
{
    const float *to = p->array[1].at;
    const int64_t n = p->size[0];
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < n; k++)
                wrong += !problem_is_near(to[(i * n + j) * n + k],
                                          stencilled(p, (const int64_t[]){ i, j, k }, face), 1e-6);
    return wrong;
}

/* One step of the interior, in double precision. */
static void stencil_step(int64_t n, const double *from, double *to)
{
#pragma omp parallel for
    for (int64_t i = 1; i < n - 1; i++)
        for (int64_t j = 1; j < n - 1; j++) {
            const double *at = from + (i * n + j) * n;
            double *out = to + (i * n + j) * n;
#pragma omp simd
            for (int64_t k = 1; k < n - 1; k++)
                out[k] = at[k] / 4 + (at[k - 1] + at[k + 1] + at[k - n] + at[k + n] +
                                      at[k - n * n] + at[k + n * n]) /
                                         8;
        }
}

/* The number of elements that are wrong after all steps. `from` and `to` have room for them. A step
 * in single precision adds an error of at most 1.5e-7. Errors flow off through the faces: the
 * slowest one loses 3/8 (pi / n)^2 of its size in a step, so at most those of n^2 / 3 steps add up.
 */
static int64_t stencil_steps_wrong(const struct problem *p, double *from, double *to)
{
    const int64_t n = p->size[0], count = n * n * n;
    const float *got = p->array[p->runs % 2].at;
    const double allowed = 1.5e-7 * fmin((double)p->runs, (double)(n * n) / 3);
    int64_t wrong = 0;
    for (int64_t k = 0; k < count; k++)
        from[k] = to[k] = problem_float(k, 0, 0, 1);
    for (int64_t step = 0; step < p->runs; step++) {
        double *before = from;
        stencil_step(n, from, to);
        from = to;
        to = before;
    }
    for (int64_t k = 0; k < count; k++)
        wrong += !problem_is_near(got[k], from[k], allowed);
    return wrong;
}

static int64_t stencil_wrong(const struct problem *p)
{
    const size_t count = (size_t)(p->size[0] * p->size[0] * p->size[0]);
    if (!p->by_turns)
        return stencils_wrong(p, NULL);
    double *room = malloc(2 * count * sizeof *room);
    const int64_t wrong = room ? stencil_steps_wrong(p, room, room + count) : (int64_t)count;
    free(room);
    return wrong;
}

const struct problem_kind problem_stencil = { "stencil", stencil_shape, stencil_fill,
                                              stencil_wrong };

/* ---- the same without the faces ---- */

static void interior_shape(struct problem *p, int64_t items)
{
    stencil_shape(p, items < 27 ? 27 : items);
}

static int64_t interior_wrong(const struct problem *p)
{
    return stencils_wrong(p, &(const double){ -1 }); /* as filled */
}

const struct problem_kind problem_stencil_interior = { "stencil-interior", interior_shape,
                                                       stencil_fill, interior_wrong };

/* ---- push ---- */

static void push_shape(struct problem *p, int64_t items)
{
    p->size[0] = items;
    problem_array_add(p, items, 1, sizeof(particle_t));
}

static particle_t push_start(int64_t k)
{
    return (particle_t){ problem_random(k, 0),         problem_random(k, 1),
                         problem_random(k, 2),         2 * problem_random(k, 3) - 1,
                         2 * problem_random(k, 4) - 1, 2 * problem_random(k, 5) - 1 };
}

static void push_fill(const struct problem *p)
{
    particle_t *particles = p->array[0].at;
#pragma omp parallel for
    for (int64_t k = 0; k < p->size[0]; k++)
        particles[k] = push_start(k);
}

/* Boris' step, computed in another way: it is a rotation by 2 atan(|t|) around B, here by
 * Rodrigues' formula. The state is a place and a velocity. */
static void push_reference(double state[6])
{
    const field_t *f = &push_field;
    const double h = push_dt / 2, b[3] = { f->bx, f->by, f->bz };
    const double length = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    const double angle = -2 * atan(h * length), c = cos(angle), s = sin(angle);
    const double e[3] = { f->ex, f->ey, f->ez };
    const double u[3] = { state[3] + h * e[0], state[4] + h * e[1], state[5] + h * e[2] };
    const double along = (u[0] * b[0] + u[1] * b[1] + u[2] * b[2]) / length;
    for (int d = 0; d < 3; d++) {
        const int d1 = (d + 1) % 3, d2 = (d + 2) % 3;
        const double axis = b[d] / length;
        const double cross = (b[d1] * u[d2] - b[d2] * u[d1]) / length; /* axis x u */
        const double v = u[d] * c + cross * s + axis * along * (1 - c) + h * e[d];
        state[d] += push_dt * v;
        state[3 + d] = v;
    }
}

static int64_t push_wrong(const struct problem *p)
{
    const particle_t *particles = p->array[0].at;
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t k = 0; k < p->size[0]; k++) {
        const particle_t *q = &particles[k], start = push_start(k);
        const double got[6] = { q->x, q->y, q->z, q->vx, q->vy, q->vz };
        double want[6] = { start.x, start.y, start.z, start.vx, start.vy, start.vz };
        for (int64_t run = 0; run < p->runs; run++)
            push_reference(want);
        for (int d = 0; d < 6; d++) /* errors of velocities add up in places */
            wrong += !problem_is_near(got[d], want[d], 1e-14 * (double)(p->runs * p->runs));
    }
    return wrong;
}

const struct problem_kind problem_push = { "push", push_shape, push_fill, push_wrong };
