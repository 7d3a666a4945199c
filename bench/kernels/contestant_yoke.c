/* contestant_yoke.c - the loops as jobs of yoke, on arrays whose rows stay on the devices. */
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

#include "../program.h"
#include "contestant.h"

struct yoke_contestant {
    struct contestant base;
    yoke_runtime *runtime;
    int array_count;
    yoke_array *array[PROBLEM_ARRAYS_MAX];
    yoke_job job[LOOP_STEPS_MAX];
    int jobs, repeats;
};

static yoke_arg argument_of(const struct yoke_contestant *self, const struct problem *problem,
                            const struct loop_operand *operand)
{
    if (operand->size)
        return (yoke_arg)yoke_value_of(&problem->size[operand->size - 1], sizeof(int64_t));
    if (operand->value)
        return (yoke_arg)yoke_value_of(operand->value, operand->bytes);
    yoke_arg argument = yoke_use(self->array[operand->array]);
    argument.shape = operand->shape;
    argument.before = argument.after = operand->halo;
    return argument;
}

static void yoke_attach(struct contestant *base, const struct problem *problem,
                        const struct loop *loop)
{
    struct yoke_contestant *self = (struct yoke_contestant *)base;
    self->array_count = problem->array_count;
    for (int a = 0; a < problem->array_count; a++) {
        const struct problem_array *array = &problem->array[a];
        const yoke_array_spec spec = { .host = array->at,
                                       .rows = array->rows,
                                       .row_elements = array->row_elements,
                                       .element_size = array->element_size };
        must(yoke_array_open(self->runtime, &spec, &self->array[a]), problem->kind->name);
    }
    self->repeats = loop->repeats > 0 ? loop->repeats : 1;
    for (self->jobs = 0; loop->step[self->jobs].kernel; self->jobs++) {
        const struct loop_step *step = &loop->step[self->jobs];
        yoke_job *job = &self->job[self->jobs];
        const int64_t *size = problem->size, margin = step->margin;
        *job = (yoke_job){ .kernel = step->kernel, .range = { 0, size[0], { size[1], size[2] } } };
        if (margin) {
            job->range.first = job->range.second.first = job->range.third.first = margin;
            job->range.last = size[0] - margin;
            job->range.second.last = size[1] - margin;
            job->range.third.last = size[2] - margin;
        }
        for (int k = 0; k < step->kernel->param_count; k++)
            job->args[k] = argument_of(self, problem, &step->operand[k]);
    }
}

static void yoke_do(struct contestant *base)
{
    struct yoke_contestant *self = (struct yoke_contestant *)base;
    for (int turn = 0; turn < self->repeats; turn++)
        for (int k = 0; k < self->jobs; k++)
            must(yoke_run(self->runtime, &self->job[k], NULL), self->job[k].kernel->name);
}

/* The results are what the last step writes; a program does not read what lies between steps. */
static void yoke_home_results(struct contestant *base)
{
    struct yoke_contestant *self = (struct yoke_contestant *)base;
    const yoke_job *job = &self->job[self->jobs - 1];
    for (int k = 0; k < job->kernel->param_count; k++) {
        if (!job->args[k].array || job->kernel->params[k].mode == YOKE_PARAM_IN)
            continue;
        must(yoke_array_acquire(job->args[k].array, YOKE_READ), base->name);
        must(yoke_array_release(job->args[k].array), base->name);
    }
}

static void yoke_detach(struct contestant *base)
{
    struct yoke_contestant *self = (struct yoke_contestant *)base;
    for (int a = 0; a < self->array_count; a++)
        must(yoke_array_close(self->array[a]), base->name);
}

static void yoke_end(struct contestant *base)
{
    must(yoke_close(((struct yoke_contestant *)base)->runtime), base->name);
    free(base);
}

struct contestant *contestant_yoke(const char *devices)
{
    const yoke_config config = { .devices = devices };
    struct yoke_contestant *self = calloc(1, sizeof *self);
    if (!self) {
        perror("calloc");
        exit(1);
    }
    self->base = (struct contestant){ .name = devices ? devices : "yoke",
                                      .attach = yoke_attach,
                                      .run = yoke_do,
                                      .home = yoke_home_results,
                                      .detach = yoke_detach,
                                      .close = yoke_end };
    must(yoke_open(&config, &self->runtime), self->base.name);
    must(yoke_ready(self->runtime), self->base.name);
    return &self->base;
}
