/* fuzz_driver.c - runs a fuzz target without libFuzzer: replays files, then changes them at random
 * until the time is over.
 *
 *     fuzz_NAME [-max_total_time=SECONDS] [-seed=NUMBER] [FILE or FOLDER]...
 *
 * The options are libFuzzer's, so that both are started in the same way. Inputs depend only on the
 * seed and the files, not on time: the printed seed repeats a failure. */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <time.h>

enum { INPUTS_MOST = 1024, INPUT_BYTES = 4096, CHANGES_MOST = 8 };

struct input {
    uint8_t *bytes;
    size_t size;
};

static struct input inputs[INPUTS_MOST];
static int input_count;
static uint64_t seed;

static uint64_t next_random(uint64_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 16) % limit;
}

static void fail(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(2);
}

static void add_input(const uint8_t *bytes, size_t size)
{
    struct input *input = &inputs[input_count];
    if (input_count == INPUTS_MOST)
        return;
    input->bytes = malloc(size ? size : 1);
    FUZZ_CHECK(input->bytes);
    memcpy(input->bytes, bytes, size);
    input->size = size;
    input_count++;
}

static void add_file(const char *path)
{
    uint8_t bytes[INPUT_BYTES];
    FILE *file = fopen(path, "rb");
    size_t size;
    if (!file)
        fail(path);
    size = fread(bytes, 1, sizeof bytes, file);
    if (ferror(file))
        fail(path);
    fclose(file);
    add_input(bytes, size);
}

/* In the order of file names, which is the same everywhere. */
static void add_folder(const char *path)
{
    struct dirent **entries;
    int i, count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        fail(path);
    for (i = 0; i < count; i++) {
        char file[4096];
        if (entries[i]->d_name[0] != '.') {
            snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
            add_file(file);
        }
        free(entries[i]);
    }
    free(entries);
}

static void add_path(const char *path)
{
    struct stat about;
    if (stat(path, &about))
        fail(path);
    if (S_ISDIR(about.st_mode))
        add_folder(path);
    else
        add_file(path);
}

/* One change: a byte, a bit, an insertion or deletion, or a piece of another input. */
static size_t change(uint8_t *bytes, size_t size)
{
    size_t at = next_random(size + 1);
    const struct input *other = &inputs[next_random((uint64_t)input_count)];
    size_t from, length;
    switch (next_random(5)) {
    case 0:
        if (at < size)
            bytes[at] = (uint8_t)next_random(256);
        return size;
    case 1:
        if (at < size)
            bytes[at] ^= (uint8_t)(1u << next_random(8));
        return size;
    case 2:
        if (at == size)
            return size;
        memmove(bytes + at, bytes + at + 1, size - at - 1);
        return size - 1;
    case 3:
        if (size == INPUT_BYTES)
            return size;
        memmove(bytes + at + 1, bytes + at, size - at);
        bytes[at] = (uint8_t)next_random(256);
        return size + 1;
    default:
        from = next_random(other->size + 1);
        length = next_random(other->size - from + 1);
        if (length > INPUT_BYTES - at)
            length = INPUT_BYTES - at;
        memcpy(bytes + at, other->bytes + from, length);
        return at + length > size ? at + length : size;
    }
}

static void one_random_input(void)
{
    uint8_t bytes[INPUT_BYTES], *exact;
    const struct input *base = &inputs[next_random((uint64_t)input_count)];
    size_t size = base->size;
    uint64_t changes = 1 + next_random(CHANGES_MOST);
    memcpy(bytes, base->bytes, size);
    while (changes-- > 0)
        size = change(bytes, size);
    exact = malloc(size ? size : 1);
    FUZZ_CHECK(exact);
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    /* Some become inputs for later changes. */
    if (next_random(64) == 0)
        add_input(bytes, size);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    double seconds = 0, end;
    long count = 0;
    int i;
    seed = (uint64_t)time(NULL) * 2654435761u | 1;
    for (i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-max_total_time=", 16) == 0)
            seconds = strtod(argv[i] + 16, NULL);
        else if (strncmp(argv[i], "-seed=", 6) == 0)
            seed = strtoull(argv[i] + 6, NULL, 10) | 1;
        else
            add_path(argv[i]);
    }
    printf("-seed=%llu, %d files\n", (unsigned long long)seed, input_count);
    fflush(stdout);
    for (i = 0; i < input_count; i++)
        LLVMFuzzerTestOneInput(inputs[i].bytes, inputs[i].size);
    if (input_count == 0)
        add_input(NULL, 0);
    for (end = now() + seconds; now() < end; count++)
        one_random_input();
    printf("%ld random inputs\n", count);
    for (i = 0; i < input_count; i++)
        free(inputs[i].bytes);
    return 0;
}
