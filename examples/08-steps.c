/* 08-steps.c - the number of ways to place n queens on a board of n columns. A step kernel: an item
 * is a board whose first rows are filled, and it emits one item for each place where the next row's
 * queen may stand. The number of items that follow from one board is not known in advance; yoke
 * keeps every device busy with the items that exist. */
#include <yoke/kernel_step.h>

#define COLUMNS 11

typedef struct board { /* bit c is set: column c of the next row is attacked, straight or diagonally
                        */
    uint32_t straight, left, right;
    int32_t row;
} board_t;

YOKE_FN board_t place(board_t board, uint32_t queen)
{
    board.straight |= queen;
    board.left = (board.left | queen) << 1;
    board.right = (board.right | queen) >> 1;
    ++board.row;
    return board;
}

YOKE_STEP_KERNEL(queens, board_t, board, i, COLUMNS, COLUMNS, YOKE_ADD(int64_t, counts))
{
    YOKE_SEED
    {
        board = place(board, 1u << i); /* the first row's queen stands in column i */
    }
    yoke_add(&counts[board.row], (int64_t)1);
    const uint32_t free = ((1u << COLUMNS) - 1) & ~(board.straight | board.left | board.right);
    for (uint32_t rest = free; rest != 0; rest &= rest - 1)
        YOKE_EMIT(place(board, rest & (0 - rest)));
}

#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

int main(void)
{
    static int64_t counts[COLUMNS + 1];
    yoke_runtime *rt;
    yoke_array *sums;
    if (yoke_open(NULL, &rt) != YOKE_OK ||
        yoke_array_wrap(rt, counts, COLUMNS + 1, sizeof *counts, &sums) != YOKE_OK)
        goto failed;
    yoke_job job = { .kernel = &queens, .range = { 0, COLUMNS }, .args = { yoke_add_to(sums) } };
    if (yoke_run(rt, &job, NULL) != YOKE_OK || yoke_array_acquire(sums, YOKE_READ) != YOKE_OK)
        goto failed;
    for (int row = 1; row <= COLUMNS; row++)
        printf("%2d queens: %lld\n", row, (long long)counts[row]);
    yoke_array_close(sums);
    return yoke_close(rt) == YOKE_OK && counts[COLUMNS] == 2680 ? EXIT_SUCCESS : EXIT_FAILURE;
failed:
    fprintf(stderr, "%s\n", yoke_error_text());
    return EXIT_FAILURE;
}
#endif
