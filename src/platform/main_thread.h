/* main_thread.h - the moment before the process's end. */
#ifndef YK_PLATFORM_MAIN_THREAD_H
#define YK_PLATFORM_MAIN_THREAD_H

/* Has `fn` called when main returns, or its thread calls exit: before all exit handlers and
 * destructors of libraries, also those that are installed later. The library stays loaded for it.
 * 0: the calling thread is not the process's main one, there is no memory, or the C library has no
 * such thing (musl). Not called where another thread calls exit, nor by _exit. */
int yk_main_thread_at_end(void (*fn)(void *context), void *context);

#endif
