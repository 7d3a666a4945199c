/* variant.h - which of a kernel's CPU variants this processor can run.
 */
#ifndef YK_BACKEND_CPU_VARIANT_H
#define YK_BACKEND_CPU_VARIANT_H

#include <yoke/kernel_type.h>

/* Returns the highest variant that the processor and the operating system support: 0 baseline, 1
 * x86-64-v3, 2 x86-64-v4. Asks the processor once; thread-safe. */
int yk_cpu_variant_best(void);
/* "base", "v3", "v4" */
const char *yk_cpu_variant_name(int variant);
/* Returns how many indexes of a kernel's only dimension a vector of variant `highest` may hold: as
 * many as it has room for the smallest element. 1: the kernel has several dimensions, or groups. */
int64_t yk_cpu_variant_vector(const yoke_kernel *kernel, int highest);
/* Returns the kernel's highest variant up to `highest`; NULL if it has none. */
yoke_cpu_fn *yk_cpu_variant_choose(const yoke_kernel *kernel, int highest);

#endif
