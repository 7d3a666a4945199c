/* cluster.h - stars and their tree, for the tests of Barnes-Hut. */
#ifndef YOKE_TESTS_CLUSTER_H
#define YOKE_TESTS_CLUSTER_H

#include "barnes_hut/tree.h"

extern yoke_runtime *cluster_cores; /* valid between the group's setup and teardown */
int cluster_setup(void **unused);
int cluster_teardown(void **unused);

/* `count` stars in one place, or in a Plummer sphere; the caller frees them. */
struct star *cluster_stars(int64_t count);
struct star *cluster_plummer(int64_t count, uint64_t seed);

/* One tree at a time; its stars must stay where they are until cluster_fell. */
extern struct tree cluster_tree;
yoke_status cluster_plant(const struct star *stars, int64_t count);
void cluster_fell(void);

#endif
