/* Takes the place of <stdint.h> while a kernel file is flattened for a device. The preludes
 * (yoke/prelude_opencl.h, yoke/prelude_cuda.h) declare the types; here are the limits, which are
 * the host's. Both languages have 64 bits in a long.
 */
#ifndef YOKE_FLATTEN_STDINT_H
#define YOKE_FLATTEN_STDINT_H

#define INT8_MIN    (-128)
#define INT8_MAX    127
#define UINT8_MAX   255
#define INT16_MIN   (-32768)
#define INT16_MAX   32767
#define UINT16_MAX  65535
#define INT32_MIN   (-2147483647 - 1)
#define INT32_MAX   2147483647
#define UINT32_MAX  4294967295u
#define INT64_MIN   (-9223372036854775807L - 1)
#define INT64_MAX   9223372036854775807L
#define UINT64_MAX  18446744073709551615ul
#define INTPTR_MIN  INT64_MIN
#define INTPTR_MAX  INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN  INT64_MIN
#define INTMAX_MAX  INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#define SIZE_MAX    UINT64_MAX

#define INT8_C(c)    c
#define UINT8_C(c)   c
#define INT16_C(c)   c
#define UINT16_C(c)  c
#define INT32_C(c)   c
#define UINT32_C(c)  c##u
#define INT64_C(c)   c##L
#define UINT64_C(c)  c##ul
#define INTMAX_C(c)  c##L
#define UINTMAX_C(c) c##ul

#endif
