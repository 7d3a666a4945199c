/* alloc.h - the library's only way to get host memory, so that tests can make any allocation fail
 * and count the blocks that are still held. Costs two relaxed atomics per call; nothing on a hot
 * path allocates.
 */
#ifndef YK_BASE_ALLOC_H
#define YK_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory, or NULL with the thread's error text set (see status.h). Size 0 gives a valid
 * pointer. */
void *yk_calloc(size_t count, size_t size);
/* Grows or shrinks a block; on failure NULL, and the old block stays valid. New bytes are not
 * zeroed. */
void *yk_realloc(void *block, size_t count, size_t size);
/* Memory that is not zeroed. `alignment` is a power of two (0: a page); less than 64 becomes 64.
 * Free it with yk_free. */
void *yk_alloc_aligned(size_t bytes, size_t alignment);
char *yk_strdup(const char *text);
/* printf into new memory; NULL on failure. */
char *yk_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The texts one after the other, in new memory; NULL on failure. For long texts, which yk_format
 * measures byte by byte. */
char *yk_join(const char *const *texts, int count);
/* Both texts, with the separator between them unless the first is empty, in new memory. Frees both.
 * NULL if either is NULL, or on failure. */
char *yk_append(char *text, const char *separator, char *next);
void yk_free(void *block); /* NULL is allowed */

/* For memory that is kept until the process or a thread ends. Can be made to fail, too, but is not
 * counted as outstanding, and does not change the error text. */
void *yk_alloc_kept(size_t bytes);
void yk_free_kept(void *block);

/* Counts as one allocation; returns 1 if it is the one that must fail. For resources from elsewhere
 * (a thread, a lock) whose failure tests must also be able to cause. Sets no text. */
int yk_alloc_due(void);

/* For tests. Makes only the nth allocation from now on fail (1: the next one); 0: none. */
void yk_alloc_fail_at(int64_t nth);
/* Returns 1 if that allocation has failed. */
int yk_alloc_failed(void);
/* Number of blocks allocated and not yet freed. */
int64_t yk_alloc_outstanding(void);

#endif
