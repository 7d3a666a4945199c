/* test_backend_list.c - from a text to a list of devices: the frame of the grammar, the sim
 * backend's part of it, and invalid input, each with a message that names the error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/backend.h"
#include "backend/sim/sim.h"
#include "base/alloc.h"

static void backends(void **state)
{
    (void)state;
    assert_string_equal(yk_backends[0]->name, "cpu");
    for (int i = 0; yk_backends[i]; i++)
        assert_ptr_equal(yk_backend_find(yk_backends[i]->name), yk_backends[i]);
    assert_ptr_equal(yk_backend_find("sim"), &yk_backend_sim);
    assert_null(yk_backend_find("cuda9"));
    assert_null(yk_backend_find(""));
    assert_null(yk_backend_find(NULL));
}

static void specs(void **state)
{
    struct yk_device_spec *specs;
    int count;
    (void)state;
    assert_int_equal(yk_device_specs_parse("cpu:8,opencl:1:mem=256M:lanes=3,sim,cpu:numa:0,"
                                           "sim:rate=1e9",
                                           &specs, &count),
                     YOKE_OK);
    assert_int_equal(count, 5);
    assert_string_equal(specs[0].backend->name, "cpu");
    assert_string_equal(specs[0].selector, "8");
    assert_string_equal(specs[0].settings, "");
    assert_string_equal(specs[1].backend->name, "opencl");
    assert_string_equal(specs[1].selector, "1");
    assert_string_equal(specs[1].settings, "mem=256M:lanes=3");
    assert_string_equal(specs[2].selector, "");
    assert_string_equal(specs[3].selector, "numa:0");
    assert_string_equal(specs[4].selector, "");
    assert_string_equal(specs[4].settings, "rate=1e9");
    yk_free(specs);
    assert_int_equal(yk_device_specs_parse(" cpu, opencl:1", &specs, &count), YOKE_OK);
    assert_int_equal(count, 2); /* blanks around commas are allowed */
    assert_string_equal(specs[1].selector, "1");
    yk_free(specs);
    const char *nothing[] = { NULL, "" };
    for (int i = 0; i < 2; i++) {
        assert_int_equal(yk_device_specs_parse(nothing[i], &specs, &count), YOKE_OK);
        assert_int_equal(count, 0);
        yk_free(specs);
    }
}

/* Text, expected status, and words that the message must contain. */
struct bad_text {
    const char *text;
    yoke_status status;
    const char *words, *more;
};

static void refuse(const struct bad_text *bad)
{
    struct yk_device_list list = { .count = -7 };
    int64_t outstanding = yk_alloc_outstanding();
    yoke_status status = yk_devices_find(bad->text, &list);
    if (status != bad->status || !strstr(yoke_error_text(), bad->words) ||
        !strstr(yoke_error_text(), bad->more))
        fail_msg("'%.60s' gives %s: %s", bad->text, yoke_status_text(status), yoke_error_text());
    assert_int_equal(list.count, -7);
    assert_int_equal(yk_alloc_outstanding(), outstanding);
}

static void bad_frames(void **state)
{
    static const struct bad_text texts[] = {
        { ",,", YOKE_EINVAL, "empty device name", "comma" },
        { ",", YOKE_EINVAL, "empty device name", "comma" },
        { "sim,", YOKE_EINVAL, "empty device name", "comma" },
        { ":", YOKE_EINVAL, "no device backend is called ''", "cpu, cuda, opencl, sim" },
        { "cuda9:0", YOKE_EINVAL, "'cuda9'", "cpu, cuda, opencl, sim" },
        { "CPU", YOKE_EINVAL, "'CPU'", "cpu, cuda, opencl, sim" },
        { "\xff\xfe%s%n", YOKE_EINVAL, "%s%n", "cpu, cuda, opencl, sim" },
        { "gpugpugpugpugpugpugpugpugpugpugpugpugpugpu", YOKE_EINVAL, "no device backend", "sim" },
        { "sim:", YOKE_EINVAL, "empty part", "key=value" },
        { "sim::mem=3", YOKE_EINVAL, "empty part", "key=value" },
        { "sim:gpu:mem=1M:cpu", YOKE_EINVAL, "'cpu' has no value", "key=value" },
        { "sim:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
          YOKE_EINVAL, "too long", "127" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refuse(&texts[i]);
}

static void bad_sims(void **state)
{
    static const struct bad_text texts[] = {
        { "sim:tpu", YOKE_EINVAL, "'tpu'", "sim:cpu or sim:gpu" },
        { "sim:0", YOKE_EINVAL, "'0'", "sim:cpu or sim:gpu" },
        { "sim:gpu*0", YOKE_EINVAL, "1 to 64", "gpu*0" },
        { "sim:gpu*65", YOKE_EINVAL, "1 to 64", "gpu*65" },
        { "sim:gpu*", YOKE_EINVAL, "1 to 64", "gpu*" },
        { "sim:gpu*-1", YOKE_EINVAL, "1 to 64", "gpu*-1" },
        { "sim:gpu*4x", YOKE_EINVAL, "1 to 64", "gpu*4x" },
        { "sim:gpu!", YOKE_EINVAL, "'!'", "letters" },
        { "sim:gpu-of-a-name-that-goes-on-and-on-and-on", YOKE_EINVAL, "too long", "31" },
        { "sim:gpu:speed=3", YOKE_EINVAL, "speed", "rate" },
        { "sim:gpu:rate=", YOKE_EINVAL, "rate", "" },
        { "sim:gpu:rate=fast", YOKE_EINVAL, "rate", "fast" },
        { "sim:gpu:rate=0", YOKE_EINVAL, "rate=0", "out of range" },
        { "sim:gpu:rate=-1", YOKE_EINVAL, "rate", "" },
        { "sim:gpu:mem=0", YOKE_EINVAL, "mem=0", "out of range" },
        { "sim:gpu:noise=1", YOKE_EINVAL, "noise=1", "out of range" },
        { "sim:gpu:lanes=1000", YOKE_EINVAL, "lanes=1000", "1 to 64" },
        { "sim:gpu:cores=4", YOKE_EINVAL, "no option 'cores'", "there are: rate" },
        { "sim:cpu:cores=0", YOKE_EINVAL, "cores=0", "1 to 4096" },
        { "sim:cpu:mem=1G", YOKE_EINVAL, "no option 'mem'", "there are: cores" },
        { "sim:cpu:link=1e9", YOKE_EINVAL, "no option 'link'", "there are: cores" },
        { "sim:gpu:build=maybe", YOKE_EINVAL, "build", "works" },
        { "sim:gpu,sim:gpu:fill=0", YOKE_EINVAL, "fill=0", "out of range" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refuse(&texts[i]);
}

/* The real backends' own part: impossible device numbers, a device given twice. */
static void bad_devices(void **state)
{
    static const struct bad_text texts[] = {
        { "cpu:0", YOKE_EINVAL, "cpu:0", "" },
        { "cpu:99999", YOKE_EINVAL, "cpu:99999", "" },
        { "cpu:-1", YOKE_EINVAL, "cpu:-1", "" },
        { "cpu:many", YOKE_EINVAL, "cpu:many", "" },
        { "cpu,cpu", YOKE_EINVAL, "cpu and cpu are the same device", "once" },
        { "cpu:1,cpu:1", YOKE_EINVAL, "same device", "once" },
        { "cpu:1:colour=red", YOKE_EINVAL, "colour", "" },
        { "opencl:9", YOKE_ENODEV, "", "" },
        { "opencl:x", YOKE_EINVAL, "opencl:x", "opencl:0" },
        { "cpu:1,opencl:9", YOKE_ENODEV, "", "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refuse(&texts[i]);
}

static void names_are(const char *text, const char *const *names)
{
    struct yk_device_list list = { 0 };
    int count = 0;
    assert_int_equal(yk_devices_find(text, &list), YOKE_OK);
    for (; names[count]; count++) {
        assert_true(count < list.count);
        assert_string_equal(list.items[count].name, names[count]);
    }
    assert_int_equal(list.count, count);
    yk_device_list_close(&list);
    yk_device_list_close(&list); /* closing twice is allowed */
}

static void names(void **state)
{
    (void)state;
    names_are("sim", (const char *[]){ "sim:cpu", "sim:gpu", NULL });
    names_are("sim:gpu", (const char *[]){ "sim:gpu", NULL });
    names_are("sim:gpu*3", (const char *[]){ "sim:gpu0", "sim:gpu1", "sim:gpu2", NULL });
    names_are("sim:gpu-fast:rate=1e12,sim:gpu-slow",
              (const char *[]){ "sim:gpu-fast", "sim:gpu-slow", NULL });
    names_are("sim:gpu,sim:gpu,sim:gpu*2,sim:gpu",
              (const char *[]){ "sim:gpu", "sim:gpu1", "sim:gpu0", "sim:gpu2", "sim:gpu3", NULL });
    names_are("cpu:1,sim:gpu", (const char *[]){ "cpu:1", "sim:gpu", NULL });
}

/* A physical GPU that two drivers offer is opened once; naming both is an error. */
static void one_identity(void **state)
{
    static const struct bad_text both = { "sim:gpu:identity=pci0,sim:cpu,sim:gpu:identity=pci0",
                                          YOKE_EINVAL, "sim:gpu and sim:gpu1 are the same device",
                                          "once" };
    (void)state;
    names_are("sim:gpu*3:identity=pci0", (const char *[]){ "sim:gpu0", NULL });
    names_are("sim:gpu:identity=pci0,sim:gpu:identity=pci1",
              (const char *[]){ "sim:gpu", "sim:gpu1", NULL });
    refuse(&both);
}

static void descriptions(void **state)
{
    struct yk_device_list list = { 0 };
    (void)state;
    assert_int_equal(yk_devices_find("sim:cpu:cores=8:rate=2e9:fixed=1us,sim:gpu*2:mem=256M:fill="
                                     "65536:lanes=3:link=6e9:fixed=7us",
                                     &list),
                     YOKE_OK);
    assert_int_equal(list.count, 3);
    const struct yk_device_desc *cpu = &list.items[0], *gpu = &list.items[2];
    assert_true(cpu->is_cpu && cpu->host_memory && cpu->virtual_clock);
    assert_int_equal(cpu->cores, 8);
    assert_int_equal(cpu->lanes, 8);
    assert_int_equal(cpu->memory_bytes, 0);
    assert_float_equal(cpu->launch_ns, 1000, 1e-6);
    assert_float_equal(cpu->peak_per_ns, 8 * 2, 1e-9);
    assert_float_equal(gpu->peak_per_ns, 20, 1e-9);
    assert_true(!gpu->is_cpu && !gpu->host_memory && gpu->virtual_clock);
    assert_int_equal(gpu->lanes, 3);
    assert_int_equal(gpu->memory_bytes, 256 << 20);
    assert_int_equal(gpu->fill, 65536);
    assert_float_equal(gpu->link_bytes_per_ns, 6, 1e-9);
    assert_float_equal(gpu->launch_ns, 7000, 1e-6);
    assert_ptr_not_equal(list.items[1].settings, list.items[2].settings);
    yk_device_list_close(&list);
}

/* The default: only real devices, the CPU first. */
static void by_default(void **state)
{
    struct yk_device_list list = { 0 };
    const char *texts[] = { NULL, "" };
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(yk_devices_find(texts[i], &list), YOKE_OK);
        assert_true(list.count >= 1);
        assert_string_equal(list.items[0].backend->name, "cpu");
        for (int j = 0; j < list.count; j++) {
            assert_false(list.items[j].virtual_clock);
            assert_true(j == 0 || !list.items[j].is_cpu);
        }
        yk_device_list_close(&list);
    }
}

/* Random texts from pieces of the grammar: each is accepted or refused with a message, and nothing
 * leaks. */
static void garbage(void **state)
{
    static const char *const pieces[] = { "sim", ":",    ",", "gpu",   "cpu",  "*",
                                          "=",   "mem",  "4", "1e9",   "rate", "fail_after",
                                          "-",   "\x80", "0", "noise", "G" };
    uint64_t random = 12345;
    int taken = 0, refused = 0;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char text[256] = "sim:";
        struct yk_device_list list = { 0 };
        int64_t outstanding = yk_alloc_outstanding();
        for (int piece = 0; piece < 12 && (random >> 33) % 8; piece++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            strcat(text, pieces[(random >> 40) % (sizeof pieces / sizeof *pieces)]);
        }
        random = random * 6364136223846793005u + 1442695040888963407u;
        yoke_status status = yk_devices_find(text, &list);
        if (status == YOKE_OK) {
            taken++;
            assert_true(list.count > 0);
        } else {
            refused++;
            if (status != YOKE_EINVAL && status != YOKE_ENODEV)
                fail_msg("'%s' gives %s", text, yoke_status_text(status));
            assert_true(yoke_error_text()[0]);
        }
        yk_device_list_close(&list);
        assert_int_equal(yk_alloc_outstanding(), outstanding);
    }
    assert_true(taken > 100 && refused > 1000);
}

static void no_memory(void **state)
{
    (void)state;
    for (int64_t nth = 1; nth < 200; nth++) {
        struct yk_device_list list = { 0 };
        int64_t outstanding = yk_alloc_outstanding();
        yk_alloc_fail_at(nth);
        yoke_status status = yk_devices_find("sim:gpu*20:rate=1e9,sim:cpu", &list);
        int reached = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_int_equal(status, reached ? YOKE_ENOMEM : YOKE_OK);
        if (!reached)
            assert_int_equal(list.count, 21);
        yk_device_list_close(&list);
        assert_int_equal(yk_alloc_outstanding(), outstanding);
        if (!reached)
            return;
        assert_int_equal(list.count, 0);
    }
    fail_msg("finding devices never ends to allocate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backends),     cmocka_unit_test(specs),
        cmocka_unit_test(bad_frames),   cmocka_unit_test(bad_sims),
        cmocka_unit_test(bad_devices),  cmocka_unit_test(names),
        cmocka_unit_test(descriptions), cmocka_unit_test(one_identity),
        cmocka_unit_test(by_default),   cmocka_unit_test(garbage),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
