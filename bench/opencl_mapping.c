/* opencl_mapping.c - tests whether a driver overwrites host memory with old contents after a buffer
 * was created over it.
 *
 *     yoke-bench-opencl-mapping DEVICE [mib=64] [rounds=10]
 *
 * DEVICE is numbered as in YOKE_DEVICES=opencl:DEVICE. Drivers pin host memory only as the host
 * side of a buffer (CL_MEM_USE_HOST_PTR) that is mapped. The standard allows them to copy back the
 * contents from the buffer's creation. So this program fills memory with old words and writes new
 * words at each stage of such a buffer's life: by another queue's read from a device buffer, by
 * reads of 256 KiB, or by the host. The table lists in how many rounds old words were found later,
 * and how many at most.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "program.h"

enum { OLD = 0x01010101, NEW = 0x02020202, DEVICES_MAX = 64, PIECE = 256 << 10 };

enum writer { BY_READ, BY_READS, BY_HOST };
enum moment { MADE, MAPPED, WHILE_MAPPING, WHILE_UNMAPPING };
static const char *const writers[] = { "a read", "reads of 256 KiB", "the host" };
static const char *const moments[] = { "after it is made", "while it is mapped",
                                       "as it is made and mapped", "as it is unmapped" };

struct probe {
    cl_context context;
    cl_command_queue reading, mapping;
    cl_mem source; /* contains the new words */
    uint32_t *memory;
    size_t bytes;
};
struct write {
    const struct probe *probe;
    enum writer by;
};

static void well(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, code);
    exit(1);
}

static cl_device_id find(int number)
{
    cl_platform_id platforms[16];
    cl_uint platform_count = 0;
    well(clGetPlatformIDs(16, platforms, &platform_count), "platforms");
    for (cl_uint p = 0; p < platform_count && p < 16; p++) {
        cl_device_id devices[DEVICES_MAX];
        cl_uint count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, DEVICES_MAX, devices, &count))
            continue;
        if (number < (int)count)
            return devices[number];
        number -= (int)count;
    }
    fprintf(stderr, "there is no such device\n");
    exit(1);
}

static struct probe open_probe(cl_device_id device, size_t bytes)
{
    struct probe p = { .bytes = bytes };
    const uint32_t word = NEW;
    cl_int code;
    p.context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    well(code, "context");
    p.reading = clCreateCommandQueue(p.context, device, 0, &code);
    well(code, "queue");
    p.mapping = clCreateCommandQueue(p.context, device, 0, &code);
    well(code, "queue");
    p.source = clCreateBuffer(p.context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    well(code, "buffer");
    well(clEnqueueFillBuffer(p.reading, p.source, &word, sizeof word, 0, bytes, 0, NULL, NULL),
         "fill");
    well(clFinish(p.reading), "fill");
    return p;
}

/* Writes new words to all of the memory. */
static void *write_new(void *argument)
{
    const struct write *write = argument;
    const struct probe *p = write->probe;
    const size_t piece = write->by == BY_READ ? p->bytes : PIECE;
    for (size_t at = 0; at < p->bytes; at += piece) {
        const size_t bytes = p->bytes - at < piece ? p->bytes - at : piece;
        uint32_t *to = p->memory + at / sizeof *to;
        for (size_t k = 0; write->by == BY_HOST && k < bytes / sizeof *to; k++)
            to[k] = NEW;
        if (write->by != BY_HOST)
            well(clEnqueueReadBuffer(p->reading, p->source, CL_FALSE, at, bytes, to, 0, NULL, NULL),
                 "read");
    }
    well(clFinish(p->reading), "read");
    return NULL;
}

/* The number of old words, after new words were written. */
static int64_t old_words(const struct probe *p)
{
    int64_t old = 0;
    for (size_t k = 0; k < p->bytes / sizeof *p->memory; k++)
        old += p->memory[k] != NEW;
    return old;
}

static void *map(const struct probe *p, cl_mem buffer, cl_map_flags flags)
{
    cl_int code;
    void *mapped =
        clEnqueueMapBuffer(p->mapping, buffer, CL_TRUE, flags, 0, p->bytes, 0, NULL, NULL, &code);
    well(code, "map");
    return mapped;
}

/* One life of a buffer; returns the number of old words at the end. */
static int64_t live(struct probe *p, const struct write *write, enum moment moment,
                    cl_map_flags flags)
{
    pthread_t thread;
    cl_int code;
    for (size_t k = 0; k < p->bytes / sizeof *p->memory; k++)
        p->memory[k] = OLD;
    if (moment == WHILE_MAPPING)
        pthread_create(&thread, NULL, write_new, (void *)write);
    cl_mem buffer = clCreateBuffer(p->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, p->bytes,
                                   p->memory, &code);
    well(code, "buffer over memory");
    if (moment == MADE)
        write_new((void *)write);
    void *mapped = map(p, buffer, flags);
    if (moment == WHILE_MAPPING)
        pthread_join(thread, NULL);
    if (moment == MAPPED)
        write_new((void *)write);
    if (moment == WHILE_UNMAPPING)
        pthread_create(&thread, NULL, write_new, (void *)write);
    well(clEnqueueUnmapMemObject(p->mapping, buffer, mapped, 0, NULL, NULL), "unmap");
    well(clFinish(p->mapping), "unmap");
    well(clReleaseMemObject(buffer), "release");
    if (moment == WHILE_UNMAPPING)
        pthread_join(thread, NULL);
    return old_words(p);
}

static void try_all(struct probe *p, int rounds, cl_map_flags flags, const char *name)
{
    for (int by = BY_READ; by <= BY_HOST; by++)
        for (int moment = MADE; moment <= WHILE_UNMAPPING; moment++) {
            const struct write write = { p, (enum writer)by };
            int64_t most = 0;
            int bad = 0;
            for (int round = 0; round < rounds; round++) {
                const int64_t old = live(p, &write, (enum moment)moment, flags);
                most = old > most ? old : most;
                bad += old > 0;
            }
            printf("| %s | %s | %s | %d of %d | %lld of %zu |\n", name, writers[by],
                   moments[moment], bad, rounds, (long long)most, p->bytes / sizeof *p->memory);
            fflush(stdout);
        }
}

int main(int argc, char **argv)
{
    int mib = 64, rounds = 10, wrong = argc < 2;
    const struct program_option options[] = { { "mib", .whole = &mib },
                                              { "rounds", .whole = &rounds },
                                              { .name = NULL } };
    for (int k = 2; k < argc; k++)
        wrong |= !read_option(options, argv[k]);
    if (wrong || mib < 1 || rounds < 1) {
        fprintf(stderr, "usage: %s DEVICE [mib=64] [rounds=10]\n", argv[0]);
        return 2;
    }
    cl_device_id device = find(atoi(argv[1]));
    char name[128] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    struct probe probe = open_probe(device, (size_t)mib << 20);
    probe.memory =
        mmap(NULL, probe.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe.memory == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    printf("%s, %d MiB\n\n| mapped for | new words by | when | rounds with old ones | at most |\n"
           "| --- | --- | --- | --- | --- |\n",
           name, mib);
    try_all(&probe, rounds, CL_MAP_READ | CL_MAP_WRITE, "reading and writing");
    try_all(&probe, rounds, CL_MAP_WRITE_INVALIDATE_REGION, "writing all anew");
    return 0;
}
