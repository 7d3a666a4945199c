/* barnes_hut_state.h - what the application's files share. */
#ifndef YOKE_APPS_BARNES_HUT_STATE_H
#define YOKE_APPS_BARNES_HUT_STATE_H

#include "../memory.h"
#include "tree.h"

struct energy {
    double kinetic, potential;
};

/* Places are those half a step ahead of the velocities. */
struct barnes_hut_state {
    int64_t stars, steps, steps_done;
    double theta, softening, step;
    struct app_memory memory;
    yoke_runtime *cores;
    yoke_kernel forces;
    struct star *start, *loose; /* loose: where the next step begins */
    struct tree tree;           /* and what is in tree order: */
    body_t *bodies;
    vector_t *velocities; /* before the latest pulls */
    int32_t *ids;
    node_t *nodes;
    pull_t *pulls;
    struct energy *energies; /* of the blocks of the tree */
    double first_energy, energy;
    yoke_array *body_array, *node_array, *pull_array; /* NULL while detached */
};

/* YOKE_EINVAL: it is none. */
yoke_status barnes_hut_check_tree(const struct barnes_hut_state *state);
yoke_status barnes_hut_verify(void *state, char *note);

#endif
