/* fuzz_mesh_off.c - any bytes as an OFF file. */
#include "fuzz.h"
#include "mesh_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    mesh_check(mesh_read_off, bytes, size);
    return 0;
}
