/* coherence_history.c - turns bytes into calls: writes, copies like a runtime's and meaningless
 * copies, ends in any order, whole or in parts, drops, spoilt rows, failures, and calls that must
 * be refused. */
#include "coherence_history.h"

#include <string.h>

#include "base/alloc.h"
#include "coherence_model.h"

static int take(struct history *h)
{
    if (h->left == 0)
        return 0;
    h->left--;
    return *h->bytes++;
}

static struct yk_interval take_rows(struct history *h)
{
    int64_t count = h->all.last - h->all.first;
    int64_t a = take(h) % (count + 1), b = take(h) % (count + 1);
    struct yk_interval rows = { h->all.first + (a < b ? a : b), h->all.first + (a < b ? b : a) };
    return rows;
}

/* Reports the end of the first `count` rows of a copy. */
static int end_copy(struct history *h, int index, int64_t count)
{
    struct copy *copy = &h->copies[index];
    struct step step = { .place = copy->place, .rows = copy->rows };
    int done;
    model_run_copies(h, index);
    step.call = copy->fails ? FAILED : DONE;
    if (step.rows.first + count < step.rows.last)
        step.rows.last = step.rows.first + count;
    copy->rows.first = step.rows.last;
    if (copy->rows.first == copy->rows.last)
        memmove(copy, copy + 1, (size_t)(--h->copy_count - index) * sizeof *copy);
    return model_step(h, &step, &done);
}

static int begin_copy(struct history *h, struct step step)
{
    struct copy *copy;
    int done, r, how = take(h);
    if (h->copy_count == COPIES_MOST && end_copy(h, 0, HISTORY_ROWS))
        return 1;
    step.call = BEGUN;
    if (model_step(h, &step, &done))
        return 1;
    if (!done || step.rows.first == step.rows.last)
        return 0;
    h->counts->copies++;
    copy = &h->copies[h->copy_count++];
    *copy = (struct copy){ .place = step.place,
                           .source = step.source,
                           .rows = step.rows,
                           .fails = how % 8 == 0,
                           .reads_late = how & 16 };
    for (r = 0; r < h->all.last - h->all.first; r++)
        copy->read[r] = h->rows[r].memory[step.source];
    return 0;
}

/* Cuts the rows after the first ones that the source has. Gives unnecessary copies, repeated ones,
 * and copies from several places. */
static void narrow(struct history *h, struct step *step)
{
    int64_t r = step->rows.first;
    while (r < step->rows.last && row_at(h, r)->places & bit(step->source))
        r++;
    step->rows.last = r;
}

/* As a runtime does: asks, then copies rows that are missing and not arriving; sometimes twice, the
 * second time from another place. */
static int fetch(struct history *h, int place, struct yk_interval rows)
{
    struct yk_copy_needs needs = { 0 };
    int i, wrong = 0, twice = take(h) & 1;
    if (yk_coherence_lacks(h->coherence, place, rows, &needs) != YOKE_OK)
        wrong = model_differs("status of lacks", place, rows.first, 1, YOKE_OK);
    for (i = 0; i < needs.count && !wrong; i++) {
        struct yk_copy_need need = needs.items[i];
        struct step step = { .place = place, .source = need.source, .rows = need.rows };
        if (need.source < 0 || need.arriving)
            continue;
        wrong = begin_copy(h, step);
        step.source = 31 - __builtin_clz(row_at(h, need.rows.first)->places | 1);
        narrow(h, &step);
        if (twice && !wrong)
            wrong = begin_copy(h, step);
    }
    yk_copy_needs_close(&needs);
    return wrong;
}

static int play_place_failed(struct history *h, struct step *step)
{
    int i, done;
    step->call = PLACE_FAILED;
    step->rows = h->all;
    for (i = 0; i < h->copy_count && step->place != YK_HOST; i++)
        if (h->copies[i].source == step->place && !h->copies[i].ran)
            h->copies[i].fails = 1;
    return model_step(h, step, &done);
}

/* A call that must be refused, or an empty one anywhere. */
static int play_wrong(struct history *h, struct step *step)
{
    static const int64_t far[] = { INT64_MIN, -1000, -1, 1, 1000, INT64_MAX };
    int how = take(h), done;
    step->call = (enum call)(how % PLACE_FAILED);
    step->rows.first = h->all.first;
    step->rows.last = far[take(h) % 6];
    if (how & 64)
        step->rows.first = step->rows.last;
    if (how & 128)
        step->place = how & 32 ? -1 : YK_PLACES;
    if (model_accepts(h, step) && step->rows.first < step->rows.last)
        return 0;
    return model_step(h, step, &done);
}

static int play_next(struct history *h)
{
    int what = take(h) % 16, place = take(h) % h->places, done;
    struct step step = { .place = place, .source = take(h) % h->places, .rows = take_rows(h) };
    if (what < 3) {
        step.call = WRITTEN;
        return model_step(h, &step, &done);
    }
    if (what < 7)
        return fetch(h, place, step.rows);
    if (what < 9) {
        if (what == 8)
            narrow(h, &step);
        return begin_copy(h, step);
    }
    if (what < 12)
        return h->copy_count > 0 ? end_copy(h, take(h) % h->copy_count, HISTORY_ROWS) : 0;
    if (what == 12)
        return h->copy_count > 0 ? end_copy(h, take(h) % h->copy_count, 1 + take(h) % 50) : 0;
    if (what == 13) {
        step.call = take(h) % 3 ? DROP : SPOILT;
        return model_step(h, &step, &done);
    }
    return what == 14 && take(h) % 4 == 0 ? play_place_failed(h, &step) : play_wrong(h, &step);
}

int coherence_history_play(const uint8_t *bytes, size_t size, enum history_memory memory,
                           struct history_counts *counts)
{
    struct history *h = yk_calloc(1, sizeof *h);
    enum yk_coherence_start start;
    int wrong = 1;
    if (!h)
        return model_differs("memory for the model", 0, 0, 0, 1);
    h->bytes = bytes;
    h->left = size;
    h->counts = counts;
    h->memory = memory;
    h->places = 3 + take(h) % (HISTORY_PLACES - 2);
    start = take(h) & 1 ? YK_START_FRESH : YK_START_HOST;
    h->all.first = take(h) - 100;
    h->all.last = h->all.first + take(h) % (HISTORY_ROWS + 1);
    model_open(h, start);
    if (yk_coherence_open(h->all, start, &h->coherence) == YOKE_OK)
        wrong = model_compare(h, h->all);
    while (!wrong && h->left > 0)
        wrong = play_next(h);
    yk_coherence_close(h->coherence);
    yk_copy_needs_close(&h->needs);
    yk_free(h);
    return wrong;
}
