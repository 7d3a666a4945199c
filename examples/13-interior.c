/* 13-interior.c - heat in a box: the cells inside have six neighbours each; the faces are handled
 * separately. A kernel over the interior needs no boundary test, which would prevent vectorization
 * on cores. Elements outside of the range keep their values: five faces stay cold, and a separate
 * job heats the sixth. */
#include <yoke/kernel.h>

YOKE_KERNEL3(conduct, i, j, k, YOKE_IN(float, before), YOKE_OUT(float, after))
{
    const int64_t row = YOKE_SIZE3, layer = YOKE_SIZE2 * YOKE_SIZE3, at = i * layer + j * row + k;
    after[at] =
        0.25f * before[at] + 0.125f * (before[at - layer] + before[at + layer] + before[at - row] +
                                       before[at + row] + before[at - 1] + before[at + 1]);
}

YOKE_KERNEL3(heat, i, j, k, YOKE_VALUE(float, degrees), YOKE_OUT(float, box))
{
    box[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k] = degrees;
}

#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { depth = 40, height = 30, width = 50, steps = 100 };

static void must(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", yoke_error_text());
    exit(1);
}

/* Heats the face k = 0 more in each step. */
static void heat_face(yoke_array *box, int step)
{
    must(yoke_for3(NULL, &heat, depth, height, yoke_indexes(0, 1, width), (float)(10 * step), box));
}

int main(void)
{
    yoke_array *box[2];
    const yoke_array_spec spec = { .rows = depth,
                                   .row_elements = (int64_t)height * width,
                                   .element_size = sizeof(float) };
    for (int b = 0; b < 2; b++) {
        must(yoke_array_open(yoke_default(), &spec, &box[b]));
        must(yoke_for3(NULL, &heat, depth, height, width, 0.0f, box[b]));
    }
    for (int step = 0; step < steps; step++) {
        yoke_array *before = box[step % 2], *after = box[(step + 1) % 2];
        heat_face(before, step);
        must(yoke_for3(NULL, &conduct, yoke_interior(depth, 1), yoke_interior(height, 1),
                       yoke_interior(width, 1), yoke_halo(before, 1, 1), after));
    }
    must(yoke_array_acquire(box[steps % 2], YOKE_READ));
    const float *line = yoke_array_host(box[steps % 2]);
    line += (depth / 2 * height + height / 2) * width;
    for (int k = 1; k <= 13; k += 4)
        printf("k = %2d: %6.2f\n", k, (double)line[k]);
    printf("k = %2d: %6.2f\n", width - 1, (double)line[width - 1]);
    must(yoke_array_close(box[0]));
    must(yoke_array_close(box[1]));
    return 0;
}
#endif
