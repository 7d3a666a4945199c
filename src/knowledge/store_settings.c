/* store_settings.c - reads the settings of the knowledge base from the spec and the environment, in
 * builds with SQLite and without. */
#include "store_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/option.h"
#include "../base/status.h"
#include "../platform/cache_folder.h"

static const int64_t patience_ns = 100000000, least_bytes = 256 << 10;

struct variables {
    char *path, *derive;
    int64_t limit_bytes;
};

static const struct yk_option options[] = {
    { "kb", "YOKE_KB", NULL, "file that keeps what was learned, or off", YK_OPTION_TEXT,
      offsetof(struct variables, path), NULL },
    { "kb-limit", "YOKE_KB_LIMIT", "64M", "largest size of the file", YK_OPTION_BYTES,
      offsetof(struct variables, limit_bytes), NULL },
    { "kb-derive", "YOKE_KB_DERIVE", NULL, "how lessons for new sizes are derived", YK_OPTION_TEXT,
      offsetof(struct variables, derive), NULL },
    { .name = NULL },
};

/* An absolute path without links, so that later changes of links or of the working directory have
 * no effect; a new file has no links. Returns 0 if the name is too long. */
static int resolve(const char *asked, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    if (realpath(asked, path))
        return 1;
    int relative = asked[0] != '/' && getcwd(folder, sizeof folder);
    int length =
        snprintf(path, PATH_MAX, "%s%s%s", relative ? folder : "", relative ? "/" : "", asked);
    return length < PATH_MAX;
}

/* Returns 0 if the name is too long. */
static int choose_path(struct yk_store_settings *settings, const char *asked)
{
    static const char name[] = "/knowledge.db";
    if (yk_option_is(asked, "off")) {
        strcpy(settings->off, "switched off (YOKE_KB=off)");
        return 1;
    }
    settings->is_named = asked && *asked && !yk_option_is(asked, "on");
    if (settings->is_named)
        return resolve(asked, settings->path);
    char usual[PATH_MAX];
    yk_cache_folder(usual, sizeof usual - sizeof name);
    if (usual[0])
        return resolve(strcat(usual, name), settings->path);
    strcpy(settings->off, "there is no folder for it (YOKE_CACHE=off, or no home)");
    return 1;
}

static yoke_status choose_derivation(struct yk_store_settings *settings, const char *name)
{
    char names[128] = "";
    settings->derivation = name ? yk_derivation_find(name) : yk_derivations[0];
    if (settings->derivation)
        return YOKE_OK;
    for (int i = 0; yk_derivations[i]; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 yk_derivations[i]->name);
    return yk_fail(YOKE_EINVAL, "YOKE_KB_DERIVE: there is no method '%s'; there are: %s", name,
                   names);
}

static yoke_status choose(const struct yk_store_spec *spec, const struct variables *variables,
                          struct yk_store_settings *out)
{
    *out = (struct yk_store_settings){
        .limit_bytes = spec->limit_bytes ? spec->limit_bytes : variables->limit_bytes,
        .patience_ns = spec->patience_ns ? spec->patience_ns : patience_ns,
        .vfs = spec->vfs,
    };
    if (out->limit_bytes < least_bytes)
        return yk_fail(YOKE_EINVAL, "YOKE_KB_LIMIT: %lld bytes are too few; give 256k or more",
                       (long long)out->limit_bytes);
    if (!choose_path(out, spec->path ? spec->path : variables->path))
        return yk_fail(YOKE_EINVAL, "YOKE_KB: the name is too long for a file");
    yoke_status status = choose_derivation(out, variables->derive);
    if (status == YOKE_OK && spec->derivation)
        out->derivation = spec->derivation;
    return status;
}

yoke_status yk_store_settings_read(const struct yk_store_spec *spec, struct yk_store_settings *out)
{
    static const struct yk_store_spec usual;
    struct variables variables;
    yoke_status status = yk_options_default(options, &variables);
    if (status != YOKE_OK)
        return status;
    status = choose(spec ? spec : &usual, &variables, out);
    yk_options_clear(options, &variables);
    return status;
}

yoke_status yk_store_check(const struct yk_store_spec *spec)
{
    struct yk_store_settings settings;
    return yk_store_settings_read(spec, &settings);
}
