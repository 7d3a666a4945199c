/* info.c - yoke info: the machine, the devices a run would use, the partitioners. */
#include <math.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "table.h"

enum { INFO_DEVICES, INFO_JSON, INFO_COUNT };

static const struct app_option options[] = {
    { "devices", "LIST", NULL, "devices to open, as cpu:8,opencl:1:mem=1G; default all" },
    { "json", NULL, NULL, "write JSON" },
    { .name = NULL },
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
    printf("compiled kernels: %s\n",
           *machine.cache_folder ? machine.cache_folder : "not kept (YOKE_CACHE=off or no home)");
}

static void print_devices(yoke_runtime *runtime)
{
    struct table table = { .indent = 0 };
    static const char *const heads[] = { "device", "model", "driver", "cores", "lanes", "memory" };
    char memory[32];
    for (int i = 0; i < 6; i++)
        table_cell(&table, i < 3 ? TABLE_LEFT : TABLE_RIGHT, "%s", heads[i]);
    table_row(&table);
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
        table_row(&table);
    }
    putchar('\n');
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

static int write_json(yoke_runtime *runtime)
{
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
        cJSON_AddItemToArray(list, one);
    }
    cJSON *names = cJSON_AddArrayToObject(top, "partitioners");
    for (int i = 0; yoke_partitioner_name(i); i++)
        cJSON_AddItemToArray(names, cJSON_CreateString(yoke_partitioner_name(i)));
    return json_write(top, "-");
}

static int run_info(int argc, char **argv)
{
    const char *values[INFO_COUNT];
    struct args args = { .command = "info", .tables = { { options, values } } };
    yoke_runtime *runtime = NULL;
    int status = args_parse(&args, argc, argv);
    if (status)
        return status;
    yoke_config config = { .devices = values[INFO_DEVICES] };
    yoke_status opened = yoke_open(&config, &runtime);
    if (opened != YOKE_OK) {
        command_failed(yoke_error_text());
        return opened == YOKE_EINVAL ? 2 : 1;
    }
    if (yoke_ready(runtime) != YOKE_OK)
        status = command_failed(yoke_error_text());
    else if (values[INFO_JSON])
        status = write_json(runtime);
    else {
        print_machine();
        print_devices(runtime);
        print_partitioners();
    }
    yoke_close(runtime);
    return status;
}

const struct command command_info = {
    .name = "info",
    .words = "",
    .summary = "The machine, the devices a run would use, and the partitioners",
    .options = options,
    .run = run_info,
};
