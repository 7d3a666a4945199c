/* frequency.c - a core's clock, from the kernel: the highest value that cpufreq may set. A virtual
 * machine has no cpufreq: there it is the base clock in /proc/cpuinfo. (On bare metal the kernel
 * measures that value again for all cores, which takes milliseconds.)
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "limits.h"
#include "lines.h"
#include "topology.h"

static double told_by_cpufreq(const char *root)
{
    struct yk_lines lines;
    double khz = 0;
    yk_lines_open(&lines, root, "/sys/devices/system/cpu/cpu0/cpufreq", "cpuinfo_max_freq");
    const char *line = yk_lines_next(&lines);
    if (!line || sscanf(line, "%lf", &khz) != 1 || !(khz > 0)) {
        khz = 0;
    }
    yk_lines_close(&lines);
    return khz / 1e6;
}

static double told_by_cpuinfo(const char *root)
{
    struct yk_lines lines;
    double mhz = 0;
    yk_lines_open(&lines, root, "/proc", "cpuinfo");
    for (const char *line; mhz == 0 && (line = yk_lines_next(&lines));) {
        if (sscanf(line, "cpu MHz : %lf", &mhz) != 1 || !(mhz > 0)) {
            mhz = 0;
        }
    }
    yk_lines_close(&lines);
    return mhz / 1e3;
}

double yk_core_ghz_under(const char *root)
{
    double ghz = told_by_cpufreq(root);
    return ghz > 0 ? ghz : told_by_cpuinfo(root);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static double ghz_here;

static void ask_here(void)
{
    ghz_here = yk_core_ghz_under("");
}

/* Reading takes 90 us, a third of opening a runtime, and the value does not change. */
double yk_core_ghz(void)
{
    pthread_once(&once, ask_here);
    return ghz_here;
}
