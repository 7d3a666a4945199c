/* sort.h - sorts keys in ascending order, by all cores of the host. */
#ifndef YOKE_APPS_SORT_H
#define YOKE_APPS_SORT_H

#include <yoke/yoke.h>

struct sort_item {
    uint64_t key;
    int64_t from; /* moves with the key */
};

struct sort {
    int64_t count, blocks;
    struct sort_item *items; /* in any order; sorted after sort_run */
    struct sort_item *spare; /* sort_run may have swapped the two */
    int32_t (*at)[256];      /* [block]: counts of a digit's values, then their places */
    int shift;               /* of the current digit */
};

yoke_status sort_open(int64_t count, int64_t blocks, struct sort *out);
void sort_close(struct sort *sort);
/* Stable: items with the same key keep their order. */
yoke_status sort_run(struct sort *sort, yoke_runtime *cores);

#endif
