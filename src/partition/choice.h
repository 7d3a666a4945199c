/* choice.h - PURE. Which of two kernels that do the same work is the faster one on a device, found
 * while the work is done (docs/adr/011).
 *
 * In a session the device makes its chunks with both kernels by turns. Each chunk has as many items
 * as the better kernel so far does in some milliseconds, so a chunk by the other one costs little.
 * A kernel's first chunk may include warming up (a driver loads its code, memory is touched) and is
 * ignored as soon as there is another. Small chunks have more overhead and do not fill a GPU; so
 * the session compares pairs of chunks of nearly the same size, one by each kernel. A session may
 * last for several jobs, so jobs of one chunk can take part.
 *
 * In chunks of some milliseconds, overhead (lanes that wait for the slowest one, launches) can hide
 * which kernel is faster in normal chunks, which are longer and overlap. So further rounds follow,
 * each with chunks four times as long, while they cost only a few hundredths of a job. They end
 * when the winner also needs less time per added item: then it wins at all larger sizes. If jobs
 * are too short for that and the two kernels are nearly equal, each makes whole jobs in turn, and
 * these are compared with all their overhead.
 *
 * After the session the faster kernel makes all chunks, until it has worked a hundred times as long
 * as the other one's turns took; the next job then begins with another session. So sessions cost
 * about a hundredth of the time.
 */
#ifndef YK_PARTITION_CHOICE_H
#define YK_PARTITION_CHOICE_H

#include <stddef.h>
#include <stdint.h>

enum { YK_FORMS = 2 }; /* the forms of a job's work: by its kernel or by the alternative */

enum { YK_CHOICE_SINGLES = 4 };
struct yk_choice_form {
    int chunks;       /* number of its chunks that ended in this session */
    double spent_ns;  /* ns they took */
    double items, ns; /* sums over the chunks that count */
    struct yk_choice_single {
        double items, ns;
    } last, singles[YK_CHOICE_SINGLES]; /* the latest chunk, and those without a partner; items
                                         * 0: none */
};

/* Mean chunk of a finished round. */
struct yk_choice_size {
    double items, ns[YK_FORMS];
};

/* Why the chunk's kernel was chosen. */
enum yk_tries {
    YK_TRIES_NOTHING,
    YK_TRIES_CHUNK, /* the chunk is measured by itself, so the device gets no other one at the
                     * same time */
    YK_TRIES_JOB    /* this kernel makes all chunks of its job, as if the choice were settled */
};

struct yk_choice {
    struct yk_choice_form forms[YK_FORMS];
    double rates[YK_FORMS]; /* items per ns in the latest finished round; 0: there was none */
    int best;               /* the faster one, as far as is known; -1: none has ended a chunk */
    int settled;            /* the session is over */
    int recalled;           /* `best` comes from an earlier process */
    int stood;              /* the form that the other one must beat: `best` when the session
                             * began */
    int led;                /* the first form that ended a chunk in the session; -1: none did */
    int round;              /* round of the session; chunks are longer in each */
    struct yk_choice_size before; /* the result of the round before; items 0: there was none */
    double range;                 /* items of the latest job */
    int by_jobs;                  /* 1: the forms make whole jobs in turn: */
    int job_form;                 /* form that makes this job */
    int counted;                  /* 1: this job is measured from its beginning */
    struct yk_choice_single job;  /* its sums so far */
    int ended;                    /* chunks (or jobs) of this round */
    int pairs;                    /* pairs of these that count */
    int won[YK_FORMS];            /* pairs in which this form was clearly faster */
    double worked_ns;             /* work by the best form since the session */
    double patience_ns;           /* worked_ns at which another session begins */
};

void yk_choice_open(struct yk_choice *choice);
/* Call it when a job begins. Begins a session if it is time for one. */
void yk_choice_begin(struct yk_choice *choice);
/* Returns 1 if both forms have ended a chunk in this session, or an earlier session or process
 * found the faster one. */
int yk_choice_knows_both(const struct yk_choice *choice);
/* The form that was found to be faster; -1: not settled. */
int yk_choice_found(const struct yk_choice *choice);
/* Takes over what an earlier process found, unless something is known already. */
void yk_choice_recall(struct yk_choice *choice, int form);

/* Returns the longest time that a chunk of a session may take if several devices do the job, by the
 * device's known speed; 0: try nothing in this job. Without this limit the others would wait for
 * the trial of a slow device: cores, say, that need 20 ms for their least chunk, in a job that a
 * GPU does in 5. */
struct yk_choice_job {
    double least_ns;  /* ns of the device's least chunk */
    double others_ns; /* ns of the others for the whole job */
};
double yk_choice_spare_ns(const struct yk_choice *choice, const struct yk_choice_job *job);

/* Returns the forms that a job may need, as bits, and sets *first to the one needed first.
 * `settles`: nothing is tried in the job. */
unsigned yk_choice_wants(const struct yk_choice *choice, int settles, int *first);

/* A device is about to get a chunk. */
struct yk_choice_asked {
    unsigned ready;      /* forms that it can run now, as bits; at least one */
    int out[YK_FORMS];   /* chunks of each form that the device has out */
    int settles;         /* 1: nothing is to be tried in this job */
    double spare_ns;     /* longest allowed duration of a session's chunk; 0: no limit */
    int64_t range, fill; /* items of the job; smallest efficient chunk */
};
struct yk_choice_turn {
    int form;
    enum yk_tries tries;
    int64_t most; /* most items of the chunk; 0: any number */
};
void yk_choice_next(const struct yk_choice *choice, const struct yk_choice_asked *asked,
                    struct yk_choice_turn *out);

/* A chunk that ended: the device did `items` in `ns`. */
struct yk_choice_chunk {
    int form;
    enum yk_tries tries;
    int64_t items;
    double ns;
    int64_t range; /* items of its job; 0: the job is no larger than such a chunk */
};
void yk_choice_note(struct yk_choice *choice, const struct yk_choice_chunk *chunk);

/* Writes how the forms compare, by their names; "" while that is unknown. */
void yk_choice_explain(const struct yk_choice *choice, const char *const names[YK_FORMS],
                       char *text, size_t size);

#endif
