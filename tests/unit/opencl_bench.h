/* opencl_bench.h - an OpenCL device with a queue and an array on it, kernel texts as the flattening
 * produces them, and a disk cache of this program's own; for the tests of the OpenCL backend.
 *
 * Uses the first OpenCL device (PoCL on a machine without a GPU). */
#ifndef OPENCL_BENCH_H
#define OPENCL_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/opencl/opencl.h"
#include "base/alloc.h"
#include "base/status.h"

#define LINE_MARK   "#line 12 \"user_kernels.c\"\n"
#define RANGE       "yk_space yk_part"
#define ARRAY(T, n) "__global " T " *" n ", long " n "_shift"
#define AT(T, n, i) "((__global " T " *)((__global char *)" n " + " n "_shift))[" i "]"

/* Texts as the flattening of a kernel file produces them. */
static const char scale_text[] =
    LINE_MARK "__kernel void yoke_entry_scale(" RANGE ", int factor, " ARRAY(
        "int", "x") ")\n"
                    "{\n"
                    "    long i = yk_part.first + (long)get_global_id(0);\n"
                    "    if (i < yk_part.last) " AT("int32_t", "x", "i") " *= factor;\n"
                                                                         "}\n";

static const yoke_param int_params[] = {
    { YOKE_PARAM_VALUE, "int32_t", "factor", 4, 4 },
    { YOKE_PARAM_INOUT, "int32_t", "x", 4, 4 },
};

static inline yoke_kernel make_kernel(const char *name, const char *text, const yoke_param *params,
                                      int param_count)
{
    yoke_kernel kernel = { .struct_size = sizeof kernel,
                           .name = name,
                           .file = "user_kernels.c",
                           .params = params,
                           .param_count = param_count };
    kernel.opencl.source.text = text;
    return kernel;
}

static const struct yk_backend *const backend = &yk_backend_opencl;
static char cache_folder[64];

static inline yoke_status find(const char *selector, const char *settings,
                               struct yk_device_list *list)
{
    struct yk_device_spec spec = { .backend = backend };
    snprintf(spec.selector, sizeof spec.selector, "%s", selector);
    snprintf(spec.settings, sizeof spec.settings, "%s", settings);
    *list = (struct yk_device_list){ 0 };
    return backend->find(&spec, 1, list, NULL);
}

/* The device of all cases: the first one, or number YOKE_TEST_OPENCL. */
static inline const char *device_number(void)
{
    const char *number = getenv("YOKE_TEST_OPENCL");
    return number ? number : "0";
}

/* Opens that device with these settings. */
static inline struct yk_device *open_device(const char *settings)
{
    struct yk_device_list list;
    struct yk_device *device = NULL;
    assert_int_equal(find(device_number(), settings, &list), YOKE_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(backend->open(&list.items[0], &device), YOKE_OK);
    yk_device_list_close(&list);
    return device;
}

/* A device with a queue and an array of `count` zeroed 4-byte elements. */
struct fixture {
    struct yk_device *device;
    struct yk_queue *queue;
    struct yk_buffer *buffer;
    int32_t *host;
    int64_t count;
};

static inline struct fixture open_fixture(const char *settings, int64_t count)
{
    struct fixture f = { .device = open_device(settings), .count = count };
    assert_int_equal(backend->queue_open(f.device, &f.queue), YOKE_OK);
    assert_int_equal(backend->alloc(f.device, count * 4, &f.buffer), YOKE_OK);
    assert_int_equal(
        backend->zero(f.queue, &(struct yk_buffer_range){ f.buffer, 0, count * 4 }, NULL), YOKE_OK);
    f.host = calloc((size_t)count, 4);
    assert_non_null(f.host);
    return f;
}

static inline void close_fixture(struct fixture *f)
{
    backend->queue_close(f->queue);
    backend->free(f->device, f->buffer);
    backend->close(f->device);
    free(f->host);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static inline void copy_now(struct fixture *f, enum yk_copy_kind kind)
{
    struct yk_event *event = NULL;
    const struct yk_copy copy = {
        .kind = kind, .host = f->host, .buffer = f->buffer, .bytes = f->count * 4
    };
    assert_int_equal(backend->copy(f->queue, &copy, &event), YOKE_OK);
    assert_int_equal(backend->wait(event), YOKE_OK);
    backend->event_close(event);
}

static inline void launch_now(struct fixture *f, const yoke_kernel *kernel,
                              const struct yk_launch *launch)
{
    struct yk_program *program = NULL;
    struct yk_event *event = NULL;
    yoke_status status = backend->build(f->device, kernel, &program);
    if (status != YOKE_OK)
        print_error("%s\n", yoke_error_text());
    assert_int_equal(status, YOKE_OK);
    assert_int_equal(backend->launch(f->queue, program, launch, &event), YOKE_OK);
    assert_int_equal(backend->wait(event), YOKE_OK);
    backend->event_close(event);
    backend->program_close(f->device, program);
}

/* True if there is a device to test on; otherwise prints the reason. */
static inline int device_present(void)
{
    struct yk_device_list list;
    if (find("", "", &list) != YOKE_OK) {
        print_message("no OpenCL device here: %s\n", yoke_error_text());
        return 0;
    }
    yk_device_list_close(&list);
    return 1;
}

static inline int make_cache(void **state)
{
    (void)state;
    strcpy(cache_folder, "/tmp/yoke-opencl-XXXXXX");
    return mkdtemp(cache_folder) ? setenv("YOKE_CACHE", cache_folder, 1) : -1;
}

static inline void empty_cache(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/*", cache_folder);
    assert_int_equal(system(command), 0);
}

static inline int remove_cache(void **state)
{
    (void)state;
    empty_cache();
    return rmdir(cache_folder);
}

#endif
