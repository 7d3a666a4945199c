/* store_none.c - store.h in a build without SQLite (YOKE_SQLITE=OFF): a store is always NULL, and
 * finds and keeps nothing. The settings are still read, so that invalid ones are errors in every
 * build. */
#include <stdio.h>

#include "../base/status.h"
#include "store_settings.h"

static const char reason[] = "this yoke was built without SQLite, so nothing is kept between "
                             "processes; build it with -DYOKE_SQLITE=ON (Debian: libsqlite3-dev)";

yoke_status yk_store_open(const struct yk_store_spec *spec, struct yk_store **out)
{
    struct yk_store_settings settings;
    yoke_status status = yk_store_settings_read(spec, &settings);
    if (status != YOKE_OK)
        return status;
    if (settings.is_named)
        yk_log(YOKE_LOG_WARN, "knowledge base: %s is not used: %s", settings.path, reason);
    *out = NULL;
    return YOKE_OK;
}

void yk_store_close(struct yk_store *store)
{
    (void)store;
}

void yk_store_trouble(struct yk_store *store, char why[YK_STORE_WHY])
{
    (void)store;
    snprintf(why, YK_STORE_WHY, "%s", reason);
}

void yk_store_warm(struct yk_store *store)
{
    (void)store;
}

int yk_store_find(struct yk_store *store, const struct yk_store_key *key,
                  const struct yk_sizes *sizes, struct yk_lesson *out)
{
    (void)store, (void)key, (void)sizes, (void)out;
    return 0;
}

void yk_store_near(struct yk_store *store, const struct yk_store_key *key,
                   const struct yk_sizes *sizes, struct yk_lesson_list *out)
{
    (void)store, (void)key, (void)sizes;
    out->count = 0;
}

int yk_store_derive(struct yk_store *store, const struct yk_store_key *key,
                    const struct yk_sizes *sizes, struct yk_lesson *out)
{
    (void)store, (void)key, (void)sizes, (void)out;
    return 0;
}

yoke_status yk_store_put_all(struct yk_store *store, const struct yk_store_entry *entries,
                             int count)
{
    (void)store, (void)entries, (void)count;
    return YOKE_OK;
}

yoke_status yk_store_put(struct yk_store *store, const struct yk_store_key *key,
                         const struct yk_lesson *lessons, int count)
{
    (void)store, (void)key, (void)lessons, (void)count;
    return YOKE_OK;
}

yoke_status yk_store_forget(struct yk_store *store, const struct yk_store_filter *filter,
                            int64_t *count)
{
    (void)store, (void)filter;
    *count = 0;
    return YOKE_OK;
}

yoke_status yk_store_each(struct yk_store *store, const struct yk_store_filter *filter,
                          yk_store_visit *visit, void *context)
{
    (void)store, (void)filter, (void)visit, (void)context;
    return YOKE_OK;
}

yoke_status yk_store_put_run(struct yk_store *store, const char *text)
{
    (void)store, (void)text;
    return YOKE_OK;
}

char *yk_store_run(struct yk_store *store, int back)
{
    (void)store, (void)back;
    return NULL;
}

const char *yk_store_path(const struct yk_store *store)
{
    (void)store;
    return "";
}

int64_t yk_store_bytes(struct yk_store *store)
{
    (void)store;
    return 0;
}
