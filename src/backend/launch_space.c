/* launch_space.c - see launch_space.h. The third dimension's parts follow each other fastest. */
#include "launch_space.h"

struct yk_space yk_space_of(const struct yk_launch *launch)
{
    return (struct yk_space){ .along = { { launch->first, launch->last },
                                         { 0, launch->extent[0] },
                                         { 0, launch->extent[1] } },
                              .size2 = launch->extent[0],
                              .size3 = launch->extent[1] };
}

static void set_part(const struct yk_space *all, int d, int64_t first, int64_t most,
                     struct yk_space *part)
{
    int64_t last = all->along[d].last;
    part->along[d].first = first;
    part->along[d].last = last - first > most ? first + most : last;
}

void yk_space_begin(const struct yk_space *all, const int64_t most[3], struct yk_space *part)
{
    *part = *all;
    for (int d = 0; d < 3; d++)
        set_part(all, d, all->along[d].first, most[d], part);
}

int yk_space_next(const struct yk_space *all, const int64_t most[3], struct yk_space *part)
{
    for (int d = 2; d >= 0; d--) {
        if (part->along[d].last < all->along[d].last) {
            set_part(all, d, part->along[d].last, most[d], part);
            return 1;
        }
        set_part(all, d, all->along[d].first, most[d], part);
    }
    return 0;
}
