/* fuzz_sparse_market.c - any bytes as a Matrix Market file. */
#include "fuzz.h"
#include "sparse_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    sparse_check(sparse_read_market, bytes, size);
    return 0;
}
