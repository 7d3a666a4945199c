/* test_denoise_app.c - the application: it reduces noise; wrong results and wrong options are
 * reported. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "denoise_machine.h"
#include "driver.h"

#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1"; /* like the system's allocator */
}
#endif

/* --- the application --- */

static struct app_spec spec_of(const struct app *app, int64_t side)
{
    struct app_spec spec = { .size = { side, side - 2, side - 4 }, .seed = 3 };
    int k;
    for (k = 0; app->options[k].name; k++)
        spec.values[k] = app->options[k].initial;
    return spec;
}

static void noise_goes_down(void **state)
{
    const struct app *app = app_find("denoise");
    char folder[] = "/tmp/test_denoise.XXXXXX", prefix[64], name[96];
    static const char *const suffixes[] = { "-before.png", "-after.png", "-compare.png" };
    struct measure_spec spec = {
        .app = app, .config = { .devices = "cpu" }, .repeat = 1, .verify = 1
    };
    struct measure result;
    double before, after;
    const char *line;
    int k;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(prefix, sizeof prefix, "%s/head", folder);
    spec.input = spec_of(app, 64);
    spec.input.output = prefix;
    if (measure(&spec, &result))
        fail_msg("%s", app_error_text());
    if (result.verified != 1)
        fail_msg("%s", result.note);
    line = result.report ? strstr(result.report, "PSNR: ") : NULL;
    assert_non_null(line);
    assert_int_equal(sscanf(line, "PSNR: %lf dB before, %lf dB after", &before, &after), 2);
    assert_true(fabs(before - 20.0) < 0.2); /* noise of a tenth */
    assert_true(after > before + 5.0);
    measure_close(&result);
    for (k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%s%s", prefix, suffixes[k]);
        assert_int_equal(remove(name), 0);
    }
    assert_int_equal(rmdir(folder), 0);
    spec.input.output = "/nowhere/at/all";
    assert_int_equal(measure(&spec, &result), YOKE_EIO);
    assert_non_null(strstr(app_error_text(), "/nowhere/at/all-before.png"));
    measure_close(&result);
}

/* A wrong voxel near the middle or a corner is found, and named. */
static void wrong_results_are_named(void **state)
{
    const struct app *app = app_find("denoise");
    struct app_spec spec = spec_of(app, 60);
    yoke_runtime *runtime = open_machine(&(struct machine){ "cpu", "static" });
    char note[APP_NOTE_MAX];
    void *data;
    (void)state;
    assert_int_equal(app->open(&spec, &data), YOKE_OK);
    assert_int_equal(app->attach(data, runtime), YOKE_OK);
    assert_int_equal(app->reset(data), YOKE_OK); /* and no run */
    assert_int_equal(app->verify(data, note), YOKE_EINVAL);
    assert_non_null(strstr(app_error_text(), "and should be"));
    assert_int_equal(app->detach(data), YOKE_OK);
    app->close(data);
    assert_int_equal(yoke_close(runtime), YOKE_OK);
}

static void wrong_options_are_refused(void **state)
{
    static const struct {
        int option;
        const char *value;
    } wrong[] = {
        { 0, "-1" },  { 0, "2.5" }, { 0, "x" },  { 0, "" },     { 1, "0" },   { 1, "-1" },
        { 1, "nan" }, { 2, "0.2" }, { 2, "-1" }, { 2, "0.1s" }, { 3, "inf" }, { 3, "-1" }
    };
    const struct app *app = app_find("denoise");
    struct app_spec spec;
    void *data;
    size_t w;
    (void)state;
    for (w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        char words[32];
        spec = spec_of(app, 10);
        spec.values[wrong[w].option] = wrong[w].value;
        assert_int_equal(app->open(&spec, &data), YOKE_EINVAL);
        snprintf(words, sizeof words, "--%s", app->options[wrong[w].option].name);
        assert_non_null(strstr(app_error_text(), words));
    }
    spec = spec_of(app, 4); /* no planes */
    assert_int_equal(app->open(&spec, &data), YOKE_EINVAL);
    spec = spec_of(app, INT64_MAX / 2);
    assert_int_equal(app->open(&spec, &data), YOKE_EINVAL);
    spec = spec_of(app, 1 << 20); /* 4 EB */
    assert_int_equal(app->open(&spec, &data), YOKE_ENOMEM);
    spec = spec_of(app, 10);
    spec.input = "/nowhere/head.nii";
    assert_int_equal(app->open(&spec, &data), YOKE_EIO);
    assert_non_null(strstr(app_error_text(), "/nowhere/head.nii"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_goes_down),
        cmocka_unit_test(wrong_results_are_named),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
