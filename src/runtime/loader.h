/* loader.h - the thread that loads GPU drivers in the background and gives their devices to a
 * runtime. A runtime that closes meanwhile leaves it behind (docs/adr/015-loads-left-behind.md).
 */
#ifndef YK_RUNTIME_LOADER_H
#define YK_RUNTIME_LOADER_H

#include "../job/runtime.h"

struct yk_loader;
/* Begins to load for the runtime when yk_clock_ns() is due_ns, and sleeps until then; a load that
 * another runtime left behind goes on for this one. */
yoke_status yk_loader_start(yoke_runtime *runtime, int64_t due_ns, struct yk_loader **out);
/* It is due now. */
void yk_loader_hurry(struct yk_loader *loader);
/* Waits until all devices that can be had are the runtime's; sleeps until it is due, if it is not.
 */
void yk_loader_join(struct yk_loader *loader);
/* The runtime gets no further devices. Waits only while one is being added to it. The thread ends
 * at once if it sleeps, else after the driver call it is in, or before the process's exit handlers
 * return. */
void yk_loader_leave(struct yk_loader *loader);
/* Waits for the threads that were left behind. */
void yk_loaders_join(void);
/* Threads left behind that have not been joined; for tests. */
int yk_loaders_left(void);

#endif
