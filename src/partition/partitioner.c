/* partitioner.c - the list of partitioners. A partitioner is a file with one table; adding its name
 * here makes it available. */
#include "partitioner.h"

#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"

const struct yk_partitioner *const yk_partitioners[] = { &yk_partitioner_auto,
                                                         &yk_partitioner_alone,
                                                         &yk_partitioner_even,
                                                         &yk_partitioner_static,
                                                         &yk_partitioner_dynamic,
                                                         &yk_partitioner_guided,
                                                         &yk_partitioner_nc_ht,
                                                         &yk_partitioner_c_ht,
                                                         &yk_partitioner_demand,
                                                         &yk_partitioner_weight,
                                                         &yk_partitioner_linear,
                                                         &yk_partitioner_trained,
                                                         NULL };

static const struct yk_option no_options[] = { { .name = NULL } };

static const struct yk_partitioner *unknown(const char *name, size_t length)
{
    char names[256] = "";
    size_t left = sizeof names - 1;
    int at;
    for (at = 0; yk_partitioners[at]; at++) {
        if (at > 0 && left > 2) {
            strcat(names, ", ");
            left -= 2;
        }
        strncat(names, yk_partitioners[at]->name, left);
        left = sizeof names - 1 - strlen(names);
    }
    yk_fail(YOKE_EINVAL, "there is no partitioner '%.*s'; give one of: %s", (int)length, name,
            names);
    return NULL;
}

const struct yk_partitioner *yk_partitioner_find(const char *text)
{
    size_t length;
    int at;
    if (!text)
        return yk_partitioners[0];
    length = strcspn(text, ":");
    for (at = 0; yk_partitioners[at]; at++)
        if (strlen(yk_partitioners[at]->name) == length &&
            strncmp(yk_partitioners[at]->name, text, length) == 0)
            return yk_partitioners[at];
    return unknown(text, length);
}

int yk_partitioner_needs_lessons(const char *text)
{
    const struct yk_partitioner *found = text ? yk_partitioner_find(text) : NULL;
    return found && found->needs_lessons;
}

int yk_partitioner_takes_lines(const char *text)
{
    const struct yk_partitioner *found = text ? yk_partitioner_find(text) : NULL;
    return found && found->takes_lines;
}

yoke_status yk_partitioner_read(const struct yk_partitioner *partitioner, const char *text,
                                void *settings)
{
    const struct yk_option *options = partitioner->options ? partitioner->options : no_options;
    const char *colon = text ? strchr(text, ':') : NULL;
    yoke_status status = yk_options_default(options, settings);
    if (status != YOKE_OK)
        return status;
    return yk_options_parse(options, partitioner->name, colon ? colon + 1 : NULL, settings);
}

yoke_status yk_partitioner_streams(const char *text, int64_t *streams)
{
    const struct yk_partitioner *found = yk_partitioner_find(text);
    const struct yk_option *option;
    yoke_status status;
    char *settings;
    *streams = 0;
    if (!found)
        return YOKE_EINVAL;
    settings = yk_calloc(1, found->settings_bytes + 1); /* some have none */
    if (!settings)
        return YOKE_ENOMEM;
    status = yk_partitioner_read(found, text, settings);
    option = found->options ? found->options : no_options;
    for (; status == YOKE_OK && found->hosts != YK_HOSTS_NONE && option->name; option++)
        if (strcmp(option->name, "streams") == 0)
            memcpy(streams, settings + option->offset, sizeof *streams);
    yk_options_clear(found->options ? found->options : no_options, settings);
    yk_free(settings);
    return status;
}
