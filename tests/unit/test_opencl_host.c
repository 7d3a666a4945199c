/* test_opencl_host.c - which OpenCL devices pin host memory, and drivers that refuse to.
 *
 * PoCL never refuses. So its function table is copied, and single functions of the copy return an
 * error; the others call PoCL and are counted. */
#include "opencl_bench.h"

enum { BYTES = 1 << 16 };

static struct yk_opencl_api own;
static const struct yk_opencl_api *real;
static cl_int create_code, map_code, unmap_code; /* CL_SUCCESS: the driver's own result */
static int buffers, mapped;                      /* numbers that exist now */
static char *written;   /* where the program writes between the creation of a buffer over its memory
                           and the mapping */
static char old[BYTES]; /* that buffer's contents, which NVIDIA's driver took at creation */

static cl_mem create_buffer(cl_context context, cl_bitfield flags, size_t size, void *host,
                            cl_int *code)
{
    *code = create_code;
    if (create_code != CL_SUCCESS)
        return NULL;
    cl_mem made = real->CreateBuffer(context, flags, size, host, code);
    buffers += made != NULL;
    if (written) {
        memcpy(old, written, BYTES);
        memset(written, 2, BYTES);
    }
    return made;
}

static cl_int release_buffer(cl_mem memory)
{
    buffers--;
    return real->ReleaseMemObject(memory);
}

static void *map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_bitfield flags,
                        size_t offset, size_t size, cl_uint wait_count, const cl_event *wait,
                        cl_event *event, cl_int *code)
{
    *code = map_code;
    if (map_code != CL_SUCCESS)
        return NULL;
    mapped++;
    if (written && flags != CL_MAP_WRITE_INVALIDATE_REGION)
        memcpy(written, old, BYTES);
    return real->EnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, wait_count, wait,
                                  event, code);
}

static cl_int unmap_buffer(cl_command_queue queue, cl_mem memory, void *address, cl_uint wait_count,
                           const cl_event *wait, cl_event *event)
{
    mapped--;
    cl_int code = real->EnqueueUnmapMemObject(queue, memory, address, wait_count, wait, event);
    return unmap_code != CL_SUCCESS ? unmap_code : code;
}

static struct yk_opencl_device *open_counted(void)
{
    struct yk_opencl_device *device = (struct yk_opencl_device *)open_device("pin=yes");
    real = device->cl;
    own = *real;
    own.CreateBuffer = create_buffer;
    own.ReleaseMemObject = release_buffer;
    own.EnqueueMapBuffer = map_buffer;
    own.EnqueueUnmapMemObject = unmap_buffer;
    create_code = map_code = unmap_code = CL_SUCCESS;
    buffers = mapped = 0;
    device->cl = &own;
    return device;
}

static void close_counted(struct yk_opencl_device *device)
{
    assert_int_equal(buffers, 0);
    assert_int_equal(mapped, 0);
    backend->close(&device->base);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

/* 0: neither pins nor stages; 1: stages; 2: both. */
static int pins(const char *settings)
{
    struct yk_device *device = open_device(settings);
    int stages = device->backend->host_alloc != NULL, has = device->backend->pin != NULL;
    assert_int_equal(device->backend->unpin != NULL, has);
    assert_int_equal(device->backend->host_free != NULL, stages);
    assert_true(stages || !has);
    assert_int_equal(device->desc.pins_alone, 1);
    backend->close(device);
    return has + stages;
}

static void test_who_pins(void **state)
{
    struct yk_device_list list;
    (void)state;
    assert_int_equal(find(device_number(), "", &list), YOKE_OK);
    assert_int_equal(pins(""), list.items[0].is_cpu ? 0 : 1);
    yk_device_list_close(&list);
    assert_int_equal(pins(""), pins("pin=auto"));
    assert_int_equal(pins("pin=yes"), 2);
    assert_int_equal(pins("pin=stage"), 1);
    assert_int_equal(pins("pin=no"), 0);
    assert_int_equal(find(device_number(), "pin=maybe", &list), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "pin"));
    assert_int_equal(list.count, 0);
}

/* A driver's code, and what pin and host_alloc return for it. */
static const struct refusal {
    cl_int code;
    yoke_status pin, host_alloc;
} refusals[] = {
    { CL_OUT_OF_RESOURCES, YOKE_ENOMEM, YOKE_ENOMEM },
    { CL_OUT_OF_HOST_MEMORY, YOKE_ENOMEM, YOKE_ENOMEM },
    { CL_MEM_OBJECT_ALLOCATION_FAILURE, YOKE_ENOMEM, YOKE_ENOMEM },
    { CL_INVALID_BUFFER_SIZE, YOKE_ENOMEM, YOKE_ENOMEM },
    { CL_MAP_FAILURE, YOKE_ENOMEM, YOKE_ENOMEM },
    { CL_INVALID_HOST_PTR, YOKE_EINVAL, YOKE_ENOMEM },
    { CL_INVALID_VALUE, YOKE_EINVAL, YOKE_ENOMEM },
};

static void refused(struct yk_opencl_device *device, void *host, const struct refusal *refusal)
{
    void *out = &out;
    int foreign = 1;
    assert_int_equal(backend->pin(&device->base, host, BYTES, &foreign), refusal->pin);
    assert_int_equal(foreign, 0);
    assert_non_null(strstr(yoke_error_text(), device->base.desc.name));
    assert_non_null(strstr(yoke_error_text(), yk_opencl_code_name(refusal->code)));
    assert_int_equal(backend->host_alloc(&device->base, BYTES, &out), refusal->host_alloc);
    assert_ptr_equal(out, &out); /* not written */
    assert_int_equal(buffers, 0);
    assert_int_equal(yk_opencl_alive(device), YOKE_OK);
}

static void test_refusals(void **state)
{
    struct yk_opencl_device *device = open_counted();
    void *host = aligned_alloc(4096, BYTES);
    int foreign;
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        create_code = refusals[i].code;
        refused(device, host, &refusals[i]);
        create_code = CL_SUCCESS;
        map_code = refusals[i].code;
        refused(device, host, &refusals[i]);
        map_code = CL_SUCCESS;
        assert_int_equal(backend->pin(&device->base, host, BYTES, &foreign), YOKE_OK);
        assert_int_equal(buffers, 1);
        backend->unpin(&device->base, host);
    }
    close_counted(device);
    free(host);
}

/* Everything is still freed. */
static void test_lost_device(void **state)
{
    static const struct {
        cl_int *where, code;
    } ways[] = { { &map_code, CL_INVALID_CONTEXT },
                 { &create_code, CL_DEVICE_NOT_AVAILABLE },
                 { &create_code, -9999 } };
    char *host = aligned_alloc(4096, 2 * BYTES);
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct yk_opencl_device *device = open_counted();
        void *staging;
        int foreign;
        assert_int_equal(backend->pin(&device->base, host, BYTES, &foreign), YOKE_OK);
        assert_int_equal(backend->host_alloc(&device->base, BYTES, &staging), YOKE_OK);
        *ways[i].where = ways[i].code;
        assert_int_equal(backend->pin(&device->base, host + BYTES, BYTES, &foreign), YOKE_EDEVICE);
        *ways[i].where = CL_SUCCESS;
        assert_int_equal(backend->pin(&device->base, host + BYTES, BYTES, &foreign), YOKE_EDEVICE);
        assert_int_equal(backend->host_alloc(&device->base, BYTES, &staging), YOKE_EDEVICE);
        unmap_code = CL_INVALID_CONTEXT;
        backend->unpin(&device->base, host);
        backend->host_free(&device->base, staging);
        close_counted(device);
    }
    free(host);
}

/* An unknown address is ignored. */
static void test_not_pinned(void **state)
{
    struct yk_opencl_device *device = open_counted();
    char *host = aligned_alloc(4096, 2 * BYTES);
    int foreign;
    (void)state;
    assert_int_equal(backend->pin(&device->base, host, BYTES, &foreign), YOKE_OK);
    backend->unpin(&device->base, host + BYTES);
    backend->host_free(&device->base, NULL);
    assert_int_equal(mapped, 1);
    backend->unpin(&device->base, host);
    close_counted(device);
    free(host);
}

/* Data written while memory is being pinned survive. */
static void test_written_meanwhile(void **state)
{
    struct yk_opencl_device *device = open_counted();
    char *host = aligned_alloc(4096, BYTES);
    int foreign;
    (void)state;
    memset(host, 1, BYTES);
    written = host;
    assert_int_equal(backend->pin(&device->base, host, BYTES, &foreign), YOKE_OK);
    written = NULL;
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(host[i], 2);
    backend->unpin(&device->base, host);
    close_counted(device);
    free(host);
}

/* Pinned memory does not count as device memory. */
static void test_memory_free(void **state)
{
    struct yk_device *device = open_device("pin=yes:mem=1M");
    void *staging;
    (void)state;
    assert_int_equal(backend->memory_free(device), 1 << 20);
    assert_int_equal(backend->host_alloc(device, 2 << 20, &staging), YOKE_OK);
    assert_int_equal(backend->memory_free(device), 1 << 20);
    backend->host_free(device, staging);
    backend->close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_pins),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_lost_device), cmocka_unit_test(test_not_pinned),
        cmocka_unit_test(test_memory_free), cmocka_unit_test(test_written_meanwhile),
    };
    return device_present() ? cmocka_run_group_tests(tests, make_cache, remove_cache) : 77;
}
