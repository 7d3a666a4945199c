/* 09-weight.c - the CPU weight: the cores' part of a loop, set by hand, stored for each kernel, and
 * adapted after each step by the program's own rule. */
#include <yoke/kernel.h>
YOKE_KERNEL(drift, i, YOKE_VALUE(float, step), YOKE_IN(float, speed), YOKE_INOUT(float, place))
{
    place[i] += step * speed[i];
}

YOKE_KERNEL(rest, i, YOKE_OUT(float, speed), YOKE_OUT(float, place))
{
    speed[i] = 0;
    place[i] = 0;
}

YOKE_KERNEL(push, i, YOKE_VALUE(float, force), YOKE_INOUT(float, speed))
{
    speed[i] += force;
}

#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { BODIES = 200000, STEPS = 20 };

static void must(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", yoke_error_text());
    _Exit(status == YOKE_ENODEV ? 77 : 1);
}

/* Goes half of the way to the weight at which both sides end together. The library's own rules are
 * yoke_weight_paper and yoke_weight_rate. */
static double half_way(void *context, double weight, const yoke_times *times)
{
    int *asked = context;
    ++*asked;
    return (weight + yoke_weight_rate(NULL, weight, times)) / 2;
}

int main(void)
{
    float step = 0.5f, force = 1;
    double weight;
    int asked = 0, n;
    yoke_runtime *rt;
    yoke_array *speed, *place;
    yoke_times times;
    must(yoke_open(NULL, &rt));
    must(yoke_array_open(rt, &(yoke_array_spec){ .rows = BODIES, .element_size = sizeof(float) },
                         &speed));
    must(yoke_array_open(rt, &(yoke_array_spec){ .rows = BODIES, .element_size = sizeof(float) },
                         &place));

    yoke_job begin = { .kernel = &rest,
                       .range = { .last = BODIES },
                       .args = { yoke_out(speed), yoke_out(place) } };
    must(yoke_run(rt, &begin, NULL));

    /* The cores get a fifth of each kernel's indexes, but of push's a tenth, in four chunks. */
    must(yoke_set_cpu_weight(rt, NULL, 0.2));
    must(yoke_set_cpu_weight(rt, &push, 0.1));
    must(yoke_set_weight_chunks(rt, &push, 4, 4));
    must(yoke_set_weight_policy(rt, &drift, half_way, &asked));

    yoke_job faster = { .kernel = &push,
                        .range = { .last = BODIES },
                        .args = { yoke_value(force), yoke_inout(speed) } };
    yoke_job further = { .kernel = &drift,
                         .range = { .last = BODIES },
                         .args = { yoke_value(step), yoke_in(speed), yoke_inout(place) } };
    for (n = 0; n < STEPS; n++) {
        must(yoke_run(rt, &faster, NULL));
        must(yoke_run(rt, &further, NULL));
    }

    /* The final weight depends on the machine; with one kind of device it does not change. */
    must(yoke_get_cpu_weight(rt, &drift, &weight));
    must(yoke_last_times(rt, &drift, &times));
    puts(weight >= 0 && weight <= 1 && (asked == 0 || asked == STEPS) ? "a weight" : "no weight");
    printf("%d done\n", (int)(times.cpu_items + times.gpu_items));
    must(yoke_get_cpu_weight(rt, &push, &weight));
    printf("%g for push\n", weight);
    must(yoke_array_acquire(place, YOKE_READ));
    printf("%g\n", (double)((const float *)yoke_array_host(place))[BODIES - 1]);
    must(yoke_array_release(place));
    must(yoke_array_close(speed));
    must(yoke_array_close(place));
    must(yoke_close(rt));
    return 0;
}
#endif
