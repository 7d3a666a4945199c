/* kernel_shape.c - see kernel_shape.h. */
#include "kernel_shape.h"

#include <stdio.h>
#include <yoke/kernel_reduce.h>

#include "../base/status.h"
#include "step_queue.h"

yoke_status yk_kernel_shape_take(const yoke_kernel *kernel, struct yk_kernel_shape *out)
{
    if (kernel->param_count < 0 || kernel->param_count > YOKE_ARGS_MAX || kernel->dimensions > 3)
        return yk_fail(
            YOKE_EINVAL,
            "kernel %s has %d parameters and %d dimensions; at most %d and 3 are possible",
            kernel->name, kernel->param_count, kernel->dimensions, YOKE_ARGS_MAX);
    if (kernel->kind == YOKE_KERNEL_STEP && yk_step_check(kernel) != YOKE_OK)
        return YOKE_EINVAL;
    *out = (struct yk_kernel_shape){ .dimensions = kernel->dimensions > 0 ? kernel->dimensions : 1,
                                     .lanes = kernel->lanes,
                                     .unit = kernel->unit > 0 ? kernel->unit : 1,
                                     .param_count = kernel->param_count };
    if (kernel->kind == YOKE_KERNEL_STEP) {
        out->is_step = 1;
        out->step = kernel->step;
        out->step.type = NULL;
    }
    snprintf(out->name, sizeof out->name, "%s", kernel->name);
    for (int p = 0; p < kernel->param_count; p++) {
        out->params[p] = (struct yk_kernel_param){ kernel->params[p].mode, kernel->params[p].size };
        out->reduces |= kernel->params[p].mode == YOKE_PARAM_REDUCE;
    }
    if (out->reduces && !out->lanes)
        out->lanes = YK_REDUCE_LANES;
    return YOKE_OK;
}

struct yk_entry_name yk_kernel_entry_name(const yoke_kernel *kernel, int narrow)
{
    struct yk_entry_name name;
    snprintf(name.text, sizeof name.text, "%s%s", narrow ? "yoke_entry32_" : "yoke_entry_",
             kernel->name);
    return name;
}
