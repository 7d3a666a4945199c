/* knowledge_lines.c - yoke_keep_lines: stores lines that a program measured with each device alone,
 * as a separate lesson (papers/004, section 4.1). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <yoke/knowledge.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../base/words.h"
#include "../job/entry.h"
#include "../life/job_kind.h"
#include "../life/knowledge.h"
#include "../life/knowledge_state.h"
#include "loading.h"

#define NS 1e9

/* An unknown interval (infinity) is 0 in a lesson. */
static void put_line(const yoke_line *line, struct yk_lesson_device *out)
{
    out->share = -1;
    out->line = (struct yk_line){ line->item_seconds * NS, line->fixed_seconds * NS };
    out->item_half_ns = isinf(line->item_half) ? 0 : line->item_half * NS;
    out->off = line->off;
}

static void fill(const struct yk_job *job, const yoke_line *lines, int count, struct yk_lesson *out)
{
    int d;
    *out = (struct yk_lesson){ .origin = YK_ORIGIN_TUNED, .device_count = count };
    yk_job_kind_sizes(job, &out->sizes);
    for (d = 0; d < count; d++) {
        snprintf(out->devices[d].name, sizeof out->devices[d].name, "%s",
                 job->runtime->devices[d].device->desc.name);
        put_line(&lines[d], &out->devices[d]);
    }
}

/* The store continues without a file if it has none; here that is an error. */
static yoke_status put(struct yk_knowledge *knowledge, const struct yk_store_key *key,
                       const struct yk_lesson *lesson)
{
    struct yk_store *store = yk_knowledge_store(knowledge);
    char why[YK_STORE_WHY];
    yoke_status status = yk_store_put(store, key, lesson, 1);
    yk_store_trouble(store, why);
    if (*why)
        return yk_fail(YOKE_EIO, "%s%s", why,
                       strchr(why, ';') ? ""
                                        : "; see that there is room and that it may be written");
    if (status == YOKE_EBUSY)
        return yk_fail(YOKE_EBUSY, "%s is in use by other processes; try again",
                       yk_store_path(store));
    knowledge->has_lines |= status == YOKE_OK;
    return status;
}

static yoke_status keep(struct yk_job *job, const yoke_job *spec, const yoke_line *lines, int count)
{
    struct yk_knowledge *knowledge = job->runtime->knowledge;
    struct yk_lesson *lesson = yk_calloc(1, sizeof *lesson);
    yoke_status status = YOKE_ENOMEM;
    if (!lesson)
        return status;
    fill(job, lines, count, lesson);
    yk_lock(&knowledge->lock);
    if (yk_knowledge_look(knowledge, job->runtime)) {
        struct yk_store_key key = yk_knowledge_alone(
            knowledge, job, yk_knowledge_content(spec->kernel, spec->alternative));
        key.name = spec->kernel->name;
        key.subject_text = spec->kernel->file ? spec->kernel->file : "";
        status = put(knowledge, &key, lesson);
    }
    yk_unlock(&knowledge->lock);
    yk_free(lesson);
    return status;
}

static yoke_status check(yoke_runtime *runtime, const yoke_line *lines, int count)
{
    const int devices = yoke_device_count(runtime);
    if (!lines || count != devices)
        return yk_fail(YOKE_EINVAL, "yoke_keep_lines: %s for %s; give one each",
                       lines ? yk_count_words(count, "line").text : "no lines",
                       yk_count_words(devices, "device").text);
    if (!runtime->knowledge)
        return yk_fail(YOKE_ENODEV, "the knowledge base is switched off (YOKE_KB=off)");
    if (!yk_knowledge_keeps(runtime))
        return yk_fail(YOKE_ENODEV, "the devices are simulated, and YOKE_KB names no file");
    return YOKE_OK;
}

yoke_status yoke_keep_lines(yoke_runtime *runtime, const yoke_job *spec, const yoke_line *lines,
                            int count)
{
    struct yk_job *job;
    yoke_status status;
    if (yk_runtime_check(runtime, "yoke_keep_lines") != YOKE_OK)
        return YOKE_EINVAL;
    yk_loading_finish(runtime); /* so that all devices are there, as before a job of `linear` */
    status = yk_job_open(runtime, spec, &job);
    if (status != YOKE_OK)
        return status;
    status = check(runtime, lines, count);
    if (status == YOKE_OK)
        status = keep(job, spec, lines, count);
    yk_job_close(job);
    return status;
}
