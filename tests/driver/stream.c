/* stream.c - streams: queues of work, each done in order by a thread of its own.
 *
 *     caller: add --> queue --> thread: run, close --> next
 *
 * A fault kills the context: work queued in it is no longer done, except the marks that tell other
 * streams how far this one is. So no wait lasts for ever. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "driver.h"

struct CUstream_st {
    struct standin_object object; /* first */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more, less;         /* work was added; the last work is done */
    struct standin_work *first, **end; /* these and the following under lock */
    int busy, stops;
};

static void run(CUstream stream, struct standin_work *work)
{
    CUcontext context = stream->object.context;
    if (work->always || standin_health(context) == CUDA_SUCCESS) {
        CUresult code = work->run(work);
        if (code != CUDA_SUCCESS)
            standin_die(context, code);
    }
    if (work->close)
        work->close(work);
    else
        free(work);
}

static void *stream_run(void *argument)
{
    CUstream stream = argument;
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        struct standin_work *work = stream->first;
        stream->busy = work != NULL;
        if (!work) {
            pthread_cond_broadcast(&stream->less);
            if (stream->stops)
                break;
            pthread_cond_wait(&stream->more, &stream->lock);
            continue;
        }
        stream->first = work->next;
        if (!stream->first)
            stream->end = &stream->first;
        pthread_mutex_unlock(&stream->lock);
        run(stream, work);
        pthread_mutex_lock(&stream->lock);
    }
    pthread_mutex_unlock(&stream->lock);
    return NULL;
}

void standin_stream_add(CUstream stream, struct standin_work *work)
{
    pthread_mutex_lock(&stream->lock);
    work->next = NULL;
    *stream->end = work;
    stream->end = &work->next;
    pthread_cond_signal(&stream->more);
    pthread_mutex_unlock(&stream->lock);
}

void standin_stream_wait(CUstream stream)
{
    pthread_mutex_lock(&stream->lock);
    while (stream->first || stream->busy)
        pthread_cond_wait(&stream->less, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
}

CUcontext standin_stream_context(CUstream stream)
{
    return stream->object.context;
}

/* The thread leaves signals to the program's own threads, except faults. */
static int start_thread(CUstream stream)
{
    sigset_t others, before;
    sigfillset(&others);
    sigdelset(&others, SIGSEGV);
    sigdelset(&others, SIGBUS);
    sigdelset(&others, SIGFPE);
    sigdelset(&others, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    int failed = pthread_create(&stream->thread, NULL, stream_run, stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

/* The null stream belongs to the program, and so do streams that synchronize with it: yoke must not
 * use them. */
CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (flags != CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    CUstream made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->end = &made->first;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->more, NULL);
    pthread_cond_init(&made->less, NULL);
    if (!start_thread(made)) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    standin_object_add(&made->object, STANDIN_STREAM, context);
    *stream = made;
    return CUDA_SUCCESS;
}

void standin_stream_close(CUstream stream)
{
    standin_object_remove(&stream->object);
    pthread_mutex_lock(&stream->lock);
    stream->stops = 1;
    pthread_cond_signal(&stream->more);
    pthread_mutex_unlock(&stream->lock);
    pthread_join(stream->thread, NULL);
    pthread_cond_destroy(&stream->less);
    pthread_cond_destroy(&stream->more);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}

/* Queued work is done before the stream is destroyed. */
CUresult cuStreamDestroy(CUstream stream)
{
    CUcontext context;
    CUresult code, dead = standin_give_back(__func__, &context, &code);
    if (dead != CUDA_SUCCESS)
        return dead;
    if (!stream)
        return STANDIN_INVALID_HANDLE;
    standin_stream_close(stream);
    return code;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (!stream || stream->object.context != context)
        return STANDIN_INVALID_HANDLE;
    standin_stream_wait(stream);
    return standin_health(context);
}

struct library_work {
    struct standin_work work;
    int (*run)(void *context);
    void *context;
};

static CUresult run_library(struct standin_work *work)
{
    const struct library_work *mine = (const struct library_work *)work;
    return mine->run(mine->context);
}

int standin_run_on(void *stream, int (*run_it)(void *context), void *context)
{
    struct library_work *work = calloc(1, sizeof *work);
    if (!work)
        return CUDA_ERROR_OUT_OF_MEMORY;
    work->work.run = run_library;
    work->run = run_it;
    work->context = context;
    standin_stream_add(stream, &work->work);
    return CUDA_SUCCESS;
}
