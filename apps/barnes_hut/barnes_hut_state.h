/* barnes_hut_state.h - what the application's files share. */
#ifndef YOKE_APPS_BARNES_HUT_STATE_H
#define YOKE_APPS_BARNES_HUT_STATE_H

#include "../app.h"
#include "../memory.h"
#include "tree.h"

/* The form of a kernel's results. */
enum barnes_hut_results {
    RESULTS_PULLS,  /* a pull for each body */
    RESULTS_LOADED, /* a pull for each body, and the check value of its load */
    RESULTS_STEPS,  /* the same; without a load no check values are written */
    RESULTS_SUMS    /* sums of pulls and check values, as whole numbers (units_t) */
};

struct energy {
    double kinetic, potential;
};

/* Positions are half a step ahead of velocities. */
struct barnes_hut_state {
    int64_t stars, steps, steps_done;
    double theta, softening, step;
    int32_t load, visits; /* visits: per step */
    struct app_memory memory;
    yoke_runtime *cores;
    yoke_kernel forces, alternative; /* the other kernel, if devices choose */
    int chooses;
    enum barnes_hut_results results;
    struct star *start, *loose; /* loose: where the next step begins */
    struct tree tree;           /* the following arrays are in tree order: */
    body_t *bodies;
    vector_t *velocities; /* before the latest pulls act on them */
    int32_t *ids;
    node_t *nodes;
    pull_t *pulls;
    uint32_t *loads;         /* check values, or NULL */
    int64_t *sums;           /* or NULL */
    struct energy *energies; /* one for each block of the tree */
    double first_energy, energy;
    /* NULL while detached. load_array and sum_array are also NULL if the kernel needs none. */
    yoke_array *body_array, *node_array, *pull_array, *load_array, *sum_array;
};

/* Selects the kernel by --walk, the requested kind, and the state's load. */
yoke_status barnes_hut_choose(const char *walk, enum app_kernel kind,
                              struct barnes_hut_state *state);
/* Number of loads and sums that the kernel needs; 0: none. */
int64_t barnes_hut_loads(const struct barnes_hut_state *state);
int64_t barnes_hut_sums(const struct barnes_hut_state *state);
/* Runs one job; afterwards pulls, and loads if there are any, are those of the tree's bodies. */
yoke_status barnes_hut_find_forces(struct barnes_hut_state *state, struct app_run *run);

yoke_status barnes_hut_attach(void *state, yoke_runtime *runtime);
yoke_status barnes_hut_detach(void *state);
/* An array to acquire. barnes_hut_acquire acquires all of them, or none. */
struct barnes_hut_hold {
    yoke_array *array; /* or NULL */
    yoke_access_mode mode;
};
yoke_status barnes_hut_acquire(const struct barnes_hut_hold *holds, int count);
/* Releases them. Returns `status` if that is a failure, otherwise the result of releasing. */
yoke_status barnes_hut_release(const struct barnes_hut_hold *holds, int count, yoke_status status);

/* Returns YOKE_EINVAL if the tree is invalid. */
yoke_status barnes_hut_check_tree(const struct barnes_hut_state *state);
/* Does nothing without a load. Writes at most 47 characters to `note`. */
yoke_status barnes_hut_check_load(const struct barnes_hut_state *state, char *note);
yoke_status barnes_hut_verify(void *state, char *note);

#endif
