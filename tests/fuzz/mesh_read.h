/* mesh_read.h - what every mesh that is read from any bytes has to be.
 *
 * A refused one is named with a line or a byte that it has, and changes nothing; of an accepted one
 * all numbers are finite and all indexes within their lists, it has a face, no face is flat, and it
 * is read as the same again; nothing leaks (the sanitizers' part).
 */
#ifndef TESTS_FUZZ_MESH_READ_H
#define TESTS_FUZZ_MESH_READ_H

#include <stdint.h>
#include <stdio.h>

#include "../apps/path/mesh.h"

typedef yoke_status mesh_reader(FILE *file, const char *path, struct mesh *out);

/* Lines of another file that may be named with what is wrong. */
extern long long mesh_other_lines;

/* Of a file called "it". */
void mesh_check(mesh_reader *read, const uint8_t *bytes, size_t size);

#endif
