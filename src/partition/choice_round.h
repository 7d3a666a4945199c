/* choice_round.h - PURE. Shared by choice.c (which form makes a chunk) and choice_round.c (what is
 * learned when it ended, and when that is enough). */
#ifndef YK_PARTITION_CHOICE_ROUND_H
#define YK_PARTITION_CHOICE_ROUND_H

#include "choice.h"

/* Chunks grow by this factor from round to round. */
#define YK_CHOICE_GROWTH 4.0
/* A form gets no second chunk if its first one took HOPELESS times what the other form needs,
 * beyond any warming up. */
#define YK_CHOICE_HOPELESS 3.0
/* Between sessions the best form works this many times as long as the other one's turns took. */
#define YK_CHOICE_PATIENCE 100.0

/* Items per ns in this round; 0: unknown. */
static inline double yk_choice_rate(const struct yk_choice_form *form)
{
    if (form->chunks == 0)
        return 0;
    return form->ns > 0 ? form->items / form->ns : form->last.items / form->last.ns;
}

int yk_choice_is_hopeless(const struct yk_choice *choice, int form);

#endif
