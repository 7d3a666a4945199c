/* sparse_read.h - what every matrix that is read from any bytes has to be.
 *
 * A refused one is named with a line that it has, and changes nothing; of an accepted one rows
 * begin in order, columns of a row are in order and within the matrix, values are finite, what is
 * called symmetric is, and it is read as the same again; nothing leaks (the sanitizers' part).
 */
#ifndef TESTS_FUZZ_SPARSE_READ_H
#define TESTS_FUZZ_SPARSE_READ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../apps/spmv/sparse.h"

typedef yoke_status sparse_reader(FILE *file, const char *path, const struct sparse_file *how,
                                  struct sparse *out);

/* Of a file called "it". */
void sparse_check(sparse_reader *read, const uint8_t *bytes, size_t size);

#endif
