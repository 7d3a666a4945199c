/* Takes the place of <math.h> while a kernel file is flattened for a device: what devices have of
 * it is in their prelude (yoke/prelude_opencl.h, yoke/prelude_cuda.h). */
