/* test_backend_contract.c - every backend obeys backend.h. Tests the list of subjects, or those
 * whose device text begins with the argument, which must then exist: "test_backend_contract cuda".
 */
#include "contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda.h"
#include "base/alloc.h"
#include "base/status.h"

static const struct subject subjects[] = {
    { "cpu:1", 0, "cpu" },
    { "cpu:1", 1, "cpu, checked" },
    { "cuda:0", 0, "cuda" },
    { "cuda:0", 1, "cuda, checked" },
    { "opencl:0", 0, "opencl" },
    { "opencl:0", 1, "opencl, checked" },
    { "opencl:0:pin=yes", 0, "opencl, pins" },
    { "opencl:0:pin=yes", 1, "opencl, pins, checked" },
    { "sim:gpu:mem=64M", 0, "sim gpu" },
    { "sim:gpu:mem=64M", 1, "sim gpu, checked" },
    { "sim:gpu:mem=64M:pages=4K:pin=yes:staging=yes", 0, "sim gpu, pages on demand and pins" },
    { "sim:gpu:mem=64M:pages=4K:pin=yes:staging=yes", 1,
      "sim gpu, pages on demand and pins, checked" },
    { "sim:gpu:mem=64M:fill=4096:noise=0.2:latency=1ms", 1, "sim gpu, slow link, checked" },
    { "sim:cpu:cores=2", 0, "sim cpu" },
    { "sim:cpu:cores=2", 1, "sim cpu, checked" },
};

static const struct named_case *const groups[] = { contract_memory_cases, contract_pages_cases,
                                                   contract_host_cases,   contract_event_cases,
                                                   contract_launch_cases, contract_fault_cases };

static int must_be_there;

struct yk_device *contract_open(const struct subject *subject)
{
    struct yk_device_list list = { 0 };
    struct yk_device *device;
    yoke_status status = yk_devices_find(subject->devices, &list);
    if (status == YOKE_ENODEV && !must_be_there)
        return NULL;
    assert_int_equal(status, YOKE_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].backend->open(&list.items[0], &device), YOKE_OK);
    yk_device_list_close(&list);
    if (subject->checked)
        assert_int_equal(yk_backend_check(device, &device), YOKE_OK);
    return device;
}

yoke_status finish(const struct yk_backend *backend, struct yk_event *event)
{
    yoke_status outcome = YOKE_OK;
    if (!event)
        return YOKE_OK;
    if (backend->advance) {
        while (!backend->poll(event, &outcome))
            assert_true(backend->advance(0));
    } else {
        outcome = backend->wait(event);
    }
    backend->event_close(event);
    return outcome;
}

void commit_all(struct contract *contract, struct yk_buffer *buffer, int64_t bytes)
{
    if (contract->backend->commit)
        assert_int_equal(contract->backend->commit(contract->device, buffer, 0, bytes), YOKE_OK);
}

struct memory memory_open(struct contract *contract, const void *contents, int64_t bytes)
{
    struct memory memory = { .bytes = bytes };
    struct yk_event *event = NULL;
    if (contract->device->desc.host_memory) {
        memory.host = malloc((size_t)bytes);
        assert_non_null(memory.host);
        memcpy(memory.host, contents, (size_t)bytes);
        return memory;
    }
    assert_int_equal(contract->backend->alloc(contract->device, bytes, &memory.buffer), YOKE_OK);
    commit_all(contract, memory.buffer, bytes);
    struct yk_copy copy = {
        .kind = YK_COPY_TO_DEVICE, .host = (void *)contents, .buffer = memory.buffer, .bytes = bytes
    };
    assert_int_equal(contract->backend->copy(contract->queue, &copy, &event), YOKE_OK);
    assert_int_equal(finish(contract->backend, event), YOKE_OK);
    return memory;
}

void memory_read(struct contract *contract, const struct memory *memory, void *out)
{
    struct yk_event *event = NULL;
    if (memory->host) {
        memcpy(out, memory->host, (size_t)memory->bytes);
        return;
    }
    struct yk_copy copy = {
        .kind = YK_COPY_FROM_DEVICE, .host = out, .buffer = memory->buffer, .bytes = memory->bytes
    };
    assert_int_equal(contract->backend->copy(contract->queue, &copy, &event), YOKE_OK);
    assert_int_equal(finish(contract->backend, event), YOKE_OK);
}

void memory_close(struct contract *contract, struct memory *memory)
{
    if (memory->buffer)
        contract->backend->free(contract->device, memory->buffer);
    free(memory->host);
    *memory = (struct memory){ 0 };
}

struct yk_launch_arg memory_arg(const struct memory *memory, int64_t first, size_t element)
{
    return (struct yk_launch_arg){ .buffer = memory->buffer,
                                   .host = memory->host,
                                   .shift = -first * (int64_t)element };
}

struct trial {
    const struct subject *subject;
    const struct named_case *named;
};

static int can_run(const struct trial *trial, const struct yk_device *device)
{
    switch (trial->named->needs) {
    case NEEDS_MEMORY:
        return !device->desc.host_memory;
    case NEEDS_PINS:
        return !device->desc.host_memory && device->backend->pin;
    case NEEDS_STAGING:
        return !device->desc.host_memory && device->backend->host_alloc;
    case NEEDS_REACH:
        return device->desc.reaches_host;
    case NEEDS_CHECK:
        return trial->subject->checked;
    default:
        return 1;
    }
}

/* A new device for each case. A case that leaves something open violates the contract: the wrapper
 * aborts. */
static void trial_run(void **state)
{
    const struct trial *trial = *state;
    struct contract contract = { .subject = trial->subject };
    int64_t outstanding = yk_alloc_outstanding();
    contract.device = contract_open(trial->subject);
    if (!contract.device || !can_run(trial, contract.device)) {
        if (contract.device)
            contract.device->backend->close(contract.device);
        skip();
    }
    contract.backend = contract.device->backend;
    assert_int_equal(contract.backend->queue_open(contract.device, &contract.queue), YOKE_OK);
    trial->named->run(&contract);
    contract.backend->queue_close(contract.queue);
    contract.backend->close(contract.device);
    if (strncmp(trial->subject->devices, "opencl", 6)) /* a loaded OpenCL driver stays loaded */
        assert_int_equal(yk_alloc_outstanding(), outstanding);
}

int main(int word_count, char **words)
{
    enum { SUBJECTS = sizeof subjects / sizeof *subjects, CASES = 64 };
    static struct CMUnitTest tests[SUBJECTS * CASES];
    static struct trial trials[SUBJECTS * CASES];
    static char names[SUBJECTS * CASES][96];
    const char *wanted = word_count > 1 ? words[1] : "";
    must_be_there = word_count > 1;
    size_t count = 0;
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
    yk_cuda_step_bytes = 2 << 20; /* so that pages of large buffers are larger */
    for (size_t s = 0; s < SUBJECTS; s++) {
        if (strncmp(subjects[s].devices, wanted, strlen(wanted)) != 0)
            continue;
        for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
            for (const struct named_case *named = groups[g]; named->name; named++, count++) {
                snprintf(names[count], sizeof names[count], "%s: %s", subjects[s].title,
                         named->name);
                trials[count] = (struct trial){ &subjects[s], named };
                tests[count] = (struct CMUnitTest){ .name = names[count],
                                                    .test_func = trial_run,
                                                    .initial_state = &trials[count] };
            }
    }
    return _cmocka_run_group_tests("backend contract", tests, count, NULL, NULL);
}
