/* coherence_roles.pml - who moves rows: a replica that is evicted, a chunk on a device, the program or a core
 * at the host, and a device that dies.
 */

/* --- replica.c --- */

inline hold(d)
{
    atomic {
#ifndef MUTANT_HOLD_WHILE_LEAVING
        !leaving[d] ->
#endif
        d_step {
            buffer[d] = 1;
            users[d]++
        }
    }
}

inline give_memory_back(d)
{
    buffer[d] = 0;
    for (each : 0 .. ROWS - 1) {
        fact_spoil(d, each);
        assert(fact_failed[d] || !current(d, each))
    }
}

/* evict_one and write_back. Rows kept by drop would go with the memory, so they are written back, too: they
 * came to be the only ones as others lost theirs. */
proctype evict(byte d)
{
    byte needs[ROWS], row, source, victim_row, kept;
    bit accepted;
    mtype:outcome status = ok;
    lock(evict_lock);
    if
    :: d_step { buffer[d] && users[d] == 0 -> leaving[d] = 1 }
    once_more:
        do
        :: victim_row < ROWS && status == ok ->
#ifndef MUTANT_DROP_WITHOUT_WRITE_BACK
            if
            :: state[at(d, victim_row)] == modified -> transfer_home(1 << victim_row, d, status)
            :: else
            fi;
#endif
            victim_row++
        :: else -> break
        od;
        victim_row = 0;
        d_step {
            kept = 0;
            if
            :: status == ok ->
                for (each : 0 .. ROWS - 1) {
                    drop(d, each, kept)
                }
            :: else
            fi;
            each = 0
        }
#if !defined(MUTANT_DROP_WITHOUT_WRITE_BACK) && !defined(MUTANT_EVICTS_WHAT_DROP_KEPT)
        if
        :: kept > 0 -> goto once_more
        :: else
        fi;
#endif
        d_step {
            if
            :: status == ok -> give_memory_back(d)
            :: else
            fi;
            leaving[d] = 0;
            each = 0
        }
    :: else
    fi;
    unlock(evict_lock)
}

/* --- jobs and the program --- */

#define reads_newest(p, r) (fact_newest[at(p, r)] || fresh[r])

/* yk_transfer_up: what only the other device has comes home first, then all is issued. */
inline transfer_up()
{
    lock(upload_lock[d]);
    do
    :: ask(d, R);
        d_step {
            detour = 0;
            for (each : 0 .. ROWS - 1) {
                if
                :: needs[each] == 1 || needs[each] == 2 -> detour = detour | (1 << each)
                :: needs[each] == GONE -> status = elost
                :: else
                fi
            }
        }
        if
        :: status == ok && detour -> transfer_home(detour, ANYBODY, status)
        :: else -> break
        fi
    od;
    detour = 0;
    row = 0;
    do
    :: row < ROWS && status == ok ->
        d_step {
            if
            :: needs[row] == HOST ->
                copy_begun(d, HOST, row, accepted);
                assert(accepted);                    /* the host's rows stay while a job reads them */
                issued = issued | (1 << row);
                uploading[d] = uploading[d] | (1 << row);
                fact_up_intact[d] = fact_up_intact[d] & ~(1 << row) | (fact_newest[at(HOST, row)] << row);
                status = (fact_failed[d] -> edevice : ok)
            :: else
            fi;
            row++
        }
    :: else -> break
    od;
    unlock(upload_lock[d]);
    forget()
}

/* The upload queue runs what was issued; then the kernel may, once all it reads is there. */
inline arrive()
{
    do
    :: uploading[d] & issued ->
        d_step {
            row = (has(uploading[d] & issued, 0) -> 0 : (has(uploading[d] & issued, 1) -> 1 : 2));
            fact_newest[at(d, row)] = (!fact_failed[d] && has(fact_up_intact[d], row));
            if
            :: !fact_newest[at(d, row)] -> fact_spoil(d, row)
            :: else
            fi;
            uploading[d] = uploading[d] & ~(1 << row);
            fact_up_intact[d] = fact_up_intact[d] & ~(1 << row);
            row = 0
        }
    :: else -> break
    od;
    (uploading[d] & R) == 0
}

/* A chunk on device d: reads rows R, then writes W, which it need not read. If the device dies, all
 * copies it has issued count as failed. */
proctype device_job(byte d, R, W)
{
    byte needs[ROWS], row, source, issued, detour;
    bit accepted;
    mtype:outcome status = ok;
    enter(R, W);
    hold(d);
    if
    :: R -> transfer_up(); arrive()
    :: else
    fi;
    d_step {
        assert(buffer[d]);
        for (each : 0 .. ROWS - 1) {
            if
            :: has(R, each) -> assert(status != ok || fact_failed[d] || reads_newest(d, each))
            :: else
            fi;
            if
            :: has(W, each) && status == ok -> fact_spoil(d, each)
            :: else
            fi
        }
        fact_writing[d] = fact_writing[d] | (status == ok -> W : 0)
    }
    d_step {                                         /* the kernel ends; settle */
        assert(buffer[d]);
        status = (status == ok && fact_failed[d] -> edevice : status);
        for (each : 0 .. ROWS - 1) {
            if
            :: has(issued, each) && status == ok -> copy_done(d, each)
            :: has(issued, each) && status != ok -> copy_failed(d, each)
            :: else
            fi
        }
        issued = 0
    }
    if
    :: status == ok ->
        do
        :: row < ROWS ->
            d_step {
                if
                :: has(W, row) ->
                    fact_writing[d] = fact_writing[d] & ~(1 << row);
                    written(d, row)
                :: else
                fi;
                row++
            }
        :: else -> break
        od
    :: status == edevice ->
        d_step {
            fact_writing[d] = fact_writing[d] & ~W;
            place_lost[d] = 1;
            place_failed(d)
        }
    :: status == elost -> assert((lost[0] && has(R, 0)) || (lost[1] && has(R, 1)) ||
                                 (lost[ROWS - 1] && has(R, ROWS - 1)))
    fi;
    row = 0;
    d_step {
        assert(users[d] > 0);
        users[d]--
    }
    leave(R, W)
}

/* A chunk on device d whose results go home at once (flight.c): where it only writes, that is announced
 * before; where it has read what it changes, a copy under way lands first. The kernel may fail while its
 * device lives, and the device may die with the results half home. */
proctype sending_job(byte d, R, W)
{
    byte needs[ROWS], row, source, issued, detour;
    bit accepted, sent;
    mtype:outcome status = ok;
    enter(R, W);
    hold(d);
    do
    :: row < ROWS && has(W, row) ->
        if
        :: has(R, row) -> await_landing(row)
        :: !has(R, row) ->
#ifndef MUTANT_SENT_HOME_UNANNOUNCED
            written_at_host(row);
#endif
            skip
        fi;
        row++
    :: row < ROWS && !has(W, row) -> row++
    :: row == ROWS -> break
    od;
    row = 0;
    transfer_up();
    arrive();
    d_step {
        assert(buffer[d]);
        for (each : 0 .. ROWS - 1) {
            if
            :: has(R, each) -> assert(status != ok || fact_failed[d] || reads_newest(d, each))
            :: else
            fi;
            if
            :: has(W, each) && status == ok -> fact_spoil(d, each)
            :: else
            fi
        }
        fact_writing[d] = fact_writing[d] | (status == ok -> W : 0)
    }
    if
    :: status == ok -> status = enomem               /* a kernel that failed */
    :: status = (status == ok && fact_failed[d] -> edevice : status)
    fi;
    d_step {
        for (each : 0 .. ROWS - 1) {
            if
            :: has(issued, each) && status == ok -> copy_done(d, each)
            :: has(issued, each) && status != ok -> copy_failed(d, each)
            :: else
            fi
        }
        issued = 0;
        if
        :: status == ok ->                           /* the copy home begins to change the host's rows */
            sent = 1;
            fact_writing[HOST] = fact_writing[HOST] | W;
            for (each : 0 .. ROWS - 1) {
                if
                :: has(W, each) -> fact_spoil(HOST, each)
                :: else
                fi
            }
        :: else
        fi;
        each = 0
    }
    status = (status == ok && fact_failed[d] -> edevice : status);
    if
    :: status == ok ->
        do
        :: row < ROWS ->
            d_step {
                if
                :: has(W, row) ->
                    fact_writing[d] = fact_writing[d] & ~(1 << row);
                    written_home(d, row);
                    fact_writing[HOST] = fact_writing[HOST] & ~(1 << row)
                :: else
                fi;
                row++
            }
        :: else -> break
        od
    :: status == elost -> assert((lost[0] && has(R, 0)) || (lost[1] && has(R, 1)) ||
                                 (lost[ROWS - 1] && has(R, ROWS - 1)))
    :: else ->                                       /* yk_flight_spoil */
        d_step {
            for (each : 0 .. ROWS - 1) {
                if
                :: has(W & R, each) && (sent || status == enomem) ->
                    fact_writing[d] = fact_writing[d] & ~(1 << each);
                    spoilt(d, each);
                    if
                    :: sent -> spoilt(HOST, each)
                    :: else
                    fi
                :: has(W & ~R, each) -> fact_newest[at(HOST, each)] = 1 /* undefined: anything will do */
                :: else
                fi
            }
            fact_writing[d] = fact_writing[d] & ~W;
            fact_writing[HOST] = fact_writing[HOST] & ~W;
            if
            :: status == edevice -> place_lost[d] = 1; place_failed(d)
            :: else
            fi;
            each = 0
        }
    fi;
    row = 0;
    d_step {
        assert(users[d] > 0);
        users[d]--
    }
    leave(R, W)
}

/* The program acquires rows, or a core, or a device with a window, works on a chunk. Rows that are only written are announced
 * before they are touched, for a copy of their old version may be on its way home. */
proctype host_job(byte R, W)
{
    byte needs[ROWS], row, source;
    bit accepted;
    mtype:outcome status = ok;
    enter(R, W);
    if
    :: R -> transfer_home(R, ANYBODY, status)
    :: else
    fi;
    if
    :: status == ok ->
        d_step {
            for (each : 0 .. ROWS - 1) {
                assert(!has(R, each) || reads_newest(HOST, each))
            }
        }
        do
        :: row < ROWS && has(W, row) ->
#ifndef MUTANT_OVERWRITTEN_UNANNOUNCED
            written_at_host(row);
#endif
            d_step {
                fact_writing[HOST] = fact_writing[HOST] | (1 << row);
                row++
            }
        :: row < ROWS && !has(W, row) -> row++
        :: row == ROWS -> break
        od;
        row = 0;
        do
        :: row < ROWS && has(W, row) ->
            d_step {
                fact_writing[HOST] = fact_writing[HOST] & ~(1 << row);
#ifdef MUTANT_OVERWRITTEN_UNANNOUNCED
                written(HOST, row);
#endif
                assert(fact_newest[at(HOST, row)]);
                row++
            }
        :: row < ROWS && !has(W, row) -> row++
        :: row == ROWS -> break
        od;
        row = 0
    :: else -> assert((lost[0] && has(R, 0)) || (lost[1] && has(R, 1)) ||
                      (lost[ROWS - 1] && has(R, ROWS - 1)))
    fi;
    leave(R, W)
}

proctype device_dies(byte d)
{
    d_step {
        fact_failed[d] = 1;
        for (each : 0 .. ROWS - 1) {
            fact_spoil(d, each)
        }
        each = 0
    }
}
