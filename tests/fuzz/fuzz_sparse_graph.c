/* fuzz_sparse_graph.c - any bytes as a METIS graph. */
#include "fuzz.h"
#include "sparse_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    sparse_check(sparse_read_graph, bytes, size);
    return 0;
}
