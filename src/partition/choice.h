/* choice.h - PURE. Which of two kernels that do the same work is the faster one on a device, found
 * while the work is done (docs/adr/011).
 *
 * In a trial the device makes chunks with both kernels by turns, and pairs of chunks of nearly the
 * same size are compared. A kernel's first chunk may include warming up (a driver loads its code)
 * and is in no pair. Small chunks cost little, but their overhead can hide which kernel is faster
 * in normal ones. So pairs grow, up to whole jobs, as far as the budget (trial.h) allows what they
 * are predicted to lose. A trial ends when pairs are as large as normal chunks, or when the winner
 * also adds less time for added items. It is repeated after some times as much work. */
#ifndef YK_PARTITION_CHOICE_H
#define YK_PARTITION_CHOICE_H

#include <stddef.h>
#include <stdint.h>

enum { YK_FORMS = 2 }; /* the forms of a job's work: by its kernel or by the alternative */

/* Why the chunk's kernel was chosen. */
enum yk_tries {
    YK_TRIES_NOTHING,
    YK_TRIES_CHUNK, /* the chunk is measured by itself, so the device gets no other one at the
                     * same time */
    YK_TRIES_JOB    /* this kernel makes all chunks of its job, as if the choice were settled */
};

struct yk_choice {
    int best;              /* the faster form, as far as is known; -1: no chunk has ended */
    int stood;             /* the form that the other one must beat */
    int settled, measured; /* 1: no trial is going on; there was a pair */
    double fixed_ns[YK_FORMS], item_ns[YK_FORMS]; /* predicted time of a chunk; 0: unknown */
    double range, usual;      /* items in a job; in a chunk outside trials, 0: unknown */
    double all_ns, begun_ns;  /* time of all work, without losses; when the job began */
    double lost_ns, until_ns; /* lost by trials; all_ns at the next trial, 0: none has ended */
    struct yk_choice_single {
        double items, ns;
    } job, single[YK_FORMS]; /* sums over the job; chunks without a partner, items 0: none */
    int job_chunks, mixed;   /* chunks in `job`; 1: others were on trial */
    int by_jobs, job_form;   /* 1: whole jobs are compared; form on trial in this one, -1: none */
    int chunks[YK_FORMS];    /* chunks that ended in the trial */
    int ended, pairs;        /* chunks of the present size; pairs of them */
    double most;             /* items of a chunk of the present size; 0: not known yet */
    double logs;             /* sum of the logarithms of its pairs' ratios */
    double squares, freedom; /* their squared deviations and degrees of freedom, all sizes */
    int has_line;            /* 1: the last two sizes differ enough for a line through both: */
    struct yk_choice_size {
        double items, ns[YK_FORMS];
    } size, before; /* means of pairs of the present size and of the one before; items 0: none */
};

void yk_choice_open(struct yk_choice *choice);
/* Call it when a job begins. Begins a trial if it is time for one. */
void yk_choice_begin(struct yk_choice *choice);
/* Returns 1 if both forms have ended a chunk, or an earlier process found the faster one. */
int yk_choice_knows_both(const struct yk_choice *choice);
/* The form that was found to be faster; -1: not known. */
int yk_choice_found(const struct yk_choice *choice);
/* Takes over what an earlier process found, unless something is known already. */
void yk_choice_recall(struct yk_choice *choice, int form);

/* Returns the longest time of a trial's chunk if several devices do the job: the device needs
 * `least_ns` for its least chunk, the others `others_ns` for the whole job. 0: try nothing in this
 * job. Otherwise the others would wait for slow cores that need 20 ms for their least chunk, in a
 * job that a GPU does in 5. */
double yk_choice_spare_ns(const struct yk_choice *choice, double least_ns, double others_ns);

/* Returns the forms that a job may need, as bits, and sets *first to the one needed first.
 * spare_ns 0: nothing is tried in the job. */
unsigned yk_choice_wants(const struct yk_choice *choice, double spare_ns, int *first);

/* A device is about to get a chunk. */
struct yk_choice_asked {
    unsigned ready;      /* forms that it can run now, as bits; at least one */
    int out[YK_FORMS];   /* chunks of each form that the device has out */
    double spare_ns;     /* longest time of a trial's chunk; 0: nothing is tried in this job */
    int64_t range, fill; /* items that it is expected to do in the job; smallest efficient chunk */
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
    int64_t range; /* as in yk_choice_asked */
};
void yk_choice_note(struct yk_choice *choice, const struct yk_choice_chunk *chunk);

/* Writes how the forms compare, by their names; "" while that is unknown. */
void yk_choice_explain(const struct yk_choice *choice, const char *const names[YK_FORMS],
                       char *text, size_t size);

#endif
