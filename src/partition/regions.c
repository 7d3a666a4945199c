/* regions.c - see regions.h. */
#include "regions.h"

void yk_regions_cut(const struct yk_split_view *view, struct yk_span span, const double *weights,
                    int64_t *bounds)
{
    double sum = 0, below = 0;
    int64_t items = span.last - span.first;
    int d, count = view->device_count;
    for (d = 0; d < count; d++)
        sum += weights[d];
    bounds[0] = span.first;
    for (d = 0; d < count; d++) {
        int64_t at = span.last;
        below += weights[d];
        if (sum > 0 && below < sum)
            at = span.first + (int64_t)((double)items * (below / sum) + 0.5);
        else if (sum <= 0 || d == count - 1)
            at = span.last;
        if (at < span.last)
            at = view->first + (at - view->first + view->unit / 2) / view->unit * view->unit;
        if (at > span.last)
            at = span.last;
        bounds[d + 1] = at < bounds[d] ? bounds[d] : at;
    }
}
