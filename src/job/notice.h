/* notice.h - prints a line on the terminal while a kernel takes long to compile. */
#ifndef YK_JOB_NOTICE_H
#define YK_JOB_NOTICE_H

#include "../platform/thread.h"

/* Lives from open to close. Owned by the thread that compiles. */
struct yk_notice {
    const char *kernel, *device; /* borrowed; kernel NULL: prints nothing */
    struct yk_thread thread;
    struct yk_parker parker; /* woken when the compiler has returned */
};

/* If the notice is still open after one second, prints which kernel is being compiled for which
 * device, on a terminal or in the program's log at level info. Never fails. Costs a thread if there
 * is a terminal or such a log, otherwise nothing. */
void yk_notice_open(struct yk_notice *notice, const char *kernel, const char *device);
/* Ends the notice; no line is printed afterwards. */
void yk_notice_close(struct yk_notice *notice);

#endif
