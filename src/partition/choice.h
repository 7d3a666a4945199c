/* choice.h - PURE. Which of two kernels that do the same work is the faster one on a device, found
 * while the work is done (docs/adr/011).
 *
 * In a session the device makes its chunks with both by turns. All of them are short: as long as
 * what the better one so far does in some milliseconds, so that it costs little to have tried the
 * other one, however slow. A kernel's first chunk may have been warming up (a driver loads its
 * code, memory is touched) and counts only until there is another. A chunk costs something beside
 * its items, and small ones do not fill a GPU: so what counts are pairs of chunks of nearly one
 * size, by one and by the other. Sessions go on from job to job, so jobs of one chunk are tried
 * too.
 *
 * What a chunk of some milliseconds costs beside its items (lanes that wait for the longest walk,
 * launches) can hide which kernel is the faster one in chunks as long as the device really gets, or
 * where chunks overlap. So there are further rounds, with chunks four times as long each, as long
 * as that costs a few hundredths of a job, until the winner is also who adds less time for more
 * items: then it wins at all larger sizes. Where jobs are too short for that and the two are near
 * each other, whole jobs are made by one and by the other, with all that happens in them.
 *
 * After the session the faster one makes all chunks, until it has worked a hundred times as
 * long as the other one's turns took; then a job begins with another session. So being sure of the
 * choice costs about a hundredth.
 */
#ifndef YK_PARTITION_CHOICE_H
#define YK_PARTITION_CHOICE_H

#include <stddef.h>
#include <stdint.h>

enum { YK_FORMS = 2 }; /* of a job's work: its kernel, and the alternative */

enum { YK_CHOICE_SINGLES = 4 };
struct yk_choice_form {
    int chunks;       /* that ended in this session; */
    double spent_ns;  /* how long they took, */
    double items, ns; /* and those that count */
    struct yk_choice_single {
        double items, ns;
    } last, singles[YK_CHOICE_SINGLES]; /* the latest, and those that have no other one yet; 0: none
                                         */
};

/* A mean chunk of a round that is over. */
struct yk_choice_size {
    double items, ns[YK_FORMS];
};

/* Why a chunk is made by the kernel it is made by. */
enum yk_tries {
    YK_TRIES_NOTHING,
    YK_TRIES_CHUNK, /* it is measured by itself, so with no other one beside it where the device
                       works on several at once */
    YK_TRIES_JOB    /* all of its job's are made by this kernel, as if it were settled */
};

struct yk_choice {
    struct yk_choice_form forms[YK_FORMS];
    double rates[YK_FORMS]; /* items per ns in the latest round that ended; 0: none did */
    int best;               /* the faster one, as far as is known; -1: none has ended a chunk */
    int settled;            /* the session is over */
    int recalled;           /* that `best` is the faster one is known from an earlier process */
    int stood;              /* the one that the other one has to beat: best when it began */
    int led;                /* the first that ended a chunk in it; -1: none did */
    int round;              /* of the session; chunks are longer in each, */
    struct yk_choice_size before; /* what the one before this showed; items 0: there was none */
    double range;                 /* items of the latest job */
    int by_jobs;                  /* whole jobs by turns: */
    int job_form;                 /* who makes this one, */
    int counted;                  /* from its beginning */
    struct yk_choice_single job;  /* what it came to so far */
    int ended;                    /* chunks (or jobs) of this round, */
    int pairs;                    /* of these that count, */
    int won[YK_FORMS];            /* and in how many of them one was clearly faster */
    double worked_ns;             /* by the best one since it was over, */
    double patience_ns;           /* and after how much there is another session */
};

void yk_choice_open(struct yk_choice *choice);
/* A job begins: perhaps a session, too. */
void yk_choice_begin(struct yk_choice *choice);
/* Both have ended a chunk, in this session or an earlier one, be it another process's. */
int yk_choice_knows_both(const struct yk_choice *choice);
/* The form that was found to be the faster one; -1: that is not settled. */
int yk_choice_found(const struct yk_choice *choice);
/* Another process found that. Where something is known already it stays. */
void yk_choice_recall(struct yk_choice *choice, int form);

/* How long a chunk of a session may be, by what is known of the device's speed, where several
 * devices do the job; 0: it is not to try anything in this one. Who is slow beside the others would
 * have them wait for the end of its trial: cores, say, that take 20 ms for the least they can do,
 * in a job that a GPU does in 5. */
struct yk_choice_job {
    double least_ns;  /* what the device's least chunk takes */
    double others_ns; /* and the others for all that is to be done */
};
double yk_choice_spare_ns(const struct yk_choice *choice, const struct yk_choice_job *job);

/* Forms that may be wanted in a job, as bits, and which first. `settles`: nothing is tried in it.
 */
unsigned yk_choice_wants(const struct yk_choice *choice, int settles, int *first);

/* A device is about to get a chunk. */
struct yk_choice_asked {
    unsigned ready;      /* forms that it can run now, as bits; at least one */
    int out[YK_FORMS];   /* chunks of them that it has out */
    int settles;         /* 1: nothing is to be tried in this job */
    double spare_ns;     /* the longest that a chunk of a session may be; 0: there is no limit */
    int64_t range, fill; /* items of the job, and the least that a chunk should have */
};
struct yk_choice_turn {
    int form;
    enum yk_tries tries;
    int64_t most; /* items that it may have; 0: any number */
};
void yk_choice_next(const struct yk_choice *choice, const struct yk_choice_asked *asked,
                    struct yk_choice_turn *out);

/* The chunk ended: `items` in so much of the device's time. What the device can do is now what the
 * best one can. */
struct yk_choice_chunk {
    int form;
    enum yk_tries tries;
    int64_t items;
    double ns;
    int64_t range; /* items of its job; 0: such a chunk is all there is */
};
void yk_choice_note(struct yk_choice *choice, const struct yk_choice_chunk *chunk);

/* How they compare, with their names; "" as long as nobody knows. */
void yk_choice_explain(const struct yk_choice *choice, const char *const names[YK_FORMS],
                       char *text, size_t size);

#endif
