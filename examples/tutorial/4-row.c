#include <yoke/kernel.h>

YOKE_KERNEL2(cool, i, j, YOKE_VALUE(float, rate), YOKE_IN(float, air), YOKE_INOUT(float, plate))
{
    const int64_t at = i * YOKE_SIZE2 + j;
    plate[at] = plate[at] + rate * (air[i] - plate[at]);
}

#ifndef YOKE_FLATTEN /* the rest is not for devices */
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { rows = 512, columns = 512, steps = 100 };
static float air[rows], plate[rows][columns];

static void must(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", yoke_error_text());
    exit(1);
}

static yoke_array *open_plate(void)
{
    const yoke_array_spec spec = {
        .host = plate, .rows = rows, .row_elements = columns, .element_size = sizeof(float)
    };
    yoke_array *array;
    must(yoke_array_open(yoke_default(), &spec, &array));
    return array;
}

int main(void)
{
    yoke_array *airs, *plates;
    for (int i = 0; i < rows; i++) {
        air[i] = i < rows / 2 ? 20 : 40;
        for (int j = 0; j < columns; j++)
            plate[i][j] = 100;
    }
    must(yoke_array_wrap(yoke_default(), air, rows, sizeof *air, &airs));
    plates = open_plate();
    for (int step = 0; step < steps; step++)
        must(yoke_for2(NULL, &cool, rows, columns, 0.01f, airs, plates));
    must(yoke_array_close(airs));
    must(yoke_array_close(plates)); /* brings what only a GPU has back to plate */
    printf("plate[0][0] = %.2f, plate[511][0] = %.2f\n", plate[0][0], plate[511][0]);
    return 0;
}
#endif
