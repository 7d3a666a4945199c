/* alloc.c - counted allocation over the C library's.
 *
 * Two process-wide counters: blocks outstanding, and the number of allocations before the one that
 * must fail. Neither orders other memory, so both are relaxed. A block has no header of ours:
 * yk_free is free() and one subtraction, and memory checkers see every block as it is.
 */
#include "alloc.h"

#include "status.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { least_alignment = 64, small_bytes = 1024 };

static _Atomic int64_t outstanding;
static _Atomic int64_t countdown; /* the allocation that takes it from 1 to 0 fails; <= 0 is off */
static _Atomic int reached;

void yk_alloc_fail_at(int64_t nth)
{
    atomic_store_explicit(&reached, 0, memory_order_relaxed);
    atomic_store_explicit(&countdown, nth, memory_order_relaxed);
}

int yk_alloc_failed(void)
{
    return atomic_load_explicit(&reached, memory_order_relaxed);
}

int64_t yk_alloc_outstanding(void)
{
    return atomic_load_explicit(&outstanding, memory_order_relaxed);
}

int yk_alloc_due(void)
{
    if (atomic_load_explicit(&countdown, memory_order_relaxed) <= 0) {
        return 0;
    }
    /* Threads that race past the test above only push it further below 0. */
    if (atomic_fetch_sub_explicit(&countdown, 1, memory_order_relaxed) != 1) {
        return 0;
    }
    atomic_store_explicit(&reached, 1, memory_order_relaxed);
    return 1;
}

static void *counted(void *block)
{
    if (block) {
        atomic_fetch_add_explicit(&outstanding, 1, memory_order_relaxed);
    }
    return block;
}

static void *refused(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        yk_fail(YOKE_ENOMEM,
                "%zu elements of %zu bytes are more than an address can count; ask for less", count,
                size);
    } else {
        yk_fail(YOKE_ENOMEM, "no host memory for %zu bytes; close arrays or use smaller ones",
                bytes);
    }
    return NULL;
}

/* Small blocks come from malloc: most C libraries keep some ready in each thread, and calloc of
 * glibc before 2.41 does not look there. Large blocks come from calloc, which may use pages that
 * are zero already. */
static void *zeroed(size_t bytes)
{
    void *block = bytes <= small_bytes ? malloc(bytes ? bytes : 1) : calloc(bytes, 1);
    return block && bytes <= small_bytes ? memset(block, 0, bytes) : block;
}

void *yk_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (yk_alloc_due() || __builtin_mul_overflow(count, size, &bytes)) {
        return refused(count, size);
    }
    void *block = zeroed(bytes);
    return block ? counted(block) : refused(count, size);
}

void *yk_realloc(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (yk_alloc_due() || __builtin_mul_overflow(count, size, &bytes)) {
        return refused(count, size);
    }
    void *grown = realloc(block, bytes ? bytes : 1); /* realloc to 0 bytes would free */
    if (!grown) {
        return refused(count, size);
    }
    return block ? grown : counted(grown);
}

void *yk_alloc_aligned(size_t bytes, size_t alignment)
{
    if (alignment == 0) {
        alignment = (size_t)sysconf(_SC_PAGESIZE);
    }
    if (alignment < least_alignment) {
        alignment = least_alignment;
    }
    void *block = NULL;
    if (yk_alloc_due() || posix_memalign(&block, alignment, bytes ? bytes : 1) != 0) {
        return refused(1, bytes);
    }
    return counted(block);
}

char *yk_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = yk_calloc(bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

char *yk_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? refused(SIZE_MAX, 1) : yk_calloc((size_t)length + 1, 1);
    if (text) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

char *yk_join(const char *const *texts, int count)
{
    size_t length = 0;
    for (int i = 0; i < count; i++)
        length += strlen(texts[i]);
    char *all = yk_calloc(length + 1, 1), *end = all;
    for (int i = 0; all && i < count; i++)
        end = stpcpy(end, texts[i]);
    return all;
}

char *yk_append(char *text, const char *separator, char *next)
{
    const char *const parts[] = { text, text && *text ? separator : "", next };
    char *all = text && next ? yk_join(parts, 3) : NULL;
    yk_free(text);
    yk_free(next);
    return all;
}

void yk_free(void *block)
{
    if (block) {
        atomic_fetch_sub_explicit(&outstanding, 1, memory_order_relaxed);
        free(block);
    }
}

void *yk_alloc_kept(size_t bytes)
{
    return yk_alloc_due() ? NULL : malloc(bytes);
}

void yk_free_kept(void *block)
{
    free(block);
}
