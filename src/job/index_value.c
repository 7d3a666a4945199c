/* index_value.c - see index_value.h. */
#include "index_value.h"

#include <string.h>

#include "kernel.h"

/* A row distance may be smaller on a device, but leads to the same rows as the host's. */
int yk_index_parameter(const struct yk_job *job, int parameter, int64_t *out)
{
    const void *value = job->args[parameter].value;
    const char *type = job->kernel->kernel.params[parameter].type;
    const int of = job->distance_of[parameter];
    int32_t narrow;
    if (of > 0) {
        *out = yk_array_row_elements(job->args[of - 1].array);
        return 1;
    }
    if (!value)
        return 0;
    if (job->args[parameter].value_size == sizeof *out) {
        memcpy(out, value, sizeof *out);
        return 1;
    }
    memcpy(&narrow, value, sizeof narrow);
    *out = *type == 'u' ? (int64_t)(uint32_t)narrow : narrow;
    return 1;
}

static int variable_of(const struct yk_job *job, const struct yk_index *index, int variable,
                       int64_t *out)
{
    if (variable <= YK_VAR_K) {
        *out = index->at[variable];
        return index->is_known;
    }
    if (variable >= YK_VAR_RESULT) {
        *out = index->result[variable - YK_VAR_RESULT];
        return index->results >> (variable - YK_VAR_RESULT) & 1;
    }
    if (variable >= YK_VAR_VALUE)
        return yk_index_parameter(job, variable - YK_VAR_VALUE, out);
    if (variable != YK_VAR_SIZE2 && variable != YK_VAR_SIZE3)
        return 0;
    *out = job->extent[variable - YK_VAR_SIZE2];
    return 1;
}

int yk_index_value(const struct yk_job *job, const struct yk_index *index,
                   const struct yk_polynomial *polynomial, int64_t *out)
{
    int64_t sum = 0, factor;
    int t, v;
    for (t = 0; t < polynomial->count; t++) {
        int64_t term = polynomial->terms[t].factor;
        for (v = 0; v < polynomial->terms[t].count; v++)
            if (!variable_of(job, index, polynomial->terms[t].variable[v], &factor) ||
                __builtin_mul_overflow(term, factor, &term))
                return 0;
        if (__builtin_add_overflow(sum, term, &sum))
            return 0;
    }
    *out = sum;
    return 1;
}

/* Each operation comes after those in its operands. */
void yk_index_compute(const struct yk_job *job, struct yk_index *index)
{
    const struct yk_access *access = &job->kernel->access;
    int64_t a, b;
    int n;
    index->results = 0;
    for (n = 0; n < access->operation_count; n++) {
        const struct yk_operation *operation = &access->operations[n];
        if (yk_index_value(job, index, &operation->a, &a) &&
            yk_index_value(job, index, &operation->b, &b) &&
            yk_operation_compute(operation, a, b, &index->result[n]))
            index->results |= UINT32_C(1) << n;
    }
}
