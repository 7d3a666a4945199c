/* coherence_upload_copy.pml - copies that bring a chunk's rows to its device d: from the host, from the other
 * device, or through it; src/array/exchange.c and upload_copy.c. A process that uses this has a chunk's variables
 * (chunk_variables); R are the rows it reads.
 *
 * Copies land, in the order of their queues, when a process waits for any of them: until then the landing is
 * not visible, and a change of their source tears them. */

#ifndef LINK
#define LINK NONE             /* between the devices */
#endif
#define NONE   0
#define DIRECT 1              /* it serves rows that the host does not have */
#define NEARER 2              /* it is faster than the host's */
#ifndef SHARING
#define SHARING 0             /* 1: both devices need all rows, and pass them on */
#endif
#ifndef FAULTS
#define FAULTS 0              /* uploads that cannot be issued */
#endif

/* A chunk is the bit of its process number. The code numbers copies instead, which is equivalent. */
byte relying[PLACES];         /* chunks that have requested rows, or do so now, */
byte doomed[PLACES];          /* and those of which a copy failed on which they may rely */
byte unsettled[PLACES];       /* chunks that issued copies from the other device and have not reported their end */
bit since_failed[PLACES];     /* a copy was reported since there were none of those */
byte faults = FAULTS;

#define chunk_variables \
    byte needs[ROWS], row, source, detour; \
    byte issued, took, passed; \
    byte unfollowed, borrowed, wanted, leg; \
    bit accepted, unable, awaited, exchanges, late, launched; \
    byte way, before;           /* routes */ \
    mtype:outcome status = ok

mtype:route = { route_none, route_host, route_device, route_follow, route_pass_on, route_await };

/* --- landing --- */

/* The first row of a set. */
#define first_of(m) (has(m, 0) -> 0 : (has(m, 1) -> 1 : 2))

inline land_upload(p)
{
    each = first_of(uploading[p]);
    assert(has(committed[p], each));
    fact_newest[at(p, each)] = (!fact_failed[p] && has(fact_up_intact[p], each));
    if
    :: !fact_newest[at(p, each)] -> fact_spoil(p, each)
    :: else
    fi;
    uploading[p] = uploading[p] & ~(1 << each);
    fact_up_intact[p] = fact_up_intact[p] & ~(1 << each);
    if
    :: has(following[other(p)], each) ->             /* it begins to be copied onwards */
        following[other(p)] = following[other(p)] & ~(1 << each);
        fact_across_intact[other(p)] = fact_across_intact[other(p)] & ~(1 << each) |
                                       (fact_newest[at(p, each)] << each)
    :: else
    fi;
    each = 0
}

/* The other device dies during the copy: this device learns of it when it checks its copies. */
inline land_exchange(p)
{
    each = first_of(exchanging[p] & ~following[p]);
    assert(has(committed[p], each) && has(committed[other(p)], each));
    fact_newest[at(p, each)] = (!fact_failed[p] && !fact_failed[other(p)] && has(fact_across_intact[p], each));
    if
    :: !fact_newest[at(p, each)] -> fact_spoil(p, each)
    :: else
    fi;
    if
    :: fact_failed[other(p)] ->
        place_lost[other(p)] = 1;
        doomed[p] = doomed[p] | relying[p];
        since_failed[p] = 1
    :: else
    fi;
    exchanging[p] = exchanging[p] & ~(1 << each);
    fact_across_intact[p] = fact_across_intact[p] & ~(1 << each);
    each = 0
}

/* A copy that follows an upload begins to read when the upload has landed. */
inline issued_across(follows)
{
    if
#ifndef MUTANT_FOLLOWS_AT_ONCE
    :: follows && has(uploading[other(d)], row) ->
        following[d] = following[d] | (1 << row);
        fact_across_intact[d] = fact_across_intact[d] | (1 << row)
#endif
    :: else -> fact_across_intact[d] = fact_across_intact[d] & ~(1 << row) | (fact_newest[at(other(d), row)] << row)
    fi;
    exchanging[d] = exchanging[d] | (1 << row)
}

/* Lands what is in progress to p, in the worst order: an overtaken copy may come last. */
inline land_one(p)
{
    d_step {
        if
        :: uploading[p] -> land_upload(p)
#if LINK != NONE
        :: !uploading[p] && (exchanging[p] & ~following[p]) -> land_exchange(p)
        :: !uploading[p] && !(exchanging[p] & ~following[p]) && exchanging[p] -> land_upload(other(p))
#endif
        :: else
        fi;
        i = 0
    }
}

inline wait_until_landed(p, rows)
{
    do
    :: rows -> land_one(p)
    :: else -> break
    od;
    skip
}

/* --- exchange.c --- */

inline exchange_begin()
{
    since_failed[d] = (unsettled[d] == 0 -> 0 : since_failed[d]);
    unsettled[d]++
}

inline exchange_settled()
{
    unsettled[d]--;
    since_failed[d] = (unsettled[d] == 0 -> 0 : since_failed[d])
}

/* The chunk begins to request rows. */
inline exchange_oldest()
{
    d_step {
        relying[d] = relying[d] | (1 << _pid);
        doomed[d] = doomed[d] & ~(1 << _pid) | (since_failed[d] << _pid)
    }
}

/* True if some rows that the chunk relied on were read from a lost device. */
#define relies_on_lost() has(doomed[d], _pid)
#ifdef MUTANT_LOST_SOURCE_NOT_ASKED
#define exchange_outcome() ok
#else
#define exchange_outcome() (relies_on_lost() -> undone : ok)
#endif

/* --- place.c --- */

/* yk_place_drain; a copy that follows another one also waits for that. */
inline place_drain(p)
{
    wait_until_landed(p, uploading[p] | exchanging[p])
}

/* --- upload_copy.c --- */

/* For rows that are there and stay; within an atomic step. */
inline upload_borrow()
{
    if
    :: place_lost[other(d)] -> unable = 1
    :: !place_lost[other(d)] && has(borrowed, row)
#ifdef MUTANT_SOURCE_NOT_HELD
    :: else
#else
    :: !place_lost[other(d)] && !has(borrowed, row) && committed[other(d)] && !leaving[other(d)] ->
        claims[at(other(d), row)]++;
        borrowed = borrowed | (1 << row)
    :: !place_lost[other(d)] && !has(borrowed, row) && !(committed[other(d)] && !leaving[other(d)]) -> unable = 1
#endif
    fi
}

/* Reported under the array's lock; a copy that follows an upload counts as coming from the host.
 * upload_lock[d] is held until it is issued. */
inline upload_exchange_begin(follows)
{
    assert(fact_failed[d] || !(has(uploading[d] | exchanging[d], row)));
    took = took | (1 << row);
    copy_begun(d, (follows -> HOST : other(d)), row, accepted);
    assert(accepted);
    sent[d] = sent[d] & ~(1 << row)
}

/* Or the driver reports a lost device. */
inline upload_exchange_issue(follows)
{
    d_step {
        if
        :: exchanges
        :: else -> exchanges = 1; exchange_begin()
        fi
    }
    if
    :: d_step { !fact_failed[d] -> issued_across(follows) }
    :: d_step { fact_failed[other(d)] ->
           copy_failed(d, row);
           took = took & ~(1 << row);
           status = undone }
    :: d_step { fact_failed[d] ->
           copy_failed(d, row);
           took = took & ~(1 << row);
           status = edevice }
    fi
}

/* To d or to the other device; upload_lock[to] is held. A copy that cannot be issued is reported before the
 * lock is released: after that, a chunk that finds rows arriving relies on the copy. */
inline upload_from_host(to)
{
    if
    :: flying[at(to, row)] > 0 -> wait_until_landed(to, exchanging[to])
    :: else
    fi;
    d_step {
        copy_begun(to, HOST, row, accepted);
        assert(accepted)                             /* the host's rows stay unchanged while a job reads them */
    }
    if
#if FAULTS
    :: d_step { faults > 0 -> faults--; status = enomem }
#endif
    :: d_step { fact_failed[to] -> status = edevice }
    :: d_step { !fact_failed[to] ->
           uploading[to] = uploading[to] | (1 << row);
           fact_up_intact[to] = fact_up_intact[to] & ~(1 << row) | (fact_newest[at(HOST, row)] << row);
           sent[to] = sent[to] | (1 << row)
       }
    fi;
    if
    :: status == ok ->
        if
        :: to == d -> issued = issued | (1 << row)
        :: else -> passed = passed | (1 << row)
        fi
    :: else ->
#ifdef MUTANT_FAILED_UPLOAD_TOLD_LATE
        issued = issued | ((to == d) << row);
        late = (to != d)
#else
        place_drain(to);
        d_step { copy_failed(to, row); i = 0 }
#endif
    fi
}
