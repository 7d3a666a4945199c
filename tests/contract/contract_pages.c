/* contract_pages.c - memory committed page by page: in any order, and beyond the device's memory.
 */
#include <stdlib.h>

#include "contract.h"

/* Pages are committed in any order, repeatedly, and their contents stay. */
static void pages_on_demand(struct contract *c)
{
    enum { BYTES = 3 << 20, PART = 70001 };
    unsigned char *source = malloc(PART), *read = malloc(PART);
    struct yk_buffer *buffer;
    if (c->backend->commit) {
        assert_int_equal(c->backend->alloc(c->device, BYTES, &buffer), YOKE_OK);
        for (unsigned i = 0; i < 40; i++) {
            int64_t offset = (int64_t)(i * 29 % 40) * (PART - 11);
            struct yk_copy copy = { .kind = YK_COPY_TO_DEVICE,
                                    .host = source,
                                    .buffer = buffer,
                                    .offset = offset,
                                    .bytes = PART };
            pattern(source, PART, i);
            assert_int_equal(c->backend->commit(c->device, buffer, offset, PART), YOKE_OK);
            run_copy(c, &copy);
        }
        for (unsigned i = 0; i < 40; i++) {
            struct yk_copy copy = { .kind = YK_COPY_FROM_DEVICE,
                                    .host = read,
                                    .buffer = buffer,
                                    .offset = (int64_t)(i * 29 % 40) * (PART - 11) + 11,
                                    .bytes = PART - 22 };
            pattern(source, PART, i);
            run_copy(c, &copy);
            assert_memory_equal(read, source + 11, PART - 22);
        }
        c->backend->free(c->device, buffer);
    }
    free(source);
    free(read);
}

/* Number of pages that a driver may keep for itself once it has mapped some (64 MiB of 139 GiB on
 * an H200, where that is two pages). It keeps them only once, in any round: a leak of one page per
 * round exceeds this. */
enum { KEPT_MOST = 4, ROUNDS = KEPT_MOST + 2 };

/* All memory is free again. */
static void assert_all_free(struct contract *c, int64_t all)
{
    int64_t free = c->backend->memory_free(c->device);
    if (free > all || free < all - KEPT_MOST * c->device->desc.page_bytes)
        fail_msg("%lld bytes are free, %lld were", (long long)free, (long long)all);
}

/* Reserves more addresses than there is memory; pages that are decommitted can be used elsewhere.
 */
static void use_addresses(struct contract *c, int64_t all)
{
    int64_t memory = c->device->desc.memory_bytes;
    int64_t page = yk_page_bytes(&c->device->desc, 4 * memory);
    int64_t free = c->backend->memory_free(c->device), part = (free / 2 / page - 1) * page;
    struct yk_buffer *buffer;
    assert_int_equal(c->backend->reserve(c->device, 4 * memory, &buffer), YOKE_OK);
    assert_all_free(c, all);
    assert_int_equal(c->backend->commit(c->device, buffer, 2 * memory, part), YOKE_OK);
    assert_true(c->backend->memory_free(c->device) <= free - part);
    assert_int_equal(c->backend->commit(c->device, buffer, 0, 2 * part), YOKE_ENOMEM);
    /* A page that is only partly inside stays. */
    c->backend->decommit(c->device, buffer, 2 * memory + 1, part - 1);
    assert_true(c->backend->memory_free(c->device) <= free - page);
    c->backend->decommit(c->device, buffer, 2 * memory, page);
    assert_all_free(c, all);
    assert_int_equal(c->backend->commit(c->device, buffer, 0, part), YOKE_OK);
    c->backend->free(c->device, buffer);
    assert_all_free(c, all);
}

static void addresses(struct contract *c)
{
    int64_t all;
    if (!c->device->desc.page_bytes || !c->backend->reserve)
        return;
    all = c->backend->memory_free(c->device);
    for (int round = 0; round < ROUNDS; round++)
        use_addresses(c, all);
}

const struct named_case contract_pages_cases[] = {
    { "pages on demand", pages_on_demand, NEEDS_MEMORY },
    { "addresses beyond memory", addresses, NEEDS_MEMORY },
    { 0 },
};
