/* fuzz_mesh_ply.c - any bytes as a PLY file. */
#include "fuzz.h"
#include "mesh_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    mesh_check(mesh_read_ply, bytes, size);
    return 0;
}
