/* lanes.c - the simulation's calls to the dispatcher: asking, answering, waiting.
 *
 * Lanes that were told to wait are in a list, and ask again after every answer, in the order of
 * their arrival. While no item is free, the dispatcher would tell all of them to wait again, so
 * they do not ask: otherwise thousands of lanes at the end of a job would ask thousands of times.
 */
#include <stdio.h>

#include "simulator.h"

void yk_simulator_tell(const struct yk_simulator *sim, int lane,
                       const struct yk_simulate_span *span)
{
    if (!sim->spec->span)
        return;
    struct yk_simulate_span full = *span;
    full.device = sim->lanes[lane].device;
    full.lane = sim->lanes[lane].number;
    sim->spec->span(sim->spec->context, &full);
}

void yk_simulator_end(struct yk_simulator *sim, const char *verdict)
{
    sim->over = 1;
    if (verdict)
        snprintf(sim->verdict, sizeof sim->verdict, "%s", verdict);
}

enum yk_verdict yk_simulator_next(struct yk_simulator *sim, int lane, struct yk_chunk *chunk,
                                  int64_t *wake_ns)
{
    const struct yk_simulated_lane *l = &sim->lanes[lane];
    enum yk_verdict verdict = yk_dispatch_next(
        sim->dispatch, &(struct yk_request){ l->device, l->number, yk_simulator_ns(sim) }, chunk,
        wake_ns);
    sim->calls++;
    if (verdict == YK_TAKE) {
        sim->chunks++;
    } else if (verdict == YK_FINISHED) {
        yk_simulator_end(sim, yk_dispatch_left(sim->dispatch) > 0
                                  ? "no device is left that could do the rest"
                                  : NULL);
    }
    return verdict;
}

/* What an answer to the dispatcher changes: of the chunk's items the first `completed` are done. */
static void answered(struct yk_simulator *sim, int lane, const struct yk_chunk *chunk,
                     int64_t completed)
{
    int64_t now = yk_simulator_ns(sim);
    sim->calls++;
    sim->answered = 1;
    yk_simulator_tell(sim, lane,
                      &(struct yk_simulate_span){ .kind = YK_SIMULATE_DONE,
                                                  .start_ns = now,
                                                  .end_ns = now,
                                                  .first = chunk->first,
                                                  .last = chunk->first + completed,
                                                  .reason = chunk->reason });
    if (yk_dispatch_left(sim->dispatch) == 0)
        yk_simulator_end(sim, NULL);
}

void yk_simulator_done(struct yk_simulator *sim, int lane, const struct yk_chunk *chunk,
                       const struct yk_chunk_times *times)
{
    const int64_t items = chunk->last - chunk->first;
    yk_dispatch_done(sim->dispatch, chunk, items, times);
    answered(sim, lane, chunk, items);
}

void yk_simulator_done_part(struct yk_simulator *sim, int lane, const struct yk_chunk_times *times)
{
    const struct yk_simulated_lane *l = &sim->lanes[lane];
    const struct yk_chunk chunk = l->chunk;
    yk_dispatch_done(sim->dispatch, &chunk, l->completed, times);
    answered(sim, lane, &chunk, l->completed);
}

void yk_simulator_returned(struct yk_simulator *sim, int lane, const struct yk_chunk *chunk)
{
    int device = sim->lanes[lane].device;
    int64_t items = chunk->last - chunk->first;
    int64_t unit = sim->spec->unit > 0 ? sim->spec->unit : 1;
    yk_dispatch_returned(sim->dispatch, chunk, items > unit ? (items + 1) / 2 : 0);
    if (items <= unit)
        yk_dispatch_leave(sim->dispatch, device, "its memory holds not one unit of the range");
    sim->calls++;
    sim->answered = 1;
}

void yk_simulator_wait(struct yk_simulator *sim, int lane, int64_t wake_ns)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    l->doing = YK_LANE_WAITS;
    l->before = sim->waiting_last;
    l->after = -1;
    if (l->before >= 0)
        sim->lanes[l->before].after = lane;
    else
        sim->waiting_first = lane;
    sim->waiting_last = lane;
    if (wake_ns > 0) /* not at this same time again: the answer would be the same */
        yk_heap_put(&sim->timers, lane,
                    (double)(wake_ns > yk_simulator_ns(sim) ? wake_ns : yk_simulator_ns(sim) + 1));
    else
        yk_heap_remove(&sim->timers, lane);
}

void yk_simulator_unwait(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    if (l->doing != YK_LANE_WAITS)
        return;
    if (l->before >= 0)
        sim->lanes[l->before].after = l->after;
    else
        sim->waiting_first = l->after;
    if (l->after >= 0)
        sim->lanes[l->after].before = l->before;
    else
        sim->waiting_last = l->before;
    l->doing = YK_LANE_ASKS;
    yk_heap_remove(&sim->timers, lane);
}

void yk_simulator_ask(struct yk_simulator *sim, int lane)
{
    int64_t wake_ns;
    if (sim->over)
        return;
    if (lane < sim->threads)
        yk_core_ask(sim, lane);
    else if (!yk_gpu_ask(sim, lane, &wake_ns))
        yk_simulator_wait(sim, lane, wake_ns);
}

void yk_simulator_ask_waiting(struct yk_simulator *sim)
{
    while (sim->answered && !sim->over) {
        int last = sim->waiting_last, lane = -1;
        sim->answered = 0;
        /* lanes that have to wait again are placed after `last` and do not ask twice */
        while (yk_dispatch_free(sim->dispatch) > 0 && !sim->over && lane != last &&
               sim->waiting_first >= 0) {
            lane = sim->waiting_first;
            yk_simulator_unwait(sim, lane);
            yk_simulator_ask(sim, lane);
        }
    }
}
