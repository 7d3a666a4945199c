/* partitioner.c - the list of partitioners. A partitioner is a file with one table; its name here
 * is all that is needed to offer it.
 */
#include "partitioner.h"

#include <string.h>

#include "../base/status.h"

const struct yk_partitioner *const yk_partitioners[] = {
    &yk_partitioner_auto,    &yk_partitioner_even,   &yk_partitioner_static,
    &yk_partitioner_dynamic, &yk_partitioner_guided, NULL
};

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
