/* sparse_read.h - properties of every matrix that is read from arbitrary bytes.
 *
 * The message about a refused one names an existing line, and the outputs are unchanged. In an
 * accepted one rows begin in order, columns of a row are in order and within the matrix, values are
 * finite, a matrix called symmetric is symmetric, and it is read again as the same. Nothing leaks
 * (checked by the sanitizers). */
#ifndef TESTS_FUZZ_SPARSE_READ_H
#define TESTS_FUZZ_SPARSE_READ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../apps/spmv/sparse.h"

typedef yoke_status sparse_reader(FILE *file, const char *path, const struct sparse_file *how,
                                  struct sparse *out);

/* For a file named "it". */
void sparse_check(sparse_reader *read, const uint8_t *bytes, size_t size);

#endif
