/* linear_explain.c - see linear.h: why a device got what it got, in a sentence with figures. */
#include <stdio.h>

#include "linear.h"

static void explain_part(const struct yk_linear *state, const struct yk_split_view *view,
                         int device, char *text, size_t size)
{
    const struct yk_part *part = &state->told[device].part;
    snprintf(text, size,
             "%.2f %% by %s line of %.4g ns an item and %.4g ms: predicted to end after %.4g ms, "
             "the job after %.4g ms",
             100 * (double)part->items / (double)(view->last - view->first),
             view->devices[device].known.guessed ? "a guessed" : "its", part->line.item_ns,
             part->line.fixed_ns * 1e-6, part->ns * 1e-6, state->job_ns * 1e-6);
}

static void explain_nothing(const struct yk_linear *state, int device, char *text, size_t size)
{
    const struct yk_linear_told *told = &state->told[device];
    const struct yk_line *line = &told->line;
    const double least = told->part.least;
    if (!(line->item_ns > 0))
        snprintf(text, size, "nothing: what it takes was never seen; the others need %.4g ms",
                 state->end_ns * 1e-6);
    else if (told->without_ns > 0)
        snprintf(text, size,
                 "nothing: it slows the others, which do all in %.4g ms without it; alone its part "
                 "costs %.4g ns an item and %.4g ms",
                 told->without_ns * 1e-6, line->item_ns, line->fixed_ns * 1e-6);
    else if (line->fixed_ns >= state->end_ns)
        snprintf(text, size,
                 "nothing: its fixed cost of %.4g ms is no less than the %.4g ms in which the "
                 "others do all",
                 line->fixed_ns * 1e-6, state->end_ns * 1e-6);
    else if (yk_line_ns(line, least) > state->end_ns)
        snprintf(text, size,
                 "nothing: %.4g items, its least part, would take %.4g ms (%.4g ms fixed), and the "
                 "others do all in %.4g ms",
                 least, yk_line_ns(line, least) * 1e-6, line->fixed_ns * 1e-6,
                 state->end_ns * 1e-6);
    else
        snprintf(text, size,
                 "nothing: its items cost %.4g J each, and the others do all in the %.4g ms that "
                 "are allowed",
                 told->part.joules, state->end_ns * 1e-6);
}

void yk_linear_explain(const void *given, const struct yk_split_view *view, int device, char *text,
                       size_t size)
{
    const struct yk_linear *state = given;
    if (state->end_ns <= 0)
        snprintf(text, size, "an equal share: no device's time is known");
    else if (state->told[device].part.items > 0)
        explain_part(state, view, device, text, size);
    else
        explain_nothing(state, device, text, size);
}
