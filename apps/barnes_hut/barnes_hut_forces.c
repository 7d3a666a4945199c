/* barnes_hut_forces.c - the job of a step: which kernel computes the forces, with which arguments,
 * and where the results go.
 */
#include <math.h>
#include <string.h>

#include "../app.h"
#include "../cores.h"
#include "barnes_hut_state.h"

/* Bodies that walk together fill a CPU's vectors; on a GPU the lanes of a warp then read the same
 * node: 1.4 times as fast as alone on an H200. If a load makes each visit expensive, a warp's
 * bodies should walk alone. */
static const struct form {
    const char *walk;
    enum app_kernel kind;
    enum barnes_hut_results results;
    const yoke_kernel *device, *cpu;
} forms[] = {
    { "auto", APP_KERNEL_PLAIN, RESULTS_PULLS, &barnes_hut_together, &barnes_hut_together },
    { "alone", APP_KERNEL_PLAIN, RESULTS_PULLS, &barnes_hut, &barnes_hut },
    { "together", APP_KERNEL_PLAIN, RESULTS_PULLS, &barnes_hut_together, &barnes_hut_together },
    { "auto", APP_KERNEL_PLAIN, RESULTS_LOADED, &barnes_hut_loaded, &barnes_hut_loaded_together },
    { "alone", APP_KERNEL_PLAIN, RESULTS_LOADED, &barnes_hut_loaded, &barnes_hut_loaded },
    { "together", APP_KERNEL_PLAIN, RESULTS_LOADED, &barnes_hut_loaded_together,
      &barnes_hut_loaded_together },
    { "auto", APP_KERNEL_STEP, RESULTS_STEPS, &barnes_hut_steps, &barnes_hut_steps },
    { "alone", APP_KERNEL_STEP, RESULTS_STEPS, &barnes_hut_steps, &barnes_hut_steps },
    { "apart", APP_KERNEL_STEP, RESULTS_SUMS, &barnes_hut_apart, &barnes_hut_apart },
};
enum { FORMS = sizeof forms / sizeof *forms };

static const struct form *find(const char *walk, enum app_kernel kind, int32_t load)
{
    const enum barnes_hut_results other = load ? RESULTS_PULLS : RESULTS_LOADED;
    int f;
    for (f = 0; f < FORMS; f++)
        if (forms[f].kind == kind && forms[f].results != other && !strcmp(forms[f].walk, walk))
            return &forms[f];
    return NULL;
}

static yoke_kernel kernel_of(const struct form *form)
{
    yoke_kernel kernel = *form->device;
    kernel.cpu = form->cpu->cpu;
    if (form->kind == APP_KERNEL_PLAIN)
        kernel.cpu.unit = form->cpu->unit;
    return kernel;
}

/* Devices choose between kernels only if there is a load. Without one the step kernel does the
 * plain kernel's work plus that of its queue, so it cannot win, and a job of a millisecond is too
 * short to measure it. */
yoke_status barnes_hut_choose(const char *walk, enum app_kernel kind, struct barnes_hut_state *s)
{
    const int steps = kind == APP_KERNEL_STEP;
    const struct form *form = find(walk, steps ? kind : APP_KERNEL_PLAIN, s->load);
    const struct form *other = find(walk, APP_KERNEL_STEP, s->load);
    if (!form)
        return app_mistake("--walk %s: choose %s", walk,
                           steps ? "alone, apart or auto with --kernel step"
                                 : "alone, together or auto, or with --kernel step apart");
    s->results = form->results;
    s->forces = kernel_of(form);
    s->chooses = kind == APP_KERNEL_AUTO && s->load && other;
    if (s->chooses)
        s->alternative = kernel_of(other);
    return YOKE_OK;
}

/* --- sums that several lanes add to --- */

/* Returns the finest units with which the sum of all pulls fits into 62 bits: with a total mass of
 * 1, no body is pulled by more than 2 / sqrt(27) / softening^2, nor has a potential below -1 /
 * softening. */
static units_t units_of(const struct barnes_hut_state *s)
{
    const double most = 0.385 / (s->softening * s->softening);
    return (units_t){ .pull = (float)exp2(floor(61 - log2(most))),
                      .potential = (float)exp2(floor(61 + log2(s->softening))),
                      .loads_at = 4 * s->stars };
}

int64_t barnes_hut_loads(const struct barnes_hut_state *s)
{
    return s->load || s->results == RESULTS_STEPS ? s->stars : 0;
}

int64_t barnes_hut_sums(const struct barnes_hut_state *s)
{
    return s->results == RESULTS_SUMS ? (s->load ? 5 : 4) * s->stars : 0;
}

static void take_block(void *context, int64_t block)
{
    const struct barnes_hut_state *s = context;
    const units_t units = units_of(s);
    const struct cores_span span = cores_span(s->stars, s->tree.blocks, block);
    int64_t i;
    for (i = span.first; i < span.last; i++) {
        const int64_t *sum = &s->sums[4 * i];
        s->pulls[i] = (pull_t){ (float)((double)sum[0] / (double)units.pull),
                                (float)((double)sum[1] / (double)units.pull),
                                (float)((double)sum[2] / (double)units.pull),
                                (float)((double)sum[3] / (double)units.potential) };
        if (s->load)
            s->loads[i] = (uint32_t)s->sums[units.loads_at + i];
    }
}

/* Converts the sums to the form of the other kernels' results. */
static yoke_status take_sums(const struct barnes_hut_state *s)
{
    const struct cores_work work = { "take sums", take_block, (void *)s, s->tree.blocks };
    const struct barnes_hut_hold holds[] = { { s->sum_array, YOKE_READ },
                                             { s->pull_array, YOKE_WRITE },
                                             { s->load_array, YOKE_WRITE } };
    const yoke_status status = barnes_hut_acquire(holds, 3);
    return status == YOKE_OK ? barnes_hut_release(holds, 3, cores_run(s->cores, &work)) : status;
}

static yoke_status clear_sums(const struct barnes_hut_state *s)
{
    const yoke_status status = yoke_array_acquire(s->sum_array, YOKE_WRITE);
    if (status != YOKE_OK)
        return status;
    memset(s->sums, 0, (size_t)barnes_hut_sums(s) * sizeof *s->sums);
    return yoke_array_release(s->sum_array);
}

/* --- the job --- */

/* Of the array of nodes only these rows are in use. */
static yoke_rows built_nodes(const void *context, yoke_rows range)
{
    const struct tree *tree = context;
    (void)range;
    return (yoke_rows){ 0, tree->node_count };
}

/* The rows of loads that a range writes: none without a load, so that nothing is copied to the
 * host. */
static yoke_rows loaded_rows(const void *context, yoke_rows range)
{
    const struct barnes_hut_state *s = context;
    return s->load ? range : (yoke_rows){ range.first, range.first };
}

static int put_results(struct barnes_hut_state *s, yoke_arg *args)
{
    int n = 0;
    if (s->results == RESULTS_SUMS)
        args[n++] = (yoke_arg)yoke_add_to(s->sum_array);
    else
        args[n++] = (yoke_arg)yoke_out_home(s->pull_array);
    if (s->results == RESULTS_LOADED || s->results == RESULTS_STEPS)
        args[n++] = (yoke_arg){ .mode = YOKE_PARAM_OUT,
                                .array = s->load_array,
                                .shape = YOKE_CUSTOM,
                                .rows = loaded_rows,
                                .rows_context = s,
                                .home = YOKE_HOME_NOW };
    return n;
}

yoke_status barnes_hut_find_forces(struct barnes_hut_state *s, struct app_run *run)
{
    const forces_t how = { .theta2 = (float)(s->theta * s->theta),
                           .softening2 = (float)(s->softening * s->softening),
                           .load = s->load,
                           .visits = s->visits };
    const units_t units = units_of(s);
    yoke_job job = { .kernel = &s->forces,
                     .alternative = s->chooses ? &s->alternative : NULL,
                     .range = { .last = s->stars },
                     .args = { yoke_value(s->tree.node_count), yoke_value(how) } };
    int n = 2;
    yoke_status status = YOKE_OK;
    if (s->results == RESULTS_SUMS) {
        job.args[n++] = (yoke_arg)yoke_value(units);
        status = clear_sums(s);
    }
    job.args[n++] = (yoke_arg)yoke_in(s->body_array);
    job.args[n++] = (yoke_arg)yoke_in_custom(s->node_array, built_nodes, &s->tree);
    put_results(s, &job.args[n]);
    if (status == YOKE_OK)
        status = app_run_job(run, &job);
    return status == YOKE_OK && s->results == RESULTS_SUMS ? take_sums(s) : status;
}
