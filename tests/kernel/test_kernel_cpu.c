/* test_kernel_cpu.c - the kernel forms on the CPU: every variant that this processor can run, all
 * against the same references, and the contents of descriptors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/variant.h"
#include "cases.h"

struct trial {
    const struct kernel_case *kernel_case;
    int variant;
    char name[64];
};

static void launch(void *state, const yoke_kernel *kernel, const struct launch_arg *args,
                   const yoke_chunk *chunk)
{
    const struct trial *trial = state;
    void *pointers[24];
    for (int p = 0; p < kernel->param_count; p++)
        if (args[p].value)
            memcpy(&pointers[p], &args[p].value, sizeof pointers[p]);
        else
            pointers[p] = (void *)((uintptr_t)args[p].window + (uintptr_t)args[p].shift);
    assert_non_null(kernel->cpu.variant[trial->variant]);
    kernel->cpu.variant[trial->variant](pointers, chunk);
}

static void variant_is_right(void **state)
{
    struct trial *trial = *state;
    struct launcher launcher = { .state = trial, .launch = launch };
    trial->kernel_case->run(&launcher);
}

static void descriptors_are_filled(void **state)
{
    (void)state;
    for (int k = 0; test_kernels[k]; k++) {
        const yoke_kernel *kernel = test_kernels[k];
        assert_int_equal(kernel->struct_size, sizeof(yoke_kernel));
        assert_int_equal(kernel->kind, YOKE_KERNEL_RANGE);
        assert_in_range(kernel->param_count, 1, 24);
        assert_in_range(kernel->dimensions, 1, 3);
        assert_true(kernel->unit >= 1);
        assert_non_null(kernel->file);
        assert_non_null(kernel->opencl.source.text);
        assert_null(kernel->opencl.source.entry);
        assert_non_null(kernel->cuda.source.text);
        for (int p = 0; p < kernel->param_count; p++)
            assert_true(kernel->params[p].size >= kernel->params[p].alignment);
    }
}

extern const yoke_kernel structs, nbody, laplace, integers;

static void parameters_are_described(void **state)
{
    (void)state;
    assert_string_equal(structs.params[0].type, "mixed_t");
    assert_string_equal(structs.params[0].name, "add");
    assert_int_equal(structs.params[0].mode, YOKE_PARAM_VALUE);
    assert_int_equal(structs.params[1].size, 48);
    assert_int_equal(structs.params[1].alignment, 8);
    assert_int_equal(structs.params[3].mode, YOKE_PARAM_OUT);
    assert_int_equal(integers.params[10].size, 2);
    assert_int_equal(nbody.param_count, 4); /* local and private variables are not parameters */
    assert_int_equal(nbody.lanes, 64);
    assert_int_equal(nbody.unit, 64);
    assert_int_equal(laplace.dimensions, 3);
    assert_int_equal(laplace.lanes, 0);
}

int main(void)
{
    enum { TRIALS_MAX = 128 };
    static struct trial trials[TRIALS_MAX];
    struct CMUnitTest tests[TRIALS_MAX + 2] = { cmocka_unit_test(descriptors_are_filled),
                                                cmocka_unit_test(parameters_are_described) };
    size_t count = 0;
    for (int variant = 0; variant <= yk_cpu_variant_best(); variant++)
        for (const struct kernel_case *c = kernel_cases; c->name; c++) {
            struct trial *trial = &trials[count];
            if (!test_kernels[0]->cpu.variant[variant])
                continue; /* compiled for this processor alone: one variant */
            *trial = (struct trial){ .kernel_case = c, .variant = variant };
            snprintf(trial->name, sizeof trial->name, "%s: %s", yk_cpu_variant_name(variant),
                     c->name);
            tests[2 + count++] =
                (struct CMUnitTest){ trial->name, variant_is_right, NULL, NULL, trial };
        }
    return _cmocka_run_group_tests("kernel_cpu", tests, 2 + count, NULL, NULL);
}
