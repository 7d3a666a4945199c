#ifndef TOUCH_KERNELS_H
#define TOUCH_KERNELS_H
#include <yoke/kernel.h>
#ifndef YOKE_FLATTEN
extern const yoke_kernel t_image, t_gather, t_table, t_neighbours, t_stencil, t_window, t_vector,
    t_sum, t_sum_star, t_sum_counts, t_sum_right, t_triples, t_scatter, t_reversed, t_right,
    t_mirror, t_backwards, t_radius, t_channels, t_distance, t_ends, t_names, t_behind, t_half,
    t_ring, t_red, t_pairs, t_far, t_wrapped, t_unsigned_half, t_unsigned_near, t_row_sum,
    t_row_last, t_row_loop, t_box_sum, t_row_first, t_row_same, t_row_never, t_column;
#endif
#endif
