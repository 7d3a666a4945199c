/* prelude.h - what is put around the text of a kernel made by YOKE_KERNEL before a device compiler
 * gets it.
 *
 * Source = settings + prelude + text without entries of other kernels (access/alone.h) + text with
 * 32-bit indexes + checks. The preludes are the installed headers of the same names, embedded when
 * libyoke is built, so that a program and the library have the same language layer.
 */
#ifndef YK_BACKEND_PRELUDE_H
#define YK_BACKEND_PRELUDE_H

#include <yoke/kernel_type.h>

const char *yk_prelude_opencl(void);
const char *yk_prelude_cuda(void);

/* Returns declarations that do not compile if a parameter's type has another size on the device
 * than on the host; the compiler then names the parameter. The caller frees them (yk_free). NULL if
 * there is no memory; the error text is set. Only for texts made by YOKE_KERNEL: in other texts the
 * types may be unknown. */
char *yk_prelude_checks(const yoke_kernel *kernel);

struct yk_source_parts {
    const char *head; /* before the source: everything else that the machine code depends on */
    const char *prelude;
    const yoke_source *text;
    const char *narrow; /* the text with 32-bit indexes; NULL: there is none */
    int spreads;        /* 1: with the second entry of yoke/kernel_spread_cuda.h */
};
/* Returns the head and the source, which for a handwritten kernel is its text alone. The caller
 * frees it (yk_free). NULL if there is no memory; the error text is set. */
char *yk_prelude_source(const yoke_kernel *kernel, const struct yk_source_parts *parts);

#endif
