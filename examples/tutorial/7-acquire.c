#include <yoke/kernel.h>

YOKE_KERNEL2(spread, i, j, YOKE_VALUE(float, rate), YOKE_IN(float, old), YOKE_OUT(float, now))
{
    const int64_t m = YOKE_SIZE2, at = i * m + j;
    const float around = old[at - m] + old[at + m] + old[at - 1] + old[at + 1];
    now[at] = old[at] + rate * (0.25f * around - old[at]);
}

#ifndef YOKE_FLATTEN /* the rest is not for devices */
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { rows = 512, columns = 512, steps = 200 };

static void must(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", yoke_error_text());
    exit(1);
}

static yoke_array *open_plate(void)
{
    const yoke_array_spec spec = { .rows = rows,
                                   .row_elements = columns,
                                   .element_size = sizeof(float) };
    yoke_array *array;
    must(yoke_array_open(yoke_default(), &spec, &array));
    must(yoke_array_acquire(array, YOKE_WRITE));
    float *plate = yoke_array_host(array);
    for (int at = 0; at < rows * columns; at++)
        plate[at] = at < columns ? 100 : 0; /* one hot edge */
    must(yoke_array_release(array));
    return array;
}

static int64_t done[8]; /* rows by each device */

static void run_step(yoke_array *old, yoke_array *now)
{
    const yoke_job job = { .kernel = &spread,
                           .range = { 1, rows - 1, { columns }, { 1, columns - 1 } },
                           .args = { yoke_value(0.5f), yoke_in_halo(old, 1, 1), yoke_out(now) } };
    yoke_result *result;
    must(yoke_run(yoke_default(), &job, &result));
    for (int d = 0; d < result->device_count && d < 8; d++)
        done[d] += result->devices[d].items;
    yoke_result_close(result);
}

static void print_plate(int step, yoke_array *array)
{
    must(yoke_array_acquire(array, YOKE_READ));
    const float *plate = yoke_array_host(array);
    printf("step %3d:", step);
    for (int i = 0; i <= 24; i += 8)
        printf(" %6.2f", plate[i * columns + columns / 2]);
    printf("\n");
    must(yoke_array_release(array));
}

static void print_devices(void)
{
    for (int d = 0; d < 8; d++) {
        yoke_device device;
        if (done[d] == 0)
            continue;
        must(yoke_device_get(yoke_default(), d, &device));
        printf("%s: %lld rows\n", device.name, (long long)done[d]);
    }
}

int main(void)
{
    yoke_array *plates[2] = { open_plate(), open_plate() };
    for (int step = 0; step < steps; step++) {
        run_step(plates[step % 2], plates[(step + 1) % 2]);
        if ((step + 1) % 100 == 0)
            print_plate(step + 1, plates[(step + 1) % 2]);
    }
    print_devices();
    for (int p = 0; p < 2; p++)
        must(yoke_array_close(plates[p]));
    return 0;
}
#endif
