/* weight.c - see weight.h: the policies and the bookkeeping of the CPU weight. */
#include "weight.h"

#include <math.h>

/* Step of the paper's rule; also the weight of a side whose rate is unknown. */
#define STEP 0.01

void yk_weight_open(struct yk_weight *weight)
{
    *weight = (struct yk_weight){ .given = -1, .moved = -1, .cpu_chunks = -1, .gpu_chunks = -1 };
}

int yk_weight_is_valid(double weight)
{
    return weight >= 0 && weight <= 1;
}

double yk_weight_now(const struct yk_weight *own, const struct yk_weight *all)
{
    if (own->given >= 0)
        return own->given;
    return all->given >= 0 && own->moved >= 0 ? own->moved : all->given;
}

static int chunks(int own, int all)
{
    return own >= 0 ? own : all >= 0 ? all : 0;
}

int yk_weight_cpu_chunks(const struct yk_weight *own, const struct yk_weight *all)
{
    return chunks(own->cpu_chunks, all->cpu_chunks);
}

int yk_weight_gpu_chunks(const struct yk_weight *own, const struct yk_weight *all)
{
    return chunks(own->gpu_chunks, all->gpu_chunks);
}

static const struct yk_weight *who_decides(const struct yk_weight *own, const struct yk_weight *all)
{
    return own->has_policy ? own : all;
}

int yk_weight_moves(const struct yk_weight *own, const struct yk_weight *all)
{
    return who_decides(own, all)->policy != NULL && yk_weight_now(own, all) >= 0;
}

void yk_weight_begin(struct yk_weight_run *run)
{
    if (run->open == 0)
        *run = (struct yk_weight_run){ .weight = -1, .begun_ns = INT64_MAX };
    run->open++;
    run->jobs++;
}

static int64_t latest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void yk_weight_tell(struct yk_weight_run *run, const struct yk_weight_job *job)
{
    run->weight = run->told == 0 || run->weight == job->weight ? job->weight : NAN;
    run->told++;
    run->begun_ns = run->begun_ns < job->begun_ns ? run->begun_ns : job->begun_ns;
    run->cpu_ended_ns = latest(run->cpu_ended_ns, job->cpu_ended_ns);
    run->gpu_ended_ns = latest(run->gpu_ended_ns, job->gpu_ended_ns);
    run->cpu_items += job->cpu_items;
    run->gpu_items += job->gpu_items;
}

int yk_weight_end(struct yk_weight_run *run)
{
    return --run->open == 0;
}

int yk_weight_times(const struct yk_weight_run *run, yoke_times *out)
{
    *out = (yoke_times){ .cpu_items = run->cpu_items, .gpu_items = run->gpu_items };
    if (run->cpu_items > 0)
        out->cpu_seconds = (double)(run->cpu_ended_ns - run->begun_ns) * 1e-9;
    if (run->gpu_items > 0)
        out->gpu_seconds = (double)(run->gpu_ended_ns - run->begun_ns) * 1e-9;
    return run->told == run->jobs && run->weight >= 0;
}

void yk_weight_adapt(struct yk_weight *own, const struct yk_weight *all, double weight,
                     const yoke_times *times)
{
    const struct yk_weight *decides = who_decides(own, all);
    double next;
    if (!decides->policy || yk_weight_now(own, all) != weight)
        return;
    next = decides->policy(decides->context, weight, times);
    if (isnan(next))
        return;
    *(own->given >= 0 ? &own->given : &own->moved) = fmin(fmax(next, 0), 1);
}

/* A side without times ended at once; without any times there is nothing to compare. */
double yk_weight_paper(double weight, const yoke_times *times)
{
    double both = times->cpu_seconds + times->gpu_seconds;
    if (!(both > 0))
        return weight;
    return times->cpu_seconds / both > 0.5 ? weight - STEP : weight + STEP;
}

static double rate(int64_t items, double seconds)
{
    return items > 0 && seconds > 0 ? (double)items / seconds : 0;
}

/* If the weight is closer to its goal than this, it moves only half of the way, because times
 * vary. */
#define NEAR 0.05

double yk_weight_rate(double weight, const yoke_times *times)
{
    double cpu = rate(times->cpu_items, times->cpu_seconds);
    double gpu = rate(times->gpu_items, times->gpu_seconds), goal;
    if (!(cpu > 0 || gpu > 0) || isinf(cpu) || isinf(gpu))
        return weight;
    if (!(cpu > 0))
        return STEP;
    if (!(gpu > 0))
        return 1 - STEP;
    goal = cpu / (cpu + gpu);
    return fabs(goal - weight) < NEAR ? (goal + weight) / 2 : goal;
}
