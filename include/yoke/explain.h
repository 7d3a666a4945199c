/* yoke/explain.h - what the latest programs that used yoke did and why, for people and for the yoke
 * command.
 *
 * When a runtime is closed, the story of the latest job of each of its kernels goes into the
 * knowledge base (of simulated devices only where YOKE_KB or yoke_config.knowledge names a file):
 * each device's share, the model it was given on, what the job would have taken without it, and why
 * it got what it got. Those of the latest 16 runtimes are kept.
 */
#ifndef YOKE_EXPLAIN_H
#define YOKE_EXPLAIN_H

#include <yoke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The story of the latest runtime (`back` 0), of the one before (1), ... of any process, as JSON:
 * { "program": its file's name, "text": for people, "kernels": [ { "job", "partitioner", "items",
 * "seconds", "jobs": so many of the kernel, "known_jobs": so many in earlier processes that it
 * began with, "derived": true if it began with what jobs of other sizes had taught, "devices": [ {
 * "name", "items", "share", "chunks", "busy_seconds", "item_seconds", "fixed_seconds",
 * "chunk_items", "link_bytes_per_second", "without_seconds", "reason" } ] } ] }, of devices as in
 * yoke_model_result (yoke/job.h); figures nobody knows are null. `knowledge`: as in yoke_config;
 * NULL: as usual. The caller owns *out: yoke_story_close, which takes NULL. *out is NULL where
 * there is none. YOKE_EIO: nothing is kept, and the text says why. YOKE_EINVAL: `back` is less than
 * 0, `out` NULL, `knowledge` "off". Thread-safe. */
YOKE_API yoke_status yoke_story_open(const char *knowledge, int back, char **out);
YOKE_API void yoke_story_close(char *story);

#ifdef __cplusplus
}
#endif
#endif
