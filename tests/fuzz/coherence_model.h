/* coherence_model.h - each row of each place separately: the coherence core must agree with it.
 *
 * Two models at once. The first repeats the rules of coherence.h row by row, without intervals: any
 * difference in state, extent, needs, counts or version is an error. The second has no rules: it
 * moves version numbers between simulated memories as in-order queues would, and requires that no
 * current place has an old version. */
#ifndef TESTS_FUZZ_COHERENCE_MODEL_H
#define TESTS_FUZZ_COHERENCE_MODEL_H

#include "array/coherence.h"
#include "coherence_history.h"

enum { COPIES_MOST = 64, GARBAGE = -1, UNUSED_PLACE = YK_PLACES - 1 };
enum holding { SHARED, MODIFIED, FRESH, LOST };

struct coming {
    uint32_t sources;
    unsigned flying, stale;
};

struct row {
    uint32_t places;
    enum holding holding;
    struct coming coming[HISTORY_PLACES];
    int newest;                 /* version of the latest write */
    int memory[HISTORY_PLACES]; /* version that the memory of the place has */
};

/* A copy that was issued and not yet reported in full. Queues run in order: when a copy to a place
 * is reported, all earlier copies to it have run. */
struct copy {
    int place, source;
    struct yk_interval rows; /* not yet reported */
    int fails, reads_late, ran;
    int read[HISTORY_ROWS]; /* versions copied by a copy that reads early */
};

struct history {
    const uint8_t *bytes;
    size_t left;
    struct history_counts *counts;
    enum history_memory memory;
    struct yk_coherence *coherence;
    struct yk_copy_needs needs;
    struct yk_interval all;
    int places, copy_count;
    uint64_t version;
    struct copy copies[COPIES_MOST];
    struct row rows[HISTORY_ROWS];
};

enum call { WRITTEN, BEGUN, DONE, FAILED, DROP, SPOILT, PLACE_FAILED };

struct step {
    enum call call;
    int place, source;
    struct yk_interval rows;
    int64_t count; /* *kept or *lost */
};

static inline uint32_t bit(int place)
{
    return UINT32_C(1) << place;
}

static inline struct row *row_at(struct history *h, int64_t row)
{
    return &h->rows[row - h->all.first];
}

static inline enum yk_row_state row_state(const struct row *row, int place)
{
    if (row->places & bit(place))
        return row->holding == MODIFIED ? YK_MODIFIED : YK_SHARED;
    return place < HISTORY_PLACES && row->coming[place].sources ? YK_ARRIVING : YK_INVALID;
}

/* Makes the core's call and the model's, then compares. If memory fails, the core first fails at
 * each of its allocations, and must be unchanged each time. *done is 0 if the call had to be
 * refused, as the model expects. Returns 0 if all agrees. */
int model_step(struct history *h, struct step *step, int *done);
void model_open(struct history *h, enum yk_coherence_start start);
/* True if the step's place and rows are the array's. */
int model_accepts(const struct history *h, const struct step *step);
/* Runs copy `index`, and those before it in its queue. */
void model_run_copies(struct history *h, int index);

/* coherence_compare.c: compares the core with the model everywhere; needs and counts for all rows
 * and for `rows`. 0 if they agree. */
int model_compare(struct history *h, struct yk_interval rows);
/* Writes the difference to standard error; returns 1. */
int model_differs(const char *what, int place, int64_t row, long got, long expected);

#endif
