/* cpu_device.h - what the runtime must know of a CPU device to put its workers in place.
 *
 * Devices of this backend are sets of cores, one hardware thread each: all that the process may
 * use, the first n of them ("cpu:8"), or one set for each NUMA node or shared cache ("cpu:numa",
 * "cpu:L3", "cpu:L2"). Their kernels run in the calling thread, on host memory.
 */
#ifndef YK_BACKEND_CPU_CPU_DEVICE_H
#define YK_BACKEND_CPU_CPU_DEVICE_H

#include "../backend.h"

enum { YK_CPU_CORES_MAX = 1024 }; /* of one device; further cores are left alone */

/* Operating system's numbers of the device's cores; the count is desc->cores. For descs of the cpu
 * backend, also of a device behind the checking wrapper. Valid as long as the list the desc came
 * from. */
const int *yk_cpu_cores(const struct yk_device_desc *desc);

extern const struct yk_backend yk_backend_cpu;

#endif
