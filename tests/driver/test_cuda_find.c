/* test_cuda_find.c - one physical GPU is one device, whichever backend offers it, and hidden in all
 * backends if it is hidden from CUDA. The second of two GPUs is visible (CUDA_VISIBLE_DEVICES=1).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/cuda.h"

static const char first_gpu[] = "uuid:5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d00";
static const char second_gpu[] = "uuid:5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d01";

static void the_uuid_is_the_identity(void **state)
{
    struct yk_device_list list = { 0 };
    (void)state;
    assert_int_equal(yk_devices_find("cuda", &list), YOKE_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].name, "cuda:0");
    assert_string_equal(list.items[0].identity, second_gpu);
    assert_int_equal(list.items[0].memory_bytes, 256 << 20);
    assert_float_equal(list.items[0].peak_per_ns, 2 * 2 * 64 * 1.5, 1e-9); /* capability 8.0 */
    yk_device_list_close(&list);
}

/* As the OpenCL backend describes a device of NVIDIA's platform or of another one. */
static int hides(const char *driver, const char *identity)
{
    struct yk_device_desc desc = { .name = "opencl:0" };
    snprintf(desc.driver, sizeof desc.driver, "%s", driver);
    snprintf(desc.identity, sizeof desc.identity, "%s", identity);
    return yk_backend_cuda.hides(&desc);
}

static void what_cuda_does_not_show_is_hidden(void **state)
{
    (void)state;
    assert_true(hides("NVIDIA CUDA, OpenCL 3.0", first_gpu));
    assert_false(hides("NVIDIA CUDA, OpenCL 3.0", second_gpu));
    assert_false(hides("AMD Accelerated Parallel Processing", first_gpu));
    assert_false(hides("NVIDIA CUDA, OpenCL 3.0", "pci:0000:40:00.0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_uuid_is_the_identity),
        cmocka_unit_test(what_cuda_does_not_show_is_hidden),
    };
    return cmocka_run_group_tests_name("finding GPUs", tests, NULL, NULL);
}
