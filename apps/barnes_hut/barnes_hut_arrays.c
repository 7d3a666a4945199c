/* barnes_hut_arrays.c - what devices work on, as arrays of a runtime. */
#include "barnes_hut_state.h"

enum { ARRAYS = 5 };

yoke_status barnes_hut_detach(void *state)
{
    struct barnes_hut_state *s = state;
    yoke_array **arrays[ARRAYS] = { &s->body_array, &s->node_array, &s->pull_array, &s->load_array,
                                    &s->sum_array };
    yoke_status first = YOKE_OK;
    int k;
    for (k = 0; k < ARRAYS; k++) {
        yoke_status status = yoke_array_close(*arrays[k]);
        *arrays[k] = NULL;
        first = first != YOKE_OK ? first : status;
    }
    return first;
}

yoke_status barnes_hut_attach(void *state, yoke_runtime *runtime)
{
    struct barnes_hut_state *s = state;
    const struct {
        yoke_array **array;
        yoke_array_spec spec;
    } arrays[ARRAYS] = {
        { &s->body_array, { .host = s->bodies, .rows = s->stars, .name = "bodies" } },
        { &s->node_array, { .host = s->nodes, .rows = 2 * s->stars, .name = "nodes" } },
        { &s->pull_array, { .host = s->pulls, .rows = s->stars, .name = "pulls" } },
        { &s->load_array, { .host = s->loads, .rows = barnes_hut_loads(s), .name = "loads" } },
        { &s->sum_array, { .host = s->sums, .rows = barnes_hut_sums(s), .name = "sums" } },
    };
    const size_t sizes[ARRAYS] = { sizeof *s->bodies, sizeof *s->nodes, sizeof *s->pulls,
                                   sizeof *s->loads, sizeof *s->sums };
    yoke_status status = YOKE_OK;
    int k;
    for (k = 0; k < ARRAYS && status == YOKE_OK; k++) {
        yoke_array_spec spec = arrays[k].spec;
        spec.element_size = sizes[k];
        if (spec.host)
            status = yoke_array_open(runtime, &spec, arrays[k].array);
    }
    if (status != YOKE_OK)
        barnes_hut_detach(s);
    return status;
}

yoke_status barnes_hut_acquire(const struct barnes_hut_hold *holds, int count)
{
    int held;
    for (held = 0; held < count; held++) {
        const yoke_status status =
            holds[held].array ? yoke_array_acquire(holds[held].array, holds[held].mode) : YOKE_OK;
        if (status != YOKE_OK)
            return barnes_hut_release(holds, held, status);
    }
    return YOKE_OK;
}

yoke_status barnes_hut_release(const struct barnes_hut_hold *holds, int count, yoke_status status)
{
    while (count-- > 0) {
        const yoke_status released =
            holds[count].array ? yoke_array_release(holds[count].array) : YOKE_OK;
        status = status != YOKE_OK ? status : released;
    }
    return status;
}
