/* variables.c - checks the environment's names that begin with YOKE_: a name that is unknown but
 * near a known one is probably misspelt.
 */
#include "variables.h"

#include "closest.h"
#include "status.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* docs/man/yoke.1 explains them; a test compares these names with all that the sources read. */
static const char *const names[] = {
    "YOKE_CACHE",       "YOKE_CHECK",         "YOKE_CPU_AFFINITY",
    "YOKE_CPU_VARIANT", "YOKE_CPU_WEIGHT",    "YOKE_CUDA_LIBRARY",
    "YOKE_DEVICES",     "YOKE_EXPLAIN",       "YOKE_KB",
    "YOKE_KB_DERIVE",   "YOKE_KB_LIMIT",      "YOKE_LOAD",
    "YOKE_LOG",         "YOKE_NVRTC_LIBRARY", "YOKE_OPENCL_LIBRARY",
    "YOKE_PARTITIONER", "YOKE_THREADS",       "YOKE_TRACE",
    "YOKE_WAIT",        "YOKE_WATCHDOG",      "YOKE_WEIGHT_POLICY",
};
enum { COUNT = sizeof names / sizeof *names };

/* Programs may have their own variables with this prefix: names that are near no known one are
 * ignored. */
static void check(const char *entry)
{
    struct yk_closest closest = { .word = entry, .length = strcspn(entry, "=") };
    for (int i = 0; i < COUNT; i++) {
        if (strlen(names[i]) == closest.length && !strncmp(names[i], entry, closest.length))
            return;
        yk_closest_try(&closest, names[i]);
    }
    if (closest.name)
        yk_log(YOKE_LOG_WARN, "%.*s is not a variable of yoke's; did you mean %s?",
               (int)closest.length, entry, closest.name);
}

static void check_all(void)
{
    yk_log_open();
    for (char **entry = environ; entry && *entry; entry++)
        if (!strncmp(*entry, "YOKE_", 5))
            check(*entry);
}

void yk_variables_check(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, check_all);
}
