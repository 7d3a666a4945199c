/* coherence.pml - everybody who moves rows of one array, at once: two devices, the host, and a few row
 * intervals. What follows is src/array/transfer.c, replica.c and evict.c step by step, driven by jobs as
 * src/runtime drives them; the rules themselves are in coherence_rules.pml.
 *
 * A step (d_step) is what the code does under the array's lock, or one event of the machine: a copy
 * that lands, a kernel that ends, a device that dies. Other locks are modelled as they are. Where the
 * runtime excludes something (jobs that write rows others use), so does the model, but for each row
 * interval where the runtime does so for whole arrays: more can happen here than there.
 */
#include "coherence_rules.pml"

bit home_lock, evict_lock;
bit upload_lock[PLACES];
bit buffer[PLACES];           /* the replica has memory */
byte users[PLACES];
bit leaving[PLACES];          /* it is being evicted */
bit place_lost[PLACES];       /* its failure has been noticed */
byte uploading[PLACES];       /* rows on the upload queue, a bit each */
byte readers[ROWS];           /* jobs and acquirers; 255: one that writes */

mtype:outcome = { ok, refused, elost, edevice, enomem };

/* --- who may use which rows when --- */

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
    d_step {
        for (i : 0 .. ROWS - 1) {
            readers[i] = (has(W, i) -> 0 : readers[i] - has(R, i))
        }
    }
}

/* What `place` lacks of the rows `wanted`, all in one step; needs[r] is a source or another answer. */
inline ask(place, wanted)
{
    d_step {
        for (each : 0 .. ROWS - 1) {
            needs[each] = NOTHING;
            if
            :: has(wanted, each) -> lacks(place, each, needs[each])
            :: else
            fi
        }
    }
}

inline forget()
{
    d_step {
        for (each : 0 .. ROWS - 1) {
            needs[each] = 0
        }
        row = 0;
        source = 0
    }
}

/* --- transfer.c --- */

#define missing(r) !(current(HOST, r))
#if ROWS == 3
#define home_lacks(m) ((has(m, 0) && missing(0)) || (has(m, 1) && missing(1)) || (has(m, 2) && missing(2)))
#else
#define home_lacks(m) ((has(m, 0) && missing(0)) || (has(m, 1) && missing(1)))
#endif

/* fetch: one interval from `source`; the copy lands as a whole, or the device dies during it and leaves
 * anything at all there. home_lock held. */
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
            assert(!has(fact_writing[HOST], row));   /* nobody's results are written over */
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

/* yk_transfer_home, from whoever has the rows (ANYBODY), and yk_transfer_back, from one place: others may be
 * writing theirs. Fresh rows are nowhere, and nobody minds. */
#define ANYBODY PLACES
#ifdef MUTANT_BACK_FROM_ANYBODY
#define elsewhere(only) (0)
#else
#define elsewhere(only) (only != ANYBODY && needs[row] != only)
#endif
inline transfer_home(wanted, only, status)
{
    status = ok;
    if
    :: !home_lacks(wanted)
    :: home_lacks(wanted) ->
        lock(home_lock);
    again:
        ask(HOST, wanted);
        row = 0;
        status = ok;
        do
        :: row == ROWS -> break
        :: row < ROWS && (needs[row] == NOTHING || elsewhere(only)) -> row++
        :: row < ROWS && needs[row] == GONE && !elsewhere(only) -> status = elost; break
        :: row < ROWS && needs[row] != NOTHING && needs[row] != GONE && !elsewhere(only) ->
            source = needs[row];
            assert(source != COMING);                /* home_lock sees to that */
            fetch(status);
            if
            :: status == refused ->                  /* somebody wrote them, or the source is lost */
#ifdef MUTANT_REFUSED_COPY_IS_AN_ERROR
                assert(place_lost[source]);
#endif
                goto again
            :: status == edevice ->
                d_step {
                    place_lost[source] = 1;
#ifndef MUTANT_FAILURE_NOT_TOLD
                    place_failed(source)
#endif
                }
                goto again
            :: status == ok -> row++
            fi
        od;
#ifdef MUTANT_HOME_LOCK_KEPT
        if
        :: status == elost
        :: else -> unlock(home_lock)
        fi;
#else
        unlock(home_lock);
#endif
        forget()
    fi
}

/* yk_transfer_written for the host: a copy that is changing these rows ends first. */
inline written_at_host(r)
{
#ifdef MUTANT_WRITTEN_WAITS_FOR_NO_COPY
    d_step { written(HOST, r) }
#else
    atomic { home_row != r -> d_step { written(HOST, r) } }
#endif
}

/* yk_transfer_await_landing */
inline await_landing(r)
{
#ifdef MUTANT_SENT_HOME_UNDER_A_COPY
    skip
#else
    (home_row != r)
#endif
}

/* yk_transfer_written_home: the copy of these rows has landed, and whole. */
inline written_home(p, r)
{
    written(p, r);
    fact_newest[at(HOST, r)] = 1;
    copy_begun(HOST, p, r, accepted);
    assert(accepted);
    copy_done(HOST, r)
}

#include "coherence_roles.pml"
#include "configurations.pml"
