/* spmv_options.c - reads the options of the command line. */
#include <string.h>

#include "../number.h"
#include "spmv_state.h"

enum {
    OPTION_TYPE,
    OPTION_MAKE,
    OPTION_SOLVE,
    OPTION_STEPS,
    OPTION_VECTOR,
    OPTION_ITEMS,
    OPTION_GRAPH,
    OPTION_BETA,
    OPTION_SHIFT,
    OPTION_RESIDENT
};

const struct app_option spmv_option_list[] = {
    [OPTION_TYPE] = { "type", "T", "double", "type of the numbers: double or single" },
    [OPTION_MAKE] = { "make", "M", "stencil",
                      "without --input: stencil (7 points) or skewed (a power law)" },
    [OPTION_SOLVE] = { "solve", "S", "product",
                       "product, power (iteration) or cg (conjugate gradients)" },
    [OPTION_STEPS] = { "steps", "N", "20",
                       "number of steps of power, cg and, with --resident, of products in a run" },
    [OPTION_VECTOR] = { "vector", "V", "random", "x: random, ones or ramp (1 + j / columns)" },
    [OPTION_ITEMS] = { "items", "I", "work", "tiles of equal work, or of equal numbers of rows" },
    [OPTION_GRAPH] = { "graph", "G", "laplacian", "what a graph is: laplacian or adjacency" },
    [OPTION_BETA] = { "beta", "B", "90",
                      "for an image, whose weights are exp(-beta difference^2)" },
    [OPTION_SHIFT] = { "shift", "C", "0.1", "for cg: added to the diagonal" },
    [OPTION_RESIDENT] = { "resident", NULL, "0",
                          "for products, too, matrix and x stay on the devices" },
    { NULL, NULL, NULL, NULL },
};

/* `value` must be one of `words`, of which there are at most three; `*out` is its index. */
static yoke_status choose(int option, const char *value, const char *const *words, int *out)
{
    for (int k = 0; k < 3 && words[k]; k++)
        if (strcmp(value, words[k]) == 0) {
            *out = k;
            return YOKE_OK;
        }
    return app_mistake("--%s %s: choose %s%s%s or %s", spmv_option_list[option].name, value,
                       words[0], words[2] ? ", " : "", words[2] ? words[1] : "",
                       words[2] ? words[2] : words[1]);
}

yoke_status spmv_read_options(const struct app_spec *spec, struct spmv_options *out)
{
    static const struct {
        int option;
        const char *words[3];
    } choices[] = {
        { OPTION_TYPE, { "double", "single" } },
        { OPTION_MAKE, { "stencil", "skewed" } },
        { OPTION_SOLVE, { "product", "power", "cg" } },
        { OPTION_VECTOR, { "random", "ones", "ramp" } },
        { OPTION_ITEMS, { "work", "rows" } },
        { OPTION_GRAPH, { "laplacian", "adjacency" } },
    };
    static const struct number_kind steps_kind = { "steps", 1, 1e6, 1 };
    static const struct number_kind beta_kind = { "beta", 0, 1e6, 0 };
    static const struct number_kind shift_kind = { "shift", 0, 1e6, 0 };
    int chosen[sizeof choices / sizeof *choices] = { 0 };
    double steps = 0;
    yoke_status status = YOKE_OK;
    for (size_t k = 0; k < sizeof choices / sizeof *choices && status == YOKE_OK; k++)
        status = choose(choices[k].option, spec->values[choices[k].option], choices[k].words,
                        &chosen[k]);
    if (status == YOKE_OK)
        status = number_read(&steps_kind, spec->values[OPTION_STEPS], &steps);
    if (status == YOKE_OK)
        status = number_read(&beta_kind, spec->values[OPTION_BETA], &out->beta);
    if (status == YOKE_OK)
        status = number_read(&shift_kind, spec->values[OPTION_SHIFT], &out->shift);
    out->type = chosen[0] == 0 ? SPARSE_DOUBLE : SPARSE_SINGLE;
    out->make = chosen[1] == 0 ? SPMV_STENCIL : SPMV_SKEWED;
    out->solve = (enum spmv_solve)chosen[2];
    out->vector = (enum spmv_vector)chosen[3];
    out->items = chosen[4] == 0 ? SPMV_BY_WORK : SPMV_BY_ROWS;
    out->is_adjacency = chosen[5];
    out->is_resident = strcmp(spec->values[OPTION_RESIDENT], "1") == 0;
    out->steps = (int64_t)steps;
    return status;
}
