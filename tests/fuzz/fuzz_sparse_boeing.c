/* fuzz_sparse_boeing.c - any bytes as a Harwell-Boeing file. */
#include "fuzz.h"
#include "sparse_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    sparse_check(sparse_read_boeing, bytes, size);
    return 0;
}
