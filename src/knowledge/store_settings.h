/* store_settings.h - the place of the knowledge base, its size limit, and the method of derivation:
 * from a store's spec, or from the environment if that leaves them open. */
#ifndef YK_KNOWLEDGE_STORE_SETTINGS_H
#define YK_KNOWLEDGE_STORE_SETTINGS_H

#include <limits.h>

#include "store.h"

struct yk_store_settings {
    char path[PATH_MAX]; /* "": none */
    char off[64];        /* why there is no file; "" */
    int is_named;        /* 1: named by the spec or by YOKE_KB; 0: the default file */
    int64_t limit_bytes, patience_ns;
    const char *vfs;
    const struct yk_derivation *derivation;
};

/* `spec` NULL: all from the environment. Opens nothing. YOKE_EINVAL, YOKE_ENOMEM. */
yoke_status yk_store_settings_read(const struct yk_store_spec *spec, struct yk_store_settings *out);

#endif
