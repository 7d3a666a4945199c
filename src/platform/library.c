/* library.c - dlopen and dlsym with error texts.
 *
 * A library's handle is dlopen's own, so there is nothing to count or to free: opening the same
 * library again gives the same handle, and nothing is ever unloaded.
 */
#include "library.h"

#include "../base/status.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { report_bytes = 1024 };

static void *handle_of(const struct yk_library *library)
{
    return (void *)library;
}

yoke_status yk_library_open(const char *const *names, struct yk_library **out)
{
    char report[report_bytes] = "";
    size_t length = 0;
    for (; *names; names++) {
        void *handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (handle) {
            *out = handle;
            return YOKE_OK;
        }
        if (length < sizeof report) {
            length += (size_t)snprintf(report + length, sizeof report - length, "%s%s",
                                       length ? "; " : "", dlerror());
        }
    }
    return yk_fail(YOKE_ENODEV, "no library to load (%s); install the driver that brings it",
                   length ? report : "none was named");
}

static void clear_slots(const struct yk_symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *symbols[i].slot = NULL;
    }
}

yoke_status yk_library_symbols(struct yk_library *library, const struct yk_symbol *symbols,
                               size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *symbols[i].slot = dlsym(handle_of(library), symbols[i].name);
        if (!*symbols[i].slot && !symbols[i].optional) {
            clear_slots(symbols, count);
            return yk_fail(YOKE_ENODEV, "%s lacks %s; install a newer version of it",
                           yk_library_path(library), symbols[i].name);
        }
    }
    return YOKE_OK;
}

const char *yk_library_path(const struct yk_library *library)
{
    struct link_map *map = NULL;
    if (dlinfo(handle_of(library), RTLD_DI_LINKMAP, &map) != 0 || !map->l_name) {
        return "";
    }
    return map->l_name; /* owned by the loader; valid as long as the library, that is, for ever */
}
