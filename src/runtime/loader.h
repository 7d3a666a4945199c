/* loader.h - the thread that loads GPU drivers in the background and gives their devices to a
 * runtime. A runtime that closes meanwhile leaves the thread behind
 * (docs/adr/015-loads-left-behind.md). Without runtime.lock. */
#ifndef YK_RUNTIME_LOADER_H
#define YK_RUNTIME_LOADER_H

#include "../job/runtime.h"

struct yk_loader;
/* Starts a thread that sleeps until yk_clock_ns() is due_ns and then loads for the runtime. If
 * another runtime left a thread behind, that thread continues for this runtime. */
yoke_status yk_loader_start(yoke_runtime *runtime, int64_t due_ns, struct yk_loader **out);
/* Makes the load due now. */
void yk_loader_hurry(struct yk_loader *loader);
/* Waits until the runtime has all available devices, and frees the loader. If the load is not due,
 * waits until it is. */
void yk_loader_join(struct yk_loader *loader);
/* The runtime gets no further devices. Waits only while one is being added to it. The thread ends
 * at once if it sleeps, otherwise after the driver call it is in, but before the process's exit
 * handlers have all returned. */
void yk_loader_leave(struct yk_loader *loader);
/* Waits for the threads that were left behind. */
void yk_loaders_join(void);
/* Returns the number of threads left behind that have not been joined; for tests. */
int yk_loaders_left(void);

#endif
