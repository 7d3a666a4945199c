/* job_kind.c - see job_kind.h: hashes the parts of a job that identify its kind. */

#include "job_kind.h"

#include "../base/hash.h"

_Static_assert(YK_SIZES_MAX >= 3 + 2 * YOKE_ARGS_MAX, "all sizes of a job");

uint64_t yk_job_kind_content(const yoke_kernel *kernel)
{
    uint64_t hash = yk_hash_text(yk_hash_text(yk_hash_start, kernel->name), kernel->file);
    int p;
    hash = yk_hash_number(yk_hash_number(hash, kernel->kind), kernel->lanes);
    hash = yk_hash_number(yk_hash_number(hash, kernel->unit), kernel->dimensions);
    for (p = 0; p < kernel->param_count; p++) {
        hash = yk_hash_number(yk_hash_text(hash, kernel->params[p].type), kernel->params[p].mode);
        hash = yk_hash_number(hash, kernel->params[p].size);
    }
    return yk_hash_text(yk_hash_text(hash, kernel->opencl.source.text), kernel->cuda.source.text);
}

uint64_t yk_job_kind_of_two(uint64_t kernel, uint64_t alternative)
{
    return yk_hash_number(kernel, alternative);
}

const char *yk_job_kind_partitioner(const struct yk_job *job)
{
    if (job->split.weight >= 0)
        return "weight";
    return yk_job_splits_freely(job->split.partitioner) ? "" : job->split.partitioner;
}

uint64_t yk_job_kind_of(const struct yk_job *job, uint64_t content, const char *partitioner)
{
    uint64_t hash = yk_hash_text(content, partitioner);
    int p;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        if (!arg->array)
            continue;
        hash = yk_hash_number(yk_hash_number(hash, arg->mode), arg->shape);
        hash = yk_hash_number(yk_hash_number(hash, arg->home), p);
    }
    return hash;
}

void yk_job_kind_sizes(const struct yk_job *job, struct yk_sizes *out)
{
    int p, n = 0;
    out->at[n++] = (double)(job->last - job->first);
    out->at[n++] = (double)yk_interval_length(job->along[0]);
    out->at[n++] = (double)yk_interval_length(job->along[1]);
    for (p = 0; p < job->arg_count; p++)
        if (job->args[p].array) {
            out->at[n++] = (double)job->args[p].array->rows;
            out->at[n++] = (double)job->args[p].array->row_bytes;
        }
    out->count = n;
}
