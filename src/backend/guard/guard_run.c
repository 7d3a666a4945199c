/* guard_run.c - runs one piece twice, and finds what it touches outside its rows, which results
 * differ, and what it leaves unwritten. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "../launch_space.h"
#include "guard.h"

void yk_guard_call(struct guard_work *work, int64_t first, int64_t last)
{
    const struct yk_launch *launch = work->launch;
    const struct yk_program *program = work->program;
    yoke_chunk chunk = yk_chunk_of(launch);
    void *args[YOKE_ARGS_MAX];
    int p;
    chunk.first = first;
    chunk.last = last;
    for (p = 0; p < program->param_count; p++) {
        const struct yk_launch_arg *arg = &launch->args[p];
        if (program->values >> p & 1)
            memcpy(&args[p], &arg->value, sizeof args[p]);
        else if (work->declared)
            args[p] = yk_guard_seen(work, work->room_of[p], arg->shift);
        else /* an integer, because element 0 may lie outside the memory */
            args[p] = (void *)((uintptr_t)arg->buffer->data + (uintptr_t)arg->shift);
    }
    if (program->is_step)
        yk_step_run(&(struct yk_step_work){ program->run, &program->step, args, &chunk },
                    work->words);
    else
        program->run(args, &chunk);
}

static void call_piece(void *context)
{
    struct guard_work *work = context;
    yk_guard_call(work, work->first, work->last);
}

/* --- one run --- */

static void capture(const struct guard_work *work, unsigned char *out)
{
    int64_t i;
    for (i = 0; i < work->change_count; i++) {
        const struct guard_change *c = &work->changes[i];
        memcpy(out + c->at, yk_guard_seen(work, c->room, c->span.first),
               (size_t)(c->span.last - c->span.first));
    }
}

/* Finds the place of a fault. A fault in a margin belongs to the buffer beside it. */
static void place(const struct guard_work *work, struct guard_breach *out)
{
    const struct yk_fault *fault = &out->fault;
    const int64_t near = 64 << 20;
    int r;
    out->room = out->arg = -1;
    out->kind = GUARD_FAULT;
    if (fault->signal != SIGSEGV && fault->signal != SIGBUS)
        return;
    for (r = 0; r < work->room_count; r++) {
        const struct yk_buffer *buffer = work->rooms[r].buffer;
        const int64_t at = (int64_t)(fault->address - (uintptr_t)yk_guard_seen(work, r, 0));
        if (at < -near || at >= buffer->mapped + near)
            continue;
        out->kind = fault->writes ? GUARD_WRITE : GUARD_READ;
        out->room = r;
        out->offset = at;
        return;
    }
}

/* `y[j] += 1` faults as a read, although the kernel means to write. Returns 1 if the piece, when
 * the page is readable, faults as a write to it. */
static int writes_next(struct guard_work *work, struct guard_odd odd, uintptr_t address)
{
    const uintptr_t size = (uintptr_t)work->device->page, page = address / size * size;
    struct yk_fault next;
    int writes;
    yk_guard_fill(work, work->side, odd);
    if (mprotect((void *)page, size, PROT_READ) != 0)
        return 0;
    writes = !yk_fault_try(work->device->faults, call_piece, work, &next) && next.writes &&
             next.address / size * size == page;
    mprotect((void *)page, size, PROT_NONE);
    return writes;
}

/* All traps have plausible values. */
static const struct guard_odd none = { 0, 0 };

/* Returns 1 if this run alone shows no breach. Its changes are then in work->plain (for GUARD_ENDS)
 * or in work->other. */
static int run(struct guard_work *work, enum guard_side side, struct guard_odd odd,
               struct guard_breach *out)
{
    *out = (struct guard_breach){ .first = work->first, .last = work->last, .arg = -1 };
    yk_guard_fill(work, side, odd);
    if (!yk_fault_try(work->device->faults, call_piece, work, &out->fault)) {
        place(work, out);
        if (out->kind == GUARD_READ && work->rooms[out->room].writes &&
            writes_next(work, odd, out->fault.address))
            out->kind = GUARD_WRITE;
    } else if (yk_guard_gap_changed(work, out)) {
        out->first = work->first;
        out->last = work->last;
    }
    if (out->kind == GUARD_FINE)
        capture(work, side == GUARD_ENDS ? work->plain.data : work->other.data);
    return out->kind == GUARD_FINE;
}

/* --- two runs compared --- */

static int keeps(const struct guard_work *work, const struct guard_change *change)
{
    return work->declared->args[change->arg].keeps;
}

/* Whether byte `at` of an out row's change has, after each run, the filling of that run: the odd
 * byte, or in the run without odd values 0 or the value to be kept (guard_room.c). */
static int is_unwritten(const struct guard_work *work, const struct guard_change *change,
                        int64_t at)
{
    const unsigned char plain =
        keeps(work, change)
            ? work->rooms[change->room].buffer->data[change->span.first + at - change->at]
            : 0;
    return change->trap >= 0 && work->plain.data[at] == plain &&
           work->other.data[at] == work->odd_byte;
}

static int change_differs(const struct guard_work *work, const struct guard_change *change,
                          int64_t *where)
{
    const int64_t end = change->at + change->span.last - change->span.first;
    int64_t at;
    if (memcmp(work->plain.data + change->at, work->other.data + change->at,
               (size_t)(end - change->at)) == 0)
        return 0;
    for (at = change->at; at < end; at++)
        if (work->plain.data[at] != work->other.data[at] && !is_unwritten(work, change, at)) {
            *where = change->span.first + at - change->at;
            return 1;
        }
    return 0;
}

/* Whether the two runs' results differ. */
static int differ(const struct guard_work *work, struct guard_breach *out)
{
    int64_t i, where;
    for (i = 0; i < work->change_count; i++) {
        const struct guard_change *c = &work->changes[i];
        if (!change_differs(work, c, &where))
            continue;
        *out = (struct guard_breach){ .kind = GUARD_READ,
                                      .first = work->first,
                                      .last = work->last,
                                      .room = c->room,
                                      .arg = c->arg,
                                      .offset = where };
        return 1;
    }
    return 0;
}

/* Finds a whole element that neither run wrote. Parts of an element may be padding. */
static int leaves_unwritten(const struct guard_work *work, struct guard_breach *out)
{
    int64_t i, at, k;
    for (i = 0; i < work->change_count; i++) {
        const struct guard_change *c = &work->changes[i];
        const int64_t size = work->declared->params[c->arg].size;
        const int64_t end = c->at + c->span.last - c->span.first;
        if (c->trap < 0 || work->declared->args[c->arg].shape == YOKE_PART || keeps(work, c))
            continue;
        for (at = c->at; at + size <= end; at += size) {
            for (k = 0; k < size && is_unwritten(work, c, at + k);)
                k++;
            if (k < size)
                continue;
            *out = (struct guard_breach){ .kind = GUARD_UNWRITTEN,
                                          .first = work->first,
                                          .last = work->last,
                                          .room = c->room,
                                          .arg = c->arg,
                                          .offset = c->span.first + at - c->at };
            return 1;
        }
    }
    return 0;
}

/* --- which trap matters --- */

/* Whether odd values in that part of the traps change the outcome. */
static int matters(struct guard_work *work, struct guard_odd odd)
{
    struct guard_breach breach;
    return !run(work, GUARD_BEGINS, odd, &breach) || differ(work, &breach);
}

static int64_t element_of(const struct guard_work *work, int room)
{
    int p, first = -1;
    for (p = 0; p < work->declared->count && first < 0; p++)
        if (work->room_of[p] == room)
            first = p;
    return first < 0 ? 1 : (int64_t)work->declared->params[first].size;
}

static const struct guard_trap *trap_at(const struct guard_work *work, int64_t at)
{
    int64_t i = 0;
    while (i + 1 < work->trap_count && work->traps[i + 1].at <= at)
        i++;
    return &work->traps[i];
}

/* Halves the odd part of the traps until it is one element. If only both halves together matter, it
 * stops and reports the part reached so far. */
static void find_cause(struct guard_work *work, struct guard_breach *out)
{
    struct guard_odd odd = { 0, work->trap_bytes };
    const struct guard_trap *trap;
    for (;;) {
        const int64_t element = element_of(work, trap_at(work, odd.first)->room);
        int64_t middle = (odd.last - odd.first) / 2;
        struct guard_odd left, right;
        middle = odd.first + (middle > element ? middle / element * element : middle);
        left = (struct guard_odd){ odd.first, middle };
        right = (struct guard_odd){ middle, odd.last };
        if (odd.last - odd.first <= element)
            break;
        if (matters(work, left))
            odd = left;
        else if (matters(work, right))
            odd = right;
        else
            break;
    }
    trap = trap_at(work, odd.first);
    out->kind = trap->arg < 0 ? GUARD_READ : GUARD_EARLY;
    out->room = trap->room;
    out->arg = trap->arg;
    out->offset = trap->span.first + odd.first - trap->at;
}

static void check(struct guard_work *work, struct guard_breach *out)
{
    const struct guard_odd all = { 0, work->trap_bytes };
    struct guard_breach breach, again;
    if (!run(work, GUARD_ENDS, none, out))
        return;
    work->errors |= work->words[YK_STEP_ERRORS];
    if (work->errors)
        return;
    if (run(work, GUARD_BEGINS, all, &breach)) {
        if (leaves_unwritten(work, out) || !differ(work, &breach))
            return;
    }
    if (!run(work, GUARD_BEGINS, none, out))
        return; /* the breach happens without odd values, too */
    if (work->trap_bytes == 0 || differ(work, &again))
        return; /* two equal runs differ (a clock, a random number): this proves nothing */
    *out = breach;
    find_cause(work, out);
}

yoke_status yk_guard_check(struct guard_work *work, int64_t first, int64_t last,
                           struct guard_breach *out)
{
    yoke_status status = yk_guard_piece_open(work, first, last);
    if (status != YOKE_OK)
        return status;
    check(work, out);
    if (out->kind == GUARD_FINE)
        yk_guard_piece_keep(work);
    return YOKE_OK;
}
