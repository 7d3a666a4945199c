/* opencl_api.h - the part of OpenCL 1.2 that yoke uses, declared by yoke.
 *
 * The driver is found at run time, so no OpenCL header is needed to build. Handles are opaque,
 * numbers are those of the specification, and functions are called through one table that
 * opencl_load.c fills. Names keep the specification's spelling after CL_ or cl_, so that its pages
 * can be searched.
 */
#ifndef YK_BACKEND_OPENCL_API_H
#define YK_BACKEND_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;

typedef int32_t cl_int;
typedef uint32_t cl_uint, cl_bool;
typedef int64_t cl_long;
typedef uint64_t cl_ulong, cl_bitfield;

enum yk_opencl_code {
    CL_SUCCESS = 0,
    CL_DEVICE_NOT_FOUND = -1,
    CL_DEVICE_NOT_AVAILABLE = -2,
    CL_COMPILER_NOT_AVAILABLE = -3,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_PROFILING_INFO_NOT_AVAILABLE = -7,
    CL_BUILD_PROGRAM_FAILURE = -11,
    CL_MAP_FAILURE = -12,
    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST = -14,
    CL_DEVICE_PARTITION_FAILED = -18,
    CL_INVALID_VALUE = -30,
    CL_INVALID_DEVICE = -33,
    CL_INVALID_CONTEXT = -34,
    CL_INVALID_COMMAND_QUEUE = -36,
    CL_INVALID_HOST_PTR = -37,
    CL_INVALID_MEM_OBJECT = -38,
    CL_INVALID_BINARY = -42,
    CL_INVALID_BUILD_OPTIONS = -43,
    CL_INVALID_PROGRAM_EXECUTABLE = -45,
    CL_INVALID_KERNEL_NAME = -46,
    CL_INVALID_ARG_INDEX = -49,
    CL_INVALID_ARG_VALUE = -50,
    CL_INVALID_ARG_SIZE = -51,
    CL_INVALID_KERNEL_ARGS = -52,
    CL_INVALID_WORK_GROUP_SIZE = -54,
    CL_INVALID_WORK_ITEM_SIZE = -55,
    CL_INVALID_EVENT_WAIT_LIST = -57,
    CL_INVALID_EVENT = -58,
    CL_INVALID_BUFFER_SIZE = -61,
    CL_INVALID_GLOBAL_WORK_SIZE = -63,
    CL_PLATFORM_NOT_FOUND_KHR = -1001,
    CL_NVIDIA_ILLEGAL_ACCESS = -9999 /* undocumented: a kernel touched memory outside its buffers */
};

enum {
    CL_COMPLETE = 0,
    CL_DEVICE_TYPE_CPU = 1 << 1,

    CL_PLATFORM_VERSION = 0x0901,
    CL_PLATFORM_NAME = 0x0902,

    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100C, /* MHz */
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_AVAILABLE = 0x1027,
    CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
    CL_DEVICE_NAME = 0x102B,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_EXTENSIONS = 0x1030,
    CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035,
    CL_DEVICE_PARTITION_MAX_SUB_DEVICES = 0x1043,
    CL_DEVICE_PARTITION_BY_COUNTS = 0x1087,
    CL_DEVICE_UUID_KHR = 0x106A,
    CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV = 0x4000,
    CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV = 0x4001,
    CL_DEVICE_PCI_BUS_ID_NV = 0x4008,
    CL_DEVICE_PCI_SLOT_ID_NV = 0x4009,
    CL_DEVICE_PCI_DOMAIN_ID_NV = 0x400A,
    CL_DEVICE_PCI_BUS_INFO_KHR = 0x410F,

    CL_MEM_READ_WRITE = 1 << 0,
    CL_MEM_USE_HOST_PTR = 1 << 3,
    CL_MEM_ALLOC_HOST_PTR = 1 << 4,
    CL_MAP_WRITE_INVALIDATE_REGION = 1 << 2,
    CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED = 1 << 1,
    CL_QUEUE_PROFILING_ENABLE = 1 << 1,

    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_KERNEL_NUM_ARGS = 0x1191,
    CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
    CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2,
    CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3,
    CL_PROFILING_COMMAND_START = 0x1282,
    CL_PROFILING_COMMAND_END = 0x1283
};
/* All types; not an enumerator because it needs 32 unsigned bits. */
#define CL_DEVICE_TYPE_ALL ((cl_bitfield)0xFFFFFFFF)

/* The last parameters of every enqueue function. */
#define YK_CL_WAIT cl_uint wait_count, const cl_event *wait, cl_event *event

/* One line per function: index in a driver's dispatch table (cl_khr_icd), result, name without
 * "cl", parameters. */
#define YK_OPENCL_FUNCTIONS(F)                                                                     \
    F(0, cl_int, GetPlatformIDs, (cl_uint capacity, cl_platform_id * platforms, cl_uint * count))  \
    F(1, cl_int, GetPlatformInfo,                                                                  \
      (cl_platform_id platform, cl_uint name, size_t capacity, void *value, size_t *size))         \
    F(2, cl_int, GetDeviceIDs,                                                                     \
      (cl_platform_id platform, cl_bitfield type, cl_uint capacity, cl_device_id * devices,        \
       cl_uint * count))                                                                           \
    F(3, cl_int, GetDeviceInfo,                                                                    \
      (cl_device_id device, cl_uint name, size_t capacity, void *value, size_t *size))             \
    F(93, cl_int, CreateSubDevices,                                                                \
      (cl_device_id device, const intptr_t *properties, cl_uint capacity, cl_device_id *devices,   \
       cl_uint *count))                                                                            \
    F(4, cl_context, CreateContext,                                                                \
      (const intptr_t *properties, cl_uint count, const cl_device_id *devices,                     \
       void (*notify)(const char *, const void *, size_t, void *), void *user, cl_int *code))      \
    F(7, cl_int, ReleaseContext, (cl_context context))                                             \
    F(9, cl_command_queue, CreateCommandQueue,                                                     \
      (cl_context context, cl_device_id device, cl_bitfield properties, cl_int * code))            \
    F(11, cl_int, ReleaseCommandQueue, (cl_command_queue queue))                                   \
    F(14, cl_mem, CreateBuffer,                                                                    \
      (cl_context context, cl_bitfield flags, size_t size, void *host, cl_int *code))              \
    F(18, cl_int, ReleaseMemObject, (cl_mem memory))                                               \
    F(26, cl_program, CreateProgramWithSource,                                                     \
      (cl_context context, cl_uint count, const char **texts, const size_t *sizes, cl_int *code))  \
    F(27, cl_program, CreateProgramWithBinary,                                                     \
      (cl_context context, cl_uint count, const cl_device_id *devices, const size_t *sizes,        \
       const unsigned char **binaries, cl_int *states, cl_int *code))                              \
    F(30, cl_int, BuildProgram,                                                                    \
      (cl_program program, cl_uint count, const cl_device_id *devices, const char *options,        \
       void (*notify)(cl_program, void *), void *user))                                            \
    F(33, cl_int, GetProgramBuildInfo,                                                             \
      (cl_program program, cl_device_id device, cl_uint name, size_t capacity, void *value,        \
       size_t *size))                                                                              \
    F(32, cl_int, GetProgramInfo,                                                                  \
      (cl_program program, cl_uint name, size_t capacity, void *value, size_t *size))              \
    F(29, cl_int, ReleaseProgram, (cl_program program))                                            \
    F(34, cl_kernel, CreateKernel, (cl_program program, const char *name, cl_int *code))           \
    F(38, cl_int, SetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value)) \
    F(39, cl_int, GetKernelInfo,                                                                   \
      (cl_kernel kernel, cl_uint name, size_t capacity, void *value, size_t *size))                \
    F(40, cl_int, GetKernelWorkGroupInfo,                                                          \
      (cl_kernel kernel, cl_device_id device, cl_uint name, size_t capacity, void *value,          \
       size_t *size))                                                                              \
    F(37, cl_int, ReleaseKernel, (cl_kernel kernel))                                               \
    F(59, cl_int, EnqueueNDRangeKernel,                                                            \
      (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,         \
       const size_t *global, const size_t *local, YK_CL_WAIT))                                     \
    F(49, cl_int, EnqueueWriteBuffer,                                                              \
      (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,        \
       const void *from, YK_CL_WAIT))                                                              \
    F(48, cl_int, EnqueueReadBuffer,                                                               \
      (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,        \
       void *to, YK_CL_WAIT))                                                                      \
    F(87, cl_int, EnqueueWriteBufferRect,                                                          \
      (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *origin,              \
       const size_t *host_origin, const size_t *region, size_t pitch, size_t slice_pitch,          \
       size_t host_pitch, size_t host_slice_pitch, const void *from, YK_CL_WAIT))                  \
    F(86, cl_int, EnqueueReadBufferRect,                                                           \
      (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *origin,              \
       const size_t *host_origin, const size_t *region, size_t pitch, size_t slice_pitch,          \
       size_t host_pitch, size_t host_slice_pitch, void *to, YK_CL_WAIT))                          \
    F(50, cl_int, EnqueueCopyBuffer,                                                               \
      (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,       \
       size_t size, YK_CL_WAIT))                                                                   \
    F(56, void *, EnqueueMapBuffer,                                                                \
      (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_bitfield flags, size_t offset,  \
       size_t size, YK_CL_WAIT, cl_int * code))                                                    \
    F(58, cl_int, EnqueueUnmapMemObject,                                                           \
      (cl_command_queue queue, cl_mem memory, void *mapped, YK_CL_WAIT))                           \
    F(102, cl_int, EnqueueFillBuffer,                                                              \
      (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,            \
       size_t offset, size_t size, YK_CL_WAIT))                                                    \
    F(104, cl_int, EnqueueMigrateMemObjects,                                                       \
      (cl_command_queue queue, cl_uint count, const cl_mem *memories, cl_bitfield flags,           \
       YK_CL_WAIT))                                                                                \
    F(105, cl_int, EnqueueMarkerWithWaitList, (cl_command_queue queue, YK_CL_WAIT))                \
    F(106, cl_int, EnqueueBarrierWithWaitList, (cl_command_queue queue, YK_CL_WAIT))               \
    F(46, cl_int, Flush, (cl_command_queue queue))                                                 \
    F(47, cl_int, Finish, (cl_command_queue queue))                                                \
    F(42, cl_int, GetEventInfo,                                                                    \
      (cl_event event, cl_uint name, size_t capacity, void *value, size_t *size))                  \
    F(81, cl_int, SetEventCallback,                                                                \
      (cl_event event, cl_int state, void (*notify)(cl_event, cl_int, void *), void *user))        \
    F(45, cl_int, GetEventProfilingInfo,                                                           \
      (cl_event event, cl_uint name, size_t capacity, void *value, size_t *size))                  \
    F(44, cl_int, ReleaseEvent, (cl_event event))

struct yk_opencl_api {
#define YK_OPENCL_SLOT(place, result, name, parameters) result(*name) parameters;
    YK_OPENCL_FUNCTIONS(YK_OPENCL_SLOT)
#undef YK_OPENCL_SLOT
};

#endif
