/* test_limits.c - cgroup limits from recorded trees: both versions, containers, and missing or
 * malformed files. Each tree is written to a folder that replaces the root of the file system. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/limits.h"
#include "platform/lines.h"
#include "platform/topology.h"
#include "root_folder.h"

#define GI (INT64_C(1) << 30)
#define MI (INT64_C(1) << 20)

enum { most_files = 16 };

struct tree {
    const char *name;
    struct file files[most_files];
    int quota_cores;
    int64_t memory_bytes, memory_available;
};

#define MEMINFO                                                                                    \
    {                                                                                              \
        "/proc/meminfo", "MemTotal:       16777216 kB\nMemFree:         1048576 kB\n"              \
                         "MemAvailable:   12582912 kB\nBuffers:               0 kB\n"              \
    }
/* Debian 12: one hierarchy of version 2 */
#define MOUNT_2                                                                                    \
    {                                                                                              \
        "/proc/self/mountinfo",                                                                    \
            "23 28 0:21 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw\n"        \
            "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 "      \
            "cgroup2 rw,nsdelegate,memory_recursiveprot\n"                                         \
    }
#define SLICE "/sys/fs/cgroup/system.slice/"
#define V1    "/sys/fs/cgroup/"

static const struct tree trees[] = {
    { "no cgroups at all", { MEMINFO }, 0, 16 * GI, 12 * GI },
    { "version 2 without limits",
      { MEMINFO,
        MOUNT_2,
        { "/proc/self/cgroup", "0::/user.slice/session-3.scope\n" },
        { "/sys/fs/cgroup/user.slice/session-3.scope/cpu.max", "max 100000\n" },
        { "/sys/fs/cgroup/user.slice/session-3.scope/memory.max", "max\n" },
        { "/sys/fs/cgroup/user.slice/session-3.scope/memory.current", "5242880\n" } },
      0,
      16 * GI,
      12 * GI },
    { "a service with half a core and 2 GiB, of which files can be dropped",
      { MEMINFO,
        MOUNT_2,
        { "/proc/self/cgroup", "0::/system.slice/job.service\n" },
        { SLICE "job.service/cpu.max", "50000 100000\n" },
        { SLICE "job.service/memory.max", "2147483648\n" },
        { SLICE "job.service/memory.high", "max\n" },
        { SLICE "job.service/memory.current", "1610612736\n" },
        { SLICE "job.service/memory.stat",
          "anon 536870912\nfile 1073741824\ninactive_anon 1\ninactive_file 1073741824\n" } },
      1,
      2 * GI,
      2 * GI - 512 * MI },
    { "the parent's limits are tighter",
      { MEMINFO,
        MOUNT_2,
        { "/proc/self/cgroup", "0::/system.slice/job.service/inner\n" },
        { SLICE "job.service/inner/cpu.max", "800000 100000\n" },
        { SLICE "job.service/inner/memory.max", "8589934592\n" },
        { SLICE "job.service/inner/memory.current", "1073741824\n" },
        { SLICE "job.service/cpu.max", "250000 100000\n" },
        { SLICE "job.service/memory.max", "max\n" },
        { SLICE "job.service/memory.high", "4294967296\n" },
        { SLICE "job.service/memory.current", "3221225472\n" } },
      3,
      4 * GI,
      1 * GI },
    { "the top group of version 2",
      { MEMINFO,
        MOUNT_2,
        { "/proc/self/cgroup", "0::/\n" },
        { "/sys/fs/cgroup/cpu.max", "200000 100000\n" },
        { "/sys/fs/cgroup/memory.max", "1073741824\n" } },
      2,
      1 * GI,
      1 * GI },
    { "a container of version 2, whose group is outside of what it sees",
      { MEMINFO,
        MOUNT_2,
        { "/proc/self/cgroup", "0::/../../other/job\n" },
        { "/sys/fs/cgroup/cpu.max", "150000 100000\n" },
        { "/sys/fs/cgroup/memory.max", "536870912\n" },
        { "/sys/fs/cgroup/memory.current", "629145600\n" } },
      2,
      512 * MI,
      0 },
    { "docker on version 1: the mount shows the container's part only",
      { MEMINFO,
        { "/proc/self/cgroup", "12:pids:/docker/abc\n5:memory:/docker/abc\n"
                               "4:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n" },
        { "/proc/self/mountinfo",
          "700 690 0:30 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro,nosuid master:15 - cgroup cgroup "
          "rw,cpu,cpuacct\n"
          "701 690 0:31 /docker/abc /sys/fs/cgroup/memory ro,nosuid master:16 - cgroup cgroup "
          "rw,memory\n" },
        { V1 "cpu,cpuacct/cpu.cfs_quota_us", "350000\n" },
        { V1 "cpu,cpuacct/cpu.cfs_period_us", "100000\n" },
        { V1 "memory/memory.limit_in_bytes", "3221225472\n" },
        { V1 "memory/memory.usage_in_bytes", "1073741824\n" },
        { V1 "memory/memory.stat", "cache 5\ninactive_file 7\ntotal_inactive_file 536870912\n" } },
      4,
      3 * GI,
      3 * GI - 512 * MI },
    { "version 1 without limits",
      { MEMINFO,
        { "/proc/self/cgroup", "5:memory:/\n4:cpu,cpuacct:/\n0::/\n" },
        { "/proc/self/mountinfo",
          "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpuacct,cpu\n"
          "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n" },
        { V1 "cpu/cpu.cfs_quota_us", "-1\n" },
        { V1 "cpu/cpu.cfs_period_us", "100000\n" },
        { V1 "memory/memory.limit_in_bytes", "9223372036854771712\n" },
        { V1 "memory/memory.usage_in_bytes", "1073741824\n" } },
      0,
      16 * GI,
      12 * GI },
    { "both at once: memory of version 1, processors of version 2, in a folder with a blank",
      { MEMINFO,
        { "/proc/self/cgroup", "5:memory:/batch/7\n0::/batch/7\n" },
        { "/proc/self/mountinfo",
          "35 31 0:32 / /mnt/c\\040groups/memory rw - cgroup cgroup rw,memory\n"
          "41 31 0:38 / /mnt/c\\040groups/unified rw - cgroup2 cgroup2 rw\n" },
        { "/mnt/c groups/memory/batch/7/memory.limit_in_bytes", "2147483648\n" },
        { "/mnt/c groups/memory/batch/memory.limit_in_bytes", "1073741824\n" },
        { "/mnt/c groups/unified/batch/7/cpu.max", "1000000 100000\n" } },
      10,
      1 * GI,
      1 * GI },
    { "a neighbour whose name only begins alike is not the parent",
      { MEMINFO,
        { "/proc/self/cgroup", "4:cpu:/docker/abcdef\n" },
        { "/proc/self/mountinfo", "700 1 0:30 /docker/abc /cg rw - cgroup cgroup rw,cpu\n" },
        { "/cg/cpu.cfs_quota_us", "100000\n" },
        { "/cg/cpu.cfs_period_us", "100000\n" },
        { "/cg/def/cpu.cfs_quota_us", "900000\n" },
        { "/cg/def/cpu.cfs_period_us", "100000\n" } },
      1,
      16 * GI,
      12 * GI },
    { "a tiny quota is still one core",
      { MEMINFO,
        MOUNT_2,
        { "/proc/self/cgroup", "0::/\n" },
        { "/sys/fs/cgroup/cpu.max", "1000 1000000\n" } },
      1,
      16 * GI,
      12 * GI },
    { "files that make no sense set no limit",
      { MEMINFO,
        MOUNT_2,
        { "/proc/self/cgroup", "\nnonsense\n7\n0:\n0::/a\n" },
        { "/sys/fs/cgroup/a/cpu.max", "" },
        { "/sys/fs/cgroup/a/memory.max", "lots\n" },
        { "/sys/fs/cgroup/a/memory.high", "" },
        { "/sys/fs/cgroup/cpu.max", "100000 0\n" } },
      0,
      16 * GI,
      12 * GI },
    { "odd mounts are passed over",
      { MEMINFO,
        { "/proc/self/cgroup", "0::/\n" },
        { "/proc/self/mountinfo",
          "\n - \n1 2 - cgroup2 x rw\n36 35 98:0 /m1 /m2 rw - ext3 /dev/r rw\n"
          "1 1 0:1 / /cg rw - cgroup2 none rw" },
        { "/cg/cpu.max", "300000 100000" } },
      3,
      16 * GI,
      12 * GI },
};

static void recorded_trees_give_their_limits(void **state)
{
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        const struct tree *tree = &trees[i];
        struct yk_limits limits;
        if (i > 0) {
            assert_int_equal(make_root(state), 0);
        }
        for (int k = 0; k < most_files && tree->files[k].path; k++) {
            write_file(&tree->files[k]);
        }
        yk_limits_read(root, &limits);
        if (limits.quota_cores != tree->quota_cores || limits.memory_bytes != tree->memory_bytes ||
            limits.memory_available != tree->memory_available) {
            fail_msg("%s: %d cores, %lld bytes, %lld available", tree->name, limits.quota_cores,
                     (long long)limits.memory_bytes, (long long)limits.memory_available);
        }
        if (i + 1 < sizeof trees / sizeof *trees) {
            assert_int_equal(remove_root(state), 0);
        }
    }
}

static void without_proc_the_system_is_asked(void **state)
{
    (void)state;
    struct yk_limits limits;
    yk_limits_read(root, &limits);
    assert_int_equal(limits.quota_cores, 0);
    assert_true(limits.memory_bytes == (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
    assert_true(limits.memory_available > 0 && limits.memory_available <= limits.memory_bytes);
}

/* Lines of overlay mounts have many thousands of characters. */
static void long_lines_do_not_hide_the_next(void **state)
{
    (void)state;
    enum { length = 20000 };
    char *text = malloc(length + 100);
    memset(text, 'x', length);
    strcpy(text + length, "\n1 1 0:1 / /cg rw - cgroup2 none rw\n");
    write_file(&(struct file){ "/proc/self/mountinfo", text });
    free(text);
    write_file(&(struct file){ "/proc/self/cgroup", "0::/\n" });
    write_file(&(struct file){ "/cg/cpu.max", "500000 100000\n" });
    struct yk_limits limits;
    yk_limits_read(root, &limits);
    assert_int_equal(limits.quota_cores, 5);
}

static void groups_too_deep_for_a_path_have_their_parents_limits(void **state)
{
    (void)state;
    char group[1400] = "0::";
    for (int i = 0; i < 1300; i++) {
        group[3 + i] = i % 50 ? 'd' : '/';
    }
    write_file(&(struct file){ "/proc/self/mountinfo",
                               "1 1 0:1 / /sys/fs/cgroup rw - cgroup2 none rw\n" });
    write_file(&(struct file){ "/proc/self/cgroup", group });
    write_file(&(struct file){ "/sys/fs/cgroup/cpu.max", "500000 100000\n" });
    struct yk_limits limits;
    yk_limits_read(root, &limits);
    assert_int_equal(limits.quota_cores, 5);
}

static void values_are_found_by_whole_keys(void **state)
{
    (void)state;
    const struct {
        const char *key;
        int64_t value;
    } cases[] = { { "MemFree", 12 }, { "Mem", -1 }, { "flat", 99 }, { "odd", -1 }, { "none", -1 } };
    write_file(&(struct file){ "/d/f", "MemFree:   12 kB\nflat_more 1\nflat\t99\nodd: kB\nlast" });
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_lines lines;
        yk_lines_open(&lines, root, "/d", "f");
        assert_true(yk_lines_value(&lines, cases[i].key) == cases[i].value);
        yk_lines_close(&lines);
        yk_lines_close(&lines);
    }
}

static void lines_end_where_they_end(void **state)
{
    (void)state;
    write_file(&(struct file){ "/d/f", "one\n\nthree" });
    struct yk_lines lines;
    yk_lines_open(&lines, root, "/d", "f");
    assert_string_equal(yk_lines_next(&lines), "one");
    assert_string_equal(yk_lines_next(&lines), "");
    assert_string_equal(yk_lines_next(&lines), "three");
    assert_null(yk_lines_next(&lines));
    yk_lines_close(&lines);
    yk_lines_open(&lines, root, "/d", "absent");
    assert_null(yk_lines_next(&lines));
    yk_lines_close(&lines);
    yk_lines_open(&lines, root, "", "d"); /* a folder can be opened but not read */
    assert_null(yk_lines_next(&lines));
    yk_lines_close(&lines);
}

static void gpu_nodes_are_seen(void **state)
{
    (void)state;
    static const char *const nodes[] = {
        "/dev/nvidia0", "/dev/nvidiactl", "/dev/dri/renderD128",
        "/dev/kfd",     "/dev/dxg",       "/proc/driver/nvidia/version",
    };
    assert_int_equal(yk_gpu_present(), yk_gpu_present_under(""));
    assert_int_equal(yk_gpu_present_under(root), 0);
    write_file(&(struct file){ "/dev/null", "" });
    write_file(&(struct file){ "/dev/dri/card0", "" });
    assert_int_equal(yk_gpu_present_under(root), 0);
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        char path[256];
        write_file(&(struct file){ nodes[i], "" });
        assert_int_equal(yk_gpu_present_under(root), 1);
        snprintf(path, sizeof path, "%s%s", root, nodes[i]);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(yk_gpu_present_under(root), 0);
    }
}

static void the_clock_is_the_highest_or_the_first_told(void **state)
{
    (void)state;
    assert_true(yk_core_ghz() >= 0);
    assert_true(yk_core_ghz_under(root) == 0);
    write_file(&(struct file){ "/proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: ?\n" });
    assert_true(yk_core_ghz_under(root) == 0);
    write_file(&(struct file){ "/proc/cpuinfo", "model\t: 1\ncpu MHz\t\t: 2500.5\n"
                                                "processor\t: 1\ncpu MHz\t\t: 1000\n" });
    assert_float_equal(yk_core_ghz_under(root), 2.5005, 1e-9);
    write_file(&(struct file){ "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "?\n" });
    assert_float_equal(yk_core_ghz_under(root), 2.5005, 1e-9);
    write_file(
        &(struct file){ "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3700000\n" });
    assert_float_equal(yk_core_ghz_under(root), 3.7, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        rooted(recorded_trees_give_their_limits),
        rooted(without_proc_the_system_is_asked),
        rooted(long_lines_do_not_hide_the_next),
        rooted(groups_too_deep_for_a_path_have_their_parents_limits),
        rooted(values_are_found_by_whole_keys),
        rooted(lines_end_where_they_end),
        rooted(gpu_nodes_are_seen),
        rooted(the_clock_is_the_highest_or_the_first_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
