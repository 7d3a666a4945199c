/* test_picture.c - a picture that was written is read back, or the file is unchanged.
 *
 * Everything happens in a separate folder, whose entries are counted after each failure: no file
 * may be left behind. A full disk is simulated by /dev/full and by a limit on the size of files. */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <png.h>

#include "app.h"
#include "picture.h"

enum { WIDTH = 97, HEIGHT = 61 };

static char folder[] = "/tmp/test_picture.XXXXXX";
static uint8_t pixels[WIDTH * HEIGHT * 3];

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int entries(void)
{
    DIR *dir = opendir(folder);
    int count = -2; /* excludes . and .. */
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static struct picture picture_of(int channels)
{
    return (
        struct picture){ .width = WIDTH, .height = HEIGHT, .channels = channels, .pixels = pixels };
}

static int set_up(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < sizeof pixels; i++) /* no pattern that deflate could compress much */
        pixels[i] = (uint8_t)((i * 2654435761u) >> 13);
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder); /* fails if a test left a file */
}

static void check_file(const char *path, int channels)
{
    png_image image = { .version = PNG_IMAGE_VERSION };
    uint8_t back[sizeof pixels];
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_int_equal(image.width, WIDTH);
    assert_int_equal(image.height, HEIGHT);
    image.format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
    assert_memory_equal(back, pixels, (size_t)WIDTH * HEIGHT * (size_t)channels);
}

static void comes_back(void **state)
{
    int channels;
    (void)state;
    for (channels = 1; channels <= 3; channels += 2) {
        struct picture picture = picture_of(channels);
        assert_int_equal(picture_write(in_folder("a.png"), &picture), YOKE_OK);
        check_file(in_folder("a.png"), channels);
        assert_int_equal(entries(), 1);
    }
    remove(in_folder("a.png"));
}

/* A failure names the file, and the folder has `left` entries. */
static void check_failure(const char *path, int left)
{
    struct picture picture = picture_of(1);
    assert_int_equal(picture_write(path, &picture), YOKE_EIO);
    assert_non_null(strstr(app_error_text(), path));
    assert_non_null(strstr(app_error_text(), ";")); /* the remedy */
    assert_int_equal(entries(), left);
}

static void cannot_be_written(void **state)
{
    (void)state;
    check_failure(in_folder("no/such/folder.png"), 0);
    assert_int_equal(mkdir(in_folder("folder"), 0700), 0);
    check_failure(in_folder("folder"), 1);
    rmdir(in_folder("folder"));
    check_failure("", 0);
}

static void a_full_device(void **state)
{
    struct stat before, after;
    (void)state;
    if (stat("/dev/full", &before))
        skip();
    check_failure("/dev/full", 0);
    assert_int_equal(stat("/dev/full", &after), 0); /* still the device */
    assert_int_equal(after.st_rdev, before.st_rdev);
}

/* The limit is reached after each possible number of bytes. */
static void a_full_disk(void **state)
{
    struct rlimit old, few;
    struct picture picture = picture_of(1);
    struct stat whole;
    rlim_t bytes;
    (void)state;
    assert_int_equal(picture_write(in_folder("old.png"), &picture), YOKE_OK);
    assert_int_equal(stat(in_folder("old.png"), &whole), 0);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    for (bytes = 0; bytes < (rlim_t)whole.st_size; bytes += 509) {
        few = (struct rlimit){ bytes, old.rlim_max };
        setrlimit(RLIMIT_FSIZE, &few);
        const yoke_status onto = picture_write(in_folder("old.png"), &picture);
        const yoke_status fresh = picture_write(in_folder("new.png"), &picture);
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(onto, YOKE_EIO);
        assert_int_equal(fresh, YOKE_EIO);
        assert_int_equal(entries(), 1);
        check_file(in_folder("old.png"), 1);
    }
    remove(in_folder("old.png"));
}

static void sizes_that_are_none(void **state)
{
    static const struct picture wrong[] = {
        { 0, 1, 1, pixels }, { 1, 0, 1, pixels },         { -1, 1, 1, pixels },
        { 1, 1, 2, pixels }, { INT64_MAX, 1, 1, pixels },
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(picture_write(in_folder("a.png"), &wrong[i]), YOKE_EINVAL);
        assert_int_equal(entries(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),          cmocka_unit_test(cannot_be_written),
        cmocka_unit_test(a_full_device),       cmocka_unit_test(a_full_disk),
        cmocka_unit_test(sizes_that_are_none),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
