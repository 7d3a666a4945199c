/* 15-submitted.c - a wave on a string: many short loops, two a step, which the program submits
 * without waiting. The devices have the next loop before the present one ends. */
#include <yoke/kernel.h>

YOKE_KERNEL(speed_up, i, YOKE_IN(float, height), YOKE_INOUT(float, speed))
{
    speed[i] += 0.25f * (height[i - 1] - 2 * height[i] + height[i + 1]);
}

YOKE_KERNEL(move, i, YOKE_IN(float, speed), YOKE_INOUT(float, height))
{
    height[i] += speed[i];
}

#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { points = 1000, steps = 400 };
static float heights[points], speeds[points];

static void must(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", yoke_error_text());
    exit(1);
}

int main(void)
{
    yoke_array *height, *speed;
    for (int i = 0; i < points; i++) /* a triangle in the middle; both ends are held */
        heights[i] = i < 450 || i > 550 ? 0 : (float)(50 - abs(i - 500));
    must(yoke_array_wrap(yoke_default(), heights, points, sizeof *heights, &height));
    must(yoke_array_wrap(yoke_default(), speeds, points, sizeof *speeds, &speed));
    for (int step = 0; step < steps; step++) {
        must(yoke_submit_for(NULL, &speed_up, yoke_interior(points, 1), yoke_halo(height, 1, 1),
                             speed));
        must(yoke_submit_for(NULL, &move, yoke_interior(points, 1), speed, height));
    }
    must(yoke_wait_all(NULL));      /* also says if one of the loops failed */
    must(yoke_array_close(height)); /* brings what only a GPU has back to heights */
    must(yoke_array_close(speed));
    /* Half of the triangle went left, by half a point a step. */
    for (int i = 260; i <= 340; i += 20)
        printf("point %d: %5.1f\n", i, (double)heights[i]);
    return 0;
}
#endif
