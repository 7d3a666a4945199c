/* choice_round.c - see choice.h: the results of chunks and jobs by one and by the other kernel. */
#include "choice_round.h"

#include <math.h>
#include <string.h>

/* A round is over when each form's counted chunks took MEASURED_NS and enough pairs agree, at
 * MEASURED_PAIRS pairs, or at the latest after ENOUGH_CHUNKS chunks. */
#define MEASURED_NS 2e6
enum { MEASURED_PAIRS = 4, ENOUGH_CHUNKS = 40 };
/* One pair may have been measured while the device was busy with something else. So there are
 * MAJORITY_OF pairs and the majority decides, unless one form is DECISIVE times as fast. */
#define DECISIVE 3.0
enum { MAJORITY_OF = 3 };
/* In later rounds, whose chunks are longer, one pair that differs by this factor is enough, or two
 * pairs with the same winner. */
#define CLEARLY 1.1
/* A growing chunk is at most this part of a job. */
#define PART_MOST 0.125
/* The cost of a round's pairs, the slower form's extra time, is at most AFFORDED of a job. */
#define ROUND_PAIRS 2
#define AFFORDED    0.03
/* Whole jobs are tried if the slower form takes at most NEAR times as long, and the job no longer
 * than JOBS_NS. */
#define NEAR    1.25
#define JOBS_NS 1e9
enum { ENOUGH_JOBS = 12 };
/* Chunks that differ by no more than this factor have nearly the same size. A device whose chunks
 * are as large as in the round before will not get larger ones. */
#define LIKE 1.5
/* Longer than any warming up takes (a driver that loads code: some ms). */
#define WARM_NS 50e6
/* A form that is faster by no more than this part changes nothing. */
#define MARGIN 0.02
/* Between sessions the best form works at least this long, and twice as long after each session
 * that changed nothing. */
#define PATIENCE_LEAST_NS 1e9

/* The very first chunk may have waited for more than code: for rows and memory that both forms use.
 */
int yk_choice_is_hopeless(const struct yk_choice *choice, int form)
{
    const struct yk_choice_form *mine = &choice->forms[form], *other = &choice->forms[1 - form];
    if (mine->chunks != 1 || other->chunks < 2 || choice->led == form)
        return 0;
    return mine->last.ns - WARM_NS > YK_CHOICE_HOPELESS * mine->last.items / yk_choice_rate(other);
}

/* The form that stood stays unless the other one is clearly faster. */
static int faster_of(const struct yk_choice *choice)
{
    const int stood = choice->stood, other = 1 - stood;
    const double mine = yk_choice_rate(&choice->forms[stood]),
                 theirs = yk_choice_rate(&choice->forms[other]);
    if (choice->pairs >= MAJORITY_OF)
        return choice->won[other] > choice->won[stood] ? other : stood;
    return theirs > 0 && theirs > (1 + MARGIN) * mine ? other : stood;
}

static void add(struct yk_choice_form *form, const struct yk_choice_single *chunk)
{
    form->items += chunk->items;
    form->ns += chunk->ns;
}

static int are_alike(const struct yk_choice_single *a, const struct yk_choice_single *b)
{
    return a->items <= LIKE * b->items && b->items <= LIKE * a->items;
}

static void note_winner(struct yk_choice *choice, int form, const struct yk_choice_single *theirs)
{
    const struct yk_choice_single *mine = &choice->forms[form].last;
    const double ratio = mine->items / mine->ns * theirs->ns / theirs->items;
    choice->won[form] += ratio > 1 + MARGIN;
    choice->won[1 - form] += ratio < 1 / (1 + MARGIN);
}

/* Pairs the latest chunk of `form` with one of the other form's, or stores it until one comes. */
static void count(struct yk_choice *choice, int form)
{
    struct yk_choice_form *mine = &choice->forms[form], *other = &choice->forms[1 - form];
    int i;
    for (i = 0; i < YK_CHOICE_SINGLES && !are_alike(&mine->last, &other->singles[i]); i++)
        continue;
    if (i == YK_CHOICE_SINGLES) {
        mine->singles[mine->chunks % YK_CHOICE_SINGLES] = mine->last;
        return;
    }
    add(mine, &mine->last);
    add(other, &other->singles[i]);
    note_winner(choice, form, &other->singles[i]);
    other->singles[i] = (struct yk_choice_single){ 0 };
    choice->pairs++;
}

static void note_rates(struct yk_choice *choice)
{
    for (int f = 0; f < YK_FORMS; f++)
        choice->rates[f] = yk_choice_rate(&choice->forms[f]);
}

static void settle(struct yk_choice *choice)
{
    const struct yk_choice_form *other = &choice->forms[1 - choice->best];
    double patience = YK_CHOICE_PATIENCE * other->spent_ns;
    if (choice->best == choice->stood)
        patience = fmax(patience, 2 * choice->patience_ns);
    choice->patience_ns = fmax(patience, PATIENCE_LEAST_NS);
    choice->worked_ns = 0;
    choice->settled = 1;
    choice->by_jobs = 0;
    note_rates(choice);
}

/* --- rounds --- */

static void begin_round(struct yk_choice *choice)
{
    for (int f = 0; f < YK_FORMS; f++) {
        struct yk_choice_form *form = &choice->forms[f];
        form->items = form->ns = 0;
        memset(form->singles, 0, sizeof form->singles);
    }
    choice->pairs = choice->ended = choice->won[0] = choice->won[1] = 0;
}

/* Number of pairs that decide the round. */
static int enough_pairs(const struct yk_choice *choice)
{
    const double ratio = yk_choice_rate(&choice->forms[0]) / yk_choice_rate(&choice->forms[1]);
    const double by = ratio > 1 ? ratio : 1 / ratio;
    if (choice->round == 0 && !choice->by_jobs)
        return by > DECISIVE ? 1 : MAJORITY_OF;
    if (by > CLEARLY)
        return 1;
    return choice->won[0] == 0 || choice->won[1] == 0 ? 2 : MAJORITY_OF;
}

static int round_is_over(const struct yk_choice *choice)
{
    const struct yk_choice_form *forms = choice->forms;
    if (choice->pairs >= MEASURED_PAIRS ||
        choice->ended >= (choice->by_jobs ? ENOUGH_JOBS : ENOUGH_CHUNKS))
        return 1;
    return choice->pairs > 0 && choice->pairs >= enough_pairs(choice) &&
           (choice->by_jobs || (forms[0].ns >= MEASURED_NS && forms[1].ns >= MEASURED_NS));
}

/* Mean chunk of the round, with its time by each form. */
static struct yk_choice_size size_of(const struct yk_choice *choice)
{
    const struct yk_choice_form *forms = choice->forms;
    const double items = (forms[0].items + forms[1].items) / (2.0 * choice->pairs);
    return (struct yk_choice_size){
        items, { items / yk_choice_rate(&forms[0]), items / yk_choice_rate(&forms[1]) }
    };
}

/* The chunks of the round before were so much shorter that growth with size can be seen. */
static int has_grown(const struct yk_choice *choice, const struct yk_choice_size *now)
{
    return choice->before.items > 0 && now->items > LIKE * choice->before.items;
}

/* For longer chunks the best form adds no more time than the other, so it wins at all sizes. */
static int wins_beyond(const struct yk_choice *choice, const struct yk_choice_size *now)
{
    const struct yk_choice_size *before = &choice->before;
    const int best = choice->best;
    const double mine = now->ns[best] - before->ns[best];
    const double theirs = now->ns[1 - best] - before->ns[1 - best];
    return has_grown(choice, now) && mine <= (1 + MARGIN) * theirs;
}

static int are_near(const struct yk_choice_size *now)
{
    return fmax(now->ns[0], now->ns[1]) <= NEAR * fmin(now->ns[0], now->ns[1]);
}

static int may_grow(const struct yk_choice *choice, const struct yk_choice_size *now)
{
    const struct yk_choice_size *before = &choice->before;
    const double least = fmin(now->ns[0], now->ns[1]), by = fmax(now->ns[0], now->ns[1]) / least;
    const double cost = ROUND_PAIRS * (by - 1) * YK_CHOICE_GROWTH * least;
    if ((before->items > 0 && !has_grown(choice, now)) ||
        YK_CHOICE_GROWTH * now->items > PART_MOST * choice->range)
        return 0;
    return cost <= AFFORDED * least * choice->range / now->items;
}

/* Chunks do not represent whole jobs, and jobs are short and cost nearly the same with either form.
 */
static int may_try_jobs(const struct yk_choice *choice, const struct yk_choice_size *now)
{
    return are_near(now) && fmin(now->ns[0], now->ns[1]) * choice->range / now->items <= JOBS_NS;
}

static void end_round(struct yk_choice *choice)
{
    const struct yk_choice_size now = size_of(choice);
    const double by = now.ns[0] / now.ns[1];
    if (choice->by_jobs || choice->pairs == 0 || by > DECISIVE || by < 1 / DECISIVE ||
        now.items * LIKE >= choice->range || wins_beyond(choice, &now)) {
        settle(choice);
        return;
    }
    if (may_grow(choice, &now)) {
        choice->round++;
        choice->before = now;
    } else if (may_try_jobs(choice, &now)) {
        choice->by_jobs = 1;
        choice->job_form = choice->best;
        choice->counted = 0;
    } else { /* the other form wins at chunk sizes longer than may be tried */
        if (has_grown(choice, &now) && are_near(&now))
            choice->best = 1 - choice->best;
        settle(choice);
        return;
    }
    note_rates(choice);
    begin_round(choice);
}

/* Adds the result of a chunk or a job. */
static void note_single(struct yk_choice *choice, int form)
{
    choice->ended++;
    if (choice->forms[form].chunks++ > 0)
        count(choice, form);
    if (choice->pairs > 0 || (choice->round == 0 && !choice->by_jobs))
        choice->best = faster_of(choice);
    if (yk_choice_is_hopeless(choice, 0) || yk_choice_is_hopeless(choice, 1))
        settle(choice);
    else if (round_is_over(choice))
        end_round(choice);
}

/* Jobs alternate as chunks do, the best form first: ABBABAAB. */
static void end_job(struct yk_choice *choice)
{
    const int form = choice->job_form;
    if (choice->counted && choice->job.items > 0) {
        choice->forms[form].last = choice->job;
        note_single(choice, form);
        if (!choice->settled && __builtin_parity((unsigned)choice->ended) !=
                                    __builtin_parity((unsigned)choice->ended - 1))
            choice->job_form = 1 - form;
    }
    choice->job = (struct yk_choice_single){ 0 };
    choice->counted = 1;
}

void yk_choice_begin(struct yk_choice *choice)
{
    if (choice->by_jobs)
        end_job(choice);
    if (!choice->settled || choice->worked_ns < choice->patience_ns)
        return;
    memset(choice->forms, 0, sizeof choice->forms);
    choice->settled = choice->round = 0;
    choice->before = (struct yk_choice_size){ 0 };
    choice->stood = choice->best;
    choice->led = -1;
    begin_round(choice);
}

/* Work by the best form outside trials earns time for sessions, and for a trial that was put off.
 */
static void note_work(struct yk_choice *choice, const struct yk_choice_chunk *chunk, double ns)
{
    if (chunk->form == choice->best && (choice->settled || !chunk->tries))
        choice->worked_ns += ns;
}

void yk_choice_note(struct yk_choice *choice, const struct yk_choice_chunk *chunk)
{
    struct yk_choice_form *form = &choice->forms[chunk->form];
    const double ns = chunk->ns > 1 ? chunk->ns : 1;
    if (chunk->items <= 0)
        return;
    if (choice->best < 0)
        choice->best = chunk->form;
    note_work(choice, chunk, ns);
    if (choice->settled || !chunk->tries)
        return;
    form->spent_ns += ns;
    if (choice->by_jobs) { /* chunks of the round before may still arrive */
        const int counts = chunk->tries == YK_TRIES_JOB && chunk->form == choice->job_form;
        choice->job.items += counts ? (double)chunk->items : 0;
        choice->job.ns += counts ? ns : 0;
        return;
    }
    if (choice->led < 0)
        choice->led = chunk->form;
    choice->range = (double)chunk->range;
    form->last = (struct yk_choice_single){ (double)chunk->items, ns };
    note_single(choice, chunk->form);
}
