/* path_check.c - checks the picture. Each part of it must agree with the independent reference
 * within five standard errors of both. No pixel may be negative, and all paths must have been
 * followed.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../app.h"
#include "path_pixel.h"
#include "path_state.h"

struct part {
    double paths, sum;
    double pairs, squares; /* of neighbouring pixels: number, and squared differences */
};

static double light_of(const pixel_t *p)
{
    return (double)p->red + p->green + p->blue;
}

static yoke_status look_at_pixel(const struct path_state *s, int64_t i, struct part *parts)
{
    const pixel_t *p = &s->pixels[i];
    const spot_t place = path_pixel(s->setup, (int32_t)i);
    const double light = light_of(p);
    if (place.x >= s->width || place.y >= s->height)
        return YOKE_OK;
    if (!(isfinite(light) && p->red >= 0 && p->green >= 0 && p->blue >= 0))
        return app_fail(YOKE_EINVAL, "pixel %d,%d is %g, %g, %g", place.x, place.y, p->red,
                        p->green, p->blue);
    if (p->segments < s->samples)
        return app_fail(YOKE_EINVAL,
                        "pixel %d,%d has %" PRIu32 " segments of paths; there are %" PRId64
                        " paths",
                        place.x, place.y, p->segments, s->samples);
    struct part *part = &parts[path_part(s, place.x, place.y)];
    part->paths += (double)s->samples;
    part->sum += light;
    if (i % PATH_TILE_WIDTH != 0) { /* the pixel before is the left neighbour */
        const double apart = light - light_of(p - 1);
        part->pairs++;
        part->squares += apart * apart;
    }
    return YOKE_OK;
}

/* How far the mean of a part is from the reference's. The variance of a path is what the reference
 * measured, or what the differences of neighbouring pixels show, whichever is larger. The reason: a
 * few paths through glass that find a lamp carry much of the light, and a sample without any of
 * them has far too small a variance. Paths that share random numbers may all be off alike, so the
 * paths of a bundle count as one. */
struct gap {
    double apart, variance;
};

static struct gap gap_of(const struct path_state *s, const struct part *part,
                         const struct path_moments *right)
{
    const double n = (double)right->paths, mean = part->sum / part->paths;
    const double seen =
        part->pairs > 0 ? part->squares / (2 * part->pairs * (double)s->samples) : 0;
    const double variance = fmax(right->variance, seen) * (1 / n + s->setup.bundle / part->paths);
    return (struct gap){ mean - right->mean, variance + 1e-12 * mean * mean + 1e-30 };
}

static double errors_of(struct gap gap)
{
    return fabs(gap.apart) / sqrt(gap.variance);
}

/* In the mean of the picture, a part's weight is its number of paths. A part that the reference
 * hardly met is left out. */
static yoke_status compare(const struct path_state *s, const struct part *parts, char *note)
{
    struct path_moments right[PATH_PARTS];
    struct gap whole = { 0, 1e-30 };
    double worst = 0, paths = 0;
    yoke_status status = path_refer(s, right);
    for (int p = 0; p < PATH_PARTS && status == YOKE_OK; p++) {
        if (right[p].paths <= 50 || parts[p].paths == 0)
            continue;
        const struct gap gap = gap_of(s, &parts[p], &right[p]);
        whole.apart += parts[p].paths * gap.apart;
        whole.variance += parts[p].paths * parts[p].paths * gap.variance;
        paths += (double)right[p].paths;
        worst = fmax(worst, errors_of(gap));
        if (errors_of(gap) > 5)
            status = app_fail(YOKE_EINVAL,
                              "part %d,%d of the picture, of 6 by 6, has a mean of %.5g; the "
                              "reference's is %.5g, %.1f standard errors away",
                              p % PATH_SIDE, p / PATH_SIDE, parts[p].sum / parts[p].paths / 3,
                              right[p].mean / 3, errors_of(gap));
    }
    if (status == YOKE_OK && errors_of(whole) > 5)
        status =
            app_fail(YOKE_EINVAL,
                     "the mean of the picture is %.1f standard errors away from the reference's",
                     errors_of(whole));
    if (status == YOKE_OK)
        snprintf(note, 256,
                 "36 parts within %.2f standard errors of a reference of %.0f paths, all together "
                 "%.2f (allowed 5)",
                 worst, paths, errors_of(whole));
    return status;
}

yoke_status path_verify(void *state, char *note)
{
    const struct path_state *s = state;
    struct part parts[PATH_PARTS] = { { 0, 0 } };
    yoke_status released, status = yoke_array_acquire(s->pixel_array, YOKE_READ);
    if (status != YOKE_OK)
        return status;
    for (int64_t i = 0; i < s->setup.count && status == YOKE_OK; i++)
        status = look_at_pixel(s, i, parts);
    if (status == YOKE_OK)
        status = compare(s, parts, note);
    released = yoke_array_release(s->pixel_array);
    return status != YOKE_OK ? status : released;
}
