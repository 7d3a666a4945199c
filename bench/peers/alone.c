/* alone.c - the contestant without a runtime: one thread does the whole loop.
 *
 *     variant 0, 1, ...   bound to that one of the processors that this program may use: the cost
 *                         of the items there without sharing, hence the ideal
 *     variant any         placed by the system: the bystander
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "contestant.h"

static cpu_set_t allowed;

static void open_alone(int threads)
{
    (void)threads;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        contestant_refuse("alone", "the system does not say which processors there are");
}

static void close_alone(void)
{
}

static void bind_to(const char *variant)
{
    int wanted = atoi(variant);
    cpu_set_t one;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || wanted-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (sched_setaffinity(0, sizeof one, &one) != 0)
            contestant_refuse(variant, "cannot be bound to that processor");
        return;
    }
    contestant_refuse(variant, "there is no such processor; 0, 1, ... or any");
}

static void run_alone(const struct loop *loop, const char *variant)
{
    if (strcmp(variant, "any") != 0)
        bind_to(variant);
    loop->body(0, loop->items, 0);
    sched_setaffinity(0, sizeof allowed, &allowed);
}

const struct contestant contestant = { .open = open_alone, .close = close_alone, .run = run_alone };
