/* slowdown.h - PURE. Times at which a simulated device's work takes longer, because others use it.
 */
#ifndef YK_BASE_SLOWDOWN_H
#define YK_BASE_SLOWDOWN_H

#include <yoke/status.h>

enum { YK_SLOWDOWNS_MOST = 8 };

/* Between `from` and `to` seconds all work takes `factor` times as long. */
struct yk_slowdown {
    double from, to, factor;
};
struct yk_slowdowns {
    struct yk_slowdown items[YK_SLOWDOWNS_MOST];
    int count;
};
/* Reads "FROM-TO*F+FROM-TO*F"; NULL: none. An error message begins with `what`. */
yoke_status yk_slowdowns_parse(const char *what, const char *text, struct yk_slowdowns *out);
/* Returns, in this order: the factor on the duration of work at time `when`; the first time after
 * `when` at which the factor changes, or INFINITY; the time at which work that begins at `from` and
 * takes `work` seconds without slowdowns is done. */
double yk_slowdowns_factor(const struct yk_slowdowns *slowdowns, double when);
double yk_slowdowns_next(const struct yk_slowdowns *slowdowns, double when);
double yk_slowdowns_end(const struct yk_slowdowns *slowdowns, double from, double work);

#endif
