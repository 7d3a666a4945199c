/* guard_launch.c - a chunk cut into pieces, each of which is checked. */
#include "../../base/status.h"
#include "guard.h"

/* The largest piece is 1 / PIECES of a launch. But a use of a neighbour's row is found only if that
 * row belongs to another piece, so the first pieces have one index, and later ones grow. */
enum { PIECES = 16 };
/* Limit for the bytes of sums that all pieces of a launch copy together. Each piece may change all
 * sums, so each copies all of them. */
static const int64_t sums_bytes_most = INT64_C(64) << 20;

static int64_t bytes_of_sums(const struct guard_work *work)
{
    int64_t bytes = 0;
    int p;
    for (p = 0; p < work->declared->count; p++)
        if (work->declared->args[p].mode == YOKE_PARAM_ADD)
            bytes += (work->declared->args[p].last_row - work->declared->args[p].first_row) *
                     work->declared->args[p].pitch;
    return bytes;
}

/* The most units in a piece. */
static int64_t largest_piece(const struct guard_work *work, int64_t units)
{
    const int64_t sums = bytes_of_sums(work);
    int64_t pieces = PIECES;
    if (sums > 0 && sums_bytes_most / sums < pieces)
        pieces = sums_bytes_most / sums;
    return pieces < 1 ? units : (units + pieces - 1) / pieces;
}

static yoke_status check_all(struct guard_work *work)
{
    const struct yk_launch *launch = work->launch;
    const int64_t unit = work->declared->unit;
    const int64_t most = largest_piece(work, (launch->last - launch->first + unit - 1) / unit);
    int64_t size = 1, turns = 0, first, last;
    struct guard_breach breach = { .kind = GUARD_FINE };
    yoke_status status = YOKE_OK;
    for (first = launch->first; first < launch->last && status == YOKE_OK && !work->errors;
         first = last) {
        last = first + size * unit < launch->last ? first + size * unit : launch->last;
        work->odd_byte = work->device->pieces++ % 2 ? 0xFF : 0x7E; /* 0xFF: NaN, -1; 0x7E: large */
        status = yk_guard_check(work, first, last, &breach);
        if (status == YOKE_OK && breach.kind != GUARD_FINE) {
            status = yk_guard_narrow(work, &breach);
            return status == YOKE_OK ? yk_guard_breach_say(work, &breach) : status;
        }
        if (++turns % 2 == 0)
            size = size * 2 < most ? size * 2 : most;
    }
    return status;
}

static void call_launch(void *context)
{
    struct guard_work *work = context;
    yk_guard_call(work, work->launch->first, work->launch->last);
}

/* A step kernel's launch needs an event: when that is complete, the caller reads the queue's
 * words. */
static struct yk_event complete;

yoke_status yk_guard_launch(struct yk_queue *queue, struct yk_program *program,
                            const struct yk_launch *launch, struct yk_event **event)
{
    struct guard_work *work = &queue->device->work;
    struct yk_fault fault;
    yoke_status status = YOKE_OK;
    yk_faults_renew();
    work->errors = work->words[YK_STEP_ERRORS] = 0;
    work->program = program;
    work->launch = launch;
    work->declared = launch->declared;
    if (!work->declared) {
        if (!yk_fault_try(queue->device->faults, call_launch, work, &fault))
            return yk_fail(YOKE_EDEVICE, "%s: a kernel ended by signal %d",
                           queue->device->base.desc.name, fault.signal);
        work->errors = work->words[YK_STEP_ERRORS];
    } else {
        status = yk_guard_rooms_open(work);
        if (status == YOKE_OK)
            status = check_all(work);
        yk_guard_rooms_close(work);
    }
    if (status == YOKE_OK && program->is_step) {
        uint32_t *words = (uint32_t *)(void *)(launch->steps->buffer->data + launch->steps->offset);
        words[YK_STEP_ERRORS] = work->errors;
        words[YK_STEP_SEEDS] = (uint32_t)(launch->last - launch->first);
    }
    if (status == YOKE_OK && event)
        *event = program->is_step ? &complete : NULL;
    return status;
}
