/* test_trace.c - timelines: rings that wrap, threads that record and add tracks at once, both file
 * formats read back, and every way in which writing can fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/alloc.h"
#include "trace/trace.h"
#include "trace/trace_state.h"

static char folder[] = "/tmp/yoke-trace-XXXXXX";
static int64_t held;

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int entries(void)
{
    int count = -2; /* excludes . and .. */
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    while (readdir(stream))
        count++;
    closedir(stream);
    return count;
}

static char *read_all(const char *path)
{
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    long size = ftell(stream);
    rewind(stream);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, stream), size);
    text[size] = '\0';
    fclose(stream);
    return text;
}

static struct yk_trace *open_trace(size_t events)
{
    struct yk_trace_spec spec = { .start_ns = 1000, .events_per_track = events };
    struct yk_trace *trace;
    assert_int_equal(yk_trace_open(&spec, &trace), YOKE_OK);
    return trace;
}

static int add_track(struct yk_trace *trace, const char *device, const char *label)
{
    int track = -1;
    assert_int_equal(yk_trace_track(trace, device, label, &track), YOKE_OK);
    return track;
}

static void add_chunk(struct yk_trace *trace, int track, int64_t first)
{
    struct yk_trace_event event = { .start_ns = 1000 + first,
                                    .end_ns = 1500 + first,
                                    .first = first,
                                    .last = first + 10,
                                    .name = yk_trace_name(trace, "saxpy"),
                                    .reason = "share",
                                    .job = 7,
                                    .kind = YK_TRACE_CHUNK };
    yk_trace_add(trace, track, &event);
}

static cJSON *write_and_parse(const struct yk_trace *trace, const char *name)
{
    assert_int_equal(yk_trace_write(trace, in_folder(name)), YOKE_OK);
    char *text = read_all(in_folder(name));
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    free(text);
    return json;
}

/* Number of events of the Chrome format with a duration. */
static int complete_events(const cJSON *json, const cJSON **last)
{
    int count = 0;
    const cJSON *event;
    cJSON_ArrayForEach(event, cJSON_GetObjectItem(json, "traceEvents"))
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(event, "ph")), "X") == 0) {
            count++;
            *last = event;
        }
    }
    return count;
}

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(object, key);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

static void a_full_ring_keeps_the_latest(void **state)
{
    (void)state;
    struct yk_trace *trace = open_trace(100);
    int track = add_track(trace, "cpu", "core 0");
    for (int64_t n = 0; n < 250; n++)
        add_chunk(trace, track, n);
    struct yk_event_span span = yk_track_span(trace, trace->tracks[track]);
    assert_int_equal(span.first, 150);
    assert_int_equal(span.last, 250);
    const cJSON *last = NULL;
    cJSON *json = write_and_parse(trace, "ring.json");
    assert_int_equal(complete_events(json, &last), 100);
    assert_true(number(cJSON_GetObjectItem(last, "args"), "first") == 249);
    assert_true(number(cJSON_GetObjectItem(json, "otherData"), "overwritten") == 150);
    cJSON_Delete(json);
    yk_trace_close(trace);
}

static void chrome_events_say_what_was_recorded(void **state)
{
    (void)state;
    struct yk_trace *trace = open_trace(0);
    int core = add_track(trace, "cpu", "core 3");
    int queue = add_track(trace, "opencl:0", "queue 0");
    struct yk_trace_event event = { .start_ns = 3500,
                                    .end_ns = 1003501,
                                    .first = 5,
                                    .last = 9,
                                    .bytes = 4096,
                                    .name = yk_trace_name(trace, "rows"),
                                    .job = 2,
                                    .kind = YK_TRACE_COPY_IN };
    add_chunk(trace, core, 0);
    yk_trace_add(trace, queue, &event);
    const cJSON *last = NULL;
    cJSON *json = write_and_parse(trace, "events.json");
    assert_int_equal(complete_events(json, &last), 2);
    assert_true(fabs(number(last, "ts") - 2.5) < 1e-9);
    assert_true(fabs(number(last, "dur") - 1000.001) < 1e-9);
    assert_string_equal(cJSON_GetObjectItem(last, "cat")->valuestring, "copy in");
    assert_string_equal(cJSON_GetObjectItem(last, "name")->valuestring, "rows");
    assert_true(number(cJSON_GetObjectItem(last, "args"), "bytes") == 4096);
    assert_true(number(last, "tid") == queue);
    cJSON_Delete(json);
    yk_trace_close(trace);
}

/* Characters in names must break neither JSON nor the page. */
static void odd_names_are_quoted(void **state)
{
    (void)state;
    static const char *const names[] = {
        "plain",
        "quote \" and \\",
        "line\nend\ttab\x01",
        "</script><b>&",
        "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
        "bad \xFF\xC3",
        "\xC0\xAF \xED\xA0\x80 \xF5",
        "",
    };
    static const char *const wanted[] = {
        "plain",
        "quote \" and \\",
        "line\nend\ttab\x01",
        "</script><b>&",
        "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
        "bad \xEF\xBF\xBD\xEF\xBF\xBD",
        "\xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD",
        "",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct yk_trace *trace = open_trace(4);
        int track = add_track(trace, names[i], names[i]);
        struct yk_trace_event event = { .end_ns = 1,
                                        .name = yk_trace_name(trace, names[i]),
                                        .reason = names[i] };
        yk_trace_add(trace, track, &event);
        const cJSON *last = NULL;
        cJSON *json = write_and_parse(trace, "odd.json");
        assert_int_equal(complete_events(json, &last), 1);
        assert_string_equal(cJSON_GetObjectItem(last, "name")->valuestring, wanted[i]);
        cJSON_Delete(json);
        assert_int_equal(yk_trace_write(trace, in_folder("odd.html")), YOKE_OK);
        char *page = read_all(in_folder("odd.html"));
        assert_null(strstr(page, "</script><b>"));
        free(page);
        yk_trace_close(trace);
    }
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

static void the_page_holds_the_events(void **state)
{
    (void)state;
    static char many[400][24];
    struct yk_trace *trace = open_trace(0);
    int track = add_track(trace, "cpu", "core 0");
    for (int n = 0; n < 400; n++) { /* more words than the list holds */
        snprintf(many[n], sizeof many[n], "reason %d", n);
        struct yk_trace_event event = { .start_ns = 1000,
                                        .end_ns = 1000 + n,
                                        .reason = many[n],
                                        .name = yk_trace_name(trace, "k") };
        yk_trace_add(trace, track, &event);
    }
    assert_int_equal(yk_trace_write(trace, in_folder("page.html")), YOKE_OK);
    char *page = read_all(in_folder("page.html"));
    assert_int_equal(strncmp(page, "<!doctype html>", 15), 0);
    assert_null(strstr(page, "YOKE_DATA"));
    assert_null(strstr(page, "http")); /* nothing from the network */
    assert_int_equal(count_of(page, "<script"), count_of(page, "</script>"));
    assert_string_equal(page + strlen(page) - 8, "</html>\n");
    char *data = strstr(page, "const trace = ") + strlen("const trace = ");
    const char *end;
    cJSON *json = cJSON_ParseWithOpts(data, &end, 0);
    assert_non_null(json);
    assert_int_equal(*end, ';');
    const cJSON *words = cJSON_GetObjectItem(json, "words");
    const cJSON *events =
        cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "tracks"), 0), "events");
    assert_int_equal(cJSON_GetArraySize(events), 400);
    for (int n = 0; n < 400; n++) {
        const cJSON *reason = cJSON_GetArrayItem(cJSON_GetArrayItem(events, n), 8);
        const char *text = cJSON_IsNumber(reason)
                               ? cJSON_GetArrayItem(words, reason->valueint)->valuestring
                               : reason->valuestring;
        assert_string_equal(text, many[n]);
    }
    cJSON_Delete(json);
    free(page);
    yk_trace_close(trace);
}

static void nothing_recorded_is_a_file_too(void **state)
{
    (void)state;
    struct yk_trace *trace = open_trace(0);
    const cJSON *last = NULL;
    cJSON *json = write_and_parse(trace, "empty.json");
    assert_int_equal(complete_events(json, &last), 0);
    cJSON_Delete(json);
    assert_int_equal(yk_trace_write(trace, in_folder("empty.HTML")), YOKE_OK);
    yk_trace_close(trace);
    yk_trace_close(NULL);
    yk_trace_add(NULL, 0, &(struct yk_trace_event){ 0 }); /* off */
}

struct recorder {
    struct yk_trace *trace;
    int number;
};

static void *record(void *context)
{
    struct recorder *recorder = context;
    char label[32];
    for (int round = 0; round < 20; round++) {
        snprintf(label, sizeof label, "%s %d", "lane", round);
        int track = add_track(recorder->trace, recorder->number ? "b" : "a", label);
        for (int64_t n = 0; n < 200; n++) {
            char name[16];
            snprintf(name, sizeof name, "k%d", (int)(n % 37));
            assert_ptr_equal(yk_trace_name(recorder->trace, name),
                             yk_trace_name(recorder->trace, name));
            add_chunk(recorder->trace, track, n);
        }
    }
    return NULL;
}

static void two_threads_record_and_add_tracks(void **state)
{
    (void)state;
    struct yk_trace *trace = open_trace(64);
    struct recorder recorders[2] = { { trace, 0 }, { trace, 1 } };
    pthread_t threads[2];
    for (int t = 0; t < 2; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, record, &recorders[t]), 0);
    for (int t = 0; t < 2; t++)
        pthread_join(threads[t], NULL);
    assert_int_equal(atomic_load(&trace->track_count), 40);
    const cJSON *last = NULL;
    cJSON *json = write_and_parse(trace, "threads.json");
    assert_int_equal(complete_events(json, &last), 40 * 64);
    cJSON_Delete(json);
    yk_trace_close(trace);
}

static void times_before_the_start_move_the_zero(void **state)
{
    (void)state;
    struct yk_trace *trace = open_trace(0);
    int track = add_track(trace, "sim", "x");
    struct yk_trace_event event = { .start_ns = -500, .end_ns = 1500, .name = "k" };
    yk_trace_add(trace, track, &event);
    const cJSON *last = NULL;
    cJSON *json = write_and_parse(trace, "early.json");
    assert_int_equal(complete_events(json, &last), 1);
    assert_true(number(last, "ts") == 0);
    assert_true(number(last, "dur") == 2);
    cJSON_Delete(json);
    yk_trace_close(trace);
}

static void tracks_end_with_an_error(void **state)
{
    (void)state;
    struct yk_trace *trace = open_trace(1);
    int track;
    for (int n = 0; n < yk_tracks_max; n++)
        add_track(trace, "sim", "x");
    assert_int_equal(yk_trace_track(trace, "sim:gpu", "queue 1", &track), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "sim:gpu queue 1"));
    yk_trace_close(trace);
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    int64_t nth = 0;
    do {
        struct yk_trace_spec spec = { .events_per_track = 8 };
        struct yk_trace *trace = NULL;
        int track = -1;
        int64_t before = yk_alloc_outstanding();
        yk_alloc_fail_at(++nth);
        yoke_status status = yk_trace_open(&spec, &trace);
        if (status == YOKE_OK) {
            status = yk_trace_track(trace, "cpu", "core 0", &track);
            int named = yk_trace_name(trace, "kernel") != NULL;
            assert_true(named || yk_alloc_failed());
            if (status == YOKE_OK) /* recording works without a missing name */
                yk_trace_add(trace, track, &(struct yk_trace_event){ .end_ns = 1 });
            assert_int_equal(yk_trace_write(trace, in_folder("thin.json")), YOKE_OK);
            yk_trace_close(trace);
        }
        assert_true(status == YOKE_OK || (status == YOKE_ENOMEM && yk_alloc_failed()));
        assert_int_equal(yk_alloc_outstanding(), before);
    } while (yk_alloc_failed());
    yk_alloc_fail_at(0);
    assert_true(nth > 5);
}

static void what_cannot_be_written(void **state)
{
    (void)state;
    struct yk_trace *trace = open_trace(0);
    int track = add_track(trace, "cpu", "core 0"), before;
    for (int64_t n = 0; n < 2000; n++)
        add_chunk(trace, track, n);
    assert_int_equal(yk_trace_write(trace, in_folder("trace.txt")), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), ".html"));
    assert_int_equal(yk_trace_write(trace, ".json"), YOKE_EINVAL);
    assert_int_equal(yk_trace_write(trace, in_folder("no/such/folder.json")), YOKE_EIO);
    assert_non_null(strstr(yoke_error_text(), "no/such/folder.json: No such file"));
    assert_int_equal(mkdir(in_folder("folder.json"), 0700), 0);
    assert_int_equal(yk_trace_write(trace, in_folder("folder.json")), YOKE_EIO);
    assert_int_equal(symlink("/dev/full", in_folder("full.json")), 0);
    assert_int_equal(symlink("/dev/full", in_folder("full.html")), 0);
    before = entries();
    assert_int_equal(yk_trace_write(trace, in_folder("full.json")), YOKE_EIO);
    assert_int_equal(yk_trace_write(trace, in_folder("full.html")), YOKE_EIO);
    assert_int_equal(entries(), before);
    char far[5000];
    memset(far, 'x', sizeof far);
    memcpy(far + sizeof far - 6, ".json", 6);
    assert_int_equal(yk_trace_write(trace, far), YOKE_EIO);
    yk_trace_close(trace);
}

/* The disk fills up during a write: the previous file stays unchanged. */
static void a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    struct rlimit old, tight = { .rlim_cur = 8192 };
    struct yk_trace *trace = open_trace(0);
    int track = add_track(trace, "cpu", "core 0"), before;
    assert_int_equal(yk_trace_write(trace, in_folder("kept.json")), YOKE_OK);
    char *first = read_all(in_folder("kept.json"));
    for (int64_t n = 0; n < 2000; n++)
        add_chunk(trace, track, n);
    before = entries();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    tight.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    yoke_status status = yk_trace_write(trace, in_folder("kept.json"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, YOKE_EIO);
    assert_int_equal(entries(), before);
    char *second = read_all(in_folder("kept.json"));
    assert_string_equal(first, second);
    free(first);
    free(second);
    yk_trace_close(trace);
}

static int note(void **state)
{
    (void)state;
    held = yk_alloc_outstanding();
    return 0;
}

static int nothing_left(void **state)
{
    (void)state;
    return yk_alloc_outstanding() != held;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, note, nothing_left)
    const struct CMUnitTest tests[] = {
        TEST(a_full_ring_keeps_the_latest),
        TEST(chrome_events_say_what_was_recorded),
        TEST(odd_names_are_quoted),
        TEST(the_page_holds_the_events),
        TEST(nothing_recorded_is_a_file_too),
        TEST(two_threads_record_and_add_tracks),
        TEST(times_before_the_start_move_the_zero),
        TEST(tracks_end_with_an_error),
        TEST(every_allocation_can_fail),
        TEST(what_cannot_be_written),
        TEST(a_full_disk_leaves_the_old_file),
    };
    if (!mkdtemp(folder))
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
