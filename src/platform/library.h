/* library.h - shared libraries found when the program runs. Forgiving: absence is a normal state.
 */
#ifndef YK_PLATFORM_LIBRARY_H
#define YK_PLATFORM_LIBRARY_H
#include <stddef.h>
#include <yoke/status.h>

struct yk_library; /* a loaded library; stays loaded until the process ends, since drivers dislike
                      leaving */

/* The first of the NULL-terminated `names` that loads (RTLD_NOW | RTLD_LOCAL); YOKE_ENODEV and a
 * text that says what the loader said for each, logged at debug only. */
yoke_status yk_library_open(const char *const *names, struct yk_library **out);
/* Fill a table of function pointers from names; `required` of them must exist, the rest become
 * NULL. */
struct yk_symbol {
    const char *name;
    void **slot;  /* where the address goes */
    int optional; /* may be missing */
};
yoke_status yk_library_symbols(struct yk_library *library, const struct yk_symbol *symbols,
                               size_t count);
/* Path the library came from, for doctor. */
const char *yk_library_path(const struct yk_library *library);
#endif
