/* narrow_sums.c - additions to elements whose indexes are constants, as in
 *
 *     for (int k = 0; k < 16; k++) yoke_add(&g[k], p * x[i * 16 + k]);
 *     yoke_add(sum, x[i]);
 *
 * The second entry keeps such sums for each thread (yoke/kernel_gather_cuda.h), if the body uses
 * the array in no other way. The counter of a loop with constant bounds counts as a constant: the
 * compiler unrolls such loops, and the sums are then in registers.
 */
#include "narrowing.h"

/* The most bytes of a thread's sums: half of the registers that it has if half as many threads run
 * as can. */
enum { BYTES_MOST = 128 };

/* The parameter that the value is, if its mode is add; -1: it is another value. */
static int parameter_of(const struct yk_narrowing *n, const struct yk_value *value)
{
    const int v = value->variable;
    const int p = v < 0 || n->variables[v].at >= n->body_first
                      ? -1
                      : yk_body_parameter(&n->text, &n->variables[v].name);
    return p >= 0 && n->text.kernel->params[p].mode == YOKE_PARAM_ADD ? p : -1;
}

static void note_add(struct yk_sum_use *sum, int64_t element)
{
    sum->adds++;
    if (sum->count <= element)
        sum->count = (int)element + 1;
}

void yk_narrowing_sum_named(struct yk_narrowing *n, const struct yk_value *value)
{
    const int p = parameter_of(n, value);
    if (p < 0)
        return;
    n->sums[p].uses++;
    if (yk_narrowing_is(n, n->at - 2, "yoke_add") && yk_narrowing_is(n, n->at - 1, "(") &&
        yk_narrowing_is(n, n->at + 1, ","))
        note_add(&n->sums[p], 0);
}

void yk_narrowing_sum_element(struct yk_narrowing *n, const struct yk_value *array,
                              const struct yk_value *index)
{
    const int p = parameter_of(n, array), first = array->first;
    if (p < 0 || n->failed || !yk_value_is_counted(index) ||
        !n->bounds.nodes[index->node].is_constant || !yk_narrowing_is(n, first - 3, "yoke_add") ||
        !yk_narrowing_is(n, first - 2, "(") || !yk_narrowing_is(n, first - 1, "&") ||
        !yk_narrowing_is(n, n->at, ","))
        return;
    const struct yk_bounds at = n->bounds.nodes[index->node].is;
    if (at.low >= 0 && at.high < BYTES_MOST)
        note_add(&n->sums[p], at.high);
}

/* Marks the type of the elements, if it is one word. */
static int mark_type(struct yk_narrowing *n, const yoke_param *param)
{
    int v = n->variable_count - 1; /* before the body's own variables come its parameters */
    while (n->variables[v].at >= n->body_first || !yk_token_is(&n->variables[v].name, param->name))
        v--;
    const int at = n->variables[v].type_at;
    if (!yk_token_is(&n->text.tokens[at], param->type))
        return 0;
    n->marks[at] |= YK_MARK_SUM;
    return 1;
}

int yk_narrowing_keep_sums(struct yk_narrowing *n, int has_places)
{
    int bytes = 0;
    for (int p = 0; p < n->text.kernel->param_count; p++) {
        const yoke_param *param = &n->text.kernel->params[p];
        struct yk_sum_use *sum = &n->sums[p];
        const int more = sum->count * (int)param->size;
        if (!has_places || sum->adds < sum->uses || bytes + more > BYTES_MOST ||
            (sum->count && !mark_type(n, param)))
            sum->count = 0;
        bytes += sum->count ? more : 0;
    }
    return bytes > 0;
}
