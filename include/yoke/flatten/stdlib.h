/* Takes the place of <stdlib.h> while a kernel file is flattened for a device. The preludes
 * (yoke/prelude_opencl.h, yoke/prelude_cuda.h) declare what devices have of it: abs, labs, llabs.
 */
