/* mesh_read.h - properties of every mesh that is read from arbitrary bytes.
 *
 * The message about a refused one names an existing line or byte, and the outputs are unchanged. In
 * an accepted one all numbers are finite and all indexes within their lists, it has a face, no face
 * is flat, and it is read again as the same. Nothing leaks (checked by the sanitizers). */
#ifndef TESTS_FUZZ_MESH_READ_H
#define TESTS_FUZZ_MESH_READ_H

#include <stdint.h>
#include <stdio.h>

#include "../apps/path/mesh.h"

typedef yoke_status mesh_reader(FILE *file, const char *path, struct mesh *out);

/* Lines of another file that a message may name. */
extern long long mesh_other_lines;

/* For a file named "it". */
void mesh_check(mesh_reader *read, const uint8_t *bytes, size_t size);

#endif
