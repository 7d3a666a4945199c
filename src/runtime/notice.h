/* notice.h - a line on the terminal while a kernel compiles for long. */
#ifndef YK_RUNTIME_NOTICE_H
#define YK_RUNTIME_NOTICE_H

#include "../platform/thread.h"

/* Lives from open to close; owned by the thread that compiles. */
struct yk_notice {
    const char *kernel, *device; /* borrowed; kernel NULL: nothing is to be said */
    struct yk_thread thread;
    struct yk_parker parker; /* woken when it is over */
};

/* After a second a line says what is being compiled for which device, if somebody sees it: a
 * terminal, or the program's log at level info. Never fails; costs nothing where nobody does, else
 * a thread. */
void yk_notice_open(struct yk_notice *notice, const char *kernel, const char *device);
void yk_notice_close(struct yk_notice *notice);

#endif
