/* choice.c - see choice.h. */
#include "choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A chunk of a session is what the better form does in this time: long beside what handing out a
 * chunk costs, short beside a job that is worth the question. */
#define TRY_NS 3e6
/* As long as no rate is known it is this part of the range: little even if it is done ten times as
 * slowly as the rest. */
enum { FIRST_PART = 256 };
/* They were measured when what counts of each took so long, or are so many chunks, and it has to do
 * when there were so many in all. */
#define MEASURED_NS 2e6
enum { MEASURED_PAIRS = 4, ENOUGH_CHUNKS = 40 };
/* One pair may have met a moment in which the device was busy with something else. So there are
 * three, and the majority decides, unless one is so many times as fast. */
#define DECISIVE 3.0
enum { MAJORITY_OF = 3 };
enum { SEQUENCE_BEGIN = 3 };
/* Chunks that differ by no more than this are of nearly one size. */
#define LIKE 1.5
/* A form whose first chunk took so many times what the other one needs, and more than any warming
 * up takes (a driver that loads code: some ms), gets no second one. */
#define HOPELESS 3.0
#define WARM_NS  50e6
/* Who is no faster than by this part leaves things as they are. */
#define MARGIN 0.02
/* Between sessions the best form works so many times as long as the other one's turns took, but
 * not less than this; and twice as long after each session that changed nothing. */
#define PATIENCE          100.0
#define PATIENCE_LEAST_NS 1e9

void yk_choice_open(struct yk_choice *choice)
{
    *choice = (struct yk_choice){ .best = -1, .led = -1 };
}

void yk_choice_begin(struct yk_choice *choice)
{
    if (!choice->settled || choice->worked_ns < choice->patience_ns)
        return;
    memset(choice->forms, 0, sizeof choice->forms);
    choice->settled = 0;
    choice->stood = choice->best;
    choice->led = -1;
    choice->pairs = choice->won[0] = choice->won[1] = 0;
}

int yk_choice_knows_both(const struct yk_choice *choice)
{
    return choice->rates[0] > 0 || (choice->forms[0].chunks > 0 && choice->forms[1].chunks > 0);
}

/* Items per ns in this session; 0: unknown. */
static double rate_of(const struct yk_choice_form *form)
{
    if (form->chunks == 0)
        return 0;
    return form->ns > 0 ? form->items / form->ns : form->last.items / form->last.ns;
}

static int are_measured(const struct yk_choice *choice)
{
    const struct yk_choice_form *forms = choice->forms;
    const double ratio = rate_of(&forms[0]) / rate_of(&forms[1]);
    const int is_clear = ratio > DECISIVE || ratio < 1 / DECISIVE;
    if (choice->pairs >= MEASURED_PAIRS || forms[0].chunks + forms[1].chunks >= ENOUGH_CHUNKS)
        return 1;
    return choice->pairs >= (is_clear ? 1 : MAJORITY_OF) && forms[0].ns >= MEASURED_NS &&
           forms[1].ns >= MEASURED_NS;
}

/* The chunk that came first of all may have waited for more than code: for rows and memory that
 * both use. */
static int is_hopeless(const struct yk_choice *choice, int form)
{
    const struct yk_choice_form *mine = &choice->forms[form], *other = &choice->forms[1 - form];
    if (mine->chunks != 1 || other->chunks < 2 || choice->led == form)
        return 0;
    return mine->last.ns - WARM_NS > HOPELESS * mine->last.items / rate_of(other);
}

/* The turns follow Thue and Morse's sequence, from where it says ABAABBA: it has no period, so
 * however sizes of chunks repeat, each form gets some of all. */
static int whose_turn(const struct yk_choice *choice, const int *out)
{
    const int first = choice->led < 0 ? choice->stood : choice->led;
    const int ended = choice->forms[0].chunks + choice->forms[1].chunks;
    const int own = choice->best < 0 ? choice->stood : choice->best;
    /* What it has out may say that it needs no more. */
    if (out[1 - own] > 0 || is_hopeless(choice, 1 - own))
        return own;
    return first ^ __builtin_parity((unsigned)(ended + out[0] + out[1] + SEQUENCE_BEGIN));
}

static int64_t most_items(const struct yk_choice *choice, const struct yk_choice_asked *asked)
{
    const double rate = fmax(rate_of(&choice->forms[0]), rate_of(&choice->forms[1]));
    const double items = rate > 0 ? rate * TRY_NS : (double)(asked->range / FIRST_PART);
    const int64_t most = items < (double)asked->range ? (int64_t)items : asked->range;
    return most > asked->fill ? most : asked->fill;
}

void yk_choice_next(const struct yk_choice *choice, const struct yk_choice_asked *asked,
                    struct yk_choice_turn *out)
{
    const unsigned both = (1u << YK_FORMS) - 1;
    *out = (struct yk_choice_turn){ .form = choice->best < 0 ? choice->stood : choice->best };
    if (!choice->settled && asked->ready == both)
        *out = (struct yk_choice_turn){ .form = whose_turn(choice, asked->out),
                                        .tries = 1,
                                        .most = most_items(choice, asked) };
    else if (!(asked->ready >> out->form & 1))
        out->form = 1 - out->form;
}

/* What stood stays unless the other one is clearly faster. */
static int faster_of(const struct yk_choice *choice)
{
    const int stood = choice->stood, other = 1 - stood;
    const double mine = rate_of(&choice->forms[stood]), theirs = rate_of(&choice->forms[other]);
    if (choice->pairs >= MAJORITY_OF)
        return choice->won[other] > choice->won[stood] ? other : stood;
    return theirs > 0 && theirs > (1 + MARGIN) * mine ? other : stood;
}

static void settle(struct yk_choice *choice)
{
    const struct yk_choice_form *other = &choice->forms[1 - choice->best];
    double patience = PATIENCE * other->spent_ns;
    if (choice->best == choice->stood && choice->rates[0] > 0)
        patience = fmax(patience, 2 * choice->patience_ns);
    choice->patience_ns = fmax(patience, PATIENCE_LEAST_NS);
    choice->worked_ns = 0;
    choice->settled = 1;
    for (int f = 0; f < YK_FORMS; f++)
        choice->rates[f] = rate_of(&choice->forms[f]);
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

/* The latest chunk of `form` counts with one of the other form's, or waits for one to come. */
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

void yk_choice_note(struct yk_choice *choice, const struct yk_choice_chunk *chunk)
{
    struct yk_choice_form *form = &choice->forms[chunk->form];
    const double ns = chunk->ns > 1 ? chunk->ns : 1;
    if (chunk->items <= 0)
        return;
    if (choice->best < 0)
        choice->best = chunk->form;
    if (choice->settled && chunk->form == choice->best)
        choice->worked_ns += ns;
    if (choice->settled || !chunk->tries)
        return;
    if (choice->led < 0)
        choice->led = chunk->form;
    form->spent_ns += ns;
    form->last = (struct yk_choice_single){ (double)chunk->items, ns };
    if (form->chunks++ > 0)
        count(choice, chunk->form);
    choice->best = faster_of(choice);
    if (are_measured(choice) || is_hopeless(choice, 0) || is_hopeless(choice, 1))
        settle(choice);
}

void yk_choice_explain(const struct yk_choice *choice, const char *const names[YK_FORMS],
                       char *text, size_t size)
{
    const int best = choice->best;
    *text = '\0';
    if (choice->rates[0] > 0 && choice->settled)
        snprintf(text, size, "%s, measured at %.4g items/us; %s did %.4g", names[best],
                 1e3 * choice->rates[best], names[1 - best], 1e3 * choice->rates[1 - best]);
    else if (best >= 0)
        snprintf(text, size, "%s so far; %s has not been measured%s", names[best], names[1 - best],
                 yk_choice_knows_both(choice) ? " for long enough" : "");
}
