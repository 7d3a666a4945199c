/* fault.h - signals of a wrong address or a division by zero, caught in one call.
 *
 * For checked kernels (backend/guard): a kernel that touches memory it must not, or divides by a
 * number that was put there to find that out, ends its call and not the process. Faults of all
 * other code go where they went before.
 */
#ifndef YK_PLATFORM_FAULT_H
#define YK_PLATFORM_FAULT_H

#include <stdint.h>
#include <yoke/status.h>

struct yk_fault {
    int signal;        /* SIGSEGV, SIGBUS, SIGFPE or SIGILL */
    uintptr_t address; /* that was touched; of SIGFPE and SIGILL the instruction's */
    int writes;        /* it was written; 0 also where that cannot be told */
};

/* Handlers are installed with the first of these and go with the last. What one holds is used by
 * one thread at a time. */
struct yk_faults;
yoke_status yk_faults_open(struct yk_faults **out);
void yk_faults_close(struct yk_faults *faults); /* NULL is fine */
/* Handlers that were installed over ours since come after ours from now on. */
void yk_faults_renew(void);

/* fn(context) in the calling thread. 1: it returned. 0: a fault ended it, and nothing that it held
 * was given back. */
int yk_fault_try(struct yk_faults *faults, void (*fn)(void *context), void *context,
                 struct yk_fault *out);

/* Called in a fault's handler, before the process ends by it: `fn` may write a line to standard
 * error, and calls only what is safe in handlers. One at a time; NULL: none. */
void yk_fault_tell(void (*fn)(const struct yk_fault *fault));

#endif
