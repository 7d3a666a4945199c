/* variant_run.c - see variant_run.h. */
#include "variant_run.h"

#include "../../base/status.h"
#include "../../platform/clock.h"
#include "variant.h"

/* While one core compares, the others divide their chunks into this many slices, and check after
 * each slice whether the fastest variant is known. */
enum { SLICES = 16 };

void yk_variant_run_open_one(struct yk_variant_run *run, yoke_cpu_fn *function)
{
    *run = (struct yk_variant_run){ .trial.count = 1 };
    atomic_init(&run->best, function);
    atomic_init(&run->compares_from, INT64_MAX);
}

/* Pieces are whole vectors of the widest variant. What does not fill a vector is done index by
 * index, and in small pieces that decided: a kernel of 200 ns per index was compared in pieces of
 * 4, and 7 of 40 processes kept the narrowest variant, at half the speed of the widest. */
static int64_t unit_of(const yoke_kernel *kernel, int highest)
{
    const int64_t given = kernel->cpu.unit > kernel->unit ? kernel->cpu.unit : kernel->unit;
    const int64_t unit = given > 0 ? given : 1, vector = yk_cpu_variant_vector(kernel, highest);
    return (vector + unit - 1) / unit * unit;
}

void yk_variant_run_open(struct yk_variant_run *run, const yoke_kernel *kernel, int highest)
{
    const int64_t unit = unit_of(kernel, highest);
    int count = 0;
    yk_variant_run_open_one(run, yk_cpu_variant_choose(kernel, highest));
    run->kernel = kernel->name;
    for (int v = 0; v <= highest; v++)
        if (kernel->cpu.variant[v]) {
            run->function[count] = kernel->cpu.variant[v];
            run->name[count++] = yk_cpu_variant_name(v);
        }
    yk_variant_trial_open(&run->trial, count, unit);
    if (count > 1)
        atomic_init(&run->compares_from, 2 * count * run->trial.unit);
}

static void settle(struct yk_variant_run *run, int64_t piece)
{
    const int best = yk_variant_trial_best(&run->trial);
    atomic_store_explicit(&run->best, run->function[best], memory_order_relaxed);
    atomic_store_explicit(&run->compares_from, yk_variant_trial_again(&run->trial, piece),
                          memory_order_relaxed);
    yk_log(YOKE_LOG_DEBUG, "cpu: the fastest variant of kernel %s is %s, in pieces of %lld items",
           run->kernel, run->name[best], (long long)piece);
}

/* Pieces end where blocks end, so that each partial result is made in one piece. */
static int64_t whole_blocks(const yoke_chunk *chunk, int64_t items)
{
    const int64_t size = chunk->blocks.size;
    return size > 1 ? (items + size - 1) / size * size : items;
}

/* Returns the number of items of a piece in a round on a chunk of `items` items; 0: the chunk is
 * too short for a round. */
static int64_t piece_of(const struct yk_variant_run *run, const yoke_chunk *chunk, int64_t items)
{
    const int64_t size = whole_blocks(chunk, 1);
    const int64_t most = items / (2 * run->trial.count) / size * size;
    const int64_t piece = whole_blocks(chunk, yk_variant_trial_piece(&run->trial, items));
    return piece < most ? piece : most;
}

static int deserves(const struct yk_variant_run *run, const yoke_chunk *chunk, int64_t items)
{
    return items >= atomic_load_explicit(&run->compares_from, memory_order_relaxed) &&
           whole_blocks(chunk, 1) <= items / (2 * run->trial.count);
}

/* Runs one round at the beginning of `left`, the rest of a chunk of `items` indexes. Returns the
 * number of items done, 0 if `left` is too short. */
static int64_t compare(struct yk_variant_run *run, void *const *args, const yoke_chunk *left,
                       int64_t items)
{
    const int count = run->trial.count;
    const int64_t each = piece_of(run, left, items);
    int64_t ns[YOKE_CPU_VARIANTS] = { 0 };
    yoke_chunk piece = *left;
    if (each == 0 || 2 * count * each > left->last - left->first)
        return 0;
    int64_t before = yk_clock_ns();
    for (int p = 0; p < 2 * count; p++) {
        const int v = p < count ? p : 2 * count - 1 - p;
        piece.last = piece.first + each;
        run->function[v](args, &piece);
        piece.first = piece.last;
        const int64_t now = yk_clock_ns();
        ns[v] += now - before;
        before = now;
    }
    if (yk_variant_trial_note(&run->trial, ns, each))
        settle(run, each);
    return 2 * count * each;
}

static int64_t run_best(struct yk_variant_run *run, void *const *args, const yoke_chunk *left,
                        int64_t items)
{
    const int64_t all = left->last - left->first, unit = run->trial.unit;
    const int64_t part = whole_blocks(left, (items / SLICES / unit + 1) * unit);
    yoke_chunk slice = *left;
    if (deserves(run, left, items) && part < all)
        slice.last = left->first + part;
    atomic_load_explicit(&run->best, memory_order_relaxed)(args, &slice);
    return slice.last - slice.first;
}

/* Returns 1 if no other core compares. Reads first: a write would delay the others. */
static int begin_to_compare(struct yk_variant_run *run)
{
    return !atomic_load_explicit(&run->is_comparing, memory_order_relaxed) &&
           !atomic_exchange_explicit(&run->is_comparing, 1, memory_order_acquire);
}

static void run_and_compare(struct yk_variant_run *run, void *const *args, const yoke_chunk *chunk)
{
    const int64_t items = chunk->last - chunk->first;
    yoke_chunk left = *chunk;
    while (left.first < left.last) {
        int64_t done = 0;
        if (deserves(run, &left, items) && begin_to_compare(run)) {
            done = compare(run, args, &left, items);
            atomic_store_explicit(&run->is_comparing, 0, memory_order_release);
        }
        if (!done)
            done = run_best(run, args, &left, items);
        left.first += done;
    }
}

void yk_variant_run(struct yk_variant_run *run, void *const *args, const yoke_chunk *chunk)
{
    if (deserves(run, chunk, chunk->last - chunk->first))
        run_and_compare(run, args, chunk);
    else
        atomic_load_explicit(&run->best, memory_order_relaxed)(args, chunk);
}
