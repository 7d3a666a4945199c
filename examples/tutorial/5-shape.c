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
static float plate[2][rows][columns]; /* before and after a step, by turns */

static void must(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", yoke_error_text());
    exit(1);
}

static yoke_array *open_plate(void *host)
{
    const yoke_array_spec spec = {
        .host = host, .rows = rows, .row_elements = columns, .element_size = sizeof(float)
    };
    yoke_array *array;
    must(yoke_array_open(yoke_default(), &spec, &array));
    return array;
}

static void run_step(yoke_array *old, yoke_array *now)
{
    must(yoke_for2(NULL, &spread, yoke_interior(rows, 1), yoke_interior(columns, 1), 0.5f,
                   yoke_halo(old, 1, 1), now));
}

int main(void)
{
    yoke_array *plates[2];
    for (int j = 0; j < columns; j++)
        plate[0][0][j] = plate[1][0][j] = 100; /* one hot edge */
    for (int p = 0; p < 2; p++)
        plates[p] = open_plate(plate[p]);
    for (int step = 0; step < steps; step++)
        run_step(plates[step % 2], plates[(step + 1) % 2]);
    for (int p = 0; p < 2; p++)
        must(yoke_array_close(plates[p])); /* brings what only a GPU has back to plate */
    for (int i = 0; i <= 24; i += 8)
        printf("row %2d: %6.2f\n", i, plate[steps % 2][i][columns / 2]);
    return 0;
}
#endif
