/* Takes the place of <stddef.h> while a kernel file is flattened for a device. The preludes
 * (yoke/prelude_opencl.h, yoke/prelude_cuda.h) declare what devices have of it. */
#ifndef YOKE_FLATTEN_STDDEF_H
#define YOKE_FLATTEN_STDDEF_H
#define offsetof(type, member) ((size_t) & ((type *)0)->member)
#endif
