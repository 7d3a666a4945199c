/* wait_text.c - sentences of a result about threads: how they waited for a device and why, and how
 * many there were for the cores. */

#include "wait_text.h"

#include <stdio.h>

#include "../base/words.h"

static void explain_choice(const struct yk_waits *waits, const char *who, char text[YK_WAIT_TEXT])
{
    int length, spins = 2 * waits->brief > waits->flights;
    if (waits->foretold == 0) {
        snprintf(text, YK_WAIT_TEXT, "%s slept (block): the time of its chunks was not known", who);
        return;
    }
    length = snprintf(text, YK_WAIT_TEXT, "%s %s: chunks of %s are %s beside a wake of %s", who,
                      spins ? "polled (spin)" : "slept (block)",
                      yk_time_words((double)waits->lasts_ns / (double)waits->foretold).text,
                      spins ? "short" : "long", yk_time_words(YK_WAKE_NS).text);
    if (waits->brief > 0 && waits->brief < waits->flights)
        snprintf(text + length, YK_WAIT_TEXT - (size_t)length, "; %lld of %lld were %s",
                 (long long)(spins ? waits->flights - waits->brief : waits->brief),
                 (long long)waits->flights,
                 spins ? "longer, or of unknown length" : "too short to sleep");
}

/* Describes the lanes of a CPU, if anything about them is unusual. */
static void explain_lanes(const struct yk_job *job, int device, char text[YK_WAIT_TEXT])
{
    const struct yk_runtime_device *cpu = job->devices[device].device;
    int d, length = 0, hosts = 0, cores = cpu->device->desc.cores, kept = job->devices[device].kept;
    for (d = 0; job->lanes.hosting == device && d < job->device_count; d++)
        hosts += job->devices[d].hosts;
    if (cpu->lanes > cores)
        length = snprintf(text, YK_WAIT_TEXT, "%d threads on %d core%s%s", cpu->lanes, cores,
                          cores == 1 ? "" : "s", hosts || kept ? "; " : "");
    if (kept)
        snprintf(text + length, YK_WAIT_TEXT - (size_t)length,
                 "%d of %d cores %s left to threads that drive GPUs", kept, cpu->lanes,
                 kept == 1 ? "was" : "were");
    if (hosts == 1)
        snprintf(text + length, YK_WAIT_TEXT - (size_t)length,
                 "1 of %d drives a GPU and %s while it works", cpu->lanes,
                 job->lanes.hosts_work ? "does chunks of its own" : "does nothing else");
    else if (hosts)
        snprintf(text + length, YK_WAIT_TEXT - (size_t)length,
                 "%d of %d drive GPUs and %s while these work", hosts, cpu->lanes,
                 job->lanes.hosts_work ? "do chunks of their own" : "do nothing else");
}

yoke_waiting yk_wait_explain(const struct yk_job *job, int device, char text[YK_WAIT_TEXT])
{
    static const char *const how[] = { [YOKE_WAIT_SPIN] = "polled all the time (spin)",
                                       [YOKE_WAIT_YIELD] = "polled, giving way to others (yield)",
                                       [YOKE_WAIT_BLOCK] = "slept until it was woken (block)" };
    const struct yk_job_device *jd = &job->devices[device];
    yoke_waiting asked = job->runtime->waiting;
    const char *who =
        job->caller.drove & yk_team_bit(device) ? "the calling thread" : "its host thread";
    text[0] = 0;
    if (job->runtime->virtual_clock)
        return YOKE_WAIT_AUTO; /* time passes in steps, and no thread waits */
    if (jd->device->device->desc.host_memory)
        explain_lanes(job, device, text);
    if (jd->device->device->desc.host_memory || jd->waits.flights == 0)
        return YOKE_WAIT_AUTO;
    if (asked == YOKE_WAIT_AUTO) {
        explain_choice(&jd->waits, who, text);
        return 2 * jd->waits.brief > jd->waits.flights ? YOKE_WAIT_SPIN : YOKE_WAIT_BLOCK;
    }
    snprintf(text, YK_WAIT_TEXT, "%s %s, as asked for", who, how[asked]);
    return asked;
}
