/* choice.h - PURE. Which of two kernels that do the same work is the faster one on a device, found
 * while the work is done (docs/adr/011).
 *
 * In a session the device makes its chunks with both by turns. All of them are short: as long as
 * what the better one so far does in some milliseconds, so that it costs little to have tried the
 * other one, however slow. A kernel's first chunk may have been warming up (a driver loads its
 * code, memory is touched) and counts only until there is another. A chunk costs something beside
 * its items, and small ones do not fill a GPU: so what counts are pairs of chunks of nearly one
 * size, by one and by the other. Sessions go on from job to job, so jobs of one chunk are tried
 * too. After the session the faster one makes all chunks, until it has worked a hundred times as
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

struct yk_choice {
    struct yk_choice_form forms[YK_FORMS];
    double rates[YK_FORMS]; /* items per ns in the latest session that ended; 0: none did */
    int best;               /* the faster one, as far as is known; -1: none has ended a chunk */
    int settled;            /* the session is over */
    int stood;              /* the one that the other one has to beat: best when it began */
    int led;                /* the first that ended a chunk in it; -1: none did */
    int pairs;              /* of chunks that count, */
    int won[YK_FORMS];      /* and in how many of them one was clearly faster */
    double worked_ns;       /* by the best one since it was over, */
    double patience_ns;     /* and after how much there is another session */
};

void yk_choice_open(struct yk_choice *choice);
/* A job begins: perhaps a session, too. */
void yk_choice_begin(struct yk_choice *choice);
/* Both have ended a chunk, in this session or an earlier one. */
int yk_choice_knows_both(const struct yk_choice *choice);

/* A device is about to get a chunk. */
struct yk_choice_asked {
    unsigned ready;      /* forms that it can run now, as bits; at least one */
    int out[YK_FORMS];   /* chunks of them that it has out */
    int64_t range, fill; /* items of the job, and the least that a chunk should have */
};
struct yk_choice_turn {
    int form;
    int tries;    /* it is one of a session: to be measured, so with no other one beside it where
                     the device works on several at once */
    int64_t most; /* items that it may have; 0: any number */
};
void yk_choice_next(const struct yk_choice *choice, const struct yk_choice_asked *asked,
                    struct yk_choice_turn *out);

/* The chunk ended: `items` in so much of the device's time. What the device can do is now what the
 * best one can. */
struct yk_choice_chunk {
    int form, tries;
    int64_t items;
    double ns;
};
void yk_choice_note(struct yk_choice *choice, const struct yk_choice_chunk *chunk);

/* How they compare, with their names; "" as long as nobody knows. */
void yk_choice_explain(const struct yk_choice *choice, const char *const names[YK_FORMS],
                       char *text, size_t size);

#endif
