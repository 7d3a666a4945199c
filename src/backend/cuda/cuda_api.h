/* cuda_api.h - the part of the CUDA driver API and of NVRTC that yoke uses, declared by yoke.
 *
 * Driver and compiler are found at run time, so no CUDA header is needed to build. Handles are
 * opaque, numbers are those of the driver's ABI, and functions are called through tables that
 * cuda_load.c fills. Names keep NVIDIA's spelling after cu and nvrtc, so that its documentation can
 * be searched. The second name in a list is the symbol, which contains the ABI version.
 */
#ifndef YK_BACKEND_CUDA_API_H
#define YK_BACKEND_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult, CUdevice;
typedef unsigned long long CUdeviceptr, CUmemGenericAllocationHandle;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct {
    unsigned char bytes[16];
} CUuuid;

enum yk_cuda_code {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
    CUDA_ERROR_CONTEXT_ALREADY_IN_USE = 216,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
    CUDA_ERROR_NOT_PERMITTED = 800,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_SYSTEM_NOT_READY = 802,
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
    CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
    CUDA_ERROR_MPS_CONNECTION_FAILED = 805
};

enum {
    CU_CTX_SCHED_BLOCKING_SYNC = 4,
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DEFAULT = 0,
    CU_EVENT_BLOCKING_SYNC = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_MEMHOSTREGISTER_PORTABLE = 1,
    CU_MEMHOSTALLOC_PORTABLE = 1,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
    CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,

    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, /* kHz */
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
    CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
    CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
    CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,

    CU_COMPUTEMODE_PROHIBITED = 2,

    CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED = 2,
    CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 3,

    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,

    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE = 2,

    CU_MEM_ALLOCATION_TYPE_PINNED = 1,
    CU_MEM_LOCATION_TYPE_DEVICE = 1,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
    CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0
};

typedef struct {
    int type, id;
} CUmemLocation;
typedef struct {
    int type, handle_types;
    CUmemLocation location;
    void *metadata;
    struct {
        unsigned char compression, direct_rdma;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
} CUmemAllocationProp;
typedef struct {
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;

typedef struct { /* one side of a copy of rows; `type` says whether host or device is used */
    size_t x_bytes, y;
    int type;
    const void *host;
    CUdeviceptr device;
    void *array;
    size_t pitch;
} CUmemcpySide;
typedef struct {
    CUmemcpySide from, to;
    size_t row_bytes, rows;
} CUDA_MEMCPY2D;

/* One line per function: name without "cu", symbol, parameters. All return CUresult. */
#define YK_CUDA_FUNCTIONS(F)                                                                       \
    F(Init, "cuInit", (unsigned flags))                                                            \
    F(DriverGetVersion, "cuDriverGetVersion", (int *version))                                      \
    F(GetErrorName, "cuGetErrorName", (CUresult code, const char **name))                          \
    F(GetErrorString, "cuGetErrorString", (CUresult code, const char **text))                      \
    F(DeviceGetCount, "cuDeviceGetCount", (int *count))                                            \
    F(DeviceGet, "cuDeviceGet", (CUdevice * device, int index))                                    \
    F(DeviceGetName, "cuDeviceGetName", (char *name, int capacity, CUdevice device))               \
    F(DeviceGetUuid, "cuDeviceGetUuid", (CUuuid * uuid, CUdevice device))                          \
    F(DeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int name, CUdevice device))         \
    F(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, CUdevice device))                    \
    F(CtxCreate, "cuCtxCreate_v2", (CUcontext * context, unsigned flags, CUdevice device))         \
    F(CtxDestroy, "cuCtxDestroy_v2", (CUcontext context))                                          \
    F(CtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext context))                                  \
    F(CtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext * context))                                  \
    F(MemGetInfo, "cuMemGetInfo_v2", (size_t * free, size_t * total))                              \
    F(MemAlloc, "cuMemAlloc_v2", (CUdeviceptr * address, size_t bytes))                            \
    F(MemFree, "cuMemFree_v2", (CUdeviceptr address))                                              \
    F(MemHostAlloc, "cuMemHostAlloc", (void **host, size_t bytes, unsigned flags))                 \
    F(MemFreeHost, "cuMemFreeHost", (void *host))                                                  \
    F(MemHostRegister, "cuMemHostRegister_v2", (void *host, size_t bytes, unsigned flags))         \
    F(MemHostUnregister, "cuMemHostUnregister", (void *host))                                      \
    F(PointerGetAttribute, "cuPointerGetAttribute",                                                \
      (void *to, int attribute, CUdeviceptr address))                                              \
    F(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                                     \
      (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                           \
    F(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                                     \
      (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                                 \
    F(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                                                     \
      (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                           \
    F(Memcpy2DAsync, "cuMemcpy2DAsync_v2", (const CUDA_MEMCPY2D *copy, CUstream stream))           \
    F(MemsetD8Async, "cuMemsetD8Async",                                                            \
      (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream))                        \
    F(StreamCreate, "cuStreamCreate", (CUstream * stream, unsigned flags))                         \
    F(StreamDestroy, "cuStreamDestroy_v2", (CUstream stream))                                      \
    F(StreamSynchronize, "cuStreamSynchronize", (CUstream stream))                                 \
    F(StreamWaitEvent, "cuStreamWaitEvent", (CUstream stream, CUevent event, unsigned flags))      \
    F(EventCreate, "cuEventCreate", (CUevent * event, unsigned flags))                             \
    F(EventDestroy, "cuEventDestroy_v2", (CUevent event))                                          \
    F(EventRecord, "cuEventRecord", (CUevent event, CUstream stream))                              \
    F(EventQuery, "cuEventQuery", (CUevent event))                                                 \
    F(EventSynchronize, "cuEventSynchronize", (CUevent event))                                     \
    F(EventElapsedTime, "cuEventElapsedTime", (float *milliseconds, CUevent start, CUevent end))   \
    F(ModuleLoadData, "cuModuleLoadData", (CUmodule * module, const void *image))                  \
    F(ModuleUnload, "cuModuleUnload", (CUmodule module))                                           \
    F(ModuleGetFunction, "cuModuleGetFunction",                                                    \
      (CUfunction * function, CUmodule module, const char *name))                                  \
    F(FuncGetAttribute, "cuFuncGetAttribute", (int *value, int name, CUfunction function))         \
    F(LaunchKernel, "cuLaunchKernel",                                                              \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,   \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **args,    \
       void **extra))

/* Drivers before CUDA 10.2 lack virtual memory: there arrays are allocated at once. */
#define YK_CUDA_VIRTUAL_FUNCTIONS(F)                                                               \
    F(MemGetAllocationGranularity, "cuMemGetAllocationGranularity",                                \
      (size_t * bytes, const CUmemAllocationProp *properties, int option))                         \
    F(MemAddressReserve, "cuMemAddressReserve",                                                    \
      (CUdeviceptr * address, size_t bytes, size_t alignment, CUdeviceptr wanted,                  \
       unsigned long long flags))                                                                  \
    F(MemAddressFree, "cuMemAddressFree", (CUdeviceptr address, size_t bytes))                     \
    F(MemCreate, "cuMemCreate",                                                                    \
      (CUmemGenericAllocationHandle * handle, size_t bytes, const CUmemAllocationProp *properties, \
       unsigned long long flags))                                                                  \
    F(MemRelease, "cuMemRelease", (CUmemGenericAllocationHandle handle))                           \
    F(MemMap, "cuMemMap",                                                                          \
      (CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,      \
       unsigned long long flags))                                                                  \
    F(MemUnmap, "cuMemUnmap", (CUdeviceptr address, size_t bytes))                                 \
    F(MemSetAccess, "cuMemSetAccess",                                                              \
      (CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count))

/* Without these, GPUs exchange data only by way of the host. */
#define YK_CUDA_PEER_FUNCTIONS(F)                                                                  \
    F(DeviceGetP2PAttribute, "cuDeviceGetP2PAttribute",                                            \
      (int *value, int name, CUdevice from, CUdevice to))                                          \
    F(CtxEnablePeerAccess, "cuCtxEnablePeerAccess", (CUcontext peer, unsigned flags))              \
    F(MemcpyPeerAsync, "cuMemcpyPeerAsync",                                                        \
      (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,             \
       size_t bytes, CUstream stream))

struct yk_cuda_api {
#define YK_CUDA_SLOT(name, symbol, parameters) CUresult(*name) parameters;
    YK_CUDA_FUNCTIONS(YK_CUDA_SLOT)
    YK_CUDA_VIRTUAL_FUNCTIONS(YK_CUDA_SLOT)
    YK_CUDA_PEER_FUNCTIONS(YK_CUDA_SLOT)
#undef YK_CUDA_SLOT
    int has_virtual; /* all functions of the second list exist */
    int has_peers;   /* all functions of the third list exist */
};

typedef struct _nvrtcProgram *nvrtcProgram;
enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_OUT_OF_MEMORY = 1, NVRTC_ERROR_COMPILATION = 6 };

/* All but the last return an int. */
#define YK_NVRTC_FUNCTIONS(F)                                                                      \
    F(int, Version, "nvrtcVersion", (int *major, int *minor))                                      \
    F(int, GetNumSupportedArchs, "nvrtcGetNumSupportedArchs", (int *count))                        \
    F(int, GetSupportedArchs, "nvrtcGetSupportedArchs", (int *archs))                              \
    F(int, CreateProgram, "nvrtcCreateProgram",                                                    \
      (nvrtcProgram * program, const char *text, const char *name, int header_count,               \
       const char *const *headers, const char *const *header_names))                               \
    F(int, DestroyProgram, "nvrtcDestroyProgram", (nvrtcProgram * program))                        \
    F(int, CompileProgram, "nvrtcCompileProgram",                                                  \
      (nvrtcProgram program, int option_count, const char *const *options))                        \
    F(int, GetProgramLogSize, "nvrtcGetProgramLogSize", (nvrtcProgram program, size_t * size))     \
    F(int, GetProgramLog, "nvrtcGetProgramLog", (nvrtcProgram program, char *log))                 \
    F(int, GetPTXSize, "nvrtcGetPTXSize", (nvrtcProgram program, size_t * size))                   \
    F(int, GetPTX, "nvrtcGetPTX", (nvrtcProgram program, char *ptx))                               \
    F(int, GetCUBINSize, "nvrtcGetCUBINSize", (nvrtcProgram program, size_t * size))               \
    F(int, GetCUBIN, "nvrtcGetCUBIN", (nvrtcProgram program, char *cubin))                         \
    F(const char *, GetErrorString, "nvrtcGetErrorString", (int code))

struct yk_nvrtc_api {
#define YK_NVRTC_SLOT(result, name, symbol, parameters) result(*name) parameters;
    YK_NVRTC_FUNCTIONS(YK_NVRTC_SLOT)
#undef YK_NVRTC_SLOT
};

#endif
