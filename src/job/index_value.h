/* index_value.h - the values that polynomials of a kernel's text (access/polynomial.h) have at an
 * index of a job's range. */
#ifndef YK_JOB_INDEX_VALUE_H
#define YK_JOB_INDEX_VALUE_H

#include "../access/operation.h"
#include "job.h"

/* An index of the range, i, j and k, and the results of the body's operations there. */
struct yk_index {
    int is_known; /* 0: it stands for none; only what does not depend on the index has a value */
    int64_t at[3];
    int64_t result[YK_OPERATIONS_MOST];
    uint32_t results; /* bit n: result[n] is known */
};

/* Sets the results, from is_known and `at`. */
void yk_index_compute(const struct yk_job *job, struct yk_index *index);
/* Sets *out to the polynomial's value there. Returns 0 if it is unknown. */
int yk_index_value(const struct yk_job *job, const struct yk_index *index,
                   const struct yk_polynomial *polynomial, int64_t *out);
/* Sets *out to the integer that the job passes for a parameter. Returns 0 if that is unknown. */
int yk_index_parameter(const struct yk_job *job, int parameter, int64_t *out);

#endif
