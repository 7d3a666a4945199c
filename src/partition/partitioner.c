/* partitioner.c - the list of partitioners. */
#include "partitioner.h"

#include <string.h>

#include "../base/status.h"

extern const struct yk_partitioner yk_partitioner_auto, yk_partitioner_even, yk_partitioner_static,
    yk_partitioner_dynamic, yk_partitioner_guided;

const struct yk_partitioner *const yk_partitioners[] = {
    &yk_partitioner_auto,    &yk_partitioner_even,   &yk_partitioner_static,
    &yk_partitioner_dynamic, &yk_partitioner_guided, NULL,
};

const struct yk_partitioner *yk_partitioner_find(const char *text)
{
    size_t length = text ? strcspn(text, ":") : 0;
    char names[256] = "";
    int i;
    if (!text || !*text)
        return yk_partitioners[0];
    for (i = 0; yk_partitioners[i]; i++) {
        const char *name = yk_partitioners[i]->name;
        if (strlen(name) == length && strncmp(name, text, length) == 0)
            return yk_partitioners[i];
        strncat(names, i ? ", " : "", sizeof names - strlen(names) - 1);
        strncat(names, name, sizeof names - strlen(names) - 1);
    }
    yk_fail(YOKE_EINVAL, "there is no partitioner '%.*s'; there are %s", (int)length, text, names);
    return NULL;
}
