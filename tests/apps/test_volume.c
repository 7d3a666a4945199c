/* test_volume.c - NIfTI files of every datatype and byte order are read correctly; missing,
 * truncated, damaged or foreign files give a status and a line that names them.
 *
 * The test writes the files, header field by field. Throughout, standard error is a file that must
 * stay empty, because the NIfTI library tends to print. Damage is tried systematically (every
 * length, every header byte) and at random from a fixed seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "app.h"
#include "random.h"
#include "volume.h"

enum { NX = 5, NY = 4, NZ = 3, VOXELS = NX * NY * NZ, HEADER = 348, OFFSET = 352 };
enum { FILE_MOST = OFFSET + 8 * VOXELS };
/* Offsets of fields in a NIfTI-1 header. */
enum {
    DIM = 40,
    DATATYPE = 70,
    BITPIX = 72,
    VOX_OFFSET = 108,
    SLOPE = 112,
    INTER = 116,
    MAGIC = 344
};

static char folder[] = "/tmp/test_volume.XXXXXX", path[128];
static int watch, terminal; /* descriptors: a file, and the original standard error */

struct file {
    unsigned char bytes[FILE_MOST];
    size_t length;
    int swapped; /* the other byte order */
};

static void put(struct file *file, size_t at, const void *value, size_t size)
{
    const unsigned char *from = value;
    size_t i;
    for (i = 0; i < size; i++)
        file->bytes[at + i] = from[file->swapped ? size - 1 - i : i];
}

static void put16(struct file *file, size_t at, int value)
{
    const int16_t v = (int16_t)value;
    put(file, at, &v, 2);
}

static void put_float(struct file *file, size_t at, float value)
{
    put(file, at, &value, 4);
}

static const struct kind {
    int code, bytes;
    double low; /* voxel v has the value low + v */
} kinds[] = {
    { 2, 1, 100 },   { 256, 1, -30 }, { 4, 2, -300 }, { 512, 2, 65000 }, { 8, 4, -70000 },
    { 768, 4, 3e9 }, { 16, 4, -1.5 }, { 64, 8, 1e6 }, { 1024, 8, -9e9 }, { 1280, 8, 1e10 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void put_voxel(struct file *file, const struct kind *kind, int v)
{
    const size_t at = OFFSET + (size_t)(v * kind->bytes);
    const double value = kind->low + v;
    const int64_t whole = (int64_t)value;
    const uint64_t natural = value > 0 ? (uint64_t)value : 0;
    const float single = (float)value;
    unsigned char *to = &file->bytes[at];
    switch (kind->code) {
    case 16:
        put(file, at, &single, 4);
        return;
    case 64:
        put(file, at, &value, 8);
        return;
    default: /* integers: the low bytes, on little- and big-endian hosts */
        for (int i = 0; i < kind->bytes; i++) {
            const uint64_t bits = kind->low < 0 ? (uint64_t)whole : natural;
            const uint16_t one = 1;
            const int little = *(const unsigned char *)&one;
            to[little != file->swapped ? i : kind->bytes - 1 - i] =
                (unsigned char)(bits >> (8 * i));
        }
    }
}

static struct file make(const struct kind *kind, int swapped)
{
    struct file file = { .swapped = swapped, .length = OFFSET + (size_t)(VOXELS * kind->bytes) };
    const int32_t header = HEADER;
    const int dims[8] = { 3, NX, NY, NZ, 1, 1, 1, 1 };
    int i;
    put(&file, 0, &header, 4);
    for (i = 0; i < 8; i++)
        put16(&file, DIM + 2 * (size_t)i, dims[i]);
    put16(&file, DATATYPE, kind->code);
    put16(&file, BITPIX, 8 * kind->bytes);
    put_float(&file, VOX_OFFSET, OFFSET);
    memcpy(&file.bytes[MAGIC], "n+1", 4);
    for (i = 0; i < VOXELS; i++)
        put_voxel(&file, kind, i);
    return file;
}

static void save(const char *name, const void *bytes, size_t length)
{
    FILE *out;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

/* Compresses into `packed` (large enough) and returns the length. */
static size_t pack(const struct file *file, unsigned char *packed, size_t room)
{
    z_stream z = { .next_in = (unsigned char *)(uintptr_t)file->bytes,
                   .avail_in = (uInt)file->length,
                   .next_out = packed,
                   .avail_out = (uInt)room };
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

/* volume_load; standard error is watched meanwhile and must stay empty. */
static yoke_status load(struct volume *volume)
{
    struct stat there;
    yoke_status status;
    fflush(stderr);
    assert_true(ftruncate(watch, 0) == 0 && dup2(watch, 2) == 2);
    status = volume_load(path, volume);
    fflush(stderr);
    assert_true(dup2(terminal, 2) == 2);
    assert_int_equal(fstat(watch, &there), 0);
    if (there.st_size)
        fail_msg("%s: something was printed to standard error", path);
    return status;
}

static void check_refused(const char *what)
{
    struct volume volume = { { 0, 0, 0 }, NULL };
    const yoke_status status = load(&volume);
    if (status != YOKE_EIO)
        fail_msg("%s: status %d instead of YOKE_EIO (%s)", what, (int)status, app_error_text());
    if (!strstr(app_error_text(), path) || strchr(app_error_text(), '\n'))
        fail_msg("%s: no line that names the file: %s", what, app_error_text());
    assert_null(volume.voxels);
}

static void check_values(const struct kind *kind, double slope, double inter)
{
    struct volume volume;
    int v;
    if (load(&volume) != YOKE_OK)
        fail_msg("datatype %d: %s", kind->code, app_error_text());
    assert_int_equal(volume.size[0], NX);
    assert_int_equal(volume.size[1], NY);
    assert_int_equal(volume.size[2], NZ);
    for (v = 0; v < VOXELS; v++) {
        const double right = (kind->low + v) * slope + inter;
        if (fabs((double)volume.voxels[v] - right) > 1.2e-7 * fabs(right))
            fail_msg("datatype %d, voxel %d: %.9g instead of %.9g", kind->code, v,
                     (double)volume.voxels[v], right);
    }
    volume_close(&volume);
}

static void every_datatype(void **state)
{
    int k, swapped;
    (void)state;
    for (k = 0; k < KINDS; k++)
        for (swapped = 0; swapped < 2; swapped++) {
            unsigned char packed[2 * FILE_MOST];
            struct file file = make(&kinds[k], swapped);
            save("a.nii", file.bytes, file.length);
            check_values(&kinds[k], 1, 0);
            remove(path);
            save("a.nii.gz", packed, pack(&file, packed, sizeof packed));
            check_values(&kinds[k], 1, 0);
            remove(path);
            put_float(&file, SLOPE, 0.5f);
            put_float(&file, INTER, 3);
            save("a.nii", file.bytes, file.length);
            check_values(&kinds[k], 0.5, 3);
            remove(path);
        }
}

static void not_a_number_becomes_0(void **state)
{
    struct file file = make(&kinds[6], 0);
    struct volume volume;
    int v;
    (void)state;
    put_float(&file, OFFSET, NAN);
    put_float(&file, OFFSET + 4, INFINITY);
    put_float(&file, SLOPE, NAN); /* which means no scale */
    save("a.nii", file.bytes, file.length);
    assert_int_equal(load(&volume), YOKE_OK);
    for (v = 0; v < VOXELS; v++)
        assert_true(volume.voxels[v] == (v < 2 ? 0.0f : (float)(kinds[6].low + v)));
    volume_close(&volume);
    remove(path);
}

static void no_such_file(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/missing.nii", folder);
    check_refused("missing");
    snprintf(path, sizeof path, "%s", folder);
    check_refused("a folder");
    save("a.nii", "", 0);
    check_refused("empty");
    save("a.nii", "This is no image, but a text.\n", 30);
    check_refused("text");
    remove(path);
}

/* Every length that is too short, compressed and not. */
static void cut_short(void **state)
{
    unsigned char packed[2 * FILE_MOST];
    struct file file = make(&kinds[2], 0);
    size_t length, whole = pack(&file, packed, sizeof packed);
    (void)state;
    for (length = 0; length < file.length; length++) {
        save("a.nii", file.bytes, length);
        check_refused("cut");
    }
    remove(path);
    for (length = 0; length < whole; length++) { /* refused, unless only a checksum is lost */
        struct volume volume = { { 0, 0, 0 }, NULL };
        save("a.nii.gz", packed, length);
        if (load(&volume) == YOKE_OK) {
            volume_close(&volume);
            check_values(&kinds[2], 1, 0);
        } else {
            check_refused("cut and packed");
        }
    }
    remove(path);
}

static void wrong_headers(void **state)
{
    static const struct {
        const char *what;
        size_t at;
        int value;
    } wrong[] = {
        { "no dimensions", DIM, 0 },       { "8 dimensions", DIM, 8 },
        { "-3 dimensions", DIM, -3 },      { "2 dimensions", DIM, 2 },
        { "0 columns", DIM + 2, 0 },       { "-5 columns", DIM + 2, -5 },
        { "0 planes", DIM + 6, 0 },        { "many columns", DIM + 2, 32767 },
        { "many planes", DIM + 6, 32767 }, { "no datatype", DATATYPE, 0 },
        { "bits", DATATYPE, 1 },           { "complex", DATATYPE, 32 },
        { "colours", DATATYPE, 128 },      { "unknown", DATATYPE, 12345 },
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct file file = make(&kinds[2], 0);
        put16(&file, wrong[i].at, wrong[i].value);
        save("a.nii", file.bytes, file.length);
        check_refused(wrong[i].what);
    }
    remove(path);
}

static void wrong_offsets(void **state)
{
    static const float wrong[] = { NAN, INFINITY, -INFINITY, -352, -1, 353e3f, 1e30f };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct file file = make(&kinds[2], 0);
        put_float(&file, VOX_OFFSET, wrong[i]);
        save("a.nii", file.bytes, file.length);
        check_refused("offset");
    }
    remove(path);
}

/* 32767^3 doubles, 281 TB, compressed and not, and a series. */
static void huge(void **state)
{
    struct file file = make(&kinds[7], 0);
    unsigned char packed[2 * FILE_MOST];
    int i;
    (void)state;
    for (i = 1; i <= 3; i++)
        put16(&file, DIM + 2 * (size_t)i, 32767);
    save("a.nii", file.bytes, file.length);
    check_refused("huge");
    remove(path);
    save("a.nii.gz", packed, pack(&file, packed, sizeof packed));
    check_refused("huge and packed");
    remove(path);
    for (i = 0; i <= 7; i++)
        put16(&file, DIM + 2 * (size_t)i, i ? 32767 : 7);
    save("a.nii", file.bytes, file.length);
    check_refused("huge series");
    remove(path);
}

/* Whatever the file contains: an image that fits it, or a refusal. */
static void check_sane(void)
{
    struct volume volume = { { 0, 0, 0 }, NULL };
    const yoke_status status = load(&volume);
    if (status == YOKE_OK) {
        const int64_t voxels = volume.size[0] * volume.size[1] * volume.size[2];
        int64_t v;
        assert_true(voxels >= 1 && voxels <= 8 * VOXELS);
        for (v = 0; v < voxels; v++)
            assert_true(isfinite(volume.voxels[v]));
        volume_close(&volume);
    } else {
        assert_int_equal(status, YOKE_EIO);
        assert_non_null(strstr(app_error_text(), path));
    }
}

static void damaged(void **state)
{
    int round, i;
    size_t at;
    (void)state;
    for (at = 0; at < HEADER; at++) /* each byte alone */
        for (i = 0; i < 4; i++) {
            struct file file = make(&kinds[2], 0);
            file.bytes[at] = (unsigned char)((int[]){ 0, 1, 127, 255 })[i];
            save("a.nii", file.bytes, file.length);
            check_sane();
        }
    for (round = 0; round < 3000; round++) { /* up to 16 bytes anywhere in the header */
        struct file file = make(&kinds[round % KINDS], round / KINDS % 2);
        const int times = 1 + (int)(random_bits(1, (uint64_t)round) % 16);
        for (i = 0; i < times; i++) {
            const uint64_t bits = random_bits(2, (uint64_t)(round * 16 + i));
            file.bytes[bits % OFFSET] = (unsigned char)(bits >> 40);
        }
        save("a.nii", file.bytes, file.length);
        check_sane();
    }
    remove(path);
}

static void damaged_and_packed(void **state)
{
    unsigned char whole[2 * FILE_MOST], packed[2 * FILE_MOST];
    struct file file = make(&kinds[4], 0);
    const size_t length = pack(&file, whole, sizeof whole);
    int round;
    (void)state;
    for (round = 0; round < 2000; round++) {
        const uint64_t bits = random_bits(3, (uint64_t)round);
        memcpy(packed, whole, length);
        packed[2 + bits % (length - 2)] ^= (unsigned char)(1 + (bits >> 40) % 255);
        save("a.nii.gz", packed, length);
        check_sane();
    }
    remove(path);
}

/* Known properties of a file that Debian's mricron-data installs. */
static void a_real_head(void **state)
{
    struct volume volume;
    double sum = 0, squares = 0;
    int64_t v;
    (void)state;
    snprintf(path, sizeof path, "/usr/share/mricron/templates/ch2.nii.gz");
    if (access(path, R_OK))
        skip();
    assert_int_equal(load(&volume), YOKE_OK);
    assert_int_equal(volume.size[0], 181);
    assert_int_equal(volume.size[1], 217);
    assert_int_equal(volume.size[2], 181);
    for (v = 0; v < 181 * 217 * 181; v++) {
        sum += (double)volume.voxels[v];
        squares += (double)volume.voxels[v] * (double)volume.voxels[v];
    }
    volume_close(&volume);
    assert_true(sum == 317151210.0);
    assert_true(squares == 29698937136.0);
}

static int set_up(void **state)
{
    FILE *file = tmpfile();
    (void)state;
    watch = file ? fileno(file) : -1;
    terminal = dup(2);
    return mkdtemp(folder) && watch >= 0 && terminal >= 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    close(terminal);
    return rmdir(folder); /* fails if a test left a file */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_datatype),
        cmocka_unit_test(not_a_number_becomes_0),
        cmocka_unit_test(no_such_file),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(wrong_headers),
        cmocka_unit_test(wrong_offsets),
        cmocka_unit_test(huge),
        cmocka_unit_test(damaged),
        cmocka_unit_test(damaged_and_packed),
        cmocka_unit_test(a_real_head),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
