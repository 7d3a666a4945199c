/* test_opencl_cache.c - programs that an OpenCL driver has built are loaded from disk the next
 * time, unless the entry is damaged, the driver refuses it, or the cache is off. Equal devices
 * build them once. */
#include <dirent.h>

#include "backend/claim.h"
#include "opencl_bench.h"

static atomic_int hits;
static void count_hits(void *context, yoke_log_level level, const char *line)
{
    (void)context;
    (void)level;
    hits += strstr(line, "came from the cache") != NULL;
}

static void run_scale(struct fixture *f)
{
    const yoke_kernel kernel = make_kernel("scale", scale_text, int_params, 2);
    const int32_t factor = 5;
    const struct yk_launch_arg args[] = { { .value = &factor }, { .buffer = f->buffer } };
    for (int i = 0; i < f->count; ++i)
        f->host[i] = i;
    copy_now(f, YK_COPY_TO_DEVICE);
    launch_now(f, &kernel,
               &(struct yk_launch){ .last = f->count, .extent = { 1, 1 }, .args = args });
    copy_now(f, YK_COPY_FROM_DEVICE);
    for (int i = 0; i < f->count; ++i)
        assert_int_equal(f->host[i], 5 * i);
}

/* Overwrites the middle of the only entry. */
static void damage_entry(void)
{
    char path[400] = "";
    DIR *open = opendir(cache_folder);
    assert_non_null(open);
    for (struct dirent *item = readdir(open); item; item = readdir(open))
        if (strstr(item->d_name, ".kernel"))
            snprintf(path, sizeof path, "%s/%s", cache_folder, item->d_name);
    closedir(open);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, -100, SEEK_END);
    fputs("damaged", file);
    fclose(file);
}

static void test_cache(void **state)
{
    (void)state;
    empty_cache();
    struct fixture f = open_fixture("", 1000);
    yoke_set_log(count_hits, NULL, YOKE_LOG_DEBUG);
    hits = 0;
    run_scale(&f);
    assert_int_equal(hits, 0);
    run_scale(&f);
    assert_int_equal(hits, 1);
    damage_entry();
    run_scale(&f);
    assert_int_equal(hits, 1);
    run_scale(&f);
    assert_int_equal(hits, 2);
    setenv("YOKE_CACHE", "off", 1);
    run_scale(&f);
    assert_int_equal(hits, 2);
    setenv("YOKE_CACHE", cache_folder, 1);
    yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
    close_fixture(&f);
}

/* A valid entry that the driver refuses, as after a driver update. */
static void test_cache_refused(void **state)
{
    (void)state;
    empty_cache();
    struct fixture f = open_fixture("", 1000);
    run_scale(&f);
    char path[400] = "", bytes[65536];
    DIR *open = opendir(cache_folder);
    assert_non_null(open);
    for (struct dirent *item = readdir(open); item; item = readdir(open))
        if (strstr(item->d_name, ".kernel"))
            snprintf(path, sizeof path, "%s/%s", cache_folder, item->d_name);
    closedir(open);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    uint64_t key_size;
    assert_true(size > 32);
    memcpy(&key_size, bytes + 8, sizeof key_size);
    assert_true(32 + key_size < size);
    yk_cache_store((struct yk_blob){ bytes + 32, key_size }, (struct yk_blob){ "nonsense", 8 });
    run_scale(&f);
    close_fixture(&f);
}

struct building {
    struct yk_thread thread;
    struct yk_device *device;
    struct yk_program *program; /* NULL: the build failed */
};

static void build(void *context)
{
    const yoke_kernel kernel = make_kernel("scale", scale_text, int_params, 2);
    struct building *building = context;
    if (backend->build(building->device, &kernel, &building->program) != YOKE_OK)
        building->program = NULL;
}

/* The same device, opened twice, is two equal ones. */
static void test_built_once(void **state)
{
    struct building buildings[2];
    (void)state;
    empty_cache();
    yoke_set_log(count_hits, NULL, YOKE_LOG_DEBUG);
    hits = 0;
    for (int i = 0; i < 2; ++i)
        buildings[i] = (struct building){ .device = open_device("") };
    for (int i = 0; i < 2; ++i) {
        const struct yk_thread_spec spec = {
            .name = "building", .cpu = -1, .run = build, .context = &buildings[i]
        };
        assert_int_equal(yk_thread_open(&spec, &buildings[i].thread), YOKE_OK);
    }
    for (int i = 0; i < 2; ++i)
        yk_thread_join(&buildings[i].thread);
    for (int i = 0; i < 2; ++i) {
        assert_non_null(buildings[i].program);
        backend->program_close(buildings[i].device, buildings[i].program);
        backend->close(buildings[i].device);
    }
    assert_int_equal(hits, 1);
    assert_int_equal(yk_claim_count(), 0);
    yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_cache_refused),
        cmocka_unit_test(test_built_once),
    };
    return device_present() ? cmocka_run_group_tests(tests, make_cache, remove_cache) : 77;
}
