/* barnes_hut_loaded_kernels.c - the kernels of barnes_hut_kernels.c with a load
 * (barnes_hut_visit.h). They are separate, so that the load does not change the code of the others.
 */
#include "barnes_hut_together.h"
#include "barnes_hut_visit.h"

/* The load comes before the branch of the visit: all lanes of a warp that still walk do it at the
 * same time. */
YOKE_KERNEL(barnes_hut_loaded, i, YOKE_VALUE(int32_t, node_count), YOKE_VALUE(forces_t, how),
            YOKE_IN(body_t, bodies), YOKE_IN(node_t, nodes), YOKE_OUT(pull_t, pulls),
            YOKE_OUT(uint32_t, loads))
{
    const body_t me = bodies[i];
    pull_t sum = YOKE_INIT(pull_t, 0.0f, 0.0f, 0.0f, 0.0f);
    uint32_t results = 0;
    int32_t k = 0;
    while (k < node_count) {
        const node_t node = nodes[k];
        results += barnes_hut_load(barnes_hut_distance2(&node, me), how.load);
        k = barnes_hut_visit(&node, me, how, &sum) ? node.skip : k + 1;
    }
    pulls[i] = sum;
    loads[i] = results;
}

/* Does eight sums each time that the lanes' variables are loaded and stored: a CPU keeps them in
 * memory. */
#define SUM_TWICE                                                                                  \
    YOKE_MINE(even) += YOKE_MINE(odd);                                                             \
    YOKE_MINE(odd) += YOKE_MINE(even);
#define LOAD                                                                                       \
    int32_t done = 1;                                                                              \
    for (; done + 6 < how.load; done += 8)                                                         \
        YOKE_LANES(l)                                                                              \
        {                                                                                          \
            SUM_TWICE SUM_TWICE SUM_TWICE SUM_TWICE                                                \
        }                                                                                          \
    for (; done < how.load; done += 2)                                                             \
        YOKE_LANES(l){ SUM_TWICE } YOKE_LANES(l)                                                   \
        {                                                                                          \
            YOKE_MINE(results) +=                                                                  \
                YOKE_MINE(is_here) ? ((how.load & 1) ? YOKE_MINE(odd) : YOKE_MINE(even)) : 0;      \
        }

YOKE_GROUP_KERNEL(barnes_hut_loaded_together, i, BARNES_HUT_LANES, BARNES_HUT_LANES,
                  YOKE_VALUE(int32_t, node_count), YOKE_VALUE(forces_t, how),
                  YOKE_IN(body_t, bodies), YOKE_IN(node_t, nodes), YOKE_OUT(pull_t, pulls),
                  YOKE_OUT(uint32_t, loads), BARNES_HUT_TOGETHER_OWN, YOKE_PRIVATE(uint32_t, even),
                  YOKE_PRIVATE(uint32_t, odd), YOKE_PRIVATE(uint32_t, results),
                  YOKE_PRIVATE(int32_t, is_here))
{
    BARNES_HUT_TOGETHER(YOKE_MINE(results) = 0;, YOKE_MINE(even) = barnes_hut_first(d2);
                        YOKE_MINE(odd) = YOKE_MINE(even) + 1; YOKE_MINE(is_here) = here;
                        , LOAD, loads[i + l] = YOKE_MINE(results);)
}
