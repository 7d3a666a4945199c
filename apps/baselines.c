/* baselines.c - each device alone: what the others add, and how near all together come to the best.
 *
 * A device is opened by its name with the settings the user gave it, in a runtime of its own, so
 * that "alone" also means without the threads and copies that the others need.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

struct part { /* of the user's list: "sim:gpu*2:rate=2e9" */
    const char *text;
    size_t length;   /* of the whole part */
    size_t selector; /* of what comes before its settings */
};

static struct part part_at(const char *text)
{
    struct part part = { .text = text, .length = strcspn(text, ",") };
    const char *equals = memchr(text, '=', part.length);
    part.selector = part.length;
    if (equals) {
        while (equals > text && *equals != ':')
            equals--;
        part.selector = (size_t)(equals - text);
    }
    return part;
}

static size_t alike(struct part part, const char *name)
{
    size_t length = 0;
    while (length < part.selector && name[length] && name[length] == part.text[length])
        length++;
    return length;
}

/* How many devices the part stands for: "sim:gpu*4" for four. */
static int count_of(struct part part)
{
    const char *star = memchr(part.text, '*', part.selector);
    return star ? atoi(star + 1) : 1;
}

static const char *next_part(const char *at)
{
    at += strcspn(at, ",");
    return *at ? at + 1 : NULL;
}

/* The part that selected the device: the one with most of its name. Of several equal ones, as in
 * "sim:gpu:rate=1e9,sim:gpu:rate=2e9", the nth for the nth device that is called so. */
static struct part part_of(const char *list, const struct measure *out, int device)
{
    const char *name = out->devices[device].name;
    struct part found = { .text = "" };
    size_t most = strlen(out->devices[device].backend);
    int before = 0;
    for (int d = 0; d < device; d++)
        before += !strncmp(out->devices[d].name, name, strcspn(name, "0123456789"));
    for (const char *at = list; at; at = next_part(at))
        if (alike(part_at(at), name) > most)
            most = alike(part_at(at), name);
    for (const char *at = list; at; at = next_part(at)) {
        struct part part = part_at(at);
        if (alike(part, name) != most)
            continue;
        found = part;
        before -= count_of(part);
        if (before < 0)
            break;
    }
    return found;
}

void measure_device_text(const struct measure_spec *spec, const struct measure *out, int device,
                         char text[512])
{
    struct part part = part_of(spec->config.devices, out, device);
    snprintf(text, 512, "%s%.*s", out->devices[device].name, (int)(part.length - part.selector),
             part.text + part.selector);
}

static yoke_status alone(const struct measure_spec *spec, void *state, struct measure *out,
                         int device)
{
    struct app_session session;
    char devices[512], what[128];
    double seconds[APP_REPEAT_MAX], first;
    measure_device_text(spec, out, device, devices);
    struct app_session_spec from = { .spec = spec, .state = state, .devices = devices };
    yoke_status status = app_session_open(&from, &session);
    if (status == YOKE_OK) {
        snprintf(what, sizeof what, "%s alone", out->devices[device].name);
        status = app_session_time(&session, what, &first);
    }
    for (int i = 0; status == YOKE_OK && i < spec->repeat; i++)
        status = app_session_time(&session, what, &seconds[i]);
    yoke_status closed = app_session_close(&session);
    if (status == YOKE_OK)
        out->devices[device].alone_seconds = app_median(seconds, spec->repeat);
    return status == YOKE_OK ? closed : status;
}

yoke_status measure_baselines(const struct measure_spec *spec, void *state, struct measure *out)
{
    double rate = 0, best = INFINITY;
    for (int d = 0; d < out->device_count; d++) {
        yoke_status status = alone(spec, state, out, d);
        if (status != YOKE_OK)
            return status;
        rate += 1 / out->devices[d].alone_seconds;
        best = fmin(best, out->devices[d].alone_seconds);
    }
    out->ideal_seconds = 1 / rate;
    out->efficiency = out->ideal_seconds / out->seconds;
    out->gain = best / out->seconds;
    return YOKE_OK;
}
