/* context.c - contexts: each thread has a stack of them; the top one is current. A context owns
 * streams, events, modules and memory, which are freed with it.
 *
 * After a fault a context is dead: every call in it returns the same code, nothing in it can be
 * freed, and only destroying it helps. */
#include <pthread.h>
#include <stdlib.h>

#include "driver.h"

struct CUctx_st {
    int device;
    atomic_int sticky; /* relaxed: a reader needs no other data with it */
    pthread_mutex_t lock;
    struct standin_object *first; /* under lock */
    atomic_uint admitted;         /* bit mask of other devices that may use its memory */
};

enum { DEPTH = 32 };
static _Thread_local CUcontext stack[DEPTH];
static _Thread_local int depth;

static atomic_long outstanding, swept;

void standin_held(long change)
{
    atomic_fetch_add_explicit(&outstanding, change, memory_order_relaxed);
}

long standin_outstanding(void)
{
    return atomic_load(&outstanding);
}

long standin_swept(void)
{
    return atomic_load(&swept);
}

/* ---- the first line of every call ---- */

static CUcontext current(void)
{
    return depth ? stack[depth - 1] : NULL;
}

void *standin_current(void)
{
    return current();
}

CUresult standin_call(const char *function)
{
    int for_good;
    CUresult code = standin_due(function, &for_good);
    standin_await_hold(function);
    if (for_good && current())
        standin_die(current(), code);
    return code;
}

/* Waits until nothing runs in a dead context before its code is reported. */
static CUresult checked_health(CUcontext context)
{
    CUresult code = context ? standin_health(context) : CUDA_ERROR_INVALID_CONTEXT;
    if (context && code != CUDA_SUCCESS)
        standin_context_wait(context);
    return code;
}

CUresult standin_enter(const char *function, CUcontext *context)
{
    CUresult code = standin_call(function);
    *context = current();
    CUresult health = checked_health(*context);
    return code == CUDA_SUCCESS ? health : code;
}

CUresult standin_give_back(const char *function, CUcontext *context, CUresult *code)
{
    *code = standin_call(function);
    *context = current();
    return checked_health(*context);
}

void standin_die(CUcontext context, CUresult code)
{
    int healthy = CUDA_SUCCESS;
    atomic_compare_exchange_strong_explicit(&context->sticky, &healthy, code, memory_order_relaxed,
                                            memory_order_relaxed);
}

CUresult standin_health(CUcontext context)
{
    return atomic_load_explicit(&context->sticky, memory_order_relaxed);
}

int standin_device_of(CUcontext context)
{
    return context->device;
}

void standin_context_admit(CUcontext context, int device)
{
    atomic_fetch_or(&context->admitted, 1u << device);
}

int standin_context_admits(CUcontext context, int device)
{
    return context->device == device || atomic_load(&context->admitted) >> device & 1;
}

/* ---- objects of a context ---- */

void standin_object_add(struct standin_object *object, enum standin_object_kind kind,
                        CUcontext context)
{
    object->kind = kind;
    object->context = context;
    pthread_mutex_lock(&context->lock);
    object->next = context->first;
    object->link = &context->first;
    if (object->next)
        object->next->link = &object->next;
    context->first = object;
    pthread_mutex_unlock(&context->lock);
    standin_held(1);
}

void standin_object_remove(struct standin_object *object)
{
    pthread_mutex_lock(&object->context->lock);
    *object->link = object->next;
    if (object->next)
        object->next->link = object->link;
    pthread_mutex_unlock(&object->context->lock);
    standin_held(-1);
}

void standin_context_wait(CUcontext context)
{
    pthread_mutex_lock(&context->lock); /* so that no stream ends meanwhile */
    for (struct standin_object *object = context->first; object; object = object->next)
        if (object->kind == STANDIN_STREAM)
            standin_stream_wait((CUstream)object);
    pthread_mutex_unlock(&context->lock);
}

static struct standin_object *any_object(CUcontext context, enum standin_object_kind kind)
{
    pthread_mutex_lock(&context->lock);
    struct standin_object *object = context->first;
    while (object && object->kind != kind)
        object = object->next;
    pthread_mutex_unlock(&context->lock);
    return object;
}

/* Closes streams first: their work uses the other objects. */
static long sweep(CUcontext context)
{
    struct standin_object *object;
    long count = 0;
    standin_context_wait(context);
    for (; (object = any_object(context, STANDIN_STREAM)); ++count)
        standin_stream_close((CUstream)object);
    for (; (object = any_object(context, STANDIN_EVENT)); ++count)
        standin_event_close((CUevent)object);
    for (; (object = any_object(context, STANDIN_MODULE)); ++count)
        standin_module_close((CUmodule)object);
    return count + standin_memory_sweep(context) + standin_host_sweep(context);
}

/* ---- the calls ---- */

CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device)
{
    const struct standin_settings *settings = standin_settings();
    CUresult code = standin_call(__func__);
    if (code == CUDA_SUCCESS)
        code = settings->context_code;
    if (code != CUDA_SUCCESS)
        return code;
    if (device < 0 || device >= settings->visible_count)
        return CUDA_ERROR_INVALID_DEVICE;
    if (settings->compute_mode == CU_COMPUTEMODE_PROHIBITED)
        return CUDA_ERROR_DEVICE_UNAVAILABLE;
    if ((flags & ~(unsigned)CU_CTX_SCHED_BLOCKING_SYNC) || depth == DEPTH)
        return CUDA_ERROR_INVALID_VALUE;
    CUcontext made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->device = device;
    pthread_mutex_init(&made->lock, NULL);
    standin_held(1);
    stack[depth++] = *context = made;
    return CUDA_SUCCESS;
}

CUresult cuCtxDestroy(CUcontext context)
{
    CUresult code = standin_call(__func__);
    if (!context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth && stack[depth - 1] == context)
        --depth;
    CUresult health = standin_health(context);
    long found = sweep(context);
    if (health == CUDA_SUCCESS && code == CUDA_SUCCESS)
        atomic_fetch_add(&swept, found);
    pthread_mutex_destroy(&context->lock);
    free(context);
    standin_held(-1);
    return code == CUDA_SUCCESS ? health : code;
}

/* A dead context can still be entered. A context that cannot be entered becomes dead. */
CUresult cuCtxPushCurrent(CUcontext context)
{
    CUresult code = standin_call(__func__);
    if (code != CUDA_SUCCESS) {
        standin_die(context, CUDA_ERROR_INVALID_CONTEXT);
        checked_health(context);
        return code;
    }
    if (!context || depth == DEPTH)
        return context ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    CUresult code = standin_call(__func__);
    if (!depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    --depth;
    if (context)
        *context = stack[depth];
    return code;
}
