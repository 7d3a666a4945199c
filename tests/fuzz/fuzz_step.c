/* fuzz_step.c - any text as a step ("smooth(in u[1], out w)").
 *
 * Properties: a refused text gives a reason and leaves the output unchanged; an accepted one names
 * every array that it uses, with bytes, has sums only in front, and writes no array twice. */
#include "fuzz.h"

#include "simulator/step.h"

static void check_kernel(const struct yk_step *step, const struct yk_step_kernel *kernel)
{
    FUZZ_CHECK(kernel->name[0] && memchr(kernel->name, 0, sizeof kernel->name));
    FUZZ_CHECK(kernel->arg_count >= 1 && kernel->arg_count <= YK_STEP_ARGS && kernel->items >= 1);
    for (int a = 0; a < kernel->arg_count; a++) {
        const struct yk_step_arg *arg = &kernel->args[a];
        FUZZ_CHECK((arg->mode == YK_STEP_SUM) == (arg->array < 0));
        FUZZ_CHECK(arg->mode != YK_STEP_SUM || a == 0);
        FUZZ_CHECK(arg->array < step->array_count);
        FUZZ_CHECK(arg->halo >= 0 && (arg->halo == 0 || arg->mode == YK_STEP_IN));
        for (int b = 0; b < a; b++)
            FUZZ_CHECK(kernel->args[b].array != arg->array ||
                       (arg->mode <= YK_STEP_WHOLE && kernel->args[b].mode <= YK_STEP_WHOLE));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct yk_step step = { .kernel_count = 77 };
    char *text = fuzz_text(bytes, size);
    yoke_status status = yk_step_parse(text, &step);
    if (status != YOKE_OK) {
        FUZZ_CHECK(status == YOKE_EINVAL && yoke_error_text()[0]);
        FUZZ_CHECK(step.kernel_count == 77);
    } else {
        FUZZ_CHECK(step.kernel_count >= 1 && step.kernel_count <= YK_STEP_KERNELS);
        FUZZ_CHECK(step.array_count >= 0 && step.array_count <= YK_STEP_ARRAYS);
        for (int a = 0; a < step.array_count; a++)
            FUZZ_CHECK(step.arrays[a].name[0] && step.arrays[a].bytes >= 1);
        FUZZ_CHECK(step.action_count >= step.kernel_count && step.action_count <= YK_STEP_ACTIONS);
        for (int i = 0; i < step.action_count; i++)
            FUZZ_CHECK(
                step.actions[i].of >= 0 &&
                step.actions[i].of <
                    (step.actions[i].doing == YK_STEP_RUNS ? step.kernel_count : step.array_count));
        for (int k = 0; k < step.kernel_count; k++)
            check_kernel(&step, &step.kernels[k]);
    }
    free(text);
    return 0;
}
