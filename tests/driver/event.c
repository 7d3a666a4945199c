/* event.c - events: a mark that was put into a stream, and the time when the stream reached it.
 *
 *     event --> mark <-- the stream's queue
 *                 ^---- streams that wait for it
 *
 * Each recording makes a new mark, so waiting for an earlier one is not affected. A mark is reached
 * also in a dead context, so every wait ends. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "driver.h"

struct mark {
    atomic_int references;
    pthread_mutex_t lock;
    pthread_cond_t reached;
    int is_reached;  /* under lock */
    int64_t time_ns; /* under lock */
};

struct CUevent_st {
    struct standin_object object; /* first */
    pthread_mutex_t lock;
    struct mark *mark; /* under lock; NULL: never recorded */
    int is_timed;
};

struct mark_work { /* reaches the mark, or waits for it */
    struct standin_work work;
    struct mark *mark;
};

static void mark_drop(struct mark *mark)
{
    if (!mark || atomic_fetch_sub(&mark->references, 1) != 1)
        return;
    pthread_cond_destroy(&mark->reached);
    pthread_mutex_destroy(&mark->lock);
    free(mark);
}

static struct mark *mark_open(void)
{
    struct mark *mark = calloc(1, sizeof *mark);
    if (!mark)
        return NULL;
    atomic_init(&mark->references, 1);
    pthread_mutex_init(&mark->lock, NULL);
    pthread_cond_init(&mark->reached, NULL);
    return mark;
}

/* The event's latest mark, with a reference. */
static struct mark *mark_of(CUevent event)
{
    pthread_mutex_lock(&event->lock);
    struct mark *mark = event->mark;
    if (mark)
        atomic_fetch_add(&mark->references, 1);
    pthread_mutex_unlock(&event->lock);
    return mark;
}

static void mark_wait(struct mark *mark)
{
    pthread_mutex_lock(&mark->lock);
    while (!mark->is_reached)
        pthread_cond_wait(&mark->reached, &mark->lock);
    pthread_mutex_unlock(&mark->lock);
}

/* Time when the mark was reached; -1: not yet. */
static int64_t mark_time(struct mark *mark)
{
    pthread_mutex_lock(&mark->lock);
    int64_t time_ns = mark->is_reached ? mark->time_ns : -1;
    pthread_mutex_unlock(&mark->lock);
    return time_ns;
}

/* ---- in streams ---- */

static CUresult run_reach(struct standin_work *work)
{
    struct mark *mark = ((struct mark_work *)work)->mark;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&mark->lock);
    mark->time_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    mark->is_reached = 1;
    pthread_cond_broadcast(&mark->reached);
    pthread_mutex_unlock(&mark->lock);
    return CUDA_SUCCESS;
}

static CUresult run_wait(struct standin_work *work)
{
    mark_wait(((struct mark_work *)work)->mark);
    return CUDA_SUCCESS;
}

static void close_mark_work(struct standin_work *work)
{
    mark_drop(((struct mark_work *)work)->mark);
    free(work);
}

/* Takes a reference to the mark, even if it fails. */
static CUresult add_mark_work(CUstream stream, struct mark *mark,
                              CUresult (*run)(struct standin_work *work))
{
    struct mark_work *made = malloc(sizeof *made);
    if (!made) {
        mark_drop(mark);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *made = (struct mark_work){
        .work = { .run = run, .close = close_mark_work, .always = run == run_reach }, .mark = mark
    };
    standin_stream_add(stream, &made->work);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (!event || !stream || event->object.context != standin_stream_context(stream))
        return STANDIN_INVALID_HANDLE;
    struct mark *mark = mark_open();
    if (!mark)
        return CUDA_ERROR_OUT_OF_MEMORY;
    atomic_fetch_add(&mark->references, 1);
    pthread_mutex_lock(&event->lock);
    struct mark *before = event->mark;
    event->mark = mark;
    pthread_mutex_unlock(&event->lock);
    mark_drop(before);
    return add_mark_work(stream, mark, run_reach);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (!event || !stream)
        return STANDIN_INVALID_HANDLE;
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    struct mark *mark = mark_of(event);
    return mark ? add_mark_work(stream, mark, run_wait) : CUDA_SUCCESS;
}

/* ---- queries ---- */

CUresult cuEventQuery(CUevent event)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (!event)
        return STANDIN_INVALID_HANDLE;
    struct mark *mark = mark_of(event);
    if (mark && mark_time(mark) < 0)
        code = CUDA_ERROR_NOT_READY;
    mark_drop(mark);
    return code == CUDA_SUCCESS ? standin_health(event->object.context) : code;
}

CUresult cuEventSynchronize(CUevent event)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (!event)
        return STANDIN_INVALID_HANDLE;
    struct mark *mark = mark_of(event);
    if (mark)
        mark_wait(mark);
    mark_drop(mark);
    return standin_health(event->object.context);
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    struct mark *first = mark_of(start), *last = mark_of(end);
    int64_t from = first ? mark_time(first) : 0, to = last ? mark_time(last) : 0;
    if (!first || !last || !start->is_timed || !end->is_timed)
        code = STANDIN_INVALID_HANDLE;
    else if (from < 0 || to < 0)
        code = CUDA_ERROR_NOT_READY;
    else
        *milliseconds = (float)((double)(to - from) * 1e-6);
    mark_drop(first);
    mark_drop(last);
    return code;
}

/* ---- create and destroy ---- */

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (flags & ~(unsigned)(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_VALUE;
    CUevent made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&made->lock, NULL);
    made->is_timed = !(flags & CU_EVENT_DISABLE_TIMING);
    standin_object_add(&made->object, STANDIN_EVENT, context);
    *event = made;
    return CUDA_SUCCESS;
}

void standin_event_close(CUevent event)
{
    standin_object_remove(&event->object);
    mark_drop(event->mark);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

CUresult cuEventDestroy(CUevent event)
{
    CUcontext context;
    CUresult code, dead = standin_give_back(__func__, &context, &code);
    if (dead != CUDA_SUCCESS)
        return dead;
    if (!event)
        return STANDIN_INVALID_HANDLE;
    standin_event_close(event);
    return code;
}
