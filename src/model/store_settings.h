/* store_settings.h - where the knowledge base is, how large it may become, and how lessons are
 * derived: a store's spec, and what it leaves open by the environment.
 */
#ifndef YK_MODEL_STORE_SETTINGS_H
#define YK_MODEL_STORE_SETTINGS_H

#include <limits.h>

#include "store.h"

struct yk_store_settings {
    char path[PATH_MAX]; /* "": none */
    char off[64];        /* why there is none; "" */
    int is_named;        /* by the spec or by YOKE_KB, rather than the usual one */
    int64_t limit_bytes, patience_ns;
    const char *vfs;
    const struct yk_derivation *derivation;
};

/* `spec` NULL: all by the environment. Opens nothing. YOKE_EINVAL, YOKE_ENOMEM. */
yoke_status yk_store_settings_read(const struct yk_store_spec *spec, struct yk_store_settings *out);

#endif
