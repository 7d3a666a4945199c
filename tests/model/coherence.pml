/* coherence.pml - everything that moves rows of one array, at once: two devices, the host, and a few row
 * intervals. This file is src/array/transfer.c step by step. It includes exchange.c and upload_copy.c
 * (coherence_upload_copy.pml), upload.c and upload_shared.c (coherence_upload.pml), replica.c and evict.c
 * (coherence_evict.pml), and jobs as src/runtime drives them (coherence_roles.pml). The rules are in
 * coherence_rules.pml.
 *
 * A step (d_step) is what the code does under the array's lock, or one event of the machine: a copy lands, a
 * kernel ends, a device dies. Other locks are modelled as they are. The model excludes what the runtime
 * excludes (jobs that write rows in use), but for each row interval, where the runtime does so for whole
 * arrays: the model allows more. */
#include "coherence_rules.pml"

bit home_lock, evict_lock;
bit upload_lock[PLACES];
byte claims[PLACES * ROWS];   /* number of holders of the replica's rows */
bit leaving[PLACES];          /* rows of it are being evicted */
bit place_lost[PLACES];       /* its failure was noticed */
byte uploading[PLACES];       /* bit mask of rows on the upload queue, */
byte sent[PLACES];            /* and of those queued whole and not settled */
byte readers[ROWS];           /* number of jobs and acquirers; 255: one that writes */

/* undone: a row read from another device is invalid, because that device died. */
mtype:outcome = { ok, refused, elost, edevice, enomem, undone };

/* --- which rows may be used, and when --- */

inline lock(l) { atomic { l == 0 -> l = 1 } }
inline unlock(l) { l = 0 }

#define may(r, R, W) ((!has(W, r) || readers[r] == 0) && (!has(R, r) || readers[r] != 255))
#if ROWS == 3
#define may_all(R, W) (may(0, R, W) && may(1, R, W) && may(2, R, W))
#else
#define may_all(R, W) (may(0, R, W) && may(1, R, W))
#endif

inline enter(R, W)
{
    atomic {
        may_all(R, W) ->
        d_step {
            for (i : 0 .. ROWS - 1) {
                readers[i] = (has(W, i) -> 255 : readers[i] + has(R, i))
            }
        }
    }
}

inline leave(R, W)
{
    for (i : 0 .. ROWS - 1) {
        readers[i] = (has(W, i) -> 0 : readers[i] - has(R, i))
    }
    i = 0
}

/* Rows of `wanted` that `place` lacks, all in one step; needs[r] is a source or another answer. */
inline ask(place, wanted, near)
{
    for (each : 0 .. ROWS - 1) {
        needs[each] = NOTHING;
        if
        :: has(wanted, each) -> lacks(place, each, near, needs[each])
        :: else
        fi
    }
    each = 0
}

/* Taking a lock and the first action under it are one step, and so are the last action and the release: no
 * process can see the difference. */
inline lock_and_ask(l, place, wanted, near)
{
    atomic { l == 0 -> d_step { l = 1; ask(place, wanted, near) } }
}

inline forget_and_unlock(l, is_given_up)
{
    d_step {
        l = !(is_given_up);
        for (each : 0 .. ROWS - 1) {
            needs[each] = 0
        }
        row = 0;
        source = 0;
        each = 0
    }
}

/* --- transfer.c --- */

#define missing(r) !(current(HOST, r))
#if ROWS == 3
#define home_lacks(m) ((has(m, 0) && missing(0)) || (has(m, 1) && missing(1)) || (has(m, 2) && missing(2)))
#else
#define home_lacks(m) ((has(m, 0) && missing(0)) || (has(m, 1) && missing(1)))
#endif

/* yk_transfer_write_off, within a step. */
inline transfer_write_off(p)
{
    place_lost[p] = 1;
    place_failed(p)
}

/* fetch: one interval from `source`. The copy lands as a whole, or the device dies during it and leaves
 * undefined contents. home_lock is held. */
inline fetch(status)
{
    d_step {
        copy_begun(HOST, source, row, accepted);
        if
        :: accepted -> home_row = row;
                       home_source = source;
                       fact_home_intact = fact_newest[at(source, row)]
        :: else -> status = refused
        fi
    }
    if
    :: status == refused
    :: else ->
        d_step {
            assert(!has(fact_writing[HOST], row));   /* it overwrites no results */
            fact_newest[at(HOST, row)] = (!fact_failed[source] && fact_home_intact);
            if
            :: !fact_newest[at(HOST, row)] -> fact_spoil(HOST, row)
            :: else
            fi;
            status = (fact_failed[source] -> edevice : ok);
            check(row)
        }
        d_step {
            if
            :: status == ok -> copy_done(HOST, row)
            :: else -> copy_failed(HOST, row)
            fi;
            home_row = ROWS;
            home_source = 0;
            fact_home_intact = 0
        }
    fi
}

/* yk_transfer_home, from any place that has the rows (ANY_PLACE), and yk_transfer_back, from one place: others
 * may be writing their rows. Fresh rows are nowhere, which is allowed. */
#define ANY_PLACE PLACES
#ifdef MUTANT_BACK_FROM_ANY_PLACE
#define elsewhere(only) (0)
#else
#define elsewhere(only) (only != ANY_PLACE && needs[row] != only)
#endif
inline transfer_home(wanted, only, status)
{
    status = ok;
    if
    :: !home_lacks(wanted)
    :: home_lacks(wanted) ->
        lock_and_ask(home_lock, HOST, wanted, 0);
    again:
        row = 0;
        status = ok;
        do
        :: row == ROWS -> break
        :: row < ROWS && (needs[row] == NOTHING || elsewhere(only)) -> row++
        :: row < ROWS && needs[row] == GONE && !elsewhere(only) -> status = elost; break
        :: row < ROWS && needs[row] != NOTHING && needs[row] != GONE && !elsewhere(only) ->
            source = needs[row];
            assert(source != COMING);                /* home_lock ensures that */
            fetch(status);
            if
            :: status == refused ->                  /* the rows were written, or the source is lost */
#ifdef MUTANT_REFUSED_COPY_IS_AN_ERROR
                assert(place_lost[source]);
#endif
                d_step { ask(HOST, wanted, 0) }
                goto again
            :: status == edevice ->
                d_step {
#ifdef MUTANT_FAILURE_NOT_TOLD
                    place_lost[source] = 1;
#else
                    transfer_write_off(source);
#endif
                    ask(HOST, wanted, 0)
                }
                goto again
            :: status == ok -> row++
            fi
        od;
#ifdef MUTANT_HOME_LOCK_KEPT
        forget_and_unlock(home_lock, status != elost)
#else
        forget_and_unlock(home_lock, 1)
#endif
    fi
}

/* yk_transfer_await_landing */
inline transfer_await_landing(r)
{
#ifdef MUTANT_SENT_HOME_UNDER_A_COPY
    skip
#else
    (home_row != r)
#endif
}

/* yk_transfer_written for the host: waits for a copy that is changing these rows. */
inline transfer_written(r)
{
#ifdef MUTANT_WRITTEN_WAITS_FOR_NO_COPY
    d_step { written(HOST, r) }
#else
    atomic { home_row != r -> d_step { written(HOST, r) } }
#endif
}

/* yk_transfer_drop: a copy home may be reading the rows there. */
inline transfer_drop(p, rows, kept)
{
    atomic {
#ifndef MUTANT_DROPPED_UNDER_A_COPY_HOME
        home_row == ROWS || !has(rows, home_row) ->
#endif
        d_step {
            for (each : 0 .. ROWS - 1) {
                if
                :: has(rows, each) -> drop(p, each, kept)
                :: else
                fi
            }
            each = 0
        }
    }
}

/* yk_transfer_written_home: the copy of these rows has landed completely. */
inline transfer_written_home(p, r)
{
    written(p, r);
    fact_newest[at(HOST, r)] = 1;
    copy_begun(HOST, p, r, accepted);
    assert(accepted);
    copy_done(HOST, r)
}

#include "coherence_upload_copy.pml"
#include "coherence_upload.pml"
#include "coherence_evict.pml"
#include "coherence_roles.pml"
#include "configurations.pml"
