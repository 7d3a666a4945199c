/* loading_text.c - says in words when the load of GPU drivers began, and why. */
#include <stdio.h>

#include "../backend/find.h"
#include "../base/words.h"
#include "loading.h"

void yk_loading_explain(const yoke_runtime *runtime, char text[YK_LOADING_TEXT])
{
    const enum yk_loading_cause cause =
        (enum yk_loading_cause)atomic_load_explicit(&runtime->loading_cause, memory_order_acquire);
    const struct yk_words ns = yk_time_words((double)atomic_load(&runtime->loading_ns)),
                          price = yk_time_words((double)yk_loading_price_ns);
    *text = '\0';
    if (cause == YK_CAUSE_NONE || !yk_find_sees_gpu())
        return;
    if (cause == YK_CAUSE_OPEN)
        snprintf(text, YK_LOADING_TEXT, "GPU drivers: loading began at yoke_open");
    else if (cause == YK_CAUSE_ASKED)
        snprintf(text, YK_LOADING_TEXT,
                 "GPU drivers: loading began when the program asked for all devices");
    else if (cause == YK_CAUSE_FORESEEN)
        snprintf(text, YK_LOADING_TEXT,
                 "GPU drivers: loading began for a job of about %s (it costs about %s)", ns.text,
                 price.text);
    else if (cause == YK_CAUSE_TIME)
        snprintf(text, YK_LOADING_TEXT,
                 "GPU drivers: loading began %s after the program's first yoke_open (it costs "
                 "about %s)",
                 ns.text, price.text);
    else
        snprintf(text, YK_LOADING_TEXT,
                 "GPU drivers: not loaded in %s since the program's first yoke_open, as that costs "
                 "about %s (YOKE_LOAD=open: load at yoke_open)",
                 ns.text, price.text);
}
