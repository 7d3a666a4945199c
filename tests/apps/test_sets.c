/* test_sets.c - the sets of devices, in the papers' order and with the papers' names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sets.h"

/* "cpu" is the cores; "g0" and so on are GPUs of the first kind, "x0" of another. */
static struct measure_device device_of(const char *name)
{
    int is_gpu = strncmp(name, "cpu", 3) && strncmp(name, "sim:cpu", 7);
    struct measure_device device = { .lanes = 1 };
    snprintf(device.name, sizeof device.name, "%s", name);
    snprintf(device.spec, sizeof device.spec, "%s", name);
    snprintf(device.backend, sizeof device.backend, "%s",
             strncmp(name, "sim", 3) == 0 ? "sim"
             : is_gpu                     ? "cuda"
                                          : "cpu");
    snprintf(device.model, sizeof device.model, "%c", name[0]);
    return device;
}

static struct sets sets_of(int count, const char *const *names)
{
    struct measure_device devices[SETS_DEVICES_MAX];
    struct sets sets;
    for (int d = 0; d < count; d++)
        devices[d] = device_of(names[d]);
    assert_int_equal(sets_make(devices, count, &sets), YOKE_OK);
    return sets;
}

/* Names in order; those shown come before "|". */
static void expect(const struct sets *sets, const char *names)
{
    char text[2048] = "";
    for (int s = 0; s < sets->count; s++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", s ? " " : "",
                 s == sets->shown ? "| " : "", sets->sets[s].name);
        assert_int_equal(sets->sets[s].shown, s < sets->shown);
    }
    assert_string_equal(text, names);
}

/* Every single part is the set it is labelled as, with its own devices. */
static void check_parts(const struct sets *sets)
{
    uint32_t seen = 0;
    for (int p = 0; p < sets->part_count; p++) {
        const struct set *alone = &sets->sets[sets->alone[p]];
        assert_int_equal(alone->parts, 1u << p);
        assert_int_equal(alone->devices, sets->devices_of[p]);
        assert_int_equal(seen & sets->devices_of[p], 0);
        seen |= sets->devices_of[p];
    }
    for (int s = 0; s < sets->count; s++) {
        uint32_t devices = 0;
        for (int p = 0; p < sets->part_count; p++)
            if (sets->sets[s].parts >> p & 1)
                devices |= sets->devices_of[p];
        assert_int_equal(sets->sets[s].devices, devices);
    }
}

static void check(int count, const char *const *names, const char *expected)
{
    struct sets sets = sets_of(count, names);
    expect(&sets, expected);
    check_parts(&sets);
}

static void the_papers_sets(void **unused)
{
    const char *const devices[] = { "cpu", "g0", "g1", "g2", "g3" };
    (void)unused;
    check(1, devices, "C");
    check(2, devices, "C G C+G");
    check(3, devices, "C G C+G 2G C+2G | g1");
    check(4, devices, "C G C+G 2G C+2G 3G C+3G | g1 g2");
    check(5, devices, "C G C+G 2G C+2G 3G C+3G 4G C+4G | g1 g2 g3");
    check(1, devices + 1, "G");
    check(4, devices + 1, "G 2G 3G 4G | g1 g2 g3");
}

static void unlike_devices_are_named(void **unused)
{
    const char *const devices[] = { "cpu", "g0", "x0", "g1" };
    (void)unused;
    check(3, devices, "cpu g0 cpu+g0 x0 g0+x0 cpu+g0+x0");
    check(3, devices + 1, "g0 x0 g0+x0 g1 g0+x0+g1");
}

static void cores_count_as_one(void **unused)
{
    const char *const devices[] = { "cpu:L3:0", "g0", "cpu:L3:1" };
    const char *const simulated[] = { "sim:gpu", "sim:cpu" };
    (void)unused;
    check(3, devices, "C G C+G");
    assert_int_equal(sets_of(3, devices).sets[0].devices, 5);
    check(2, simulated, "C G C+G");
    assert_int_equal(sets_of(2, simulated).sets[0].devices, 2);
}

static void there_may_be_many(void **unused)
{
    struct measure_device devices[SETS_DEVICES_MAX + 1];
    struct sets sets;
    char name[16];
    (void)unused;
    for (int d = 0; d <= SETS_DEVICES_MAX; d++) {
        snprintf(name, sizeof name, "%c%d", d % 2 ? 'g' : 'x', d);
        devices[d] = device_of(d ? name : "cpu");
    }
    assert_int_equal(sets_make(devices, SETS_DEVICES_MAX, &sets), YOKE_OK);
    assert_true(sets.count <= SETS_MAX);
    check_parts(&sets);
    assert_int_equal(sets_make(devices, SETS_DEVICES_MAX + 1, &sets), YOKE_EINVAL);
    assert_non_null(strstr(app_error_text(), "name fewer with --devices"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_sets),
        cmocka_unit_test(unlike_devices_are_named),
        cmocka_unit_test(cores_count_as_one),
        cmocka_unit_test(there_may_be_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
