/* coherence_rules.pml - the rules of src/array/coherence.h for one row interval at a time, and the real
 * contents of the memories.
 *
 * The inlines below "transitions" have the names of the functions yk_coherence_NAME, and the states those of
 * enum yk_row_state; names.sh compares both with the header. Each is one step, because the code holds the
 * array's lock. Variables named fact are not visible to the code: fact_newest says whether a place's memory
 * has the version last written. A version is newest or it is not, so no numbers are needed. */

#define PLACES 3
#define HOST   0
#ifndef ROWS
#define ROWS 3
#endif
#define at(p, r)  ((p) * ROWS + (r))
#define ALL       ((1 << ROWS) - 1)
#define has(m, r) (((m) >> (r)) & 1)
#define other(p)  (PLACES - (p)) /* of two devices */

mtype:state = { invalid, shared, modified, arriving };
mtype:state state[PLACES * ROWS];
bit fresh[ROWS];              /* never written */
bit lost[ROWS];               /* the last copy was lost with a failed device */
byte flying[PLACES * ROWS];   /* copies begun and not ended; the first `stale` ends change nothing */
byte stale[PLACES * ROWS];
byte sources[PLACES * ROWS];  /* bit mask of places from which arriving rows come */
byte committed[PLACES];       /* bit mask of rows that have memory there */

bit fact_newest[PLACES * ROWS];
bit fact_failed[PLACES];      /* the device is dead, even if that was not noticed yet */
byte fact_writing[PLACES];    /* bit mask of rows that a kernel or the program is writing there */
bit fact_home_intact = 0;     /* the copy home in progress has read no data that is old by now */
byte fact_up_intact[PLACES];  /* the same for uploads, bit mask of rows, */
byte fact_across_intact[PLACES]; /* and for copies from the other device */
byte exchanging[PLACES];      /* rows being copied from the other device to this one, */
byte following[PLACES];       /* and that wait for their upload to the other device */
byte home_row = ROWS;         /* rows that a copy to the host may be changing (ROWS: none), and its source */
byte home_source;

hidden byte i, j, n, each;    /* temporaries within one step */

#define current(p, r) (state[at(p, r)] == shared || state[at(p, r)] == modified)
#define alone(p, r)   (current(p, r) && \
    (current(0, r) + current(1, r) + current(2, r) == 1))

/* A memory no longer has the newest version; copies that are reading it are torn. */
inline fact_spoil(p, r)
{
    fact_newest[at(p, r)] = 0;
    if
    :: p == HOST -> fact_up_intact[1] = fact_up_intact[1] & ~(1 << (r));
                    fact_up_intact[2] = fact_up_intact[2] & ~(1 << (r))
    :: else -> fact_across_intact[other(p)] = fact_across_intact[other(p)] & ~(1 << (r)) |
                                               (following[other(p)] & (1 << (r)));
               if
               :: home_row == r && home_source == p -> fact_home_intact = 0
               :: else
               fi
    fi
}

/* Invariants. Rows of a dead device are not there, even if the code believes it. */
inline check(r)
{
    n = (state[at(0, r)] == modified) + (state[at(1, r)] == modified) + (state[at(2, r)] == modified);
    assert(n <= 1);                                                  /* a single writer ... */
    i = current(0, r) + current(1, r) + current(2, r);
    assert(n == 0 || i == 1);                                        /* ... and no other place current */
    assert(!lost[r] || i == 0);                                      /* not both lost and current */
    assert(!fresh[r] || i == 0);
    assert(i > 0 || lost[r] || fresh[r]);                            /* a lost row is always reported */
    for (j : 0 .. PLACES - 1) {
        assert(!current(j, r) || fact_failed[j] || fact_newest[at(j, r)] || has(fact_writing[j], r));
        assert(j == HOST || has(committed[j], r) || !(current(j, r) || state[at(j, r)] == arriving));
        assert(stale[at(j, r)] <= flying[at(j, r)]);
        assert((state[at(j, r)] == arriving) == (sources[at(j, r)] != 0));
        assert(state[at(j, r)] != arriving || stale[at(j, r)] < flying[at(j, r)]);
        i = sources[at(j, r)];
        assert(!(i & 1) || current(0, r));                           /* sources have the rows that they serve */
        assert(!(i & 2) || current(1, r));
        assert(!(i & 4) || current(2, r))
    }
}

inline overtake(p, r)
{
    sources[at(p, r)] = 0;
    stale[at(p, r)] = flying[at(p, r)];
    if
    :: state[at(p, r)] == arriving -> state[at(p, r)] = invalid
    :: else
    fi
}

inline overtake_around(p, r)
{
    for (i : 0 .. PLACES - 1) {
        if
        :: i == p || (sources[at(i, r)] >> p) & 1 -> overtake(i, r)
        :: else
        fi
    }
}

/* p gives up a copy; if one place is left, it has the only copy. */
inline without(p, r)
{
    state[at(p, r)] = invalid;
    for (i : 0 .. PLACES - 1) {
        if
        :: alone(i, r) -> state[at(i, r)] = modified
        :: else
        fi
    }
}

/* --- transitions --- */

#define NOTHING 3 /* results of lacks other than a source */
#define COMING  4
#define GONE    5

/* `near`: the other device is preferred to the host. */
inline lacks(p, r, near, source)
{
    if
    :: current(p, r) || fresh[r] -> source = NOTHING
    :: else -> if
               :: state[at(p, r)] == arriving -> source = COMING
               :: else -> if
                          :: current(HOST, r) && !((near) && current(other(p), r)) -> source = HOST
                          :: else -> if
                                     :: current(1, r) -> source = 1
                                     :: else -> source = (current(2, r) -> 2 : GONE)
                                     fi
                          fi
               fi
    fi;
    assert(source != GONE || lost[r])
}

inline copy_begun(p, source, r, accepted)
{
    accepted = current(source, r);
    if
    :: accepted ->
        flying[at(p, r)]++;
        if
        :: !current(p, r) ->
            state[at(p, r)] = arriving;
            sources[at(p, r)] = sources[at(p, r)] | (1 << source)
        :: else
        fi
    :: else
    fi;
    check(r)
}

inline copy_done(p, r)
{
    if
    :: flying[at(p, r)] == 0
    :: else ->
        flying[at(p, r)]--;
        if
        :: stale[at(p, r)] > 0 -> stale[at(p, r)]--;
#ifdef MUTANT_OVERTAKEN_COPY_COUNTS
            state[at(p, r)] = shared
#endif
        :: else -> if
                   :: state[at(p, r)] == arriving ->
                       state[at(p, r)] = shared;
                       sources[at(p, r)] = 0;
                       for (i : 0 .. PLACES - 1) {
                           if
                           :: state[at(i, r)] == modified -> state[at(i, r)] = shared
                           :: else
                           fi
                       }
                   :: else
                   fi
        fi
    fi;
    check(r)
}

inline copy_failed(p, r)
{
    if
    :: flying[at(p, r)] > 0 -> flying[at(p, r)]--
    :: else
    fi;
#ifdef MUTANT_FAILED_COPY_COUNTS
    state[at(p, r)] = shared;
    sources[at(p, r)] = 0;
#endif
    overtake(p, r);
    check(r)
}

/* The fact: only the writer's memory has the new version, and copies in progress bring an old one. The write
 * of a device that died after its kernel is still reported. */
inline written(p, r)
{
    for (i : 0 .. PLACES - 1) {
        fact_spoil(i, r);
#ifdef MUTANT_WRITTEN_LEAVES_OTHERS
        if
        :: state[at(i, r)] == modified -> state[at(i, r)] = shared
        :: else
        fi;
#else
        state[at(i, r)] = invalid;
#endif
        overtake(i, r)
    }
    fact_newest[at(p, r)] = !fact_failed[p];
    state[at(p, r)] = modified;
    lost[r] = 0;
    fresh[r] = 0;
    check(r)
}

inline drop(p, r, kept)
{
    if
    :: alone(p, r) -> kept++
    :: else ->
        overtake_around(p, r);
        if
        :: current(p, r) -> without(p, r)
        :: else
        fi
    fi;
    check(r)
}

/* The fact: that memory has any contents at all. */
inline spoilt(p, r)
{
    fact_spoil(p, r);
    overtake_around(p, r);
    if
    :: alone(p, r) -> state[at(p, r)] = invalid;
#ifndef MUTANT_SPOILT_ROWS_KEPT
        lost[r] = 1
#else
        state[at(p, r)] = modified
#endif
    :: else -> if
               :: current(p, r) -> without(p, r)
               :: else
               fi
    fi;
    check(r)
}

inline place_failed(p)
{
    for (j : 0 .. ROWS - 1) {
        if
        :: alone(p, j) -> state[at(p, j)] = invalid;
#ifndef MUTANT_LOSS_UNREPORTED
            lost[j] = 1
#endif
        :: else -> if
                   :: current(p, j) -> without(p, j)
                   :: else
                   fi
        fi;
        overtake_around(p, j)
    }
    for (each : 0 .. ROWS - 1) {
        check(each)
    }
    each = 0
}
