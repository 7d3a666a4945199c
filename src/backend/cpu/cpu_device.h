/* cpu_device.h - what the runtime must know of a CPU device to bind its workers to cores.
 *
 * Devices of this backend are sets of cores, one hardware thread each: all that the process may
 * use, the first n of them ("cpu:8"), or one set for each NUMA node or shared cache ("cpu:numa",
 * "cpu:L3", "cpu:L2"). Their kernels run in the calling thread, on host memory.
 */
#ifndef YK_BACKEND_CPU_CPU_DEVICE_H
#define YK_BACKEND_CPU_CPU_DEVICE_H

#include "../backend.h"

enum { YK_CPU_CORES_MAX = 1024 }; /* of one device; further cores are not used */

/* Returns the operating system's numbers of the device's cores, desc->cores of them. Only for descs
 * of the cpu backend, also behind the checking wrapper. Valid until the list with the desc is
 * closed. */
const int *yk_cpu_cores(const struct yk_device_desc *desc);

extern const struct yk_backend yk_backend_cpu;

#endif
