/* choice.c - see choice.h: which of two kernels makes the next chunk. */
#include "choice_round.h"

#include <math.h>
#include <stdio.h>

#include "../base/words.h"

/* A chunk of a session is what the better form does in this time: long compared with the overhead
 * of a chunk, short compared with a job for which the choice matters. */
#define TRY_NS 3e6
/* While no rate is known, a chunk is 1 / FIRST_PART of the range: little even if it is done ten
 * times as slowly as the rest. */
enum { FIRST_PART = 256 };
enum { SEQUENCE_BEGIN = 3 };
/* A result of an earlier process is checked again after this much work: the length of its sessions,
 * which is unknown now, was a hundredth of that or less. */
#define RECALLED_PATIENCE_NS 10e9

void yk_choice_open(struct yk_choice *choice)
{
    *choice = (struct yk_choice){ .best = -1, .led = -1 };
}

int yk_choice_knows_both(const struct yk_choice *choice)
{
    return yk_choice_found(choice) >= 0 ||
           (choice->forms[0].chunks > 0 && choice->forms[1].chunks > 0);
}

int yk_choice_found(const struct yk_choice *choice)
{
    /* patience_ns > 0: a session was settled, here or in an earlier process. In a session that goes
     * on the other form may be best for a moment. */
    return choice->patience_ns > 0 && (choice->settled || choice->best == choice->stood)
               ? choice->best
               : -1;
}

void yk_choice_recall(struct yk_choice *choice, int form)
{
    if (choice->best >= 0)
        return;
    choice->best = choice->stood = form;
    choice->settled = choice->recalled = 1;
    choice->patience_ns = RECALLED_PATIENCE_NS;
}

/* The turns follow the Thue-Morse sequence, from its part ABAABBA on: it has no period, so each
 * form gets chunks of all sizes, however sizes repeat. */
static int whose_turn(const struct yk_choice *choice, const int *out)
{
    const int first = choice->led < 0 ? choice->stood : choice->led;
    const int ended = choice->forms[0].chunks + choice->forms[1].chunks;
    const int own = choice->best < 0 ? choice->stood : choice->best;
    /* Chunks of the other form that are out may show that it needs no more. */
    if (out[1 - own] > 0 || yk_choice_is_hopeless(choice, 1 - own))
        return own;
    return first ^ __builtin_parity((unsigned)(ended + out[0] + out[1] + SEQUENCE_BEGIN));
}

static int64_t most_items(const struct yk_choice *choice, const struct yk_choice_asked *asked)
{
    const double rate = fmax(yk_choice_rate(&choice->forms[0]), yk_choice_rate(&choice->forms[1]));
    const double wanted = TRY_NS * pow(YK_CHOICE_GROWTH, choice->round);
    const double ns = asked->spare_ns > 0 ? fmin(wanted, asked->spare_ns) : wanted;
    const double items = rate > 0 ? rate * ns : (double)(asked->range / FIRST_PART);
    const int64_t most = items < (double)asked->range ? (int64_t)items : asked->range;
    return most > asked->fill ? most : asked->fill;
}

unsigned yk_choice_wants(const struct yk_choice *choice, int settles, int *first)
{
    const int best = choice->best < 0 ? 0 : choice->best;
    *first = choice->by_jobs && !settles ? choice->job_form : best;
    return choice->settled || choice->by_jobs || settles ? 1u << *first : (1u << YK_FORMS) - 1;
}

/* If several devices work, a trial must end within the time that the others would need for
 * everything, at its longest possible duration. */
double yk_choice_spare_ns(const struct yk_choice *choice, const struct yk_choice_job *job)
{
    const double spare = job->others_ns / YK_CHOICE_HOPELESS;
    const double spent = choice->forms[choice->best != 1].spent_ns;
    if (job->least_ns <= spare)
        return spare;
    return choice->worked_ns >= YK_CHOICE_PATIENCE * (spent + YK_CHOICE_HOPELESS * job->least_ns)
               ? job->least_ns
               : 0;
}

void yk_choice_next(const struct yk_choice *choice, const struct yk_choice_asked *asked,
                    struct yk_choice_turn *out)
{
    const unsigned both = (1u << YK_FORMS) - 1;
    *out = (struct yk_choice_turn){ .form = choice->best < 0 ? choice->stood : choice->best };
    if (!choice->settled && !asked->settles && choice->by_jobs)
        *out = (struct yk_choice_turn){ .form = choice->job_form, .tries = YK_TRIES_JOB };
    else if (!choice->settled && !asked->settles && asked->ready == both)
        *out = (struct yk_choice_turn){ .form = whose_turn(choice, asked->out),
                                        .tries = YK_TRIES_CHUNK,
                                        .most = most_items(choice, asked) };
    if (!(asked->ready >> out->form & 1))
        *out = (struct yk_choice_turn){ .form = 1 - out->form };
}

void yk_choice_explain(const struct yk_choice *choice, const char *const names[YK_FORMS],
                       char *text, size_t size)
{
    const int best = choice->best;
    *text = '\0';
    if (choice->rates[0] > 0)
        snprintf(text, size, "%s, measured at %s items/us; %s did %s", names[best],
                 yk_number_words(1e3 * choice->rates[best]).text, names[1 - best],
                 yk_number_words(1e3 * choice->rates[1 - best]).text);
    else if (choice->recalled && yk_choice_found(choice) >= 0)
        snprintf(text, size,
                 "%s, as an earlier process found; %s has not been measured in this one",
                 names[best], names[1 - best]);
    else if (best >= 0)
        snprintf(text, size, "%s so far; %s has not been measured%s", names[best], names[1 - best],
                 yk_choice_knows_both(choice) ? " for long enough" : "");
}
