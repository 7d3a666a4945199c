/* prelude.h - what goes round a kernel text made by YOKE_KERNEL before a device compiler gets it.
 *
 * Source = prelude + text + checks. The preludes are the installed headers of the same names,
 * embedded when libyoke is built, so that a program and the library agree on the language layer.
 */
#ifndef YK_BACKEND_PRELUDE_H
#define YK_BACKEND_PRELUDE_H

#include <yoke/kernel_type.h>

const char *yk_prelude_opencl(void);
const char *yk_prelude_cuda(void);

/* Declarations that do not compile where the device gives a parameter's type another size than the
 * host does; the compiler then names the parameter. Freed with yk_free; NULL on no memory, with the
 * error text set. Only for texts made by YOKE_KERNEL: in others the types may be unknown. */
char *yk_prelude_checks(const yoke_kernel *kernel);

#endif
