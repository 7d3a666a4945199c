/* test_pin.c - the map of pinned pages against a model that records each page separately, under
 * random joins, pins and leaves; and when pinning pays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "array/pin.h"
#include "base/alloc.h"

enum { PAGE = 4096, PAGES = 120, RANGES = 6, STEPS = 20000 };
static const int64_t base = (int64_t)PAGE * 1000;

static uint64_t seed;
static int draw(int below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)below);
}

struct model {
    int block[PAGES]; /* number of the block that contains the page; 0: none */
    enum yk_pin_state state[STEPS + 1];
    struct yk_pin_range ranges[RANGES];
    int blocks;
};

static struct yk_interval span(int first, int last)
{
    return (struct yk_interval){ base + (int64_t)first * PAGE, base + (int64_t)last * PAGE };
}

static int page_of(int64_t address)
{
    return (int)((address - base) / PAGE);
}

static int model_used(const struct model *m, int block, enum yk_pin_users users)
{
    int r, p;
    for (r = 0; r < RANGES; r++)
        for (p = 0; p < PAGES; p++)
            if (m->block[p] == block && m->ranges[r].joined &&
                (m->ranges[r].is_array || users == YK_PIN_ANY_RANGE) &&
                base + (int64_t)p * PAGE >= m->ranges[r].pages.first &&
                base + (int64_t)p * PAGE < m->ranges[r].pages.last)
                return 1;
    return 0;
}

static void check_looks(const struct model *m, const struct yk_pin_map *map)
{
    int first = draw(PAGES), last = first + 1 + draw(PAGES - first), p = first;
    struct yk_interval bytes = span(first, last);
    struct yk_pin_block found;
    bytes.first += draw(PAGE);
    bytes.last -= draw(PAGE - (int)(bytes.first % PAGE)) * (last == first + 1);
    found = yk_pin_look(map, bytes);
    while (p < last && m->block[p] == m->block[first])
        p++;
    assert_int_equal(found.state, m->block[first] ? m->state[m->block[first]] : YK_PIN_NOT);
    assert_int_equal(found.bytes.first, bytes.first);
    assert_int_equal(found.bytes.last,
                     span(p, p).first < bytes.last ? span(p, p).first : bytes.last);
}

static void join(struct model *m, struct yk_pin_map *map, int r)
{
    int first = draw(PAGES), last = first + 1 + draw(PAGES - first);
    m->ranges[r] = (struct yk_pin_range){ .pages = span(first, last), .is_array = draw(3) > 0 };
    yk_pin_join(map, &m->ranges[r]);
}

static void pin_some(struct model *m, struct yk_pin_map *map, const struct yk_pin_range *range)
{
    int first = page_of(range->pages.first), last = page_of(range->pages.last), p;
    int at = first + draw(last - first);
    struct yk_interval bytes = span(at, at + 1 + draw(last - at)), gap;
    struct yk_pin_block block = { .state = draw(2) ? YK_PIN_OURS : YK_PIN_FOREIGN };
    if (m->block[at])
        return;
    bytes = yk_pin_look(map, bytes).bytes;
    gap = yk_pin_gap(map, range, bytes);
    assert_true(gap.first <= bytes.first && gap.last > bytes.first);
    assert_true(gap.first >= range->pages.first && gap.last <= range->pages.last);
    assert_true(gap.last - gap.first <= yk_pin_terms.most);
    block.bytes = gap;
    assert_int_equal(yk_pin_insert(map, &block), YOKE_OK);
    m->state[++m->blocks] = block.state;
    for (p = page_of(gap.first); p < page_of(gap.last); p++) {
        assert_int_equal(m->block[p], 0);
        m->block[p] = m->blocks;
    }
}

/* Does the same as pages.c. */
static void leave(struct model *m, struct yk_pin_map *map, struct yk_pin_range *range)
{
    struct yk_pin_block *block;
    int p, keep = draw(2);
    yk_pin_leave(map, range);
    while ((block = yk_pin_unused(map, range->pages, keep ? YK_PIN_ANY_RANGE : YK_PIN_ARRAYS))) {
        int number = m->block[page_of(block->bytes.first)];
        assert_false(model_used(m, number, keep ? YK_PIN_ANY_RANGE : YK_PIN_ARRAYS));
        for (p = 0; p < PAGES; p++)
            if (m->block[p] == number)
                m->block[p] = 0;
        yk_pin_remove(map, block->bytes.first);
    }
    for (p = page_of(range->pages.first); p < page_of(range->pages.last); p++)
        assert_true(!m->block[p] ||
                    model_used(m, m->block[p], keep ? YK_PIN_ANY_RANGE : YK_PIN_ARRAYS));
}

static void against_a_model(void **state)
{
    static struct model m;
    struct yk_pin_map map = { 0 };
    int step, r;
    (void)state;
    yk_pin_terms.unit = 4 * PAGE;
    yk_pin_terms.most = 16 * PAGE;
    for (step = 0; step < STEPS; step++) {
        r = draw(RANGES);
        if (!m.ranges[r].joined)
            join(&m, &map, r);
        else if (draw(4))
            pin_some(&m, &map, &m.ranges[r]);
        else
            leave(&m, &map, &m.ranges[r]);
        assert_true(yk_pin_map_check(&map));
        check_looks(&m, &map);
    }
    for (r = 0; r < RANGES; r++)
        if (m.ranges[r].joined)
            leave(&m, &map, &m.ranges[r]);
    yk_pin_map_close(&map);
}

/* Default sizes and costs. */
static struct yk_pin_terms usual;

static struct yk_interval mib(double first, double last)
{
    return (struct yk_interval){ (int64_t)(first * 1048576), (int64_t)(last * 1048576) };
}

static struct yk_pin_copy once(struct yk_interval bytes)
{
    return (struct yk_pin_copy){ .bytes = bytes, .part = 1 };
}

static int pays(const struct yk_pin_range *range, struct yk_interval gap, struct yk_interval bytes)
{
    const struct yk_pin_copy copy = once(bytes);
    return yk_pin_pays(range, gap, &copy);
}

static void moved(struct yk_pin_range *range, struct yk_interval bytes)
{
    const struct yk_pin_copy copy = once(bytes);
    yk_pin_moved(range, &copy);
}

static void paid(struct yk_pin_range *range, struct yk_interval gap)
{
    const struct yk_pin_copy copy = once(gap);
    yk_pin_paid(range, gap, &copy);
}

static void when_it_pays(void **state)
{
    struct yk_pin_map map = { 0 };
    struct yk_pin_range range = { .pages = mib(64, 128), .is_array = 1 };
    struct yk_interval piece = mib(70, 70.25);
    int passes = 0;
    (void)state;
    yk_pin_terms = usual;
    yk_pin_terms.pin_mib_ns = usual.slow_mib_ns - 10e3; /* as if all cores work */
    yk_pin_join(&map, &range);
    /* The first move is not enough, the second is, for a whole block; not for a part of it. */
    assert_false(pays(&range, mib(100, 108), mib(100, 108)));
    moved(&range, mib(100, 108));
    assert_true(pays(&range, mib(100, 108), mib(100, 108)));
    assert_true(pays(&range, mib(101, 102), mib(101, 102)));
    assert_false(pays(&range, mib(92, 108), mib(100, 101)));
    paid(&range, mib(100, 108));
    assert_true(range.moved >= 0 && range.moved < 8 << 20);
    range.moved = 0;
    /* Small copies have to recur until the time lost equals the cost of pinning, and no longer. */
    for (; !pays(&range, piece, piece); passes++)
        moved(&range, piece);
    double lost = passes * 0.25 * (usual.slow_mib_ns - usual.fast_mib_ns);
    double cost =
        usual.pin_ns + usual.unpin_ns + 0.25 * (yk_pin_terms.pin_mib_ns + usual.unpin_mib_ns);
    assert_true(lost < cost && cost <= lost + 0.25 * (usual.slow_mib_ns - usual.fast_mib_ns));
    /* Copies elsewhere in the range count, until they have paid for a block. */
    assert_true(pays(&range, mib(80, 80.25), mib(80, 80.25)));
    paid(&range, mib(80, 80.25));
    assert_false(pays(&range, piece, piece));
    moved(&range, mib(0, 64)); /* outside of the range */
    assert_false(pays(&range, piece, piece));
    yk_pin_leave(&map, &range);
}

/* What is known to be copied n times pays with n times what one copy saves, whatever was copied
 * before. */
static void when_the_copies_are_known(void **state)
{
    struct yk_pin_range range = { .pages = mib(64, 128), .is_array = 1 };
    struct yk_pin_copy copy = once(mib(64, 68));
    (void)state;
    yk_pin_terms = usual;
    yk_pin_terms.pin_ns = yk_pin_terms.unpin_ns = 0;
    yk_pin_terms.slow_mib_ns = 120e3;
    yk_pin_terms.fast_mib_ns = 20e3;
    for (int passes = 1; passes <= 2; passes++)
        for (int cost = 50; cost <= 250; cost += 20) {
            yk_pin_terms.pin_mib_ns = (cost - 10) * 1e3;
            yk_pin_terms.unpin_mib_ns = 10e3;
            copy.passes = passes;
            range.moved = cost % 40 ? 0 : 64 << 20;
            assert_int_equal(yk_pin_pays(&range, copy.bytes, &copy), passes * 100 >= cost);
        }
    yk_pin_terms.slow_mib_ns = yk_pin_terms.fast_mib_ns; /* never */
    assert_false(yk_pin_pays(&range, copy.bytes, &copy));
    yk_pin_terms = usual;
}

/* Recent costs decide how much pinning may cost next time. */
static void measured(void **state)
{
    struct yk_pin_range range = { .pages = mib(64, 128), .is_array = 1 };
    const struct yk_interval block = mib(64, 80);
    const struct yk_pin_terms *terms = &yk_pin_terms;
    (void)state;
    yk_pin_terms = usual;
    assert_true(pays(&range, block, block)); /* on idle cores */
    assert_int_equal(yk_pin_worth_waiting(block), usual.pin_ns + 16 * usual.slow_mib_ns);
    for (int times = 0; times < 8; times++)
        yk_pin_measured(YK_PIN_PINNED, 16 << 20, (int64_t)(usual.pin_ns + 16 * 200e3));
    assert_true(terms->pin_mib_ns > 190e3 && terms->pin_mib_ns <= 200e3);
    assert_false(pays(&range, block, block));
    assert_int_equal(yk_pin_worth_waiting(block), 0);
    yk_pin_measured(YK_PIN_PINNED, 4096, 1); /* too small to measure the cost of a MiB */
    assert_true(terms->pin_mib_ns > 190e3);
    for (int times = 0; times < 64; times++)
        yk_pin_measured(YK_PIN_STAGED, 1 << 20, (int64_t)400e3);
    assert_true(terms->slow_mib_ns > 390e3 && terms->slow_mib_ns <= 400e3);
    assert_true(pays(&range, block, block));               /* the other way is even slower */
    yk_pin_measured(YK_PIN_STAGED, 1 << 20, (int64_t)8e6); /* the thread lost its core */
    assert_true(terms->slow_mib_ns < 1e6);
    for (int times = 0; times < 8; times++)
        yk_pin_measured(YK_PIN_UNPINNED, 16 << 20, (int64_t)(usual.unpin_ns + 16 * 900e3));
    assert_true(terms->unpin_mib_ns > 890e3 && terms->unpin_mib_ns <= 900e3);
    assert_false(pays(&range, block, block));
    yk_pin_terms = usual;
    for (int times = 0; times < 8; times++)
        yk_pin_measured(YK_PIN_PINNED, 16 << 20, 1);
    assert_true(terms->pin_mib_ns >= 0 && terms->pin_mib_ns < 1e3);
    assert_true(pays(&range, block, block));
    yk_pin_terms = usual;
}

static void whole_pages_only(void **state)
{
    struct yk_interval pages;
    (void)state;
    pages = yk_pin_pages((void *)(base + 1), 3 * PAGE);
    assert_int_equal(pages.first, base + PAGE);
    assert_int_equal(pages.last, base + 3 * PAGE);
    pages = yk_pin_pages((void *)base, 3 * PAGE);
    assert_int_equal(pages.first, base);
    assert_int_equal(pages.last, base + 3 * PAGE);
    assert_true(yk_interval_empty(yk_pin_pages((void *)(base + 1), 2 * PAGE - 2)));
    assert_true(yk_interval_empty(yk_pin_pages(NULL, 0)));
}

static void filled_units(void **state)
{
    struct yk_interval gap = mib(64.1, 66), filled;
    (void)state;
    yk_pin_terms = usual;
    filled = yk_pin_filled(gap, mib(64.1, 66));
    assert_memory_equal(&filled, &gap, sizeof gap);
    filled = yk_pin_filled(gap, mib(64.2, 65.9));
    assert_int_equal(filled.first, mib(64.25, 0).first);
    assert_int_equal(filled.last, mib(0, 65.75).last);
    assert_true(yk_interval_empty(yk_pin_filled(gap, mib(64.3, 64.6))));
}

static void without_memory(void **state)
{
    struct yk_pin_map map = { 0 };
    struct yk_pin_range range = { .pages = mib(64, 128), .is_array = 1 };
    struct yk_pin_block block = { .state = YK_PIN_OURS, .bytes = mib(64, 65) };
    (void)state;
    yk_pin_terms = usual;
    yk_pin_join(&map, &range);
    yk_alloc_fail_at(1);
    assert_int_equal(yk_pin_insert(&map, &block), YOKE_ENOMEM);
    assert_int_equal(map.count, 0);
    yk_alloc_fail_at(0);
    assert_int_equal(yk_pin_insert(&map, &block), YOKE_OK);
    yk_pin_remove(&map, block.bytes.first);
    assert_null(map.items);
    yk_pin_leave(&map, &range);
}

int main(void)
{
    const char *given = getenv("YOKE_TEST_SEED");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(when_it_pays),    cmocka_unit_test(when_the_copies_are_known),
        cmocka_unit_test(measured),        cmocka_unit_test(whole_pages_only),
        cmocka_unit_test(filled_units),    cmocka_unit_test(without_memory),
        cmocka_unit_test(against_a_model),
    };
    usual = yk_pin_terms;
    seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    print_message("YOKE_TEST_SEED=%llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
