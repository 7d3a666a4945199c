/* linear_explain.c - see linear.h: explains a device's part in a sentence with numbers. */
#include <stdio.h>

#include "../../base/words.h"
#include "linear.h"

/* The words before "line". */
static const char *whose(const struct yk_split_device *known)
{
    return known->guessed ? "a guessed" : known->tuned ? "its tuned" : "its";
}

/* The words after "by its line of ...". */
static const char *why(const struct yk_split_device *known)
{
    return yk_linear_doubts(known)
               ? ", assumed to be faster than it was because it got nothing of many such jobs"
               : "";
}

static void explain_part(const struct yk_linear *state, int device, char *text, size_t size)
{
    const struct yk_split_view *view = state->view;
    const struct yk_part *part = &state->told[device].part;
    snprintf(text, size,
             "%.2f %% by %s line of %s an item and %s%s: predicted to end after %s, the job after "
             "%s",
             100 * (double)part->items / (double)(view->last - view->first),
             whose(&view->devices[device].known), yk_time_words(part->line.item_ns).text,
             yk_time_words(part->line.fixed_ns).text, why(&view->devices[device].known),
             yk_time_words(part->ns).text, yk_time_words(state->job_ns).text);
}

static void explain_nothing(const struct yk_linear *state, int device, char *text, size_t size)
{
    const struct yk_linear_told *told = &state->told[device];
    const struct yk_line *line = &told->line;
    const double least = told->part.least;
    if (!(line->item_ns > 0))
        snprintf(text, size, "nothing: its time was never measured; the others need %s",
                 yk_time_words(state->end_ns).text);
    else if (told->without_ns > 0)
        snprintf(text, size,
                 "nothing: it slows the others, which do all in %s without it; alone its part "
                 "costs %s an item and %s",
                 yk_time_words(told->without_ns).text, yk_time_words(line->item_ns).text,
                 yk_time_words(line->fixed_ns).text);
    else if (line->fixed_ns >= state->end_ns)
        snprintf(text, size,
                 "nothing: its fixed cost of %s is no less than the %s in which the others do all",
                 yk_time_words(line->fixed_ns).text, yk_time_words(state->end_ns).text);
    else if (yk_line_ns(line, least) > state->end_ns)
        snprintf(text, size,
                 "nothing: %.4g item%s, its least part, would take %s (%s fixed), and the "
                 "others do all in %s",
                 least, least == 1 ? "" : "s", yk_time_words(yk_line_ns(line, least)).text,
                 yk_time_words(line->fixed_ns).text, yk_time_words(state->end_ns).text);
    else
        snprintf(text, size,
                 "nothing: its items cost %.4g J each, and the others do all in the %s that "
                 "are allowed",
                 told->part.joules, yk_time_words(state->end_ns).text);
}

void yk_linear_explain(const void *given, int device, char *text, size_t size)
{
    const struct yk_linear *state = given;
    if (state->end_ns <= 0)
        snprintf(text, size, "an equal share: no device's time is known");
    else if (state->told[device].part.items > 0)
        explain_part(state, device, text, size);
    else
        explain_nothing(state, device, text, size);
}
