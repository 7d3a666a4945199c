/* step.h - PURE. A step of a program: kernels, one after the other, on arrays that stay on devices.
 *
 *     smooth(in u[1], out w); smooth(in w[1], out u)
 *     multiply(in matrix:72, whole x, out y)*9; dot(sum, in x, in y); read y
 *
 *     step   = action { ";" action }
 *     action = kernel | "read" NAME | "write" NAME    the program reads or writes an array
 *     kernel = NAME "(" arg { "," arg } ")" [ "*" ITEMS ]    ITEMS: cost of an index [1]
 *     arg    = MODE NAME [ ":" BYTES ] [ "[" ROWS "]" ] | "sum"
 *
 * MODE: in, whole (any row is read), inout or out. BYTES: of a row [8]. ROWS: neighbours that `in`
 * reads on either side. sum: one number comes to the host; it must be the first argument.
 */
#ifndef YK_SIMULATOR_STEP_H
#define YK_SIMULATOR_STEP_H

#include <stdint.h>
#include <yoke/status.h>

enum {
    YK_STEP_NAME_MAX = 32, /* characters, with the end */
    YK_STEP_ARRAYS = 16,
    YK_STEP_KERNELS = 16,
    YK_STEP_ACTIONS = 32,
    YK_STEP_ARGS = 8
};
enum yk_step_mode { YK_STEP_IN, YK_STEP_WHOLE, YK_STEP_INOUT, YK_STEP_OUT, YK_STEP_SUM };

struct yk_step_arg {
    enum yk_step_mode mode;
    int array; /* -1: of a sum */
    int64_t halo;
};
struct yk_step_kernel {
    char name[YK_STEP_NAME_MAX];
    struct yk_step_arg args[YK_STEP_ARGS];
    int arg_count;
    int64_t items; /* cost of an index, in items */
};
struct yk_step_array {
    char name[YK_STEP_NAME_MAX];
    int64_t bytes; /* of a row; 0: not given yet */
};
enum yk_step_doing { YK_STEP_RUNS, YK_STEP_READS, YK_STEP_WRITES };
struct yk_step_action {
    enum yk_step_doing doing;
    int of; /* number of the kernel, or of the array */
};
struct yk_step {
    struct yk_step_array arrays[YK_STEP_ARRAYS];
    struct yk_step_kernel kernels[YK_STEP_KERNELS];
    struct yk_step_action actions[YK_STEP_ACTIONS];
    int array_count, kernel_count, action_count; /* at least one kernel */
};

/* YOKE_EINVAL with a text that says what was expected at which character. */
yoke_status yk_step_parse(const char *text, struct yk_step *out);

#endif
