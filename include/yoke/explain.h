/* yoke/explain.h - what the latest programs that used yoke did, and why, for people and for the
 * yoke command.
 *
 * When a runtime is closed, the latest job of each of its kernels is described in the knowledge
 * base (for simulated devices only if YOKE_KB or yoke_config.knowledge names a file): each device's
 * share, the model that determined it, what the job would have taken without the device, and why it
 * got its share. The descriptions of the latest 16 runtimes are kept. docs/scheduling.md explains
 * what the reasons mean.
 */
#ifndef YOKE_EXPLAIN_H
#define YOKE_EXPLAIN_H

#include <yoke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The story of the latest runtime (`back` 0), of the one before (1), and so on, of any process, as
 * JSON: { "program": its file's name, "text": for people, "kernels": [ { "job", "partitioner",
 * "items", "seconds", "jobs": number of the kernel's jobs, "known_jobs": number of such jobs in
 * earlier processes that it started from, "derived": true if it started from what jobs of other
 * sizes had taught, "tuned": true if it started from lines of devices alone, "devices": [ { "name",
 * "items", "share", "chunks", "busy_seconds", "item_seconds", "fixed_seconds", "chunk_items",
 * "link_bytes_per_second", "without_seconds", "reason" } ] } ] }. Devices are as in
 * yoke_model_result (yoke/job.h); unknown values are null. `knowledge`: as in yoke_config; NULL:
 * the default. The caller owns *out and frees it with yoke_story_close, which accepts NULL. *out is
 * NULL if there is no story. YOKE_EIO: nothing is kept; the text says why. YOKE_EINVAL: `back` is
 * less than 0, `out` is NULL, or `knowledge` is "off". Thread-safe. */
YOKE_API yoke_status yoke_story_open(const char *knowledge, int back, char **out);
/* Frees a story. NULL is allowed. */
YOKE_API void yoke_story_close(char *story);

#ifdef __cplusplus
}
#endif
#endif
