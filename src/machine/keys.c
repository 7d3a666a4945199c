/* keys.c - the keys of simulated devices: what each is, which devices and users have it, and its
 * range. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "device.h"

#define FIELD(name) offsetof(struct yk_machine_device, name)
static const char *const no_yes[] = { "no", "yes", NULL };
static const char *const offers[] = { "no", "yes", "refused", NULL }; /* enum yk_machine_offer */
static const char *const build_outcomes[] = { "works", "fails", NULL };

/* Defaults in brackets differ between kinds or users: yk_machine_device_open. */
const struct yk_option yk_machine_options[] = {
    { "cores", NULL, NULL, "cpu: cores, each a lane of its own [4]", YK_OPTION_INT, FIELD(cores),
      NULL },
    { "rate", NULL, NULL,
      "average items per second of one core [1e9], or of a whole GPU [20e9, or f]", YK_OPTION_REAL,
      FIELD(rate), NULL },
    { "f", NULL, NULL, "gpu: its rate, as a multiple of a core's [10]", YK_OPTION_REAL, FIELD(f),
      NULL },
    { "peak", NULL, "1",
      "what its driver tells of its speed, relative to its speed in this program", YK_OPTION_REAL,
      FIELD(peak), NULL },
    { "work", NULL, "1", "work of one item: 2 halves the rate", YK_OPTION_REAL, FIELD(work), NULL },
    { "fixed", NULL, NULL,
      "cost of a kernel beside its items, during which others wait [0 cpu, 5us gpu]",
      YK_OPTION_SECONDS, FIELD(fixed), NULL },
    { "launch", NULL, NULL,
      "gpu: delay from a launch until its kernel may start; others run meanwhile [0]",
      YK_OPTION_SECONDS, FIELD(launch), NULL },
    { "fill", NULL, NULL, "items that run at once on a GPU, or in a core's vectors [1]",
      YK_OPTION_INT, FIELD(fill), NULL },
    { "stair", NULL, NULL, "gpu: whether a kernel's time grows in steps of fill [yes]",
      YK_OPTION_CHOICE, FIELD(stair), no_yes },
    { "lanes", NULL, NULL, "gpu: queues to keep busy, one chunk each [2]", YK_OPTION_INT,
      FIELD(lanes), NULL },
    { "noise", NULL, "0",
      "times vary by up to this fraction, the same way for the same seed; yoke sim: of all "
      "devices, "
      "unless a GPU has its own",
      YK_OPTION_REAL, FIELD(noise), NULL },
    { "contention", NULL, "0",
      "kernels take longer by this fraction for each other device that is computing",
      YK_OPTION_REAL, FIELD(contention), NULL },
    { "seed", NULL, "1", "seed of the noise", YK_OPTION_INT, FIELD(seed), NULL },
    { "slow", NULL, NULL, "kernels of this name take `slowed` times as long", YK_OPTION_TEXT,
      FIELD(slow), NULL },
    { "slowed", NULL, "10", "see slow", YK_OPTION_REAL, FIELD(slowed), NULL },
    { "cold", NULL, "0",
      "gpu: a kernel's first launch takes longer by this time, each later one by half of what the "
      "one before did",
      YK_OPTION_SECONDS, FIELD(cold), NULL },
    { "load", NULL, NULL, "FROM-TO*F: its kernels take F times as long meanwhile; several with +",
      YK_OPTION_TEXT, FIELD(load), NULL },
    { "link", NULL, NULL, "gpu: bytes per second of copies, in each direction [12e9]; 0: unlimited",
      YK_OPTION_REAL, FIELD(link), NULL },
    { "latency", NULL, NULL, "gpu: cost of a copy beside its bytes [10us]", YK_OPTION_SECONDS,
      FIELD(latency), NULL },
    { "peer", NULL, "0",
      "gpu: bytes per second of copies from another GPU with this setting; 0: none", YK_OPTION_REAL,
      FIELD(peer), NULL },
    { "pageable", NULL, "0",
      "gpu: bytes per second of copies of memory that is not pinned; 0: as link", YK_OPTION_REAL,
      FIELD(pageable), NULL },
    { "bandwidth", NULL, NULL, "gpu: bytes per second of copies within its memory [500e9]",
      YK_OPTION_REAL, FIELD(bandwidth), NULL },
    { "mem", NULL, NULL, "gpu: device memory [1G, or 0: any amount]", YK_OPTION_BYTES,
      FIELD(memory), NULL },
    { "pages", NULL, "0", "gpu: memory is mapped on demand in pages of this size; 0: at once",
      YK_OPTION_BYTES, FIELD(pages), NULL },
    { "taken", NULL, "0", "gpu: bytes of memory that others take between booking and mapping",
      YK_OPTION_BYTES, FIELD(taken), NULL },
    { "pin", NULL, "no", "gpu: whether its driver pins host memory, or refuses to",
      YK_OPTION_CHOICE, FIELD(pin), offers },
    { "pinnable", NULL, "0", "gpu: bytes that can be pinned; 0: all", YK_OPTION_BYTES,
      FIELD(pinnable), NULL },
    { "staging", NULL, "no", "gpu: whether its driver has pinned memory to give, or none left",
      YK_OPTION_CHOICE, FIELD(staging), offers },
    { "poll", NULL, NULL,
      "cpu: time of one poll of a GPU, and delay until a spinning thread notices its end [2us]",
      YK_OPTION_SECONDS, FIELD(poll), NULL },
    { "wake", NULL, NULL, "cpu: time to wake a sleeping thread when its GPU is done [15us]",
      YK_OPTION_SECONDS, FIELD(wake), NULL },
    { "switch", NULL, NULL, "cpu: time until a woken thread has a core [3us]", YK_OPTION_SECONDS,
      FIELD(wait_switch), NULL },
    { "hand", NULL, "0", "cpu: time to hand out a chunk", YK_OPTION_SECONDS, FIELD(hand), NULL },
    { "join", NULL, "0", "the device takes part from this time on", YK_OPTION_SECONDS, FIELD(join),
      NULL },
    { "leave", NULL, "0", "the device gets nothing more after this time; 0: never",
      YK_OPTION_SECONDS, FIELD(leave), NULL },
    { "fail", NULL, "0", "the device is lost at this time; 0: never", YK_OPTION_SECONDS,
      FIELD(fail), NULL },
    { "stall", NULL, "0", "gpu: kernels that run at this time or later never end; 0: all do",
      YK_OPTION_SECONDS, FIELD(stall), NULL },
    { "fail_after", NULL, "0", "the device is lost after this many operations; 0: never",
      YK_OPTION_INT, FIELD(fail_after), NULL },
    { "told", NULL, NULL, "gpu: whether fixed and launch are known beforehand [yes]",
      YK_OPTION_CHOICE, FIELD(told), no_yes },
    { "build", NULL, "works", "whether kernels build", YK_OPTION_CHOICE, FIELD(build),
      build_outcomes },
    { "results", NULL, "yes", "whether operations take effect; no: they only take time",
      YK_OPTION_CHOICE, FIELD(results), no_yes },
    { "identity", NULL, NULL, "devices of the same identity are one device, offered twice",
      YK_OPTION_TEXT, FIELD(identity), NULL },
    { NULL, NULL, NULL, NULL, YK_OPTION_INT, 0, NULL }
};

/* Users, as bits. */
enum { B = YK_MACHINE_BACKEND, J = YK_MACHINE_JOB, S = YK_MACHINE_STEPS, ALL = B | J | S };
#define HOUR 3600
#define HUGE 1e18

/* In the order of the options. */
static const struct key_rule {
    const char *name;
    double least, most; /* of a number */
    int zero;           /* users for whose GPUs 0 is in range, too */
    int has[2];         /* users that have it, by enum yk_machine_kind */
} rules[] = {
    { "cores", 1, 4096, 0, { ALL, 0 } },
    { "rate", 1e-3, HUGE, J | S, { ALL, ALL } },
    { "f", 1e-9, 1e9, 0, { 0, J | S } },
    { "peak", 1e-9, 1e9, 0, { ALL, ALL } },
    { "work", 1e-9, 1e9, 0, { B, B } },
    { "fixed", 0, HOUR, 0, { B, ALL } },
    { "launch", 0, HOUR, 0, { 0, ALL } },
    { "fill", 1, 1e12, 0, { J, ALL } },
    { "stair", 0, 1, 0, { 0, ALL } },
    { "lanes", 1, 64, 0, { 0, ALL } },
    { "noise", 0, 0.99, 0, { ALL, B | J } },
    { "contention", 0, 1e3, 0, { ALL, B } },
    { "seed", -HUGE * 10, HUGE * 10, 0, { ALL, B } },
    { "slow", 0, 0, 0, { B, B } },
    { "slowed", 1e-9, 1e9, 0, { B, B } },
    { "cold", 0, HOUR, 0, { 0, B | S } },
    { "load", 0, 0, 0, { ALL, ALL } },
    { "link", 1, HUGE, J | S, { 0, ALL } },
    { "latency", 0, HOUR, 0, { 0, ALL } },
    { "peer", 0, HUGE, 0, { 0, B | S } },
    { "pageable", 0, HUGE, 0, { 0, B } },
    { "bandwidth", 1, HUGE, 0, { 0, B | S } },
    { "mem", 1, HUGE, J | S, { 0, ALL } },
    { "pages", 0, 1e12, 0, { 0, B | S } },
    { "taken", 0, HUGE, 0, { 0, B } },
    { "pin", 0, YK_MACHINE_REFUSED, 0, { 0, B } },
    { "pinnable", 0, HUGE, 0, { 0, B } },
    { "staging", 0, YK_MACHINE_REFUSED, 0, { 0, B } },
    { "poll", 0, HOUR, 0, { J, 0 } },
    { "wake", 0, HOUR, 0, { J, 0 } },
    { "switch", 0, HOUR, 0, { J, 0 } },
    { "hand", 0, HOUR, 0, { J, 0 } },
    { "join", 0, 1e6, 0, { J, J } },
    { "leave", 0, 1e6, 0, { J, J } },
    { "fail", 0, 1e6, 0, { B | J, ALL } },
    { "stall", 0, 1e6, 0, { 0, B } },
    { "fail_after", 0, HUGE, 0, { B, B } },
    { "told", 0, 1, 0, { 0, J } },
    { "build", 0, 1, 0, { B, B } },
    { "results", 0, 1, 0, { B, B } },
    { "identity", 0, 0, 0, { B, B } },
};
_Static_assert(sizeof rules / sizeof *rules + 1 ==
                   sizeof yk_machine_options / sizeof *yk_machine_options,
               "each option has a rule");

static void open_cores(enum yk_machine_user user, struct yk_machine_device *out)
{
    out->rate = user == YK_MACHINE_BACKEND ? 1e9 : 1e6;
    out->cores = user == YK_MACHINE_BACKEND ? 4 : 0; /* 0: must be given */
    out->fill = out->stair = 1;
    out->poll = 2e-6;
    out->wake = 15e-6;
    out->wait_switch = 3e-6;
}

static void open_gpu(enum yk_machine_user user, struct yk_machine_device *out)
{
    if (user == YK_MACHINE_BACKEND) {
        out->rate = 20e9;
        out->memory = (int64_t)1 << 30;
    }
    out->f = 10;
    out->fixed = 5e-6;
    out->fill = 1;
    out->stair = out->told = 1;
    out->lanes = 2;
    out->link = 12e9;
    out->latency = 10e-6;
    out->bandwidth = 500e9;
}

yoke_status yk_machine_device_open(const struct yk_machine_use *use, struct yk_machine_device *out)
{
    memset(out, 0, sizeof *out);
    yoke_status status = yk_options_default(yk_machine_options, out);
    if (status == YOKE_OK)
        (use->kind == YK_MACHINE_CORES ? open_cores : open_gpu)(use->user, out);
    return status;
}

/* The keys that this user has, as a table. */
struct key_table {
    struct yk_option options[sizeof yk_machine_options / sizeof *yk_machine_options];
};
static void keys_of(const struct yk_machine_use *use, struct key_table *out)
{
    struct yk_option *next = out->options;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].has[use->kind] & (int)use->user)
            *next++ = yk_machine_options[i];
    *next = (struct yk_option){ .name = NULL };
}

/* Whether the user is a job without arrays, and the key matters only for arrays. */
static int is_of_steps(const struct yk_machine_use *use, const char *text)
{
    const size_t length = strcspn(text, "=:,");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strlen(rules[i].name) == length && !strncmp(rules[i].name, text, length))
            return use->user == YK_MACHINE_JOB && (rules[i].has[use->kind] & ALL) == (B | S);
    return 0;
}

yoke_status yk_machine_device_read(const struct yk_machine_use *use, const char *text,
                                   struct yk_machine_device *device)
{
    struct key_table keys;
    if (is_of_steps(use, text))
        return yk_fail(YOKE_EINVAL,
                       "%s changes nothing in a job without arrays; give a step (yoke sim "
                       "MACHINE step:KERNELS), or leave it out",
                       use->what);
    keys_of(use, &keys);
    return yk_options_parse(keys.options, use->what, text, device);
}

/* The option's value as a number; of a text: 1 if it is given. */
static double value_of(const struct yk_option *option, const struct yk_machine_device *device)
{
    const void *field = (const char *)device + option->offset;
    switch (option->type) {
    case YK_OPTION_TEXT:
        return *(char *const *)field != NULL;
    case YK_OPTION_CHOICE:
        return *(const int *)field;
    case YK_OPTION_INT:
    case YK_OPTION_BYTES:
        return (double)*(const int64_t *)field;
    default:
        return *(const double *)field;
    }
}

yoke_status yk_machine_device_check(const struct yk_machine_use *use,
                                    const struct yk_machine_device *device)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct key_rule *rule = &rules[i];
        const int number = yk_machine_options[i].type != YK_OPTION_TEXT;
        if (!number || !(rule->has[use->kind] & (int)use->user))
            continue;
        const double value = value_of(&yk_machine_options[i], device);
        const int zero = use->kind == YK_MACHINE_GPU && rule->zero & (int)use->user;
        if (!(value >= rule->least && value <= rule->most) && !(zero && value == 0))
            return yk_fail(YOKE_EINVAL, "%s: %s=%g is out of range; it may be %g to %g", use->what,
                           rule->name, value, rule->least, rule->most);
    }
    return YOKE_OK;
}

/* "key=value", with as few digits as give the same number again; NULL: there is no memory. */
static char *key_text(const struct yk_option *option, const struct yk_machine_device *device)
{
    char number[32];
    int digits = 1;
    if (option->type == YK_OPTION_TEXT)
        return yk_format("%s=%s", option->name,
                         *(char *const *)(const void *)((const char *)device + option->offset));
    const double value = value_of(option, device);
    if (option->type == YK_OPTION_CHOICE)
        return yk_format("%s=%s", option->name, option->choices[(int)value]);
    if (option->type == YK_OPTION_INT || option->type == YK_OPTION_BYTES)
        return yk_format("%s=%.0f", option->name, value);
    do
        snprintf(number, sizeof number, "%.*g", digits, value);
    while (strtod(number, NULL) != value && digits++ < 17);
    return yk_format("%s=%s", option->name, number);
}

char *yk_machine_device_text(const struct yk_machine_use *use,
                             const struct yk_machine_device *device)
{
    struct yk_machine_device initial;
    char *text = yk_machine_device_open(use, &initial) == YOKE_OK ? yk_strdup("") : NULL;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && text; i++) {
        const struct yk_option *option = &yk_machine_options[i];
        if (!(rules[i].has[use->kind] & (int)use->user) ||
            value_of(option, device) == value_of(option, &initial))
            continue;
        text = yk_append(text, ":", key_text(option, device));
    }
    return text;
}
