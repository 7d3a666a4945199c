/* contract_host.c - pinned host memory: copies from and to it, writes by the program meanwhile,
 * read-only memory, lost devices. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/status.h"
#include "contract.h"

enum { BYTES = 1 << 20, LARGE_PAGE = 65536 };

static void up(struct contract *c, const struct memory *memory, void *host)
{
    run_copy(c, &(struct yk_copy){ .kind = YK_COPY_TO_DEVICE,
                                   .host = host,
                                   .buffer = memory->buffer,
                                   .bytes = memory->bytes });
}

static void down(struct contract *c, const struct memory *memory, void *host)
{
    run_copy(c, &(struct yk_copy){ .kind = YK_COPY_FROM_DEVICE,
                                   .host = host,
                                   .buffer = memory->buffer,
                                   .bytes = memory->bytes });
}

/* Uploads have what the host wrote, downloads are visible: the memory has no second copy. */
static void copies_follow(struct contract *c, unsigned char *host)
{
    unsigned char *read = malloc(BYTES);
    pattern(host, BYTES, 1);
    struct memory memory = memory_open(c, host, BYTES);
    for (unsigned round = 2; round < 5; round++) {
        pattern(host, BYTES, round);
        up(c, &memory, host);
        memory_read(c, &memory, read);
        assert_memory_equal(read, host, BYTES);
        pattern(read, BYTES, round + 10);
        up(c, &memory, read);
        down(c, &memory, host);
        assert_memory_equal(read, host, BYTES);
    }
    memory_close(c, &memory);
    free(read);
}

static void own_memory(struct contract *c)
{
    void *one = NULL, *other = NULL;
    assert_int_equal(c->backend->host_alloc(c->device, BYTES, &one), YOKE_OK);
    assert_int_equal(c->backend->host_alloc(c->device, 1, &other), YOKE_OK);
    *(char *)other = 7;
    copies_follow(c, one);
    c->backend->host_free(c->device, one);
    assert_int_equal(*(char *)other, 7);
    c->backend->host_free(c->device, other);
    c->backend->host_free(c->device, NULL);
}

/* Two parts pinned separately, both together, and afterwards as before. */
static void pinned_memory(struct contract *c)
{
    unsigned char *mine = aligned_alloc(LARGE_PAGE, 2 * BYTES), *copy = malloc(2 * BYTES);
    int foreign = 1;
    assert_int_equal(c->backend->pin(c->device, mine, BYTES, &foreign), YOKE_OK);
    assert_int_equal(foreign, 0);
    assert_int_equal(c->backend->pin(c->device, mine + BYTES, BYTES, &foreign), YOKE_OK);
    for (int i = 0; i < 2; i++)
        copies_follow(c, mine + i * BYTES);
    memcpy(copy, mine, 2 * BYTES);
    for (int i = 0; i < 2; i++)
        c->backend->unpin(c->device, mine + i * BYTES);
    assert_memory_equal(mine, copy, 2 * BYTES);
    assert_int_equal(c->backend->pin(c->device, mine, 2 * BYTES, &foreign), YOKE_OK);
    assert_memory_equal(mine, copy, 2 * BYTES);
    c->backend->unpin(c->device, mine);
    free(copy);
    free(mine);
}

/* Counts in every page. */
struct writer {
    _Atomic unsigned *words;
    atomic_int stops;
    atomic_uint rounds;
};
enum { WORDS_A_PAGE = 4096 / sizeof(unsigned), WRITTEN = 64 };

static void *write_on(void *context)
{
    struct writer *writer = context;
    while (!atomic_load(&writer->stops)) {
        for (int i = 0; i < WRITTEN; i++)
            atomic_fetch_add_explicit(&writer->words[i * WORDS_A_PAGE], 1, memory_order_relaxed);
        atomic_fetch_add(&writer->rounds, 1);
    }
    return NULL;
}

/* A driver that copied "its" contents back would undo writes made meanwhile. */
static void written_meanwhile(struct contract *c)
{
    enum { TURNS = 200 };
    struct writer writer = { .words = aligned_alloc(LARGE_PAGE, BYTES) };
    pthread_t thread;
    int foreign;
    memset((void *)writer.words, 0, BYTES);
    assert_int_equal(pthread_create(&thread, NULL, write_on, &writer), 0);
    for (int i = 0; i < TURNS || atomic_load(&writer.rounds) < TURNS; i++) {
        assert_int_equal(c->backend->pin(c->device, (void *)writer.words, BYTES, &foreign),
                         YOKE_OK);
        c->backend->unpin(c->device, (void *)writer.words);
    }
    atomic_store(&writer.stops, 1);
    pthread_join(thread, NULL);
    for (int i = 0; i < WRITTEN; i++)
        assert_int_equal(writer.words[i * WORDS_A_PAGE], atomic_load(&writer.rounds));
    free((void *)writer.words);
}

/* It is pinned or refused, and can be read in both cases. */
static void read_only_memory(struct contract *c)
{
    unsigned char *mine =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *read = malloc(BYTES);
    int foreign;
    assert_true(mine != MAP_FAILED);
    pattern(mine, BYTES, 6);
    assert_int_equal(mprotect(mine, BYTES, PROT_READ), 0);
    yoke_status status = c->backend->pin(c->device, mine, BYTES, &foreign);
    assert_true(status == YOKE_OK || status == YOKE_EINVAL || status == YOKE_ENOMEM);
    struct memory memory = memory_open(c, mine, BYTES);
    memory_read(c, &memory, read);
    assert_memory_equal(read, mine, BYTES);
    memory_close(c, &memory);
    if (status == YOKE_OK)
        c->backend->unpin(c->device, mine);
    munmap(mine, BYTES);
    free(read);
}

/* Several threads pin and unpin while one drives the device. */
struct pinner {
    struct contract *contract;
    unsigned char *host;
    int failures;
};

static void *pin_on(void *context)
{
    struct pinner *pinner = context;
    const struct yk_backend *backend = pinner->contract->backend;
    struct yk_device *device = pinner->contract->device;
    for (int i = 0; i < 50; i++) {
        void *own;
        int foreign;
        if (backend->pin(device, pinner->host, BYTES, &foreign) == YOKE_OK)
            backend->unpin(device, pinner->host);
        else
            pinner->failures++;
        if (!backend->host_alloc)
            continue;
        if (backend->host_alloc(device, LARGE_PAGE, &own) == YOKE_OK)
            backend->host_free(device, own);
        else
            pinner->failures++;
    }
    return NULL;
}

static void many_threads(struct contract *c)
{
    enum { THREADS = 3 };
    unsigned char *host = aligned_alloc(LARGE_PAGE, (THREADS + 1) * BYTES);
    struct pinner pinners[THREADS];
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++) {
        pinners[t] = (struct pinner){ .contract = c, .host = host + (t + 1) * BYTES };
        assert_int_equal(pthread_create(&threads[t], NULL, pin_on, &pinners[t]), 0);
    }
    for (int i = 0; i < 5; i++)
        copies_follow(c, host);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        assert_int_equal(pinners[t].failures, 0);
    }
    free(host);
}

/* Each allocation fails in turn. */
static void no_memory_for_pins(struct contract *c)
{
    unsigned char *mine = aligned_alloc(LARGE_PAGE, BYTES);
    for (int64_t nth = 1, reached = 1; reached; nth++) {
        int64_t before = yk_alloc_outstanding();
        int foreign;
        yk_alloc_fail_at(nth);
        yoke_status status = c->backend->pin(c->device, mine, BYTES, &foreign);
        reached = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_int_equal(status, reached ? YOKE_ENOMEM : YOKE_OK);
        if (status == YOKE_OK)
            c->backend->unpin(c->device, mine);
        assert_int_equal(yk_alloc_outstanding(), before);
    }
    free(mine);
}

const struct named_case contract_host_cases[] = {
    { "the driver's own host memory", own_memory, NEEDS_STAGING },
    { "pinned host memory", pinned_memory, NEEDS_PINS },
    { "host memory written while it is pinned", written_meanwhile, NEEDS_PINS },
    { "host memory that may only be read", read_only_memory, NEEDS_PINS },
    { "host memory pinned by many threads", many_threads, NEEDS_PINS },
    { "no memory for pins", no_memory_for_pins, NEEDS_PINS },
    { 0 },
};
