/* coherence_evict.pml - rows of a device that are held, and that are evicted; src/array/replica.c and
 * evict.c. */

/* --- replica.c --- */

#define claimed(d, m) ((has(m, 0) && claims[at(d, 0)]) || (has(m, 1) && claims[at(d, 1)]) || \
                       (has(m, ROWS - 1) && claims[at(d, ROWS - 1)]))

/* yk_replica_claim, and yk_replica_commit: their memory cannot be taken in between. */
inline replica_claim(d, m)
{
    atomic {
#ifndef MUTANT_HOLD_WHILE_LEAVING
        !leaving[d] ->
#endif
        d_step {
            committed[d] = committed[d] | (m);
            for (each : 0 .. ROWS - 1) {
                claims[at(d, each)] = claims[at(d, each)] + has(m, each)
            }
            each = 0
        }
    }
}

/* Other processes may write the rows. */
inline replica_unclaim(d, R, W)
{
    d_step {
        for (each : 0 .. ROWS - 1) {
            assert(!has(R | W, each) || claims[at(d, each)] > 0);
            claims[at(d, each)] = claims[at(d, each)] - has(R | W, each)
        }
        each = 0;
        leave(R, W)
    }
}

/* --- evict.c --- */

/* Rows that were last used together and that no process holds. */
#ifdef MUTANT_LEAVES_WHILE_SENT
#define may_leave(m) ((committed[d] & (m)) == (m))
#else
#define may_leave(m) ((committed[d] & (m)) == (m) && !claimed(d, m))
#endif
inline pick_victim()
{
    atomic {
        evict_lock == 0 ->
        evict_lock = 1;
        if
        :: may_leave(1) -> victim = 1
        :: may_leave(2) -> victim = 2
#if LINK == NONE
        :: may_leave(3) -> victim = 3
#endif
#if ROWS == 3
        :: may_leave(4) -> victim = 4
#endif
        :: else
        fi;
        leaving[d] = (victim != 0)
    }
}

/* Within a step. No copy may be in progress to or from memory that is released. */
inline free_rows()
{
    committed[d] = committed[d] & ~victim;
    assert(!(victim & (uploading[d] | exchanging[d] | exchanging[other(d)])));
    assert(home_row == ROWS || home_source != d || !has(victim, home_row));
    for (each : 0 .. ROWS - 1) {
        if
        :: has(victim, each) ->
            assert(!current(d, each) && claims[at(d, each)] == 0);
            fact_spoil(d, each)
        :: else
        fi
    }
}

/* Rows kept by drop would be lost with the memory, so they are written back too: they became the only copies
 * when others lost theirs. */
inline write_back_rows()
{
    row_left = 0;
    do
    :: row_left < ROWS && status == ok ->
#ifndef MUTANT_DROP_WITHOUT_WRITE_BACK
        if
        :: has(victim, row_left) && state[at(d, row_left)] == modified ->
                transfer_home(1 << row_left, d, status)
        :: else
        fi;
#endif
        row_left++
    :: else -> break
    od;
    row_left = 0;
    kept = 0;
    if
    :: status == ok -> transfer_drop(d, victim, kept)
    :: else
    fi
}

proctype evict(byte d)
{
    byte needs[ROWS], row, source, victim, row_left, kept;
    bit accepted;
    mtype:outcome status = ok;
    pick_victim();
    if
    :: victim ->
        do
        :: write_back_rows();
#if !defined(MUTANT_DROP_WITHOUT_WRITE_BACK) && !defined(MUTANT_EVICTS_WHAT_DROP_KEPT)
            if
            :: status == ok && kept > 0
            :: else -> break
            fi
#else
            break
#endif
        od;
        row_left = 0;
        d_step {
            if
            :: status == ok -> free_rows()
            :: else
            fi;
            leaving[d] = 0;
            evict_lock = 0;
            each = 0
        }
    :: else -> evict_lock = 0
    fi
}
