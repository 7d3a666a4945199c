/* fault.h - catches the signals of a wrong address or a division by zero during one call.
 *
 * For checked kernels (backend/guard). A kernel that touches memory outside its rows ends its call
 * but not the process. So does a kernel that divides by a value from outside its rows, where
 * checking mode has put odd values. Faults of all other code are handled as before.
 */
#ifndef YK_PLATFORM_FAULT_H
#define YK_PLATFORM_FAULT_H

#include <stdint.h>
#include <yoke/status.h>

struct yk_fault {
    int signal;        /* SIGSEGV, SIGBUS, SIGFPE or SIGILL */
    uintptr_t address; /* that was touched; for SIGFPE and SIGILL the instruction's */
    int writes;        /* 1: it was written; 0 also if that is unknown */
};

/* Handlers are installed by the first open and removed by the last close. One thread at a time uses
 * an object. */
struct yk_faults;
yoke_status yk_faults_open(struct yk_faults **out);
void yk_faults_close(struct yk_faults *faults); /* NULL is fine */
/* Puts our handlers before handlers that were installed after them. */
void yk_faults_renew(void);

/* Calls fn(context) in the calling thread. Returns 1 if fn returned, 0 if a fault ended it; what it
 * held then is still held. */
int yk_fault_try(struct yk_faults *faults, void (*fn)(void *context), void *context,
                 struct yk_fault *out);

/* Sets `fn`, which a fault's handler calls before the fault ends the process. It may write a line
 * to standard error, and may call only what is safe in handlers. NULL: none. */
void yk_fault_tell(void (*fn)(const struct yk_fault *fault));

#endif
