/* limits.c - cgroup limits, versions 1 and 2 and both at once.
 *
 *     /proc/self/mountinfo   where each hierarchy is mounted, and which part of it is visible there
 *     /proc/self/cgroup      this process's group in each hierarchy
 *
 * From the process's group up to the mount point every group can set a limit, and the lowest holds.
 * A group outside the mounted part (a container that shows only its own part) is treated as the
 * mount point. Missing files set no limit.
 */
#include "limits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lines.h"

struct search {
    const char *root;
    double quota;     /* cores; infinite if there is none */
    int64_t limit;    /* bytes */
    int64_t headroom; /* least value, over all groups, of the limit minus used memory that cannot be
                       * dropped */
};

/* One hierarchy as this process sees it. */
struct mount {
    char part[yk_path_bytes];  /* the part of the hierarchy that is shown at `point` */
    char point[yk_path_bytes]; /* path of the mount point */
    char type[16];             /* cgroup or cgroup2 */
    char options[256];         /* of a cgroup: its controllers */
};

typedef void read_group_fn(struct search *search, const char *group);

/* Whether comma separated `list` has `word`. */
static int has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return 1;
        }
    }
    return 0;
}

/* In paths of mountinfo, blanks and backslashes are three octal digits. */
static void unescape(char *path)
{
    char *to = path;
    for (const char *from = path; *from; to++) {
        unsigned code;
        if (from[0] == '\\' && sscanf(from + 1, "%3o", &code) == 1) {
            *to = (char)code;
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* 1 if the line of mountinfo is a cgroup hierarchy. Optional fields end with " - ". */
static int parse_mount(const char *line, struct mount *mount)
{
    const char *rest = strstr(line, " - ");
    mount->options[0] = '\0';
    if (!rest || sscanf(rest, " - %15s %*s %255s", mount->type, mount->options) < 1 ||
        strncmp(mount->type, "cgroup", 6) != 0) {
        return 0;
    }
    if (sscanf(line, "%*s %*s %*s %1023s %1023s", mount->part, mount->point) != 2) {
        return 0;
    }
    unescape(mount->part);
    unescape(mount->point);
    return 1;
}

/* The process's group in the hierarchy with that controller ("" for version 2). */
static int find_group(const char *root, const char *controller, char *path)
{
    struct yk_lines lines;
    int found = 0;
    yk_lines_open(&lines, root, "/proc/self", "cgroup");
    for (char *line; !found && (line = yk_lines_next(&lines));) {
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (group) {
            *group++ = '\0';
            found = *controller ? has_word(controllers + 1, controller) : !controllers[1];
            if (found) {
                snprintf(path, yk_path_bytes, "%s", group);
            }
        }
    }
    yk_lines_close(&lines);
    return found;
}

/* The part of `group` below the mount point; "" if the group is not visible there. */
static const char *visible_part(const struct mount *mount, const char *group)
{
    size_t length = strcmp(mount->part, "/") == 0 ? 0 : strlen(mount->part);
    int inside = strncmp(group, mount->part, length) == 0 &&
                 (group[length] == '/' || group[length] == '\0') && !strstr(group, "/..");
    return inside && strcmp(group + length, "/") != 0 ? group + length : "";
}

static void walk_up(struct search *search, const struct mount *mount, const char *controller,
                    read_group_fn *read_group)
{
    char group[yk_path_bytes];
    char folder[yk_path_bytes];
    if (!find_group(search->root, controller, group)) {
        return;
    }
    size_t top = strlen(mount->point);
    memcpy(folder, mount->point, top);
    const char *below = visible_part(mount, group);
    /* cut if it is too long: the groups above are still found */
    size_t length = strnlen(below, sizeof folder - top - 1);
    memcpy(folder + top, below, length);
    folder[top + length] = '\0';
    for (;;) {
        read_group(search, folder);
        char *last = strrchr(folder, '/');
        if (strlen(folder) <= top || !last) {
            return;
        }
        *last = '\0';
    }
}

/* The first number of a file; -1 if there is no number ("max") or no file. */
static int64_t read_number(const struct search *search, const char *group, const char *file)
{
    struct yk_lines lines;
    yk_lines_open(&lines, search->root, group, file);
    char *line = yk_lines_next(&lines);
    uint64_t value;
    int read = line && *line != '-' && sscanf(line, "%" SCNu64, &value) == 1;
    yk_lines_close(&lines);
    return read ? (int64_t)(value > INT64_MAX ? INT64_MAX : value) : -1;
}

static void add_quota(struct search *search, double quota, double period)
{
    if (quota > 0 && period > 0) {
        search->quota = fmin(search->quota, quota / period);
    }
}

/* Files cached for a group count as used, but are dropped when memory is needed. */
static void add_memory(struct search *search, const char *group, int64_t limit,
                       const char *const files[2])
{
    if (limit < 0) {
        return;
    }
    struct yk_lines lines;
    yk_lines_open(&lines, search->root, group, "memory.stat");
    int64_t cached = yk_lines_value(&lines, files[1]);
    yk_lines_close(&lines);
    int64_t used = read_number(search, group, files[0]) - (cached > 0 ? cached : 0);
    int64_t left = used > 0 ? limit - used : limit;
    search->limit = limit < search->limit ? limit : search->limit;
    left = left > 0 ? left : 0;
    search->headroom = left < search->headroom ? left : search->headroom;
}

static void read_group_2(struct search *search, const char *group)
{
    static const char *const files[2] = { "memory.current", "inactive_file" };
    struct yk_lines lines;
    yk_lines_open(&lines, search->root, group, "cpu.max");
    char *line = yk_lines_next(&lines);
    double quota, period;
    if (line && sscanf(line, "%lf %lf", &quota, &period) == 2) {
        add_quota(search, quota, period);
    }
    yk_lines_close(&lines);
    add_memory(search, group, read_number(search, group, "memory.max"), files);
    add_memory(search, group, read_number(search, group, "memory.high"), files);
}

static void read_cpu_group_1(struct search *search, const char *group)
{
    add_quota(search, (double)read_number(search, group, "cpu.cfs_quota_us"),
              (double)read_number(search, group, "cpu.cfs_period_us"));
}

static void read_memory_group_1(struct search *search, const char *group)
{
    static const char *const files[2] = { "memory.usage_in_bytes", "total_inactive_file" };
    add_memory(search, group, read_number(search, group, "memory.limit_in_bytes"), files);
}

static void read_groups(struct search *search)
{
    struct yk_lines lines;
    struct mount mount;
    yk_lines_open(&lines, search->root, "/proc/self", "mountinfo");
    for (char *line; (line = yk_lines_next(&lines));) {
        if (!parse_mount(line, &mount)) {
            continue;
        }
        if (strcmp(mount.type, "cgroup2") == 0) {
            walk_up(search, &mount, "", read_group_2);
            continue;
        }
        if (has_word(mount.options, "cpu")) {
            walk_up(search, &mount, "cpu", read_cpu_group_1);
        }
        if (has_word(mount.options, "memory")) {
            walk_up(search, &mount, "memory", read_memory_group_1);
        }
    }
    yk_lines_close(&lines);
}

/* /proc/meminfo uses kB. */
static int64_t read_meminfo(const char *root, const char *key)
{
    struct yk_lines lines;
    yk_lines_open(&lines, root, "/proc", "meminfo");
    int64_t kilobytes = yk_lines_value(&lines, key);
    yk_lines_close(&lines);
    return kilobytes < 0 ? -1 : kilobytes * 1024;
}

void yk_limits_read(const char *root, struct yk_limits *out)
{
    struct search search = {
        .root = root, .quota = INFINITY, .limit = INT64_MAX, .headroom = INT64_MAX
    };
    read_groups(&search);
    /* a quota is a ratio of microseconds, so 2.0000001 of a core is 2 */
    out->quota_cores = isinf(search.quota) ? 0 : (int)fmin(ceil(search.quota - 1e-6), 1 << 20);
    out->quota_cores += !isinf(search.quota) && out->quota_cores < 1;

    int64_t page = sysconf(_SC_PAGESIZE);
    int64_t total = read_meminfo(root, "MemTotal");
    int64_t available = read_meminfo(root, "MemAvailable");
    total = total < 0 ? sysconf(_SC_PHYS_PAGES) * page : total;
    available = available < 0 ? sysconf(_SC_AVPHYS_PAGES) * page : available;
    out->memory_bytes = search.limit < total ? search.limit : total;
    out->memory_available = search.headroom < available ? search.headroom : available;
}
