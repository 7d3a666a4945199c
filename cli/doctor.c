/* doctor.c - yoke doctor: what every backend found, or why it found nothing and what to install. */
#include <math.h>
#include <string.h>
#include <yoke/knowledge.h>

#include "command.h"
#include "json.h"
#include "table.h"

enum { DOCTOR_JSON, DOCTOR_COUNT };

static const struct app_option options[] = {
    [DOCTOR_JSON] = { "json", NULL, NULL, "write JSON to standard output" },
    { .name = NULL },
};

struct visit {
    int found, missing;
    cJSON *backends; /* NULL: print findings instead */
};

/* Counts the devices that get work by default. Simulated devices get work only on request. */
static void count(struct visit *visit, const yoke_finding *finding)
{
    int real = finding->devices && strcmp(finding->backend, "sim") != 0;
    visit->found += real ? finding->devices : 0;
    visit->missing += finding->missing;
}

static void print_finding(void *context, const yoke_finding *finding)
{
    struct visit *visit = context;
    count(visit, finding);
    printf("%-7s  %-7s  %s\n", finding->backend, finding->missing ? "missing" : "found",
           finding->text);
}

static void print_cache(const char *folder)
{
    const char *trouble = yoke_cache_trouble();
    if (!*folder)
        printf("cache    off: kernels are compiled anew in every run; set HOME or YOKE_CACHE to a "
               "folder\n");
    else if (trouble)
        printf("cache    %s cannot be written (%s): kernels are compiled anew in every run; set "
               "YOKE_CACHE to a folder of your own\n",
               folder, trouble);
    else
        printf("cache    %s\n", folder);
}

static void print_limits(void)
{
    yoke_machine machine;
    char memory[32];
    if (yoke_machine_get(&machine) != YOKE_OK)
        return;
    printf("machine  %s, %d core%s, %s of memory\n", machine.processor, machine.cores,
           machine.cores == 1 ? "" : "s", table_bytes(machine.memory_bytes, memory));
    printf("cores    described by %s%s\n", machine.described_by,
           strcmp(machine.described_by, "hwloc") ? ": this yoke was built without hwloc" : "");
    if (machine.quota_cores && machine.quota_cores < machine.cores)
        printf("quota    a cgroup lets this process use %d of %d cores\n", machine.quota_cores,
               machine.cores);
    if (!machine.gpu_nodes)
        printf("gpu      /dev shows none: no GPU, or no driver for it, or none passed into this "
               "container\n");
    print_cache(machine.cache_folder);
}

static void print_knowledge(void)
{
    yoke_knowledge *knowledge;
    char bytes[32];
    if (yoke_knowledge_open(NULL, &knowledge) != YOKE_OK) {
        printf("lessons  none: %s\n", yoke_error_text());
        return;
    }
    printf("lessons  %s, %s\n", yoke_knowledge_path(knowledge),
           table_bytes(yoke_knowledge_bytes(knowledge), bytes));
    yoke_knowledge_close(knowledge);
}

static void add_finding(void *context, const yoke_finding *finding)
{
    struct visit *visit = context;
    cJSON *one = cJSON_CreateObject();
    count(visit, finding);
    json_text(one, "backend", finding->backend);
    json_text(one, "summary", finding->summary);
    json_integer(one, "devices", finding->devices);
    cJSON_AddBoolToObject(one, "missing", finding->missing);
    json_text(one, "text", finding->text);
    cJSON_AddItemToArray(visit->backends, one);
}

static void json_knowledge(cJSON *top)
{
    yoke_knowledge *knowledge;
    cJSON *part = cJSON_AddObjectToObject(top, "knowledge");
    const int is_open = yoke_knowledge_open(NULL, &knowledge) == YOKE_OK;
    json_text(part, "path", is_open ? yoke_knowledge_path(knowledge) : NULL);
    json_number(part, "bytes", is_open ? (double)yoke_knowledge_bytes(knowledge) : (double)NAN);
    json_text(part, "error", is_open ? NULL : yoke_error_text());
    if (is_open)
        yoke_knowledge_close(knowledge);
}

static int write_json(void)
{
    struct visit visit = { 0 };
    yoke_machine machine;
    cJSON *top = cJSON_CreateObject();
    json_integer(top, "schema", 1);
    json_text(top, "version", yoke_version());
    json_machine(top);
    const int is_known = yoke_machine_get(&machine) == YOKE_OK;
    json_text(top, "described_by", is_known ? machine.described_by : NULL);
    cJSON_AddBoolToObject(top, "gpu_nodes", is_known && machine.gpu_nodes);
    json_text(top, "cache_folder", is_known && *machine.cache_folder ? machine.cache_folder : NULL);
    json_text(top, "cache_error", yoke_cache_trouble());
    json_knowledge(top);
    visit.backends = cJSON_AddArrayToObject(top, "backends");
    yoke_status status = yoke_doctor(add_finding, &visit);
    json_integer(top, "devices", visit.found);
    const int failed = status != YOKE_OK ? command_failed(yoke_error_text()) : 0;
    return json_write(top, "-") || failed;
}

static int run_doctor(int argc, char **argv)
{
    const char *values[DOCTOR_COUNT];
    struct args args = { .command = "doctor", .tables = { { options, values } } };
    struct visit visit = { 0 };
    int wrong = args_parse(&args, argc, argv);
    if (wrong)
        return wrong;
    if (values[DOCTOR_JSON])
        return write_json();
    print_limits();
    print_knowledge();
    if (yoke_doctor(print_finding, &visit) != YOKE_OK)
        return command_failed(yoke_error_text());
    printf("\n%d device%s to work with%s\n", visit.found, visit.found == 1 ? "" : "s",
           visit.missing ? "; what is missing above is not needed to run" : "");
    return 0;
}

const struct command command_doctor = {
    .name = "doctor",
    .words = "",
    .summary = "Why a device is missing, and what to install",
    .options = options,
    .run = run_doctor,
};
