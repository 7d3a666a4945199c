/* coherence_roles.pml - the roles that move rows: a chunk on a device, the program or a core on the host,
 * and a device that dies; together with the eviction of coherence_evict.pml. */

/* --- jobs and the program --- */

#define reads_newest(p, r) (fact_newest[at(p, r)] || fresh[r])

/* The rows that the kernel reads are there, and it begins to write; and the end of the issued copies. */
inline launch()
{
    d_step {
        assert((committed[d] & (R | W)) == (R | W));
        for (each : 0 .. ROWS - 1) {
            if
            :: has(R, each) -> assert(status != ok || fact_failed[d] || relies_on_lost() || reads_newest(d, each))
            :: else
            fi;
            if
            :: has(W, each) && status == ok -> fact_spoil(d, each)
            :: else
            fi
        }
        launched = (status == ok);
        fact_writing[d] = fact_writing[d] | (status == ok -> W : 0);
        each = 0
    }
}

/* yk_flight_spoil: rows that it changed in place are lost there; rows that it only writes are undefined, so
 * any contents are allowed. */
inline flight_spoil()
{
    fact_writing[d] = fact_writing[d] & ~W;
    for (each : 0 .. ROWS - 1) {
        if
        :: launched && has(W & R, each) -> spoilt(d, each)
        :: launched && has(W & ~R, each) -> fact_newest[at(d, each)] = 1
        :: else
        fi
    }
    launched = 0;
    each = 0
}

/* A chunk on device d: reads rows R, then writes W, which it need not read. If a source of its rows dies it
 * is done again. */
proctype device_job(byte d, R, W)
{
    chunk_variables;
    enter(R, W);
    replica_claim(d, R | W);
again_issued:
    exchange_oldest();
    if
    :: R -> transfer_up();
        if
        :: status == ok -> wait_until_landed(d, (uploading[d] | exchanging[d]) & R)
        :: else -> place_drain(d)                    /* yk_flight_abandon */
        fi
    :: else
    fi;
    launch();
    d_step {                                         /* the kernel ends */
        assert((committed[d] & (R | W)) == (R | W));
        status = (status == ok && fact_failed[d] -> edevice : status);
        status = (status == ok -> exchange_outcome() : status);
        relying[d] = relying[d] & ~(1 << _pid);
        doomed[d] = doomed[d] & ~(1 << _pid)
    }
    transfer_settle();
    if
    :: status == ok ->
        d_step {
            for (each : 0 .. ROWS - 1) {
                if
                :: has(W, each) ->
                    fact_writing[d] = fact_writing[d] & ~(1 << each);
                    written(d, each)
                :: else
                fi
            }
            each = 0
        }
    :: status == edevice ->
        d_step {
            fact_writing[d] = fact_writing[d] & ~W;
            transfer_write_off(d)
        }
    :: status == elost || status == enomem || status == undone ->
        d_step {
            assert(status != elost || (lost[0] && has(R, 0)) || (lost[1] && has(R, 1)) ||
                   (lost[ROWS - 1] && has(R, ROWS - 1)));
            flight_spoil()
        }
        if
        :: status == undone -> status = ok; goto again_issued
        :: else
        fi
    fi;
    row = 0;
    replica_unclaim(d, R, W)
}

#if CONFIGURATION == 5        /* a role that does not run need not be compiled */
/* A chunk on device d whose results go home at once (flight.c). If it only writes rows, that is announced
 * before; if it has read the rows that it changes, it waits for a copy in progress to land. The kernel may
 * fail while its device lives, and the device may die with the results half home. */
proctype sending_job(byte d, R, W)
{
    chunk_variables;
    bit homing;
    enter(R, W);
    replica_claim(d, R | W);
    exchange_oldest();
    do
    :: row < ROWS && has(W, row) ->
        if
        :: has(R, row) -> transfer_await_landing(row)
        :: !has(R, row) ->
#ifndef MUTANT_SENT_HOME_UNANNOUNCED
            transfer_written(row);
#endif
            skip
        fi;
        row++
    :: row < ROWS && !has(W, row) -> row++
    :: row == ROWS -> break
    od;
    row = 0;
    transfer_up();
    if
    :: status == ok -> wait_until_landed(d, (uploading[d] | exchanging[d]) & R)
    :: else -> place_drain(d)
    fi;
    launch();
    if
    :: status == ok -> status = enomem               /* a kernel that failed */
    :: status = (status == ok && fact_failed[d] -> edevice : status)
    fi;
    d_step {
        status = (status == ok -> exchange_outcome() : status);
        relying[d] = relying[d] & ~(1 << _pid);
        doomed[d] = doomed[d] & ~(1 << _pid)
    }
    transfer_settle();
    d_step {
        if
        :: status == ok ->                           /* the copy home begins to change the host's rows */
            homing = 1;
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
        d_step {
            for (each : 0 .. ROWS - 1) {
                if
                :: has(W, each) ->
                    fact_writing[d] = fact_writing[d] & ~(1 << each);
                    transfer_written_home(d, each);
                    fact_writing[HOST] = fact_writing[HOST] & ~(1 << each)
                :: else
                fi
            }
            each = 0
        }
    :: status == elost -> assert((lost[0] && has(R, 0)) || (lost[1] && has(R, 1)) ||
                                 (lost[ROWS - 1] && has(R, ROWS - 1)))
    :: else ->                                       /* yk_flight_spoil */
        d_step {
            for (each : 0 .. ROWS - 1) {
                if
                :: has(W & R, each) && launched && (homing || status != edevice) ->
                    fact_writing[d] = fact_writing[d] & ~(1 << each);
                    spoilt(d, each);
                    if
                    :: homing -> spoilt(HOST, each)
                    :: else
                    fi
                :: has(W & ~R, each) -> fact_newest[at(HOST, each)] = 1 /* undefined: any contents are allowed */
                :: else
                fi
            }
            fact_writing[d] = fact_writing[d] & ~W;
            fact_writing[HOST] = fact_writing[HOST] & ~W;
            if
            :: status == edevice -> transfer_write_off(d)
            :: else
            fi;
            each = 0
        }
    fi;
    row = 0;
    replica_unclaim(d, R, W)
}
#endif

/* The program acquires rows, or a core or a device with a window works on a chunk. Rows that are only
 * written are announced before they are accessed, because a copy of their old version may be on its way
 * home. */
proctype host_job(byte R, W)
{
    byte needs[ROWS], row, source;
    bit accepted;
    mtype:outcome status = ok;
    enter(R, W);
    if
    :: R -> transfer_home(R, ANY_PLACE, status)
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
            transfer_written(row);
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
    d_step { leave(R, W) }
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
