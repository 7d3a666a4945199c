/* overlap.c - checking mode: finds host memory that lies in two arrays if a job changes one of
 * them.
 *
 * yoke tracks rows of each array separately. So jobs on two such arrays may run at the same time,
 * and what a device wrote to one array does not reach another device's copy of the other array.
 */

#include "overlap.h"

#include "../array/poison.h"
#include "../base/status.h"
#include "rows.h"

static int overlap(const yoke_array *one, const yoke_array *other)
{
    return one->host && other->host && one->host < other->host + other->rows * other->pitch &&
           other->host < one->host + one->rows * one->pitch;
}

/* How the job uses the array or a panel of it. */
enum use { NOT_USED, READ, CHANGED };
static enum use use_of(const struct yk_job *job, const yoke_array *whole)
{
    enum use use = NOT_USED;
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->args[p].array && job->args[p].mode != YOKE_PARAM_VALUE &&
            job->args[p].array->whole == whole) {
            if (yk_changes_array(job->args[p].mode))
                return CHANGED;
            use = READ;
        }
    return use;
}

/* How jobs that are not done use the array. */
static enum use pending_use(const yoke_array *whole)
{
    const yoke_array *kin = NULL;
    enum use use = NOT_USED;
    while ((kin = yk_array_kin(whole, kin))) {
        if (kin->writers)
            return CHANGED;
        if (kin->readers)
            use = READ;
    }
    return use;
}

static yoke_status refuse(const struct yk_job *job, const yoke_array *one, const yoke_array *other,
                          const char *why)
{
    return yk_fail(YOKE_EINVAL,
                   "%s: " YK_THE_ARRAY " and " YK_THE_ARRAY
                   " lie in the same memory at %p, and %s; open one array for it, or acquire one "
                   "and close it before the other is used",
                   job->name, YK_NAME_OF(one), YK_NAME_OF(other),
                   (const void *)(one->host > other->host ? one->host : other->host), why);
}

static yoke_status check_pair(const struct yk_job *job, yoke_array *one, yoke_array *other)
{
    const enum use mine = use_of(job, one), too = use_of(job, other);
    const enum use theirs = pending_use(other);
    if (too != NOT_USED && (mine == CHANGED || too == CHANGED))
        return refuse(job, one, other, "the job changes one of them");
    if (theirs == CHANGED || (theirs == READ && mine == CHANGED))
        return refuse(job, one, other, "a job that uses the other one is not done");
    if (yk_poison_covers(other, one->host, one->host + one->rows * one->pitch))
        return refuse(job, one, other,
                      "a job has changed the other one, which was not acquired since");
    return YOKE_OK;
}

yoke_status yk_job_check_overlaps(const struct yk_job *job)
{
    yoke_array *other;
    yoke_status status = YOKE_OK;
    int p;
    for (p = 0; job->runtime->checks && p < job->arg_count; p++) {
        yoke_array *one = job->args[p].array;
        if (!one || job->args[p].mode == YOKE_PARAM_VALUE)
            continue;
        one = one->whole;
        for (other = job->runtime->arrays; other && status == YOKE_OK; other = other->next)
            if (other->whole != one && overlap(one, other))
                status = check_pair(job, one, other);
    }
    return status;
}

yoke_status yk_job_check_host(struct yk_job *job)
{
    yoke_status status = YOKE_OK;
    int p;
    if (!job->runtime->checks || job->lanes.host_checked)
        return YOKE_OK;
    for (p = 0; p < job->arg_count && status == YOKE_OK; p++)
        if (job->args[p].mode != YOKE_PARAM_VALUE && job->args[p].mode != YOKE_PARAM_OUT)
            status = yk_poison_check(job->args[p].array, yk_job_all_rows(job, p), YK_POISON_SHARED,
                                     job->name);
    job->lanes.host_checked = 1;
    return status;
}
