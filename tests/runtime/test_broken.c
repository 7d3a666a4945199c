/* test_broken.c - a kernel that a device's compiler refuses: the other devices do the job, and one
 * warning and the result contain the compiler's message. Other kernels of its file work there. */
#include <string.h>

#include "ok.h"

extern const yoke_kernel k_broken, k_beside_broken, k_pointer;

static const char *device = "opencl:0";
static int warnings;

static void count(void *context, yoke_log_level level, const char *line)
{
    char *last = context;
    if (level == YOKE_LOG_WARN && strstr(line, "k_broken")) {
        warnings++;
        strncpy(last, line, 255);
    }
}

static void others_do_it(void **state)
{
    (void)state;
    enum { N = 1000 };
    static int32_t host[N];
    char devices[128], said[256] = "";
    yoke_runtime *rt;
    yoke_array *x;
    yoke_result *result;
    strcpy(devices, "cpu:1,");
    strcat(devices, device);
    const yoke_config config = { .devices = devices };
    if (yoke_open(&config, &rt) != YOKE_OK) {
        print_message("%s\n", yoke_error_text());
        skip();
    }
    yoke_set_log(count, said, YOKE_LOG_WARN);
    OK(yoke_ready(rt));
    OK(yoke_array_wrap(rt, host, N, sizeof *host, &x));
    for (int run = 0; run < 3; run++) {
        OK(yoke_run(rt,
                    &(yoke_job){ .kernel = &k_broken,
                                 .range = { 0, N },
                                 .args = { yoke_out(x) },
                                 .partitioner = "even" },
                    &result));
        assert_int_equal(result->devices[0].items, N);
        if (!strstr(result->devices[1].reason, "k_broken does not compile") ||
            !strstr(result->devices[1].reason, "no_such_function"))
            fail_msg("%s", result->devices[1].reason);
        yoke_result_close(result);
    }
    OK(yoke_array_close(x));
    for (int i = 0; i < N; i++)
        assert_int_equal(host[i], i);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(said, "no_such_function"));
    assert_non_null(strstr(said, device));
    OK(yoke_close(rt));
    yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
}

static void its_neighbour_works(void **state)
{
    (void)state;
    enum { N = 1000 };
    static int32_t host[N];
    yoke_runtime *rt;
    yoke_array *x;
    yoke_result *result;
    if (yoke_open(&(yoke_config){ .devices = device }, &rt) != YOKE_OK) {
        print_message("%s\n", yoke_error_text());
        skip();
    }
    OK(yoke_array_wrap(rt, host, N, sizeof *host, &x));
    OK(yoke_run(
        rt, &(yoke_job){ .kernel = &k_beside_broken, .range = { 0, N }, .args = { yoke_out(x) } },
        &result));
    assert_int_equal(result->devices[0].items, N);
    yoke_result_close(result);
    OK(yoke_array_close(x));
    for (int i = 0; i < N; i++)
        assert_int_equal(host[i], 2 * i);
    OK(yoke_close(rt));
}

/* Only OpenCL has address spaces. */
static void a_pointer_to_an_array(void **state)
{
    (void)state;
    const yoke_kernel *kernels[] = { &k_pointer };
    yoke_runtime *rt;
    if (yoke_open(&(yoke_config){ .devices = device }, &rt) != YOKE_OK) {
        print_message("%s\n", yoke_error_text());
        skip();
    }
    if (strncmp(device, "opencl", 6) != 0) {
        OK(yoke_prepare(rt, kernels, 1));
    } else {
        assert_int_equal(yoke_prepare(rt, kernels, 1), YOKE_EBUILD);
        if (!strstr(yoke_error_text(), "address space") ||
            !strstr(yoke_error_text(), "YOKE_GLOBAL"))
            fail_msg("%s", yoke_error_text());
    }
    OK(yoke_close(rt));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(others_do_it),
                                        cmocka_unit_test(its_neighbour_works),
                                        cmocka_unit_test(a_pointer_to_an_array) };
    if (argc > 1)
        device = argv[1];
    return cmocka_run_group_tests_name("broken", tests, NULL, NULL);
}
