/* configurations.pml - the roles that run at once in each search, and the initial rows; run.sh chooses with
 * -DCONFIGURATION. All roles in one search would be too large: together the searches have each pair of roles
 * at once. */

inline start_with(r, a, b, how)
{
    d_step {
        state[at(a, r)] = how;
        state[at(b, r)] = how;
        fact_newest[at(a, r)] = 1;
        fact_newest[at(b, r)] = 1;
        committed[a] = committed[a] | 1 << r;
        committed[b] = committed[b] | 1 << r
    }
}

inline start_anyhow(r)
{
    if
    :: start_with(r, HOST, HOST, shared)
    :: start_with(r, 1, 1, modified)
    :: start_with(r, 2, 2, modified)
    :: start_with(r, HOST, 1, shared)
    :: start_with(r, HOST, 2, shared)
#if LINK != NONE
    :: start_with(r, 1, 2, shared)
#else
    :: fresh[r] = 1
#endif
    fi
}

/* State that no longer matters when no other process is left. */
inline forget_the_rest()
{
    for (i : 1 .. PLACES - 1) {
        committed[i] = ALL;
        doomed[i] = 0;
        since_failed[i] = 0;
        place_lost[i] = 0
    }
    faults = 0
}

/* After all others, everything is read: each row is the newest version, or reported lost. */
init {
    atomic {
        start_anyhow(0);
        start_anyhow(1);
#if ROWS == 3
        start_anyhow(2);
#endif
#if CONFIGURATION == 1                               /* readers and writers everywhere, both devices evict */
        run device_job(1, 3, 4);
        run device_job(2, 4, 1);
        run host_job(2, 4);
        run evict(1);
        run evict(2)
#elif CONFIGURATION == 2                             /* a device dies while rows are written and evicted */
        run device_job(1, 1, 2);
        run host_job(0, 1);
        run evict(1);
        run evict(2);
        run device_dies(1)
#elif CONFIGURATION == 3                             /* two chunks on the device that dies, one on the other */
        run device_job(1, 3, 0);
        run device_job(1, 1, 0);
        run device_job(2, 0, 1);
        run evict(1);
        run device_dies(1)
#elif CONFIGURATION == 4                             /* the device that dies has rows that the others need */
        run device_job(1, 0, 1);
        run device_job(2, 3, 2);
        run host_job(1, 2);
        run evict(1);
        run device_dies(1)
#elif CONFIGURATION == 5                             /* results sent home at once, over old versions of them */
        run device_job(1, 0, 1);
        run sending_job(1, 1, 3);
        run evict(1);
        run evict(2);
        run device_dies(1)
#elif CONFIGURATION == 6                             /* rows from the other device, which evicts them */
        run device_job(1, 3, 0);
        run device_job(2, 1, 2);
        run host_job(1, 0);
        run evict(1);
        run evict(2)
#elif CONFIGURATION == 7                             /* the source dies under two chunks that share copies */
        run device_job(1, 3, 0);
        run device_job(1, 1, 2);
        run device_job(2, 1, 0);
        run evict(2);
        run device_dies(2)
#elif CONFIGURATION == 8                             /* both need all rows, and pass them on; an upload cannot be issued */
        run device_job(1, 3, 0);
        run device_job(2, 3, 0);
        run evict(1)
#elif CONFIGURATION == 9                             /* both need all rows; one dies */
        run device_job(1, 3, 0);
        run device_job(2, 3, 0);
        run device_dies(2)
#elif CONFIGURATION == 10                            /* two chunks of one device, and the other device dies */
        run device_job(1, 3, 0);
        run device_job(1, 3, 0);
        run device_dies(2)
#endif
    }
    atomic { _nr_pr == 1 -> d_step { forget_the_rest() } run host_job(ALL, 0) }
}
