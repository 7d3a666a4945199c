/* linear.c - PURE. The split of papers/004: each device's time for its part of a job is a line T(v)
 * = a v + b, learned from earlier jobs, and parts are such that all end together. A device that
 * would take longer to start than the others need for everything gets nothing (model/split.h).
 *
 * Devices slow each other, so a device's line depends on which others work. If jobs of several sets
 * are known, the set is searched step by step: first the devices that pay by their lines beside all
 * others, then each such set without one device, by the lines that it would have there.
 *
 * Regions lie in the order of the devices. A region is cut into a few chunks if copies count, so
 * that copies overlap with kernels.
 */
#include <math.h>
#include <stddef.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../base/words.h"
#include "../../model/fit.h"
#include "../../model/rounds.h"
#include "../numbers.h"
#include "../shares.h"
#include "linear.h"

/* A smaller set of devices is chosen only if it ends earlier by this part. */
#define MARGIN 0.01
/* Copies are worth overlapping from this part of an item's time on. */
#define COPIES_COUNT 0.1
/* Sets are bit masks. */
enum { SET_MOST = 32 };

struct settings {
    char *energy;
    double slower;
    int64_t chunks;
};

static const struct yk_option options[] = {
    { .name = "energy",
      .help = "joules an item costs, one number for each device, as 2/0.5; with slower",
      .type = YK_OPTION_TEXT,
      .offset = offsetof(struct settings, energy) },
    { .name = "slower",
      .initial = "0",
      .help = "the part by which a job may take longer if that costs less energy: 0.1 is a tenth",
      .type = YK_OPTION_REAL,
      .offset = offsetof(struct settings, slower) },
    { .name = "chunks",
      .initial = "0",
      .help = "chunks that a GPU's share is cut into; 0: one, and up to 8 where copies count",
      .type = YK_OPTION_INT,
      .offset = offsetof(struct settings, chunks) },
    { .name = NULL }
};

/* Used while the state opens. */
struct search {
    const struct yk_split_view *view;
    const struct settings *settings;
    struct yk_split split; /* over the set that is tried */
    struct yk_linear *state;
    struct yk_curve *curves;
    double *joules;
};

static uint32_t bit(int device)
{
    return device < SET_MOST ? (uint32_t)1 << device : 0;
}

/* --- lines and sets --- */

/* The device's least part: smaller parts take it just as long. Each core of a CPU device has a
 * least piece. */
static double least_of(const struct yk_split_view *view, int d)
{
    const struct yk_split_device *known = &view->devices[d].known;
    return (double)yk_lane_items(view, d) * (known->host_memory ? known->lanes : 1);
}

static void put_part(struct search *search, int d, uint32_t set)
{
    const struct yk_split_device *known = &search->view->devices[d].known;
    struct yk_part *part = &search->split.parts[d];
    *part = (struct yk_part){ .line = known->line,
                              .least = least_of(search->view, d),
                              .round = known->host_memory ? least_of(search->view, d) : 0,
                              .joules = search->joules ? search->joules[d] : 0 };
    if (yk_linear_doubts(known)) {
        part->line.item_ns *= YK_LINEAR_DOUBT;
        part->line.fixed_ns *= YK_LINEAR_DOUBT;
    }
    if (known->fit && known->fit->count > 0) {
        const struct yk_fit_asked asked = { .team = set,
                                            .self = bit(d),
                                            .fixed_ns = known->host_memory ? 0 : known->fixed_ns };
        struct yk_fitted fitted;
        yk_fit_line(known->fit, &asked, &fitted);
        if (yk_linear_doubts(known))
            yk_fitted_scale(&fitted, YK_LINEAR_DOUBT);
        part->line = fitted.line;
        search->curves[d] = fitted.curve;
        part->curve = fitted.curve.count > 0 ? &search->curves[d] : NULL;
    }
}

/* Splits over these devices. Returns the end time. */
static double split_over(struct search *search, uint32_t set)
{
    int d, count = search->view->device_count;
    for (d = 0; d < count; d++) {
        put_part(search, d, set);
        if (set && d < SET_MOST && !(set & bit(d)))
            search->split.parts[d].line.item_ns = 0;
    }
    return yk_split_in_rounds(&search->split);
}

static void keep(struct search *search, double end_ns)
{
    int d;
    search->state->end_ns = end_ns;
    for (d = 0; d < search->view->device_count; d++)
        search->state->told[d].part = search->split.parts[d];
}

static uint32_t workers(const struct search *search)
{
    uint32_t set = 0;
    int d;
    for (d = 0; d < search->view->device_count; d++)
        if (search->state->told[d].part.items > 0)
            set |= bit(d);
    return set;
}

static int knows_sets(const struct yk_split_view *view)
{
    int d, knows = 0;
    for (d = 0; d < view->device_count; d++)
        knows |= view->devices[d].known.fit && yk_fit_knows_sets(view->devices[d].known.fit);
    return knows && view->device_count <= SET_MOST;
}

/* Removes one device if the job then ends earlier. Returns 1 if so. */
static int leave_out(struct search *search, uint32_t set)
{
    double best = search->state->end_ns * (1 - MARGIN);
    int d, worst = -1;
    for (d = 0; d < search->view->device_count; d++) {
        double end_ns =
            set & bit(d) && set != bit(d) ? split_over(search, set & ~bit(d)) : INFINITY;
        if (end_ns < best) {
            best = end_ns;
            worst = d;
        }
    }
    if (worst < 0)
        return 0;
    keep(search, split_over(search, set & ~bit(worst)));
    search->state->told[worst].without_ns = best;
    return 1;
}

static void choose_set(struct search *search)
{
    const int count = search->view->device_count;
    uint32_t set = count < SET_MOST ? bit(count) - 1 : UINT32_MAX, all = set;
    double end_ns = split_over(search, set);
    int d;
    search->state->end_ns = 0;
    if (isinf(end_ns))
        return;
    keep(search, end_ns);
    for (d = 0; d < count; d++)
        search->state->told[d].line = search->split.parts[d].line;
    if (!knows_sets(search->view))
        return;
    do {
        set = workers(search);
        if (set != all) /* without the removed devices, the others have other lines */
            keep(search, split_over(search, set));
        all = set;
    } while (leave_out(search, set));
}

/* --- opening --- */

/* Returns 1 if copies take a part of the device's time that is worth overlapping. */
static int copies_count(const struct search *search, int d)
{
    const struct yk_part *part = &search->state->told[d].part;
    return search->view->devices[d].known.copy_item_ns >= COPIES_COUNT * part->line.item_ns;
}

static yoke_status open_shares(struct search *search, double *weights)
{
    const struct yk_split_view *view = search->view;
    const int64_t asked = search->settings->chunks;
    const struct yk_shares_spec spec = { .weights = weights, .chunks = asked > 0 ? asked : 1 };
    yoke_status status;
    int d;
    for (d = 0; d < view->device_count; d++)
        weights[d] = search->state->end_ns > 0 ? (double)search->state->told[d].part.items : 1;
    if (view->last == view->first)
        weights[0] = 1;
    status = yk_shares_open(view, &spec, &search->state->shares);
    for (d = 0; status == YOKE_OK && d < view->device_count && asked == 0; d++)
        if (copies_count(search, d))
            yk_shares_overlap(search->state->shares, d);
    return status;
}

static yoke_status read_energy(struct search *search, double *joules)
{
    static const struct yk_number_list list = { "linear", "energy", "energy", 0 };
    const struct settings *settings = search->settings;
    struct yk_numbers numbers = { joules, search->view->device_count, 0 };
    yoke_status status;
    if (settings->chunks < 0 || !(settings->slower >= 0))
        return yk_fail(YOKE_EINVAL, "linear: chunks is %lld and slower %g; both are 0 or more",
                       (long long)settings->chunks, settings->slower);
    if (!settings->energy)
        return settings->slower > 0
                   ? yk_fail(YOKE_EINVAL, "linear: slower says how long a job may take to save "
                                          "energy; give energy=A/B/.. too, an item's joules")
                   : YOKE_OK;
    status = yk_numbers_read(&list, settings->energy, &numbers);
    if (status == YOKE_OK && numbers.count != numbers.room)
        status = yk_fail(YOKE_EINVAL, "linear: energy has %s for %s; give one each",
                         yk_count_words(numbers.count, "number").text,
                         yk_count_words(numbers.room, "device").text);
    if (status != YOKE_OK)
        return status;
    search->joules = joules;
    search->split.work.slower = settings->slower;
    return YOKE_OK;
}

static yoke_status fill(struct search *search, double *joules, double *weights)
{
    yoke_status status = read_energy(search, joules);
    int d;
    if (status != YOKE_OK)
        return status;
    choose_set(search);
    search->state->job_ns =
        search->state->end_ns * (search->view->late > 0 ? search->view->late : 1);
    for (d = 0; d < search->view->device_count; d++)
        search->state->guesses |=
            search->view->devices[d].known.guessed && search->state->told[d].part.items > 0;
    if (search->joules && search->state->end_ns > 0) {
        for (d = 0; d < search->view->device_count; d++)
            search->state->joules += joules[d] * (double)search->state->told[d].part.items;
    }
    return open_shares(search, weights);
}

static void close_linear(void *given)
{
    struct yk_linear *state = given;
    yk_shares_close(state->shares);
    yk_free(state);
}

static yoke_status open_linear(const struct yk_split_view *view, const void *settings, void **out)
{
    const size_t count = (size_t)view->device_count;
    struct search search = { .view = view,
                             .settings = settings,
                             .split = { .count = view->device_count,
                                        .work = { .items = view->last - view->first,
                                                  .unit = view->unit } } };
    double *numbers = yk_calloc(2 * count, sizeof *numbers);
    yoke_status status = YOKE_ENOMEM;
    search.state = yk_calloc(1, sizeof *search.state + count * sizeof search.state->told[0]);
    search.split.parts = yk_calloc(count, sizeof *search.split.parts);
    search.curves = yk_calloc(count, sizeof *search.curves);
    search.split.takers = yk_calloc(count, sizeof *search.split.takers);
    if (numbers && search.state && search.split.parts && search.curves && search.split.takers) {
        search.state->view = view;
        status = fill(&search, numbers, numbers + count);
    }
    if (status == YOKE_OK)
        *out = search.state;
    else
        yk_free(search.state);
    yk_free(search.split.takers);
    yk_free(search.curves);
    yk_free(search.split.parts);
    yk_free(numbers);
    return status;
}

/* --- in use --- */

static void take(void *state, const struct yk_request *request, struct yk_take *out)
{
    yk_shares_take(((struct yk_linear *)state)->shares, request, out);
}

static void changed(void *state, int device)
{
    yk_shares_changed(((struct yk_linear *)state)->shares, device);
}

static double predicted_ns(const void *state)
{
    const struct yk_linear *linear = state;
    return linear->guesses ? 0 : linear->job_ns;
}

static uint32_t asked(const void *state)
{
    return yk_shares_asked(((const struct yk_linear *)state)->shares);
}

const struct yk_partitioner yk_partitioner_linear = {
    .name = "linear",
    .summary = "contiguous shares that end together, by each device's line of earlier jobs",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .needs_lessons = 1,
    .takes_lines = 1,
    .open = open_linear,
    .close = close_linear,
    .take = take,
    .changed = changed,
    .explain = yk_linear_explain,
    .predicted_ns = predicted_ns,
    .asked = asked,
};
