/* machine.c - reads a machine from its line of text. See machine.h for the grammar. */
#include "machine.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/option.h"
#include "../base/status.h"

/* What the tables fill in; both kinds of part have the text of their load. */
struct cpu_settings {
    struct yk_machine machine;
    char *load;
};
struct gpu_settings {
    struct yk_machine_gpu gpu;
    char *load;
};

#define CPU(name) offsetof(struct cpu_settings, machine.name)
static const struct yk_option cpu_options[] = {
    { "cores", NULL, "0", "number of cores; required", YK_OPTION_INT, CPU(cores), NULL },
    { "rate", NULL, "1e6", "average items per second of one core", YK_OPTION_REAL, CPU(rate),
      NULL },
    { "poll", NULL, "2us",
      "time of one poll of a GPU, and delay until a spinning thread notices its end",
      YK_OPTION_SECONDS, CPU(poll), NULL },
    { "wake", NULL, "15us", "time to wake a sleeping thread when its GPU is done",
      YK_OPTION_SECONDS, CPU(wake), NULL },
    { "switch", NULL, "3us", "time until a woken thread has a core", YK_OPTION_SECONDS,
      CPU(wait_switch), NULL },
    { "hand", NULL, "0", "time to hand out a chunk", YK_OPTION_SECONDS, CPU(hand), NULL },
    { "contention", NULL, "0", "work takes longer by this fraction for each other busy device",
      YK_OPTION_REAL, CPU(contention), NULL },
    { "noise", NULL, "0", "a chunk's time varies by up to this fraction", YK_OPTION_REAL,
      CPU(noise), NULL },
    { "seed", NULL, "1", "seed of the noise", YK_OPTION_INT, CPU(seed), NULL },
    { "load", NULL, NULL, "FROM-TO*F: all work takes F times as long meanwhile; several with +",
      YK_OPTION_TEXT, offsetof(struct cpu_settings, load), NULL },
    { .name = NULL }
};

#define GPU(name) offsetof(struct gpu_settings, gpu.name)
static const char *const no_yes[] = { "no", "yes", NULL };
static const struct yk_option gpu_options[] = {
    { "f", NULL, "10", "speed of its kernels, as a multiple of a core's", YK_OPTION_REAL, GPU(f),
      NULL },
    { "rate", NULL, "0", "the same in average items per second, instead of f", YK_OPTION_REAL,
      GPU(rate), NULL },
    { "fixed", NULL, "5us", "cost of a kernel beside its items", YK_OPTION_SECONDS, GPU(fixed),
      NULL },
    { "launch", NULL, "0", "delay until a kernel may start; other lanes' kernels run meanwhile",
      YK_OPTION_SECONDS, GPU(launch), NULL },
    { "fill", NULL, "1", "items that run at once", YK_OPTION_INT, GPU(fill), NULL },
    { "stair", NULL, "yes", "whether a kernel's time grows in steps of fill", YK_OPTION_CHOICE,
      GPU(stair), no_yes },
    { "lanes", NULL, "2", "chunks in flight", YK_OPTION_INT, GPU(lanes), NULL },
    { "link", NULL, "12e9", "bytes per second of copies, in each direction; 0: unlimited",
      YK_OPTION_REAL, GPU(link), NULL },
    { "latency", NULL, "10us", "cost of a copy beside its bytes", YK_OPTION_SECONDS, GPU(latency),
      NULL },
    { "mem", NULL, "0", "its memory; 0: any amount", YK_OPTION_BYTES, GPU(memory), NULL },
    { "fail", NULL, "0", "it is lost at this time; 0: never", YK_OPTION_SECONDS, GPU(fail), NULL },
    { "join", NULL, "0", "it takes part from this time on", YK_OPTION_SECONDS, GPU(join), NULL },
    { "told", NULL, "yes", "whether fixed and launch are known beforehand", YK_OPTION_CHOICE,
      GPU(told), no_yes },
    { "load", NULL, NULL, "FROM-TO*F: its kernels take F times as long meanwhile; several with +",
      YK_OPTION_TEXT, offsetof(struct gpu_settings, load), NULL },
    { .name = NULL }
};

/* --- bounds --- */

struct bound {
    const char *key;
    double value, least, most;
};

static yoke_status check_bounds(const char *what, const struct bound *bounds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(bounds[i].value >= bounds[i].least && bounds[i].value <= bounds[i].most))
            return yk_fail(YOKE_EINVAL, "%s: %s=%g is out of range; it may be %g to %g", what,
                           bounds[i].key, bounds[i].value, bounds[i].least, bounds[i].most);
    return YOKE_OK;
}

static yoke_status check_cpu(const char *what, const struct yk_machine *m)
{
    const struct bound bounds[] = {
        { "cores", (double)m->cores, 1, 4096 },
        { "rate", m->rate, 1e-3, 1e15 },
        { "poll", m->poll, 0, 3600 },
        { "wake", m->wake, 0, 3600 },
        { "switch", m->wait_switch, 0, 3600 },
        { "hand", m->hand, 0, 3600 },
        { "contention", m->contention, 0, 1e3 },
        { "noise", m->noise, 0, 0.99 },
    };
    return check_bounds(what, bounds, sizeof bounds / sizeof *bounds);
}

static yoke_status check_gpu(const char *what, const struct yk_machine_gpu *g)
{
    const struct bound bounds[] = {
        { "f", g->f, 1e-9, 1e9 },
        { "rate", g->rate > 0 ? g->rate : g->rate == 0, 1e-3, 1e18 },
        { "fixed", g->fixed, 0, 3600 },
        { "launch", g->launch, 0, 3600 },
        { "fill", (double)g->fill, 1, 1e12 },
        { "lanes", (double)g->lanes, 1, 64 },
        { "link", g->link > 0 ? g->link : g->link == 0, 1, 1e18 },
        { "latency", g->latency, 0, 3600 },
        { "mem", (double)g->memory, 0, 1e18 },
        { "fail", g->fail, 0, 1e6 },
        { "join", g->join, 0, 1e6 },
    };
    return check_bounds(what, bounds, sizeof bounds / sizeof *bounds);
}

yoke_status yk_machine_check(const struct yk_machine *machine)
{
    yoke_status status = check_cpu("the cores", machine);
    for (int g = 0; g < machine->gpu_count && status == YOKE_OK; g++)
        status = check_gpu(machine->gpus[g].name, &machine->gpus[g]);
    return status;
}

static yoke_status add_gpu(struct yk_machine *machine, const struct yk_machine_gpu *gpu)
{
    size_t count = (size_t)machine->gpu_count;
    if (machine->gpu_count == yk_machine_gpus_max)
        return yk_fail(YOKE_EINVAL, "%s: a machine has %d GPUs at most; leave some out", gpu->name,
                       (int)yk_machine_gpus_max);
    if ((count & (count - 1)) == 0) { /* full: the room doubles at powers of two */
        struct yk_machine_gpu *grown =
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
};

/* "machine, character 9 ('f=x')": the position of `word`, and its text up to the next colon. */
static void describe(const struct part *part, const char *word, char where[96])
{
    snprintf(where, 96, "machine, character %zu ('%.40s')",
             (size_t)(part->at - part->line) + (size_t)(word - part->text) + 1, word);
}

/* Reads settings "key=value:key=value" one by one, so that a mistake is reported with its
 * position. */
static yoke_status read_settings(const struct part *part, char *text,
                                 const struct yk_option *options, void *settings)
{
    char where[96];
    while (text) {
        char *colon = strchr(text, ':');
        if (colon)
            *colon = '\0';
        describe(part, text, where);
        if (!*text)
            return yk_fail(YOKE_EINVAL, "%s: key=value is expected", where);
        yoke_status status = yk_options_parse(options, where, text, settings);
        if (status != YOKE_OK)
            return status;
        if (colon)
            *colon = ':';
        text = colon ? colon + 1 : NULL;
    }
    return YOKE_OK;
}

static yoke_status read_cpu(const struct part *part, char *text, struct yk_machine *machine)
{
    struct cpu_settings settings = { .load = NULL };
    char where[96];
    describe(part, part->text, where);
    if (machine->cores)
        return yk_fail(YOKE_EINVAL, "%s: the cores were described before; join the two", where);
    yoke_status status = yk_options_default(cpu_options, &settings);
    if (status == YOKE_OK)
        status = read_settings(part, text, cpu_options, &settings);
    if (status == YOKE_OK)
        status = check_cpu(where, &settings.machine);
    if (status == YOKE_OK)
        status = yk_slowdowns_parse(where, settings.load, &settings.machine.loads);
    settings.machine.gpus = machine->gpus;
    settings.machine.gpu_count = machine->gpu_count;
    if (status == YOKE_OK)
        *machine = settings.machine;
    yk_options_clear(cpu_options, &settings);
    return status;
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

static yoke_status add_gpus(const struct part *part, const struct yk_machine_gpu *model,
                            struct yk_machine *machine)
{
    struct yk_machine_gpu gpu = *model;
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
    struct gpu_settings settings = { .load = NULL };
    char where[96], *colon = strchr(part->text, ':');
    size_t length;
    int count;
    yoke_status status = read_head(part, &length, &count);
    if (status != YOKE_OK)
        return status;
    describe(part, part->text, where);
    status = yk_options_default(gpu_options, &settings);
    if (status == YOKE_OK)
        status = read_settings(part, colon ? colon + 1 : NULL, gpu_options, &settings);
    if (status == YOKE_OK)
        status = check_gpu(where, &settings.gpu);
    if (status == YOKE_OK)
        status = yk_slowdowns_parse(where, settings.load, &settings.gpu.loads);
    if (status == YOKE_OK)
        status = add_gpus(part, &settings.gpu, machine);
    yk_options_clear(gpu_options, &settings);
    return status;
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

yoke_status yk_machine_parse(const char *text, struct yk_machine *out)
{
    struct yk_machine machine = { .cores = 0 };
    yoke_status status = YOKE_OK;
    for (const char *at = text; at && status == YOKE_OK;) {
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        struct part part = { .text = yk_format("%.*s", (int)length, at), .at = at, .line = text };
        if (!part.text)
            status = YOKE_ENOMEM;
        else
            status = read_part_of_line(&part, &machine);
        yk_free(part.text);
        at = comma ? comma + 1 : NULL;
    }
    if (status == YOKE_OK && machine.cores == 0)
        status = yk_fail(YOKE_EINVAL, "machine '%.60s' has no cores; begin with cores=N", text);
    if (status == YOKE_OK)
        *out = machine;
    else
        yk_machine_close(&machine);
    return status;
}
