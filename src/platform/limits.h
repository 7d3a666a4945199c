/* limits.h - what the system allows this process: CPU quota and memory, by cgroup and machine.
 *
 * `root` is put before every path: "" for this system; in tests, a folder with a recorded tree.
 */
#ifndef YK_PLATFORM_LIMITS_H
#define YK_PLATFORM_LIMITS_H

#include <stdint.h>

struct yk_limits {
    int quota_cores;          /* CPU quota rounded up to whole cores; 0 if there is none */
    int64_t memory_bytes;     /* the machine's memory, or the tightest cgroup's limit if smaller */
    int64_t memory_available; /* bytes of it that can still be allocated without swapping */
};

void yk_limits_read(const char *root, struct yk_limits *out);

/* yk_gpu_present under another root. */
int yk_gpu_present_under(const char *root);
/* yk_core_ghz under another root. */
double yk_core_ghz_under(const char *root);

#endif
