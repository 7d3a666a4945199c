/* yoke/device.h - the devices of a runtime: sets of CPU cores, and GPUs. docs/backends.md explains
 * their names, and when GPU drivers are loaded.
 */
#ifndef YOKE_DEVICE_H
#define YOKE_DEVICE_H

#include <stdint.h>
#include <yoke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a device's name, with the final 0. */
#define YOKE_DEVICE_NAME_MAX 64
/* Bytes of a device's specification, with the final 0. */
#define YOKE_DEVICE_SPEC_MAX 320

/* A runtime, as yoke_open opens it (yoke/runtime.h). Calls with one that is closed return
 * YOKE_EINVAL, until yoke_open returns the same pointer for a new one. */
typedef struct yoke_runtime yoke_runtime;

/* A device, as filled in by yoke_device_get. */
typedef struct yoke_device {
    char name[YOKE_DEVICE_NAME_MAX]; /* as a user types it: "cpu", "opencl:0", "sim:1" */
    char model[96];                  /* "AMD EPYC 9B45", "NVIDIA H200" */
    char driver[96];                 /* driver and version; "" for cpu */
    const char *backend;             /* "cpu", "cuda", "opencl", "sim"; static */
    int cores;                       /* CPU cores or compute units */
    int lanes;                       /* number of chunks it works on at the same time */
    int64_t memory_bytes; /* its own memory, limited by "mem="; 0: it works in host memory */
    int lost;             /* 1: it failed and gets no more work */
    char spec[YOKE_DEVICE_SPEC_MAX]; /* yoke_config.devices for this device alone, with its
                                      * settings */
    double link_bytes_per_second;    /* rough speed of copies to it; 0: it needs none, or the speed
                                      * is unknown */
    char identity[64]; /* the same for one physical device under any driver: "uuid:..." or
                        * "pci:..."; "" if unknown */
} yoke_device;

/* Returns the number of devices of an open runtime. Loads GPU drivers and waits for them first, as
 * yoke_ready does. 0: the runtime is not open, or cannot be used here (yoke_error_text).
 * Thread-safe. */
YOKE_API int yoke_device_count(yoke_runtime *runtime);
/* Describes device `index`. Waits like yoke_device_count only if it is not open yet; devices that a
 * job's result names are open. YOKE_EINVAL if there is no device `index`. */
YOKE_API yoke_status yoke_device_get(yoke_runtime *runtime, int index, yoke_device *out);

#ifdef __cplusplus
}
#endif
#endif
