/* Tests of yk_dispatch_admit: a device is added while another one works. A core needs 1000 ns for
 * an item and the GPU 10, on a virtual clock. The GPU comes after 5 ms, which were foreseen. */
#include <string.h>

#include "base/alloc.h"
#include "dispatch_two.h"

enum { ITEMS = 100000, CORE_NS = 1000, GPU_NS = 10, GPU_FIXED_NS = 5000 };
static const int64_t comes_ns = 5000000;
static const double awaits_ns = 8000000;
/* both together from then on: 1 + 100 items a us */
static const double bound_ns = 5e6 + (1e5 - 5e3) / 0.101;

static const struct yk_split_device core = {
    .name = "cpu", .lanes = 1, .host_memory = 1, .fill = 1, .share = -1
};
static const struct yk_split_device gpu = {
    .name = "gpu", .lanes = 1, .fill = 32, .fixed_ns = GPU_FIXED_NS, .share = -1
};

/* Each device has at most one chunk out. */
struct machine {
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk[2];
    int64_t issued[2], ends[2];     /* ends -1: idle */
    int64_t now, items[2], longest; /* the core's longest lease before the GPU came */
    int count;
    unsigned char times_done[ITEMS];
};

static void open_core(struct machine *machine, const char *partitioner)
{
    const struct yk_split_spec spec = { .last = ITEMS,
                                        .unit = 1,
                                        .devices = &core,
                                        .device_count = 1,
                                        .partitioner = partitioner,
                                        .awaits_ns = awaits_ns };
    memset(machine, 0, sizeof *machine);
    machine->ends[0] = machine->ends[1] = -1;
    machine->count = 1;
    assert_int_equal(yk_dispatch_open(&spec, &machine->dispatch), YOKE_OK);
    yk_dispatch_join(machine->dispatch, 0, 0);
}

static int64_t chunk_ns(int device, int64_t items)
{
    return device ? GPU_FIXED_NS + GPU_NS * items : CORE_NS * items;
}

static void request(struct machine *machine, int d)
{
    struct yk_chunk *chunk = &machine->chunk[d];
    int64_t wake_ns;
    if (machine->ends[d] >= 0 ||
        yk_dispatch_next(machine->dispatch, &(struct yk_request){ d, 0, machine->now }, chunk,
                         &wake_ns) != YK_TAKE)
        return;
    machine->issued[d] = machine->now;
    machine->ends[d] = machine->now + chunk_ns(d, chunk->last - chunk->first);
    if (machine->count == 1 && machine->ends[d] - machine->now > machine->longest)
        machine->longest = machine->ends[d] - machine->now;
}

static void end(struct machine *machine, int d)
{
    const struct yk_chunk *chunk = &machine->chunk[d];
    const struct yk_chunk_times times = { .issued = machine->issued[d], .ended = machine->now };
    int64_t i;
    for (i = chunk->first; i < chunk->last; i++)
        machine->times_done[i]++;
    machine->items[d] += chunk->last - chunk->first;
    machine->ends[d] = -1;
    yk_dispatch_done(machine->dispatch, chunk, chunk->last - chunk->first, &times);
    assert_true(yk_dispatch_check(machine->dispatch));
}

/* Works until no chunk is out, or until the next one ends after `until`. */
static void work(struct machine *machine, int64_t until)
{
    for (;;) {
        int d, first = -1;
        for (d = 0; d < machine->count; d++) {
            request(machine, d);
            if (machine->ends[d] >= 0 && (first < 0 || machine->ends[d] < machine->ends[first]))
                first = d;
        }
        if (first < 0 || machine->ends[first] > until)
            return;
        machine->now = machine->ends[first];
        end(machine, first);
    }
}

static void close_machine(struct machine *machine)
{
    int i;
    assert_int_equal(yk_dispatch_left(machine->dispatch), 0);
    for (i = 0; i < ITEMS; i++)
        assert_int_equal(machine->times_done[i], 1);
    yk_dispatch_close(machine->dispatch);
}

static void admit(struct machine *machine)
{
    machine->now = comes_ns;
    assert_int_equal(yk_dispatch_admit(machine->dispatch, &gpu), YOKE_OK);
    assert_true(yk_dispatch_check(machine->dispatch));
    yk_dispatch_join(machine->dispatch, 1, machine->now);
    machine->count = 2;
}

static void a_gpu_does_its_part_of_the_rest(void **state)
{
    static struct machine machine;
    (void)state;
    open_core(&machine, "auto");
    work(&machine, comes_ns);
    assert_true(machine.longest <= awaits_ns / 8); /* so that enough is left when it comes */
    admit(&machine);
    work(&machine, INT64_MAX);
    if (machine.now > 1.2 * bound_ns)
        fail_msg("ended after %lld ns, bound %.0f", (long long)machine.now, bound_ns);
    assert_true(machine.items[1] > 9 * machine.items[0]);
    close_machine(&machine);
}

static void other_partitioners_go_on(void **state)
{
    static const char *const partitioners[] = { "dynamic:chunk=100", "guided", "even", "weight",
                                                "demand" };
    static struct machine machine;
    size_t p;
    (void)state;
    for (p = 0; p < sizeof partitioners / sizeof *partitioners; p++) {
        open_core(&machine, partitioners[p]);
        work(&machine, comes_ns);
        admit(&machine);
        work(&machine, INT64_MAX);
        close_machine(&machine);
    }
}

/* The load failed, or there was nothing to load. */
static void leases_grow_when_none_is_awaited(void **state)
{
    static struct machine machine;
    (void)state;
    open_core(&machine, "auto");
    work(&machine, comes_ns);
    yk_dispatch_await_none(machine.dispatch);
    machine.longest = 0;
    work(&machine, INT64_MAX);
    assert_true(machine.longest > awaits_ns);
    close_machine(&machine);
}

static void without_memory_all_is_as_before(void **state)
{
    static struct machine machine;
    int64_t nth, before;
    int failed = 1, refused = 0;
    (void)state;
    for (nth = 1; failed; nth++) {
        open_core(&machine, "auto");
        work(&machine, comes_ns);
        before = yk_alloc_outstanding();
        yk_alloc_fail_at(nth);
        if (yk_dispatch_admit(machine.dispatch, &gpu) != YOKE_OK) {
            refused++;
            assert_int_equal(yk_alloc_outstanding(), before);
        }
        failed = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_true(yk_dispatch_check(machine.dispatch));
        work(&machine, INT64_MAX); /* a device that never joins is not waited for */
        close_machine(&machine);
    }
    assert_true(refused >= 4);
}

static void a_bad_device_is_refused(void **state)
{
    static struct machine machine;
    struct yk_split_device bad = gpu;
    (void)state;
    bad.lanes = 0;
    open_core(&machine, "auto");
    assert_int_equal(yk_dispatch_admit(machine.dispatch, &bad), YOKE_EINVAL);
    work(&machine, INT64_MAX);
    close_machine(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_does_its_part_of_the_rest),
        cmocka_unit_test(other_partitioners_go_on),
        cmocka_unit_test(leases_grow_when_none_is_awaited),
        cmocka_unit_test(without_memory_all_is_as_before),
        cmocka_unit_test(a_bad_device_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
