/* doctor.c - yoke doctor: what every backend found, or why it found nothing and what to install. */
#include <string.h>
#include <yoke/knowledge.h>

#include "command.h"
#include "table.h"

struct visit {
    int found, missing;
};

static void print_finding(void *context, const yoke_finding *finding)
{
    struct visit *visit = context;
    int real = finding->devices && strcmp(finding->backend, "sim") != 0;
    visit->found += real ? finding->devices : 0;
    visit->missing += finding->missing;
    printf("%-7s  %-7s  %s\n", finding->backend, finding->missing ? "missing" : "found",
           finding->text);
}

static void print_limits(void)
{
    yoke_machine machine;
    char memory[32];
    if (yoke_machine_get(&machine) != YOKE_OK)
        return;
    printf("machine  %s, %d core%s, %s of memory\n", machine.processor, machine.cores,
           machine.cores == 1 ? "" : "s", table_bytes(machine.memory_bytes, memory));
    if (machine.quota_cores && machine.quota_cores < machine.cores)
        printf("quota    a cgroup lets this process use %d of %d cores\n", machine.quota_cores,
               machine.cores);
    if (!machine.gpu_nodes)
        printf("gpu      /dev shows none: no GPU, or no driver for it, or none passed into this "
               "container\n");
    printf("cache    %s\n", *machine.cache_folder
                                ? machine.cache_folder
                                : "off: kernels are compiled anew in every run; set HOME or "
                                  "YOKE_CACHE to a folder");
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

static int run_doctor(int argc, char **argv)
{
    struct args args = { .command = "doctor" };
    struct visit visit = { 0 };
    int wrong = args_parse(&args, argc, argv);
    if (wrong)
        return wrong;
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
    .run = run_doctor,
};
