/* 02-halo.c - heat spreading over a plate: each row needs its neighbours, so rows are read with a
 * halo of one on both sides. The range excludes the plate's edge, which keeps its heat. Two arrays
 * take turns; between steps only the rows at the borders of the devices' parts are copied. Prints
 * what each device did in the last step. */
#include <yoke/kernel.h>

YOKE_KERNEL2(spread, i, j, YOKE_IN(float, before), YOKE_OUT(float, after))
{
    const int64_t columns = YOKE_SIZE2, at = i * columns + j;
    after[at] =
        0.25f * (before[at - columns] + before[at + columns] + before[at - 1] + before[at + 1]);
}

#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { rows = 512, columns = 512, steps = 200 };

static yoke_status open_plate(yoke_runtime *rt, yoke_array **plate)
{
    yoke_array_spec spec = { .rows = rows, .row_elements = columns, .element_size = sizeof(float) };
    yoke_status status = yoke_array_open(rt, &spec, plate);
    if (status == YOKE_OK)
        status = yoke_array_acquire(*plate, YOKE_WRITE);
    if (status != YOKE_OK)
        return status;
    float *heat = yoke_array_host(*plate);
    for (int64_t at = 0; at < (int64_t)rows * columns; at++)
        heat[at] = at < columns ? 100.0f : 0.0f; /* one hot edge */
    return yoke_array_release(*plate);
}

static yoke_status run_steps(yoke_runtime *rt, yoke_array *plates[2])
{
    for (int step = 0; step < steps; step++) {
        yoke_job job = { .kernel = &spread,
                         .range = { 1, rows - 1, { columns }, { 1, columns - 1 } },
                         .args = { yoke_in_halo(plates[step % 2], 1, 1),
                                   yoke_out(plates[(step + 1) % 2]) } };
        yoke_result *result;
        yoke_status status = yoke_run(rt, &job, &result);
        if (status != YOKE_OK)
            return status;
        for (int d = 0; d < result->device_count && step == steps - 1; d++)
            fprintf(stderr, "device %d: %lld rows. %s\n", d, (long long)result->devices[d].items,
                    result->devices[d].reason);
        yoke_result_close(result);
    }
    return YOKE_OK;
}

int main(void)
{
    yoke_runtime *rt;
    yoke_array *plates[2];
    if (yoke_open(NULL, &rt) != YOKE_OK || open_plate(rt, &plates[0]) != YOKE_OK ||
        open_plate(rt, &plates[1]) != YOKE_OK || run_steps(rt, plates) != YOKE_OK ||
        yoke_array_acquire(plates[steps % 2], YOKE_READ) != YOKE_OK) {
        fprintf(stderr, "%s\n", yoke_error_text());
        return EXIT_FAILURE;
    }
    const float *heat = yoke_array_host(plates[steps % 2]);
    for (int row = 0; row <= 32; row += 8)
        printf("row %2d: %6.2f\n", row, (double)heat[row * columns + columns / 2]);
    yoke_array_close(plates[0]);
    yoke_array_close(plates[1]);
    return yoke_close(rt) == YOKE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
#endif
