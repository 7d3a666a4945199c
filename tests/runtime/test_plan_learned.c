/* test_plan_learned.c - a second runtime's jobs of `auto` begin as the first
 * runtime's ended, whatever the knowledge base says they end right, and a base that cannot be used
 * changes nothing. On simulated machines, with noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/knowledge.h>
#include <yoke/yoke.h>

#include "job_kernels.h"
#include "ok.h"

enum { ITEMS = 200000, JOBS = 60, GPUS = 2 };
/* Nothing but jobs shows that the second one is four times as slow. */
static const char machine[] =
    "sim:gpu:rate=4e9:fixed=2us:fill=1000:noise=0.04:seed=7,"
    "sim:gpu:rate=4e9:fixed=2us:fill=1000:noise=0.04:seed=8:slow=k_saxpy:slowed=4";
#define SETTLED 0.8 /* share of the first one when both end together */
static char folder[] = "/tmp/yoke-plan-XXXXXX", file[64];
static float x[ITEMS], y[ITEMS];

static void remove_file(void)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-lock", ".corrupt-1" };
    char path[96];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s%s", file, ends[i]);
        unlink(path);
    }
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/knowledge.db", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    remove_file();
    return rmdir(folder);
}

struct life { /* of one runtime */
    const char *knowledge;
    double share[JOBS]; /* of the first GPU */
    int64_t bytes[JOBS];
};

static void note(struct life *life, int job, const yoke_result *result)
{
    life->share[job] = (double)result->devices[0].items / ITEMS;
    life->bytes[job] =
        result->traffic.to_devices + result->traffic.from_devices + result->traffic.between_devices;
}

/* Checks that every result is right. */
static void live(struct life *life)
{
    const float a = 1;
    const yoke_config config = { .devices = machine,
                                 .partitioner = "auto",
                                 .knowledge = life->knowledge };
    yoke_runtime *rt;
    yoke_array *xs, *ys;
    yoke_result *result;
    OK(yoke_open(&config, &rt));
    memset(y, 0, sizeof y);
    for (int i = 0; i < ITEMS; i++)
        x[i] = 1;
    OK(yoke_array_wrap(rt, x, ITEMS, sizeof *x, &xs));
    OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &ys));
    for (int job = 0; job < JOBS; job++) {
        const yoke_job one = { .kernel = &k_saxpy,
                               .range = { 0, ITEMS },
                               .args = { yoke_value(a), yoke_in(xs), yoke_inout(ys) } };
        OK(yoke_run(rt, &one, &result));
        note(life, job, result);
        yoke_result_close(result);
    }
    OK(yoke_array_acquire(ys, YOKE_READ));
    for (int i = 0; i < ITEMS; i++)
        if (y[i] != JOBS)
            fail_msg("y[%d] is %g, not %d", i, (double)y[i], JOBS);
    OK(yoke_array_release(ys));
    yoke_array_close(xs);
    yoke_array_close(ys);
    OK(yoke_close(rt));
}

static int64_t bytes_from(const struct life *life, int job)
{
    int64_t sum = 0;
    for (; job < JOBS; job++)
        sum += life->bytes[job];
    return sum;
}

static void assert_near(double share, double expected, double most)
{
    if (!(fabs(share - expected) < most))
        fail_msg("a share of %g, not %g", share, expected);
}

/* Its rows go to the devices once, and stay. */
static void the_first_job_is_as_the_last_one(void **state)
{
    struct life first = { .knowledge = file }, second = first;
    (void)state;
    remove_file();
    live(&first);
    assert_true(fabs(first.share[0] - SETTLED) > 0.05); /* it could not know */
    assert_near(first.share[JOBS - 1], SETTLED, 0.03);
    live(&second);
    assert_near(second.share[0], SETTLED, 0.03);
    assert_true(bytes_from(&second, 1) < ITEMS * (int64_t)sizeof *x / 10);
    assert_true(bytes_from(&second, 1) < bytes_from(&first, 1) / 2);
}

/* --- what others have written --- */

struct written {
    const char *figure;
    double value, factor; /* of the second GPU: value + factor * what it was */
    yoke_lesson lesson;
    char texts[4][512], names[GPUS][64];
};

static int index_of(const char *figure)
{
    int i = 0;
    while (yoke_figure_name(i) && strcmp(yoke_figure_name(i), figure) != 0)
        i++;
    assert_non_null(yoke_figure_name(i));
    return i;
}

static const char *copy(char *to, size_t bytes, const char *from)
{
    snprintf(to, bytes, "%s", from);
    return to;
}

/* The base's only lesson, with another figure and a second later. */
static int rewrite(void *context, const yoke_lesson *lesson)
{
    struct written *written = context;
    yoke_lesson *mine = &written->lesson;
    double *figure;
    *mine = *lesson;
    mine->seen++;
    mine->machine_text = copy(written->texts[0], sizeof *written->texts, lesson->machine_text);
    mine->name = copy(written->texts[1], sizeof *written->texts, lesson->name);
    mine->subject_text = copy(written->texts[2], sizeof *written->texts, lesson->subject_text);
    mine->partitioner = copy(written->texts[3], sizeof *written->texts, lesson->partitioner);
    for (int d = 0; d < GPUS; d++)
        mine->devices[d].name =
            copy(written->names[d], sizeof *written->names, lesson->devices[d].name);
    figure = &mine->devices[GPUS - 1].figures[index_of(written->figure)];
    assert_true(*figure > 0);
    *figure = written->value + written->factor * *figure;
    return 0;
}

static yoke_status write_figure(const char *figure, double value, double factor)
{
    static struct written written;
    yoke_knowledge *base;
    yoke_status status;
    int added;
    written = (struct written){ .figure = figure, .value = value, .factor = factor };
    OK(yoke_knowledge_open(file, &base));
    OK(yoke_knowledge_each(base, NULL, rewrite, &written));
    status = yoke_knowledge_add(base, &written.lesson, &added);
    yoke_knowledge_close(base);
    return status;
}

static void learn_anew(void)
{
    struct life life = { .knowledge = file };
    remove_file();
    live(&life);
}

/* The second GPU is 2.5 times as fast as the base says. */
static void a_machine_that_has_changed_is_found(void **state)
{
    struct life life = { .knowledge = file };
    (void)state;
    learn_anew();
    OK(write_figure("stay_item_ns", 0, 2.5));
    live(&life);
    assert_near(life.share[0], 0.91, 0.02); /* it was believed */
    assert_near(life.share[15], SETTLED, 0.04);
    assert_near(life.share[JOBS - 1], SETTLED, 0.03);
}

/* Figures whose squares are infinite or 0. */
static void what_cannot_be_is_as_nothing(void **state)
{
    static const double values[] = { 1e-300, 1e-200, 1e200, 1e308 };
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct life life = { .knowledge = file };
        learn_anew();
        OK(write_figure("stay_item_ns", values[i], 0));
        live(&life);
        assert_near(life.share[JOBS - 1], SETTLED, 0.03);
        learn_anew();
        OK(write_figure("stay_chunk_ns", values[i], 0));
        live(&life);
        assert_near(life.share[JOBS - 1], SETTLED, 0.03);
    }
}

static void what_is_no_number_is_not_written(void **state)
{
    static const char *const figures[] = { "stay_item_ns", "stay_chunk_ns", "stay_error",
                                           "stay_noise" };
    (void)state;
    learn_anew();
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        assert_int_equal(write_figure(figures[i], NAN, 0), YOKE_EINVAL);
        assert_int_equal(write_figure(figures[i], INFINITY, 0), YOKE_EINVAL);
        assert_int_equal(write_figure(figures[i], -1, 0), YOKE_EINVAL);
    }
}

/* --- bases that cannot be used --- */

static void assert_as_without(const char *knowledge)
{
    struct life life = { .knowledge = knowledge }, without = { .knowledge = "off" };
    live(&without);
    live(&life);
    assert_memory_equal(life.share, without.share, sizeof life.share);
}

static void a_base_that_cannot_be_used_does_no_harm(void **state)
{
    FILE *stream;
    (void)state;
    remove_file();
    assert_as_without("/proc/none/knowledge.db");
    assert_as_without(folder);
    stream = fopen(file, "w");
    assert_non_null(stream);
    for (int i = 0; i < 1000; i++)
        fputs("this is no database\n", stream);
    fclose(stream);
    assert_as_without(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_job_is_as_the_last_one),
        cmocka_unit_test(a_machine_that_has_changed_is_found),
        cmocka_unit_test(what_cannot_be_is_as_nothing),
        cmocka_unit_test(what_is_no_number_is_not_written),
        cmocka_unit_test(a_base_that_cannot_be_used_does_no_harm),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
