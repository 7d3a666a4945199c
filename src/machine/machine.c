/* machine.c - reads a machine from its line of text. See machine.h for the grammar. */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"

yoke_status yk_machine_check(const struct yk_machine *machine)
{
    struct yk_machine_use use = { "the cores", YK_MACHINE_CORES, YK_MACHINE_JOB };
    yoke_status status = yk_machine_device_check(&use, &machine->cpu);
    use.kind = YK_MACHINE_GPU;
    for (int g = 0; g < machine->gpu_count && status == YOKE_OK; g++) {
        use.what = machine->gpus[g].name;
        status = yk_machine_device_check(&use, &machine->gpus[g]);
    }
    return status;
}

static yoke_status add_gpu(struct yk_machine *machine, const struct yk_machine_device *gpu)
{
    size_t count = (size_t)machine->gpu_count;
    if (machine->gpu_count == yk_machine_gpus_max)
        return yk_fail(YOKE_EINVAL, "%s: a machine has %d GPUs at most; leave some out", gpu->name,
                       (int)yk_machine_gpus_max);
    if ((count & (count - 1)) == 0) { /* full: the room doubles at powers of two */
        struct yk_machine_device *grown =
            yk_realloc(machine->gpus, count ? 2 * count : 1, sizeof *grown);
        if (!grown)
            return YOKE_ENOMEM;
        machine->gpus = grown;
    }
    machine->gpus[machine->gpu_count++] = *gpu;
    return YOKE_OK;
}

void yk_machine_close(struct yk_machine *machine)
{
    yk_free(machine->gpus);
    machine->gpus = NULL;
    machine->gpu_count = 0;
}

/* --- the parts of the line --- */

/* A part of the line: "gpuA*4:f=7:lanes=2" or "cores=8:noise=0.1". */
struct part {
    char *text;     /* owned */
    const char *at; /* where it begins in the line */
    const char *line;
    enum yk_machine_user user;
};

/* "machine, character 9 ('f=x')": the position of `word`, and its text up to the next colon. */
static void describe(const struct part *part, const char *word, char where[96])
{
    snprintf(where, 96, "machine, character %zu ('%.40s')",
             (size_t)(part->at - part->line) + (size_t)(word - part->text) + 1, word);
}

/* Reads settings "key=value:key=value" one by one, so that a mistake is reported with its
 * position. */
static yoke_status read_settings(const struct part *part, char *text, enum yk_machine_kind kind,
                                 struct yk_machine_device *device)
{
    char where[96];
    const struct yk_machine_use use = { where, kind, part->user };
    while (text) {
        char *colon = strchr(text, ':');
        if (colon)
            *colon = '\0';
        describe(part, text, where);
        if (!*text)
            return yk_fail(YOKE_EINVAL, "%s: key=value is expected", where);
        yoke_status status = yk_machine_device_read(&use, text, device);
        if (status != YOKE_OK)
            return status;
        if (colon)
            *colon = ':';
        text = colon ? colon + 1 : NULL;
    }
    return YOKE_OK;
}

/* `text`: the part's settings. The device keeps no texts. */
static yoke_status read_device(const struct part *part, char *text, enum yk_machine_kind kind,
                               struct yk_machine_device *out)
{
    char where[96];
    const struct yk_machine_use use = { where, kind, part->user };
    struct yk_machine_device device;
    describe(part, part->text, where);
    yoke_status status = yk_machine_device_open(&use, &device);
    if (status == YOKE_OK)
        status = read_settings(part, text, kind, &device);
    if (status == YOKE_OK)
        status = yk_machine_device_check(&use, &device);
    if (status == YOKE_OK)
        status = yk_slowdowns_parse(where, device.load, &device.loads);
    yk_options_clear(yk_machine_options, &device);
    if (status == YOKE_OK)
        *out = device;
    return status;
}

static yoke_status read_cpu(const struct part *part, char *text, struct yk_machine *machine)
{
    char where[96];
    describe(part, part->text, where);
    if (machine->cpu.cores)
        return yk_fail(YOKE_EINVAL, "%s: the cores were described before; join the two", where);
    return read_device(part, text, YK_MACHINE_CORES, &machine->cpu);
}

/* "gpu", "gpuA", "gpu*4": reads the name's length and the count. */
static yoke_status read_head(const struct part *part, size_t *length, int *count)
{
    const char *text = part->text;
    char where[96], *end;
    describe(part, text, where);
    *length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    *count = 1;
    if (strncmp(text, "gpu", 3) != 0)
        return yk_fail(YOKE_EINVAL, "%s: cores=N or gpu is expected", where);
    if (*length > yk_machine_name_max - 8)
        return yk_fail(YOKE_EINVAL, "%s: the name is too long; %d characters at most", where,
                       yk_machine_name_max - 8);
    const char *rest = text + *length;
    if (*rest == '*') {
        long number = rest[1] >= '1' && rest[1] <= '9' ? strtol(rest + 1, &end, 10) : 0;
        if (number < 1 || number > yk_machine_gpus_max)
            return yk_fail(YOKE_EINVAL, "%s: a count from 1 to %d is expected after *", where,
                           (int)yk_machine_gpus_max);
        *count = (int)number;
        rest = end;
    }
    if (*rest && *rest != ':')
        return yk_fail(YOKE_EINVAL, "%s: ':' is expected where '%c' stands", where, *rest);
    return YOKE_OK;
}

/* Number of GPUs whose name is `name`, alone or followed by a number. */
static int number_from(const struct yk_machine *machine, const char *name, size_t length)
{
    int number = 0;
    for (int g = 0; g < machine->gpu_count; g++) {
        const char *other = machine->gpus[g].name;
        if (!strncmp(other, name, length) &&
            strspn(other + length, "0123456789") == strlen(other + length))
            number++;
    }
    return number;
}

static yoke_status add_gpus(const struct part *part, const struct yk_machine_device *model,
                            struct yk_machine *machine)
{
    struct yk_machine_device gpu = *model;
    size_t length;
    int count;
    yoke_status status = read_head(part, &length, &count);
    int number = status == YOKE_OK ? number_from(machine, part->text, length) : 0;
    for (int i = 0; i < count && status == YOKE_OK; i++) {
        snprintf(gpu.name, sizeof gpu.name, "%.*s%d", (int)length, part->text, number + i);
        status = add_gpu(machine, &gpu);
    }
    return status;
}

static yoke_status read_gpu(const struct part *part, struct yk_machine *machine)
{
    struct yk_machine_device gpu;
    char *colon = strchr(part->text, ':');
    size_t length;
    int count;
    yoke_status status = read_head(part, &length, &count);
    if (status == YOKE_OK)
        status = read_device(part, colon ? colon + 1 : NULL, YK_MACHINE_GPU, &gpu);
    return status == YOKE_OK ? add_gpus(part, &gpu, machine) : status;
}

static yoke_status read_part_of_line(const struct part *part, struct yk_machine *machine)
{
    size_t word = strcspn(part->text, ":=");
    if (part->text[word] == '=')
        return read_cpu(part, part->text, machine);
    if (word == 3 && !strncmp(part->text, "cpu", 3))
        return read_cpu(part, part->text[3] ? part->text + 4 : NULL, machine);
    return read_gpu(part, machine);
}

yoke_status yk_machine_parse(const char *text, enum yk_machine_user user, struct yk_machine *out)
{
    struct yk_machine machine = { .gpu_count = 0 };
    yoke_status status = YOKE_OK;
    for (const char *at = text; at && status == YOKE_OK;) {
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        struct part part = {
            .text = yk_format("%.*s", (int)length, at), .at = at, .line = text, .user = user
        };
        if (!part.text)
            status = YOKE_ENOMEM;
        else
            status = read_part_of_line(&part, &machine);
        yk_free(part.text);
        at = comma ? comma + 1 : NULL;
    }
    if (status == YOKE_OK && machine.cpu.cores == 0)
        status = yk_fail(YOKE_EINVAL, "machine '%.60s' has no cores; begin with cores=N", text);
    if (status == YOKE_OK)
        *out = machine;
    else
        yk_machine_close(&machine);
    return status;
}
