/* fuzz_mesh_obj.c - any bytes as an OBJ file; the bytes after the first 0 are the material file
 * that it names, under any name. No other file is opened. */
#include "../apps/path/mesh_build.h"
#include "fuzz.h"
#include "mesh_read.h"

static const uint8_t *materials;
static size_t material_bytes;

/* Replaces mesh_load.c's, which is not under test. */
FILE *mesh_open_file(const char *path, const char **cause)
{
    (void)path;
    *cause = "there is none";
    return material_bytes ? fmemopen((void *)(uintptr_t)materials, material_bytes, "rb") : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const uint8_t *end = size ? memchr(bytes, 0, size) : NULL;
    const size_t mesh_bytes = end ? (size_t)(end - bytes) : size;
    materials = bytes + mesh_bytes + 1;
    material_bytes = end ? size - mesh_bytes - 1 : 0;
    mesh_other_lines = material_bytes > 0;
    for (size_t k = 0; k < material_bytes; k++)
        mesh_other_lines += materials[k] == '\n';
    mesh_check(mesh_read_obj, bytes, mesh_bytes);
    return 0;
}
