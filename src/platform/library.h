/* library.h - shared libraries found at run time. A missing library is a normal case.
 */
#ifndef YK_PLATFORM_LIBRARY_H
#define YK_PLATFORM_LIBRARY_H
#include <stddef.h>
#include <yoke/status.h>

struct yk_library; /* a loaded library; it stays loaded until the process ends, because drivers do
                    * not unload well */

/* Loads the first of the NULL-terminated `names` that can be loaded (RTLD_NOW | RTLD_LOCAL).
 * Otherwise YOKE_ENODEV, and a text with the loader's message for each name, logged at level
 * debug. */
yoke_status yk_library_open(const char *const *names, struct yk_library **out);
/* Fills a table of function pointers from names. All must exist except optional ones, which become
 * NULL. */
struct yk_symbol {
    const char *name;
    void **slot;  /* where to store the address */
    int optional; /* may be missing */
};
yoke_status yk_library_symbols(struct yk_library *library, const struct yk_symbol *symbols,
                               size_t count);
/* The path from which the library was loaded, for doctor. */
const char *yk_library_path(const struct yk_library *library);
#endif
