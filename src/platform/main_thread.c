/* main_thread.c - see main_thread.h. exit runs the destructors of the calling thread's thread-local
 * C++ objects before anything else; compilers register these with this function. With glibc,
 * pthread_exit does not run them for the main thread.
 */
#include "main_thread.h"

#include <sys/syscall.h>
#include <unistd.h>

extern int __cxa_thread_atexit_impl(void (*fn)(void *context), void *context, void *of_library)
    __attribute__((weak));

int yk_main_thread_at_end(void (*fn)(void *context), void *context)
{
    static char here; /* an address in this library */
    return __cxa_thread_atexit_impl && syscall(SYS_gettid) == getpid() &&
           __cxa_thread_atexit_impl(fn, context, &here) == 0;
}
