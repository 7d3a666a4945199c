/* info.c - yoke info: the machine, the devices a run would use and their links, the partitioners.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/link.h>

#include "command.h"
#include "json.h"
#include "progress.h"
#include "request.h"
#include "table.h"

enum { INFO_DEVICES, INFO_MEASURE, INFO_JSON, INFO_COUNT };

static const struct app_option options[] = {
    { "devices", "LIST", NULL, "devices to open, as cpu:8,cuda:0:mem=8G; default all" },
    { "measure", NULL, NULL, "measure links and memory, about a second a device" },
    { "json", NULL, NULL, "write JSON" },
    { .name = NULL },
};

struct info {
    yoke_runtime *runtime;
    yoke_link *links; /* one per device, zero if not measured; NULL: not requested */
};

static void print_machine(void)
{
    yoke_machine machine;
    char memory[32], left[32], quota[32] = "";
    if (yoke_machine_get(&machine) != YOKE_OK)
        return;
    if (machine.quota_cores)
        snprintf(quota, sizeof quota, ", quota %d", machine.quota_cores);
    printf("%s, %d core%s%s, %s of memory (%s free)\n", machine.processor, machine.cores,
           machine.cores == 1 ? "" : "s", quota, table_bytes(machine.memory_bytes, memory),
           table_bytes(machine.memory_available, left));
    if (strcmp(machine.described_by, "hwloc") != 0)
        printf("cores and caches as %s tells: built without hwloc\n", machine.described_by);
    printf("compiled kernels: %s\n",
           *machine.cache_folder ? machine.cache_folder : "not kept (YOKE_CACHE=off or no home)");
}

static void print_heads(struct table *table, int left, const char *const *heads)
{
    for (int i = 0; heads[i]; i++)
        table_cell(table, i < left ? TABLE_LEFT : TABLE_RIGHT, "%s", heads[i]);
    table_row(table);
}

static void print_devices(yoke_runtime *runtime)
{
    static const char *const heads[] = { "device", "model",  "driver",     "cores",
                                         "lanes",  "memory", "  identity", NULL };
    struct table table = { .indent = 0 };
    char memory[32];
    print_heads(&table, 3, heads);
    for (int d = 0; d < yoke_device_count(runtime); d++) {
        yoke_device device;
        if (yoke_device_get(runtime, d, &device) != YOKE_OK)
            continue;
        table_cell(&table, TABLE_LEFT, "%s", device.name);
        table_cell(&table, TABLE_LEFT, "%s", device.model);
        table_cell(&table, TABLE_LEFT, "%s", *device.driver ? device.driver : "-");
        table_cell(&table, TABLE_RIGHT, "%d", device.cores);
        table_cell(&table, TABLE_RIGHT, "%d", device.lanes);
        table_cell(&table, TABLE_RIGHT, "%s",
                   device.memory_bytes ? table_bytes(device.memory_bytes, memory) : "host's");
        table_cell(&table, TABLE_LEFT, "  %s", *device.identity ? device.identity : "-");
        table_row(&table);
    }
    putchar('\n');
    table_print(&table, stdout);
}

static void speed_cell(struct table *table, double bytes_per_second)
{
    if (bytes_per_second > 0)
        table_cell(table, TABLE_RIGHT, "%.1f", bytes_per_second / 1e9);
    else
        table_cell(table, TABLE_RIGHT, "-");
}

static double or_nan(double figure)
{
    return figure > 0 ? figure : (double)NAN;
}

/* A line for each kind of host memory that was measured; values that do not depend on it are in the
 * first line. */
static void print_link(struct table *table, const char *device, const yoke_link *link)
{
    const yoke_link_speed *speeds[] = { &link->pinned, &link->pageable };
    char text[32];
    for (int i = 0, lines = 0; i < 2; i++) {
        if (speeds[i]->to_device <= 0)
            continue;
        table_cell(table, TABLE_LEFT, "%s", lines ? "" : device);
        table_cell(table, TABLE_LEFT, "%s", i == 0 ? "pinned" : "pageable");
        speed_cell(table, speeds[i]->to_device);
        speed_cell(table, speeds[i]->from_device);
        speed_cell(table, speeds[i]->both);
        if (!lines++) {
            table_cell(table, TABLE_RIGHT, "%s", table_seconds(or_nan(link->copy_seconds), text));
            table_cell(table, TABLE_RIGHT, "%s", table_seconds(or_nan(link->launch_seconds), text));
        }
        table_row(table);
    }
}

static void print_links(const struct info *info)
{
    static const char *const heads[] = { "GB/s", "host memory", "to device", "from device",
                                         "both", "small copy",  "launch",    NULL };
    struct table table = { .indent = 0 };
    print_heads(&table, 2, heads);
    putchar('\n');
    for (int d = 0; d < yoke_device_count(info->runtime); d++) {
        const yoke_link *link = &info->links[d];
        yoke_device device;
        if (yoke_device_get(info->runtime, d, &device) != YOKE_OK)
            continue;
        if (link->memory_bytes_per_second > 0)
            printf("%s: memory %.1f GB/s, all its cores at once\n", device.name,
                   link->memory_bytes_per_second / 1e9);
        print_link(&table, device.name, link);
    }
    if (table.row_count > 1)
        table_print(&table, stdout);
}

static void print_partitioners(void)
{
    struct table table = { .indent = 2 };
    char line[256];
    for (int i = 0; yoke_partitioner_name(i); i++) {
        table_cell(&table, TABLE_LEFT, "%s", yoke_partitioner_name(i));
        table_cell(&table, TABLE_LEFT, "%s", yoke_partitioner_summary(i));
        table_row(&table);
        for (int s = 0; yoke_partitioner_setting(i, s, line); s++) {
            table_cell(&table, TABLE_LEFT, "%s", "");
            table_cell(&table, TABLE_LEFT, "  %s", line);
            table_row(&table);
        }
    }
    printf("\npartitioners:\n");
    table_print(&table, stdout);
}

static void json_speed(cJSON *object, const char *name, const yoke_link_speed *speed)
{
    cJSON *part = cJSON_AddObjectToObject(object, name);
    json_number(part, "to_device", or_nan(speed->to_device));
    json_number(part, "from_device", or_nan(speed->from_device));
    json_number(part, "both", or_nan(speed->both));
}

/* In bytes per second, and seconds. */
static void json_link(cJSON *object, const yoke_link *link)
{
    cJSON *part = cJSON_AddObjectToObject(object, "measured");
    json_speed(part, "pinned", &link->pinned);
    json_speed(part, "pageable", &link->pageable);
    json_number(part, "copy_seconds", or_nan(link->copy_seconds));
    json_number(part, "launch_seconds", or_nan(link->launch_seconds));
    json_number(part, "memory", or_nan(link->memory_bytes_per_second));
}

static int write_json(const struct info *info)
{
    static const yoke_link not_measured;
    yoke_runtime *runtime = info->runtime;
    cJSON *top = cJSON_CreateObject();
    json_integer(top, "schema", 1);
    json_text(top, "version", yoke_version());
    json_machine(top);
    cJSON *list = cJSON_AddArrayToObject(top, "devices");
    for (int d = 0; d < yoke_device_count(runtime); d++) {
        yoke_device device;
        if (yoke_device_get(runtime, d, &device) != YOKE_OK)
            continue;
        cJSON *one = cJSON_CreateObject();
        json_text(one, "name", device.name);
        json_text(one, "backend", device.backend);
        json_text(one, "model", device.model);
        json_text(one, "driver", *device.driver ? device.driver : NULL);
        json_integer(one, "cores", device.cores);
        json_integer(one, "lanes", device.lanes);
        json_number(one, "memory_bytes",
                    device.memory_bytes ? (double)device.memory_bytes : (double)NAN);
        json_text(one, "identity", *device.identity ? device.identity : NULL);
        json_link(one, info->links ? &info->links[d] : &not_measured);
        cJSON_AddItemToArray(list, one);
    }
    cJSON *names = cJSON_AddArrayToObject(top, "partitioners");
    for (int i = 0; yoke_partitioner_name(i); i++)
        cJSON_AddItemToArray(names, cJSON_CreateString(yoke_partitioner_name(i)));
    return json_write(top, "-");
}

/* Reports what cannot be measured, leaves it at zero and returns 1. Ctrl-C ends it after the
 * current device: 130. */
static int measure_all(struct info *info)
{
    struct measure_watch watch;
    int count = yoke_device_count(info->runtime), status = 0;
    info->links = calloc((size_t)count, sizeof *info->links);
    if (!info->links)
        return command_failed("no memory for what is measured");
    watch = progress_open(progress_grace);
    for (int d = 0; d < count && !*watch.canceled; d++) {
        yoke_device device = { .name = "" };
        char what[YOKE_DEVICE_NAME_MAX + 16];
        yoke_device_get(info->runtime, d, &device);
        snprintf(what, sizeof what, "measuring %s", device.name);
        watch.progress(watch.context, what, d, count);
        if (yoke_link_measure(info->runtime, d, &info->links[d]) != YOKE_OK)
            status = command_failed(yoke_error_text());
    }
    progress_close();
    return request_status() ? command_stopped() : status;
}

static int answer(struct info *info, const char *const *values)
{
    int status = 0, written;
    if (yoke_ready(info->runtime) != YOKE_OK)
        return command_failed(yoke_error_text());
    if (values[INFO_MEASURE])
        status = measure_all(info);
    if (status > 128)
        return status;
    if (values[INFO_JSON]) {
        written = write_json(info);
        return written ? written : status;
    }
    print_machine();
    print_devices(info->runtime);
    if (info->links)
        print_links(info);
    print_partitioners();
    return status;
}

static int run_info(int argc, char **argv)
{
    const char *values[INFO_COUNT];
    struct args args = { .command = "info", .tables = { { options, values } } };
    struct info info = { NULL, NULL };
    int status = args_parse(&args, argc, argv);
    if (status)
        return status;
    yoke_config config = { .devices = values[INFO_DEVICES] };
    yoke_status opened = yoke_open(&config, &info.runtime);
    if (opened != YOKE_OK) {
        command_failed(yoke_error_text());
        return opened == YOKE_EINVAL ? 2 : 1;
    }
    status = answer(&info, values);
    free(info.links);
    yoke_close(info.runtime);
    return status;
}

const struct command command_info = {
    .name = "info",
    .words = "",
    .summary = "The machine, the devices a run would use, and the partitioners",
    .options = options,
    .run = run_info,
};
