/* coherence_model.c - the rules row by row, the simulated memories, and one step of both. */
#include "coherence_model.h"

#include <stdlib.h>

#include "base/alloc.h"

/* --- the rules, row by row --- */

static void overtake(struct coming *coming)
{
    coming->sources = 0;
    coming->stale = coming->flying;
}

static void row_written(struct history *h, struct row *row, int place)
{
    int p;
    row->places = bit(place);
    row->holding = MODIFIED;
    for (p = 0; p < h->places; p++)
        overtake(&row->coming[p]);
    row->memory[place] = ++row->newest;
}

static void row_done(struct history *h, struct row *row, int place)
{
    struct coming *coming = &row->coming[place];
    if (coming->flying == 0)
        return;
    coming->flying--;
    if (coming->stale > 0) {
        coming->stale--;
        h->counts->overtaken_ends++;
    } else if (coming->sources) {
        coming->sources = 0;
        row->places |= bit(place);
        row->holding = SHARED;
    }
}

static void row_failed(struct row *row, int place)
{
    struct coming *coming = &row->coming[place];
    if (coming->flying > 0)
        coming->flying--;
    overtake(coming);
}

static void row_leaves(struct history *h, struct row *row, int place)
{
    int p;
    for (p = 0; p < h->places; p++)
        if (p == place || row->coming[p].sources & bit(place))
            overtake(&row->coming[p]);
    row->memory[place] = GARBAGE;
    if (!(row->places & bit(place)))
        return;
    row->places &= ~bit(place);
    row->holding = row->places == 0                       ? LOST
                   : __builtin_popcount(row->places) == 1 ? MODIFIED
                                                          : SHARED;
}

/* --- simulated memories --- */

static void run_copy(struct history *h, struct copy *copy)
{
    int64_t r;
    copy->ran = 1;
    for (r = copy->rows.first; r < copy->rows.last && !copy->fails; r++) {
        struct row *row = row_at(h, r);
        int carried = copy->reads_late ? row->memory[copy->source] : copy->read[r - h->all.first];
        /* A device orders a kernel after earlier copies, so the kernel's results stay. */
        if (!(row->places & bit(copy->place)) || carried > row->memory[copy->place])
            row->memory[copy->place] = carried;
    }
}

void model_run_copies(struct history *h, int index)
{
    int i;
    for (i = 0; i <= index; i++)
        if (h->copies[i].place == h->copies[index].place && !h->copies[i].ran)
            run_copy(h, &h->copies[i]);
}

/* --- one call --- */

static yoke_status call_core(struct yk_coherence *coherence, struct step *step)
{
    switch (step->call) {
    case WRITTEN:
        return yk_coherence_written(coherence, step->place, step->rows);
    case BEGUN:
        return yk_coherence_copy_begun(coherence, step->place, step->source, step->rows);
    case DONE:
        return yk_coherence_copy_done(coherence, step->place, step->rows);
    case FAILED:
        return yk_coherence_copy_failed(coherence, step->place, step->rows);
    case DROP:
        return yk_coherence_drop(coherence, step->place, step->rows, &step->count);
    case SPOILT:
        return yk_coherence_spoilt(coherence, step->place, step->rows, &step->count);
    case PLACE_FAILED:
        return yk_coherence_place_failed(coherence, step->place, &step->count);
    }
    abort();
}

int model_accepts(const struct history *h, const struct step *step)
{
    struct yk_interval rows = step->rows;
    if (step->place < 0 || step->place >= YK_PLACES || rows.first > rows.last)
        return 0;
    return rows.first == rows.last || (rows.first >= h->all.first && rows.last <= h->all.last);
}

static yoke_status expected_status(struct history *h, const struct step *step)
{
    int64_t r;
    if (step->call == PLACE_FAILED)
        return step->place > YK_HOST && step->place < YK_PLACES ? YOKE_OK : YOKE_EINVAL;
    if (!model_accepts(h, step))
        return YOKE_EINVAL;
    if (step->call != BEGUN)
        return YOKE_OK;
    if (step->source < 0 || step->source >= YK_PLACES)
        return YOKE_EINVAL;
    for (r = step->rows.first; r < step->rows.last; r++)
        if (step->source == step->place || !(row_at(h, r)->places & bit(step->source)))
            return YOKE_EINVAL;
    return YOKE_OK;
}

static int64_t call_model_row(struct history *h, const struct step *step, struct row *row)
{
    int held = !!(row->places & bit(step->place));
    int alone = row->places == bit(step->place);
    switch (step->call) {
    case WRITTEN:
        row_written(h, row, step->place);
        break;
    case BEGUN:
        row->coming[step->place].flying++;
        if (!held)
            row->coming[step->place].sources |= bit(step->source);
        break;
    case DONE:
        row_done(h, row, step->place);
        break;
    case FAILED:
        row_failed(row, step->place);
        break;
    case DROP:
        if (!alone)
            row_leaves(h, row, step->place);
        return alone;
    case SPOILT:
    case PLACE_FAILED:
        row_leaves(h, row, step->place);
        return alone;
    }
    return 0;
}

static int64_t call_model(struct history *h, const struct step *step)
{
    int64_t r, count = 0;
    for (r = step->rows.first; r < step->rows.last; r++)
        count += call_model_row(h, step, row_at(h, r));
    h->version += step->call == WRITTEN && step->rows.first < step->rows.last;
    h->counts->kept_rows += step->call == DROP ? count : 0;
    h->counts->lost_rows += step->call == PLACE_FAILED || step->call == SPOILT ? count : 0;
    return count;
}

int model_step(struct history *h, struct step *step, int *done)
{
    yoke_status expected = expected_status(h, step), status;
    int nth = 1, failed;
    do {
        step->count = 77;
        yk_alloc_fail_at(h->memory == HISTORY_MEMORY_FAILS ? nth++ : 0);
        status = call_core(h->coherence, step);
        failed = yk_alloc_failed();
        yk_alloc_fail_at(0);
        if (failed && (status != YOKE_ENOMEM || step->count != 77))
            return model_differs("status without memory", step->place, step->rows.first, status,
                                 YOKE_ENOMEM);
        if (failed && model_compare(h, h->all))
            return 1;
        h->counts->allocation_failures += failed;
    } while (failed);
    h->counts->steps++;
    if (status != expected)
        return model_differs("status", step->place, step->rows.first, status, expected);
    *done = status == YOKE_OK;
    h->counts->refused += !*done;
    if (*done) {
        int64_t count = call_model(h, step);
        if (step->call >= DROP && step->count != count)
            return model_differs("rows kept or lost", step->place, step->rows.first, step->count,
                                 count);
    }
    return model_compare(h, model_accepts(h, step) ? step->rows : h->all);
}

void model_open(struct history *h, enum yk_coherence_start start)
{
    int r;
    for (r = 0; r < HISTORY_ROWS && start == YK_START_HOST; r++)
        h->rows[r] = (struct row){ .places = bit(YK_HOST), .newest = 1, .memory = { 1 } };
    for (r = 0; r < HISTORY_ROWS && start == YK_START_FRESH; r++)
        h->rows[r] = (struct row){ .holding = FRESH };
}
