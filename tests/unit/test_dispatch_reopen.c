/* Tests of yk_dispatch_reopen: a dispatcher in the memory of another one decides like a new one. */
#include <string.h>

#include "dispatch_two.h"

enum { ITEMS = 5000, DECISIONS = 400 };

struct run {
    struct yk_decision decisions[DECISIONS];
    size_t count;
    struct yk_split_outcome outcomes[2];
    char reasons[2][224];
};

/* Nothing is known of the devices, or their regions in the last job are. */
static const struct yk_split_device devices[][3] = {
    { { .name = "cpu", .lanes = 2, .host_memory = 1, .fill = 2, .share = -1 },
      { .name = "gpu", .lanes = 2, .fill = 16, .fixed_ns = 500, .share = -1 },
      { .name = "gpu with a long name", .lanes = 1, .fill = 8, .rate = 0.1, .share = 0.5 } },
    { { .name = "cpu", .lanes = 2, .host_memory = 1, .fill = 2, .rate = 0.05, .share = 0.13 },
      { .name = "gpu", .lanes = 2, .fill = 16, .fixed_ns = 50, .rate = 0.333, .share = 0.87 },
      { .name = "gpu", .lanes = 2, .fill = 16, .fixed_ns = 500, .rate = 0.333, .share = 0 } },
};
static int known;

static struct yk_split_spec spec_of(const char *partitioner, int64_t items, int count)
{
    return (struct yk_split_spec){ .last = items,
                                   .unit = 1,
                                   .devices = devices[known],
                                   .device_count = count,
                                   .partitioner = partitioner };
}

/* Devices take turns; each reports its chunk before it requests the next; the GPU is faster. */
static void work(struct yk_dispatch *dispatch, int count)
{
    int64_t now = 0, wake_ns;
    struct yk_chunk chunk;
    int d, got;
    for (d = 0; d < count; d++)
        yk_dispatch_join(dispatch, d, 0);
    do {
        for (d = got = 0; d < count; d++) {
            struct yk_chunk_times times = { .issued = now };
            if (yk_dispatch_next(dispatch, &(struct yk_request){ d, 0, now }, &chunk, &wake_ns) !=
                YK_TAKE)
                continue;
            got = 1;
            now += (chunk.last - chunk.first) * (d ? 3 : 20) + 500;
            times.ended = now;
            yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
            assert_true(yk_dispatch_check(dispatch));
        }
    } while (got);
    assert_int_equal(yk_dispatch_left(dispatch), 0);
}

static void record(struct yk_dispatch *dispatch, struct run *out)
{
    const struct yk_decision *decisions = yk_dispatch_decisions(dispatch, &out->count);
    int d;
    assert_in_range(out->count, 1, DECISIONS);
    memcpy(out->decisions, decisions, out->count * sizeof *decisions);
    for (d = 0; d < 2; d++) {
        const char *reason = yk_dispatch_reason(dispatch, d);
        yk_dispatch_outcome(dispatch, d, &out->outcomes[d]);
        strncpy(out->reasons[d], reason ? reason : "", sizeof out->reasons[d] - 1);
    }
}

static void assert_alike(const struct run *a, const struct run *b)
{
    size_t i;
    int d;
    assert_int_equal(a->count, b->count);
    for (i = 0; i < a->count; i++) {
        assert_int_equal(a->decisions[i].when, b->decisions[i].when);
        assert_int_equal(a->decisions[i].first, b->decisions[i].first);
        assert_int_equal(a->decisions[i].last, b->decisions[i].last);
        assert_int_equal(a->decisions[i].device, b->decisions[i].device);
        assert_string_equal(a->decisions[i].reason, b->decisions[i].reason);
    }
    for (d = 0; d < 2; d++) {
        assert_int_equal(a->outcomes[d].items, b->outcomes[d].items);
        assert_int_equal(a->outcomes[d].busy_ns, b->outcomes[d].busy_ns);
        assert_true(a->outcomes[d].fixed_ns == b->outcomes[d].fixed_ns);
        assert_string_equal(a->reasons[d], b->reasons[d]);
    }
}

/* Runs different jobs before it: longer ones, with another device, by another partitioner, and one
 * whose device left before it was done. */
static void do_others(struct yk_dispatch *dispatch, const char *partitioner)
{
    struct yk_split_spec others[] = { spec_of(partitioner, 3 * ITEMS, 2),
                                      spec_of(partitioner, ITEMS, 3),
                                      spec_of("dynamic:chunk=100", ITEMS, 2) };
    struct yk_split_spec last = spec_of(partitioner, ITEMS, 2);
    struct yk_chunk chunk;
    size_t i;
    for (i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(yk_dispatch_reopen(dispatch, &others[i]), YOKE_OK);
        work(dispatch, others[i].device_count);
    }
    assert_int_equal(yk_dispatch_reopen(dispatch, &last), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 7);
    yk_dispatch_leave(dispatch, 1, "it was told to go");
    assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
}

static void decide_as_new_ones(void)
{
    static const char *const names[] = {
        NULL, "even", "static", "dynamic:chunk=70", "guided", "nc-ht:grains=50", "c-ht", "demand"
    };
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        const struct yk_split_spec spec = spec_of(names[i], ITEMS, 2);
        static struct run fresh, again;
        struct yk_dispatch *dispatch;
        memset(&fresh, 0, sizeof fresh);
        memset(&again, 0, sizeof again);
        assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
        work(dispatch, 2);
        record(dispatch, &fresh);
        do_others(dispatch, names[i]);
        assert_int_equal(yk_dispatch_reopen(dispatch, &spec), YOKE_OK);
        work(dispatch, 2);
        record(dispatch, &again);
        assert_alike(&fresh, &again);
        yk_dispatch_close(dispatch);
    }
}

static void decides_as_a_new_one(void **state)
{
    (void)state;
    for (known = 0; known < 2; known++)
        decide_as_new_ones();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(decides_as_a_new_one) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
