/* main_thread.h - a call just before the process ends. */
#ifndef YK_PLATFORM_MAIN_THREAD_H
#define YK_PLATFORM_MAIN_THREAD_H

/* Calls `fn` when main returns or the main thread calls exit: before all exit handlers and
 * destructors of libraries, even those registered later. The library stays loaded for it. Returns 0
 * if the calling thread is not the main thread, there is no memory, or the C library cannot do this
 * (musl). `fn` is not called if another thread calls exit, or on _exit. */
int yk_main_thread_at_end(void (*fn)(void *context), void *context);

#endif
