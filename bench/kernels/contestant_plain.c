/* contestant_plain.c - the loops without yoke: see plain.h. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "contestant.h"
#include "plain.h"

struct plain_step {
    plain_fn *begin;
    void *argument[LOOP_OPERANDS_MAX];
};
struct plain_contestant {
    struct contestant base;
    const struct plain *plain;
    const struct problem *problem;
    void *memory[PROBLEM_ARRAYS_MAX]; /* the problem's arrays, in the loops' memory */
    struct plain_step step[LOOP_STEPS_MAX];
    int steps, repeats;
};

static size_t bytes_of(const struct problem_array *array)
{
    return (size_t)array->rows * (size_t)array->row_elements * array->element_size;
}

static void *argument_of(const struct plain_contestant *self, const struct loop_operand *operand)
{
    if (operand->size)
        return (void *)&self->problem->size[operand->size - 1];
    return operand->value ? (void *)operand->value : self->memory[operand->array];
}

static void plain_attach(struct contestant *base, const struct problem *problem,
                         const struct loop *loop)
{
    struct plain_contestant *self = (struct plain_contestant *)base;
    self->problem = problem;
    for (int a = 0; a < problem->array_count; a++) {
        const struct problem_array *array = &problem->array[a];
        self->memory[a] = array->at;
        if (self->plain->take) {
            self->memory[a] = self->plain->take(bytes_of(array));
            self->plain->put(self->memory[a], array->at, bytes_of(array));
        }
    }
    self->repeats = loop->repeats > 0 ? loop->repeats : 1;
    for (self->steps = 0; loop->step[self->steps].kernel; self->steps++) {
        const struct loop_step *from = &loop->step[self->steps];
        struct plain_step *step = &self->step[self->steps];
        step->begin = self->plain->find(from->kernel->name);
        if (!step->begin) {
            fprintf(stderr, "%s has no loop %s\n", base->name, from->kernel->name);
            exit(1);
        }
        for (int k = 0; k < from->kernel->param_count; k++)
            step->argument[k] = argument_of(self, &from->operand[k]);
    }
}

static void plain_run(struct contestant *base)
{
    const struct plain_contestant *self = (const struct plain_contestant *)base;
    for (int turn = 0; turn < self->repeats; turn++)
        for (int k = 0; k < self->steps; k++)
            self->step[k].begin(self->step[k].argument, self->problem->size);
    self->plain->wait();
}

static void plain_home(struct contestant *base)
{
    const struct plain_contestant *self = (const struct plain_contestant *)base;
    for (int a = 0; self->plain->get && a < self->problem->array_count; a++) {
        const struct problem_array *array = &self->problem->array[a];
        self->plain->get(array->at, self->memory[a], bytes_of(array));
    }
}

static void plain_detach(struct contestant *base)
{
    const struct plain_contestant *self = (const struct plain_contestant *)base;
    for (int a = 0; self->plain->give && a < self->problem->array_count; a++)
        self->plain->give(self->memory[a]);
}

static void plain_close(struct contestant *base)
{
    free(base);
}

/* The library stays loaded: it contains OpenMP's threads and CUDA's exit handlers. */
struct contestant *contestant_plain(const char *file)
{
    struct plain_contestant *self = calloc(1, sizeof *self);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const struct plain *plain = library ? dlsym(library, "plain_loops") : NULL;
    if (!self || !plain) {
        fprintf(stderr, "%s\n", self ? dlerror() : "no memory");
        exit(1);
    }
    self->base = (struct contestant){ .name = plain->name,
                                      .attach = plain_attach,
                                      .run = plain_run,
                                      .home = plain_home,
                                      .detach = plain_detach,
                                      .close = plain_close };
    self->plain = plain;
    return &self->base;
}
