/* coherence_upload.pml - the route of each row that a chunk reads to its device d; src/array/upload.c and
 * upload_shared.c. */

/* --- upload.c --- */

#define near()   (LINK == NEARER && !unable)
#define direct() (LINK != NONE && !unable)

inline take_from_device()
{
    atomic { upload_borrow() }
    if
    :: unable -> goto ask_again
    :: else
    fi;
    if
    :: d_step { current(other(d), row) -> upload_exchange_begin(0) }
        upload_exchange_issue(0);
        if
        :: status == undone ->
            d_step { transfer_write_off(other(d)); status = ok }
            goto ask_again
        :: else -> row++
        fi
    :: !current(other(d), row) -> goto ask_again
    fi
}

/* yk_lift_missing: rows that only the other device has, and that cannot be read there, come home first. */
inline upload_missing(rows)
{
    lock_and_ask(upload_lock[d], d, rows, near());
    goto asked;
ask_again:
    row = 0;
    d_step { ask(d, rows, near()) }
asked:
    do
    :: row < ROWS && status == ok && (needs[row] == NOTHING || needs[row] == COMING) -> row++
    :: row < ROWS && status == ok && needs[row] == GONE -> status = elost
    :: row < ROWS && status == ok && needs[row] == HOST -> upload_from_host(d); row++
    :: row < ROWS && status == ok && needs[row] == other(d) ->
#if LINK != NONE
        if
        :: direct() -> take_from_device()
        :: !direct() ->
#endif
            detour = 1 << row;
            transfer_home(detour, ANY_PLACE, status);
            if
            :: status == ok -> goto ask_again
            :: else
            fi
#if LINK != NONE
        fi
#endif
    :: row == ROWS || status != ok -> break
    od;
    detour = 0;
    forget_and_unlock(upload_lock[d], 1)
}

/* --- upload_shared.c --- */

#define owner(r) (1 + ((r) & 1))

/* yk_broadcast_route for row `leg`. Within a step. */
inline find_route()
{
    way = route_none;
    if
    :: current(d, leg) || state[at(d, leg)] == arriving
    :: else -> if
               :: near() && current(other(d), leg) -> way = route_device
               :: else -> if
                          :: !current(HOST, leg)
                          :: else -> way = route_host;
                              if
#ifdef MUTANT_FOLLOWS_WHAT_IS_NOT_SENT
                              :: near() && state[at(other(d), leg)] == arriving
#else
                              :: near() && state[at(other(d), leg)] == arriving && has(sent[other(d)], leg)
#endif
                                  -> way = route_follow
                              :: else -> if
                                         :: near() && owner(leg) != d ->
                                             way = (state[at(other(d), leg)] == arriving -> route_await : route_pass_on)
                                         :: else
                                         fi
                              fi
                          fi
               fi
    fi
}

/* Takes the upload_lock of the other device, and keeps it. */
inline send_missing()
{
    lock_and_ask(upload_lock[other(d)], other(d), 1 << row, 0);
    if
    :: needs[row] == HOST -> upload_from_host(other(d))
    :: else
    fi
}

inline pass_on()
{
    if
    :: atomic { place_lost[other(d)] -> unable = 1; row = 0 }
    :: atomic { !place_lost[other(d)] && !leaving[other(d)] ->
            if
            :: has(borrowed, row)
            :: else -> claims[at(other(d), row)]++; borrowed = borrowed | (1 << row)
            fi;
            committed[other(d)] = committed[other(d)] | (1 << row) }
        send_missing();
        if
        :: status == ok -> unfollowed = unfollowed | (1 << row)
        :: else -> unable = 1
        fi;
        forget_and_unlock(upload_lock[other(d)], 1);
        if
        :: status == ok
        :: else ->
#ifdef MUTANT_FAILED_UPLOAD_TOLD_LATE
            if
            :: late -> place_drain(other(d));
                d_step { copy_failed(other(d), leg); late = 0 }
            :: else
            fi;
#endif
            if
            :: d_step { status == edevice -> transfer_write_off(other(d)); i = 0 }
            :: else
            fi;
            status = ok
        fi
    fi
}

/* A process that has rows sent there at present holds that lock. */
inline await_issue()
{
    atomic { upload_lock[other(d)] == 0 -> awaited = 1 }
}

/* upload_lock[d] is taken. The route is determined again, because the lock was released in order to hold the
 * source. */
inline exchange()
{
    atomic {
#ifndef MUTANT_ISSUED_WITHOUT_LOCK
        upload_lock[d] == 0 ->
#endif
        d_step {
            before = way;
            find_route();
            if
            :: way == before ->
#ifndef MUTANT_ISSUED_WITHOUT_LOCK
                upload_lock[d] = 1;
#endif
                upload_exchange_begin(way == route_follow)
            :: else -> way = 0
            fi;
            before = 0
        }
    }
    if
    :: way -> upload_exchange_issue(way == route_follow);
        d_step {
#ifndef MUTANT_ISSUED_WITHOUT_LOCK
            upload_lock[d] = 0;
#endif
            unfollowed = unfollowed & ~((status == ok) << row);
            leg = leg + (status == ok)
        }
    :: else
    fi
}

inline take_across()
{
    atomic {
        row = leg;
        upload_borrow()
    }
    if
    :: unable
    :: else -> exchange();
        if
        :: d_step { status == undone -> transfer_write_off(other(d)); unable = 1; status = ok }
        :: else
        fi
    fi;
    row = 0
}

/* One look at row `leg`; wanted: the rows to request on this device's own account. */
inline share_part()
{
    if
    :: !has(R, leg) -> leg++
    :: else ->
        d_step { find_route() }
        if
        :: way == route_none -> leg++; awaited = 0
        :: way == route_host -> wanted = 1 << leg; leg++; awaited = 0
        :: way == route_device || way == route_follow -> take_across()
        :: way == route_pass_on -> row = leg; pass_on()
        :: way == route_await && !awaited -> await_issue()
        :: way == route_await && awaited -> wanted = 1 << leg; leg++; awaited = 0
        fi;
        way = 0
    fi
}

/* --- upload.c --- */

inline transfer_up()
{
    leg = (SHARING -> 0 : ROWS);
    do
    :: status == ok && leg <= ROWS ->
        if
#if SHARING
        :: leg < ROWS -> share_part()
#endif
        :: leg == ROWS -> wanted = R; leg++
        fi;
        if
        :: wanted -> upload_missing(wanted); wanted = 0
        :: else
        fi
    :: else -> break
    od;
    leg = 0;
    unable = 0
}

/* yk_transfer_settle. Rows that were sent whole are there whatever the outcome of the chunk. */
inline transfer_settle()
{
#if LINK != NONE
#ifndef MUTANT_PASSED_ROWS_NOT_AWAITED
    unfollowed = (status == ok -> unfollowed : passed);
    wait_until_landed(other(d), uploading[other(d)] & unfollowed);
#endif
#endif
    d_step {
        for (each : 0 .. ROWS - 1) {
            if
            :: has(took, each) && status == ok -> copy_done(d, each)
            :: has(took, each) && status != ok -> copy_failed(d, each)
            :: else
            fi;
            if
            :: has(issued, each) && (status == ok || has(sent[d], each)) -> copy_done(d, each)
            :: has(issued, each) && !(status == ok || has(sent[d], each)) -> copy_failed(d, each)
            :: else
            fi;
            if
            :: has(passed, each) && (status == ok || has(sent[other(d)], each)) -> copy_done(other(d), each)
            :: has(passed, each) && !(status == ok || has(sent[other(d)], each)) -> copy_failed(other(d), each)
            :: else
            fi
        }
        sent[d] = sent[d] & ~issued;
        sent[other(d)] = sent[other(d)] & ~passed;
        issued = 0;
        took = 0;
        passed = 0;
        unfollowed = 0;
        each = 0
    }
#if LINK != NONE
    d_step {
        if
        :: exchanges -> exchanges = 0; exchange_settled()
        :: else
        fi;
        for (each : 0 .. ROWS - 1) {
            claims[at(other(d), each)] = claims[at(other(d), each)] - has(borrowed, each)
        }
        borrowed = 0;
        each = 0
    }
#endif
}
