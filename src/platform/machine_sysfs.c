/* machine_sysfs.c - the machine as /sys describes it, for builds without hwloc.
 *
 *     /sys/devices/system/cpu/online                         hardware threads
 *     /sys/devices/system/cpu/cpuN/topology, cache/indexN    core, package and caches of each
 *     /sys/devices/system/node/nodeN/cpulist                 NUMA nodes
 *
 * A shared core or cache is identified by the first thread in the list of threads that share it. If
 * a file is missing, that part is unknown: a thread is then a core of its own and shares nothing.
 * Without /sys the threads are those of the process's cpuset. Costs four small files per hardware
 * thread, some 6 us each. There are no artificial machines (HWLOC_SYNTHETIC) here, and wrong
 * firmware tables are not corrected as in hwloc.
 */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "affinity.h"
#include "lines.h"

const char yk_machine_source[] = "/sys";

static const char cpu_folder[] = "/sys/devices/system/cpu";
static const char node_folder[] = "/sys/devices/system/node";

enum { NUMA, L3, L2, CORE, KINDS };
enum { CPUS_MAX = 1 << 16, CACHES_MAX = 8, LIST_BYTES = yk_line_bytes, FOLDER_BYTES = 64 };

struct place {
    int cpu, package;
    int first[KINDS]; /* first thread that shares it, or the node; -1: unknown */
    int number[KINDS];
};

struct search {
    const char *root;
    struct place *places;
    int count;
    int cache[KINDS]; /* number of its index folder; -1: none */
    int64_t bytes[KINDS];
};

/* The first line of a file; "" if there is none. */
static void read_line(const struct search *search, const char *folder, const char *file,
                      char line[LIST_BYTES])
{
    struct yk_lines lines;
    yk_lines_open(&lines, search->root, folder, file);
    const char *found = yk_lines_next(&lines);
    snprintf(line, LIST_BYTES, "%s", found ? found : "");
    yk_lines_close(&lines);
}

static int read_number(const struct search *search, const char *folder, const char *file)
{
    char line[LIST_BYTES], *end;
    read_line(search, folder, file, line);
    long number = strtol(line, &end, 10);
    return end > line && number >= 0 && number < CPUS_MAX ? (int)number : -1;
}

/* Reads the next part of a list such as "0-3,8". Returns 0 after the last part or on an error. */
static int next_range(const char **list, int *first, int *last)
{
    char *end;
    long from = strtol(*list, &end, 10), to = from;
    if (end == *list) {
        return 0;
    }
    if (*end == '-') {
        to = strtol(end + 1, &end, 10);
    }
    *list = *end == ',' ? end + 1 : end;
    *first = (int)from;
    *last = (int)to;
    return from >= 0 && from <= to && to < CPUS_MAX;
}

static yoke_status list_threads(const struct search *search, char list[LIST_BYTES])
{
    struct yk_processors cpuset;
    read_line(search, cpu_folder, "online", list);
    if (*list) {
        return YOKE_OK;
    }
    yoke_status status = yk_cpuset_read(&cpuset);
    if (status != YOKE_OK) {
        return status;
    }
    yk_processors_write(&cpuset, list, LIST_BYTES);
    yk_processors_close(&cpuset);
    return YOKE_OK;
}

static yoke_status find_threads(struct search *search)
{
    char list[LIST_BYTES];
    int first, last;
    yoke_status status = list_threads(search, list);
    if (status != YOKE_OK) {
        return status;
    }
    for (const char *at = list; next_range(&at, &first, &last);) {
        search->count += last - first + 1;
    }
    if (search->count == 0 || search->count > CPUS_MAX) {
        return yk_fail(YOKE_EIO, "%s/online lists no processors; see that /sys is the kernel's",
                       cpu_folder);
    }
    search->places = yk_calloc((size_t)search->count, sizeof *search->places);
    if (!search->places) {
        return YOKE_ENOMEM;
    }
    struct place *place = search->places;
    for (const char *at = list; next_range(&at, &first, &last);) {
        for (int cpu = first; cpu <= last; cpu++) {
            *place++ = (struct place){ .cpu = cpu, .first = { -1, -1, -1, cpu } };
        }
    }
    return YOKE_OK;
}

static int64_t bytes_of(const char *size)
{
    char *end;
    int64_t bytes = strtoll(size, &end, 10);
    return *end == 'K' ? bytes << 10 : *end == 'M' ? bytes << 20 : bytes;
}

/* Finds which index folder is which cache; it is taken to be the same for all threads. */
static void find_caches(struct search *search)
{
    static const int kinds[] = { -1, -1, L2, L3 };
    for (int i = 0; i < CACHES_MAX; i++) {
        char folder[FOLDER_BYTES], line[LIST_BYTES];
        snprintf(folder, sizeof folder, "%s/cpu%d/cache/index%d", cpu_folder, search->places->cpu,
                 i);
        const int level = read_number(search, folder, "level");
        read_line(search, folder, "type", line);
        if (level < 2 || level > 3 || strcmp(line, "Instruction") == 0) {
            continue;
        }
        read_line(search, folder, "size", line);
        search->cache[kinds[level]] = i;
        search->bytes[kinds[level]] = bytes_of(line);
    }
}

static void find_place(const struct search *search, struct place *place)
{
    char folder[FOLDER_BYTES];
    snprintf(folder, sizeof folder, "%s/cpu%d/topology", cpu_folder, place->cpu);
    const int core = read_number(search, folder, "thread_siblings_list");
    place->first[CORE] = core < 0 ? place->cpu : core;
    place->package = read_number(search, folder, "physical_package_id");
    for (int kind = L3; kind <= L2; kind++) {
        if (search->cache[kind] >= 0) {
            snprintf(folder, sizeof folder, "%s/cpu%d/cache/index%d", cpu_folder, place->cpu,
                     search->cache[kind]);
            place->first[kind] = read_number(search, folder, "shared_cpu_list");
        }
    }
}

static void set_node(struct search *search, int node)
{
    char folder[FOLDER_BYTES], list[LIST_BYTES];
    int first, last;
    snprintf(folder, sizeof folder, "%s/node%d", node_folder, node);
    read_line(search, folder, "cpulist", list);
    for (const char *at = list; next_range(&at, &first, &last);) {
        for (struct place *place = search->places; place < search->places + search->count;
             place++) {
            if (place->cpu >= first && place->cpu <= last) {
                place->first[NUMA] = node;
            }
        }
    }
}

static void find_nodes(struct search *search)
{
    char list[LIST_BYTES];
    int first, last;
    read_line(search, node_folder, "online", list);
    for (const char *at = list; next_range(&at, &first, &last);) {
        for (int node = first; node <= last; node++) {
            set_node(search, node);
        }
    }
}

/* Threads that are near in the machine are near in the table. */
static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int order = (a->package > b->package) - (a->package < b->package);
    for (int kind = 0; order == 0 && kind < KINDS; kind++) {
        order = (a->first[kind] > b->first[kind]) - (a->first[kind] < b->first[kind]);
    }
    return order ? order : (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

/* Numbers count from 0 in the table's order. Threads that share are mostly adjacent. */
static void number_all(struct search *search)
{
    for (int kind = 0; kind < KINDS; kind++) {
        int count = 0;
        for (int i = 0; i < search->count; i++) {
            struct place *place = &search->places[i];
            int before = i - 1;
            while (before >= 0 && search->places[before].first[kind] != place->first[kind]) {
                before--;
            }
            place->number[kind] = place->first[kind] < 0 ? -1
                                  : before >= 0          ? search->places[before].number[kind]
                                                         : count++;
        }
    }
}

static void read_model(const struct search *search, char model[LIST_BYTES])
{
    struct yk_lines lines;
    model[0] = '\0';
    yk_lines_open(&lines, search->root, "/proc", "cpuinfo");
    for (const char *line; !*model && (line = yk_lines_next(&lines));) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0) {
            snprintf(model, LIST_BYTES, "%s", colon + 1 + strspn(colon + 1, " "));
        }
    }
    yk_lines_close(&lines);
}

static struct yk_machine *copy_machine(const struct search *search)
{
    char model[LIST_BYTES];
    struct yk_machine *copy =
        yk_alloc_kept(sizeof *copy + (size_t)search->count * sizeof *copy->threads);
    if (!copy) {
        return NULL;
    }
    *copy = (struct yk_machine){ .this_system = 1,
                                 .count = search->count,
                                 .l2_bytes = search->bytes[L2],
                                 .l3_bytes = search->bytes[L3] };
    read_model(search, model);
    snprintf(copy->model, sizeof copy->model, "%.63s", model);
    for (int i = 0; i < search->count; i++) {
        const struct place *place = &search->places[i];
        copy->threads[i] = (struct yk_core){ .cpu = place->cpu,
                                             .core = place->number[CORE],
                                             .numa = place->number[NUMA],
                                             .l3 = place->number[L3],
                                             .l2 = place->number[L2] };
    }
    return copy;
}

yoke_status yk_machine_read_under(const char *root, struct yk_machine **out)
{
    struct search search = { .root = root, .cache = { -1, -1, -1, -1 } };
    yoke_status status = find_threads(&search);
    if (status != YOKE_OK) {
        return status;
    }
    find_caches(&search);
    for (int i = 0; i < search.count; i++) {
        find_place(&search, &search.places[i]);
    }
    find_nodes(&search);
    qsort(search.places, (size_t)search.count, sizeof *search.places, compare_places);
    number_all(&search);
    struct yk_machine *machine = copy_machine(&search);
    yk_free(search.places);
    if (!machine) {
        return yk_fail(YOKE_ENOMEM, "no memory to describe %d processors", search.count);
    }
    *out = machine;
    return YOKE_OK;
}

yoke_status yk_machine_read(struct yk_machine **out)
{
    return yk_machine_read_under("", out);
}
