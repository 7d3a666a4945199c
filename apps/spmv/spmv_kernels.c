/* spmv_kernels.c - compiles one text of each kernel for both types of number. */
#include "spmv_kernels.h"

/* Expands the kernel's name before YOKE_GROUP_KERNEL pastes it into others. */
#define SPMV_KERNEL(...) YOKE_GROUP_KERNEL(__VA_ARGS__)

#define SPMV_REAL       double
#define SPMV_NAME(what) what##_double
#include "spmv_product_body.h"
#include "spmv_vectors_body.h"
#undef SPMV_REAL
#undef SPMV_NAME

#define SPMV_REAL       float
#define SPMV_NAME(what) what##_single
#include "spmv_product_body.h"
#include "spmv_vectors_body.h"
