/* choice.c - see choice.h. */
#include "choice.h"

#include <math.h>
#include <stdio.h>

#include "../base/words.h"
#include "../model/cost.h"
#include "trial.h"

/* An unknown form is expected to take up to this many times as long as the other one. */
#define HOPELESS 3.0
/* Chunks that differ by no more than this factor have nearly the same size. */
#define LIKE 1.5
/* A form that is faster by no more than this part changes nothing. */
#define MARGIN 0.02
/* ns of work until a result of an earlier process is checked. */
#define RECALLED_NS 10e9
/* Part of a job for the first pairs: with it the budget covers the chunk that warms up, pairs of
 * this size, and one of the next. */
#define FIRST (YK_TRIAL_BUDGET / (1 + YK_LASTING + YK_TRIAL_AGAIN))
/* Part of a job for the largest pairs, so that all of them fit in it. */
#define LARGEST (0.5 / YK_TRIAL_TELLING)

/* --- predictions --- */

static double time_of(const struct yk_choice *choice, int form, double items)
{
    return choice->fixed_ns[form] + choice->item_ns[form] * items;
}

static int is_known(const struct yk_choice *choice, int form)
{
    return time_of(choice, form, 1) > 0;
}

/* ns that a chunk by this form loses; 0 if that is unknown. */
static double loss_of(const struct yk_choice *choice, int form, double items)
{
    if (form == choice->best || !is_known(choice, form))
        return 0;
    return fmax(0, time_of(choice, form, items) - time_of(choice, choice->best, items));
}

/* Items of a normal chunk. */
static double usual_items(const struct yk_choice *choice)
{
    return choice->usual > 0 ? choice->usual : choice->range;
}

static double job_loss(const struct yk_choice *choice, int form)
{
    const double items = usual_items(choice);
    return loss_of(choice, form, items) * choice->range / items;
}

/* Time of all work up to the end of the job, which is done in normal chunks. */
static double total_ns(const struct yk_choice *choice, double range)
{
    const double items = fmin(usual_items(choice), range);
    const double job_ns =
        choice->best < 0 || !(items > 0) ? 0 : time_of(choice, choice->best, items) * range / items;
    return fmax(choice->all_ns, choice->begun_ns + job_ns);
}

/* Pairs of one small size do not show which part of the time is overhead, so nothing is known about
 * normal chunks yet. */
static int is_first(const struct yk_choice *choice)
{
    return choice->until_ns <= 0 && !choice->by_jobs && !choice->has_line;
}

/* ns that trials may still lose. At first they may lose as much as there is work, because the other
 * form might save as much; the next trials wait until that is a small part. */
static double budget(const struct yk_choice *choice, double range)
{
    const double part = is_first(choice) ? 1 : YK_TRIAL_BUDGET;
    return part * total_ns(choice, range) - choice->lost_ns;
}

void yk_choice_open(struct yk_choice *choice)
{
    *choice = (struct yk_choice){ .best = -1, .job_form = -1 };
}

int yk_choice_knows_both(const struct yk_choice *choice)
{
    return choice->until_ns > 0 || (is_known(choice, 0) && is_known(choice, 1));
}

int yk_choice_found(const struct yk_choice *choice)
{
    return choice->measured || choice->until_ns > 0 ? choice->best : -1;
}

void yk_choice_recall(struct yk_choice *choice, int form)
{
    if (choice->best >= 0)
        return;
    choice->best = choice->stood = form;
    choice->settled = 1;
    choice->until_ns = RECALLED_NS;
}

/* --- turns --- */

/* The turns follow the Thue-Morse sequence, ABBABAAB: it has no period, so each form gets chunks of
 * all sizes, however sizes repeat. Chunks of the other form that are out may show that it needs no
 * more. */
static int whose_turn(const struct yk_choice *choice, const int *out)
{
    const int own = choice->best < 0 ? choice->stood : choice->best;
    const int turns = choice->ended + out[0] + out[1];
    return out[1 - own] > 0 ? own : choice->stood ^ __builtin_parity((unsigned)turns);
}

static double most_items(const struct yk_choice *choice, const struct yk_choice_asked *asked)
{
    const double range = (double)asked->range;
    const double job_ns = choice->best < 0 ? 0 : time_of(choice, choice->best, range);
    const double most = choice->most > 0 ? choice->most : range * FIRST / (HOPELESS - 1);
    return floor(fmax(fmin(most, range * fmin(1, asked->spare_ns / job_ns)), (double)asked->fill));
}

void yk_choice_next(const struct yk_choice *choice, const struct yk_choice_asked *asked,
                    struct yk_choice_turn *out)
{
    const double most = most_items(choice, asked);
    const int turn = whose_turn(choice, asked->out), both = asked->ready == (1u << YK_FORMS) - 1;
    const int tries = !choice->settled && asked->spare_ns > 0;
    *out = (struct yk_choice_turn){ .form = choice->best < 0 ? choice->stood : choice->best };
    if (tries && choice->job_form >= 0)
        *out = (struct yk_choice_turn){ .form = choice->job_form, .tries = YK_TRIES_JOB };
    else if (tries && both && !choice->by_jobs &&
             loss_of(choice, turn, most) <= budget(choice, (double)asked->range))
        *out = (struct yk_choice_turn){ turn, YK_TRIES_CHUNK, (int64_t)most };
    if (!(asked->ready >> out->form & 1))
        *out = (struct yk_choice_turn){ .form = 1 - out->form };
}

double yk_choice_spare_ns(const struct yk_choice *choice, double least_ns, double others_ns)
{
    if (HOPELESS * least_ns <= others_ns)
        return others_ns / HOPELESS;
    return HOPELESS * least_ns <= YK_TRIAL_BUDGET * choice->all_ns - choice->lost_ns ? least_ns : 0;
}

unsigned yk_choice_wants(const struct yk_choice *choice, double spare_ns, int *first)
{
    const int tries = !choice->settled && spare_ns != 0;
    *first = choice->best < 0 ? 0 : choice->best;
    if (tries && choice->job_form >= 0)
        *first = choice->job_form;
    return tries && !choice->by_jobs ? (1u << YK_FORMS) - 1 : 1u << *first;
}

/* --- results --- */

static void begin_size(struct yk_choice *choice, double most)
{
    choice->most = most;
    choice->ended = choice->pairs = 0;
    choice->logs = choice->single[0].items = choice->single[1].items = 0;
    choice->job_form = -1;
}

/* Pairs begin with what costs as little as in the first trial, by the ratio that is known now. */
static void begin_trial(struct yk_choice *choice)
{
    const double range = choice->range, loss_ns = loss_of(choice, 1 - choice->best, range);
    const double part = FIRST * time_of(choice, choice->best, range) / loss_ns;
    const double most = fmin(usual_items(choice), range * fmin(part, LARGEST / YK_TRIAL_AGAIN));
    begin_size(choice, choice->measured ? most : 0);
    choice->stood = choice->best;
    choice->settled = choice->by_jobs = choice->chunks[0] = choice->chunks[1] = 0;
    choice->squares = choice->freedom = 0;
    choice->size = choice->before = (struct yk_choice_size){ 0 };
}

/* Time by items: a line through the last two sizes, or else through 0. Neither the fixed time nor
 * that of an item is negative. */
static void draw_lines(struct yk_choice *choice)
{
    const struct yk_choice_size *size = &choice->size, none = { 0 };
    const struct yk_choice_size *from = choice->has_line ? &choice->before : &none;
    for (int f = 0; f < YK_FORMS; f++) {
        const double slope = (size->ns[f] - from->ns[f]) / (size->items - from->items);
        choice->item_ns[f] = fmin(fmax(0, slope), size->ns[f] / size->items);
        choice->fixed_ns[f] = size->ns[f] - choice->item_ns[f] * size->items;
    }
}

static void add_pair(struct yk_choice *choice, double items, const double ns[YK_FORMS])
{
    struct yk_choice_size *size = &choice->size;
    const double ratio = log(ns[1] / ns[0]), n = choice->pairs++;
    if (n > 0)
        choice->squares += pow(ratio - choice->logs / n, 2) * n / (n + 1);
    else
        choice->before = *size;
    choice->freedom += n > 0;
    choice->logs += ratio;
    size->items += (items - size->items) / (n + 1);
    for (int f = 0; f < YK_FORMS; f++)
        size->ns[f] += (ns[f] - size->ns[f]) / (n + 1);
    choice->measured = 1;
    choice->has_line =
        !choice->by_jobs && choice->before.items > 0 && size->items > LIKE * choice->before.items;
    draw_lines(choice);
}

/* Pairs a chunk with the other form's latest one, or stores it. Returns 1 if there is a new pair.
 */
static int pair_up(struct yk_choice *choice, int form, const struct yk_choice_single *mine)
{
    struct yk_choice_single *theirs = &choice->single[1 - form];
    const double items = (mine->items + theirs->items) / 2;
    double ns[YK_FORMS];
    if (mine->items > LIKE * theirs->items || theirs->items > LIKE * mine->items) {
        choice->single[form] = *mine;
        return 0;
    }
    ns[form] = items * mine->ns / mine->items;
    ns[1 - form] = items * theirs->ns / theirs->items;
    theirs->items = 0;
    add_pair(choice, items, ns);
    return 1;
}

/* The winner of the present size also wins in normal chunks. */
static int holds(const struct yk_choice *choice)
{
    const int best = choice->size.ns[1] < choice->size.ns[0];
    const double added_ns = choice->item_ns[best], others_ns = choice->item_ns[1 - best];
    return choice->by_jobs || LIKE * choice->size.items >= usual_items(choice) ||
           (choice->has_line && added_ns <= (1 + MARGIN) * others_ns);
}

/* The pairs tell enough. One is enough that agrees with a size before. */
static int is_clear(const struct yk_choice *choice)
{
    const struct yk_choice_size *size = &choice->size, *before = &choice->before;
    const int agrees =
        choice->has_line && (size->ns[1] < size->ns[0]) == (before->ns[1] < before->ns[0]);
    const double noise = sqrt(choice->squares / fmax(1, choice->freedom));
    return choice->pairs >= (agrees ? 1 : YK_LASTING) &&
           fabs(choice->logs) > YK_CLEAR * noise * sqrt(choice->pairs);
}

/* Settles, or goes on with larger chunks, or with whole jobs if chunks do not grow. If the budget
 * does not allow these, the better form so far is the result. */
static void judge(struct yk_choice *choice)
{
    const int stuck = choice->before.items > 0 && !choice->has_line;
    const double larger = YK_TRIAL_AGAIN * choice->size.items, range = choice->range;
    const int largest = stuck || larger > LARGEST * range, clear = is_clear(choice);
    const int told = clear || choice->pairs >= YK_TRIAL_TELLING;
    const int other = 1 - choice->best;
    const double loss_ns = largest ? job_loss(choice, other) : loss_of(choice, other, larger);
    const double left_ns = budget(choice, range);
    if (holds(choice) ? clear || (told && largest) : told && largest && loss_ns > left_ns) {
        choice->until_ns = YK_TRIAL_AGAIN * total_ns(choice, range);
        choice->settled = 1;
        choice->by_jobs = 0;
        choice->job_form = -1;
    } else if (told ||
               (choice->pairs >= YK_LASTING && !holds(choice) && YK_LASTING * loss_ns < left_ns)) {
        choice->by_jobs = largest;
        begin_size(choice, larger);
    }
}

/* A chunk or a job of a trial ended. */
static void note_single(struct yk_choice *choice, int form, const struct yk_choice_single *single)
{
    const double usual = usual_items(choice);
    const int paired = choice->chunks[form]++ > 0 && pair_up(choice, form, single);
    const int stood = choice->stood;
    choice->ended++;
    if (!choice->measured) {
        choice->item_ns[form] = single->ns / single->items;
        choice->most = single->items;
    }
    if (is_known(choice, 0) && is_known(choice, 1) && (choice->until_ns <= 0 || holds(choice)))
        choice->best = stood ^ (time_of(choice, stood, usual) >
                                (1 + MARGIN) * time_of(choice, 1 - stood, usual));
    if (paired)
        judge(choice);
}

/* Sums up what is of one kind in the job: all that is on trial, or all that is not. */
static void note_job(struct yk_choice *choice, const struct yk_choice_chunk *chunk, double ns)
{
    choice->mixed |= chunk->tries == YK_TRIES_CHUNK;
    if (choice->job_form < 0 ? chunk->tries != YK_TRIES_NOTHING
                             : chunk->tries != YK_TRIES_JOB || chunk->form != choice->job_form)
        return;
    choice->job.items += (double)chunk->items;
    choice->job.ns += ns;
    choice->job_chunks++;
}

void yk_choice_note(struct yk_choice *choice, const struct yk_choice_chunk *chunk)
{
    const struct yk_choice_single single = { (double)chunk->items, fmax(1, chunk->ns) };
    double loss_ns = 0;
    if (chunk->items <= 0)
        return;
    if (choice->best < 0)
        choice->best = choice->stood = chunk->form;
    if (chunk->form != choice->best && is_known(choice, choice->best))
        loss_ns = fmax(0, single.ns - time_of(choice, choice->best, single.items));
    choice->all_ns += single.ns - loss_ns;
    note_job(choice, chunk, single.ns);
    if (choice->settled || !chunk->tries)
        return;
    choice->lost_ns += is_known(choice, chunk->form) ? loss_ns : 0;
    choice->range = fmax((double)chunk->range, single.items);
    if (chunk->tries == YK_TRIES_CHUNK && !choice->by_jobs)
        note_single(choice, chunk->form, &single);
}

void yk_choice_begin(struct yk_choice *choice)
{
    static const int none[YK_FORMS] = { 0 };
    if (choice->job_form >= 0 && choice->job_chunks > 0)
        note_single(choice, choice->job_form, &choice->job);
    else if (!choice->mixed && choice->job_chunks > 0)
        choice->usual = choice->job.items / choice->job_chunks;
    if (choice->settled && choice->all_ns >= choice->until_ns)
        begin_trial(choice);
    choice->job = (struct yk_choice_single){ 0 };
    choice->job_chunks = choice->mixed = 0;
    choice->begun_ns = choice->all_ns;
    choice->job_form = choice->by_jobs && choice->usual > 0 ? whose_turn(choice, none) : -1;
    if (choice->job_form >= 0 && job_loss(choice, choice->job_form) > budget(choice, choice->range))
        choice->job_form = -1;
}

void yk_choice_explain(const struct yk_choice *choice, const char *const names[YK_FORMS],
                       char *text, size_t size)
{
    const double range = choice->range;
    const int best = choice->best, other = 1 - best;
    *text = '\0';
    if (choice->measured)
        snprintf(text, size, "%s, measured at %s items/us; %s did %s", names[best],
                 yk_number_words(1e3 * range / time_of(choice, best, range)).text, names[other],
                 yk_number_words(1e3 * range / time_of(choice, other, range)).text);
    else if (yk_choice_found(choice) >= 0)
        snprintf(text, size,
                 "%s, as an earlier process found; %s has not been measured in this one",
                 names[best], names[other]);
    else if (best >= 0)
        snprintf(text, size, "%s so far; %s has not been measured%s", names[best], names[other],
                 yk_choice_knows_both(choice) ? " for long enough" : "");
}
