/* scene.h - a small program that uses what can fail: a job in place, time steps with halos, a
 * histogram. For tests that make everything fail in turn. */
#ifndef SCENE_H
#define SCENE_H

#include <yoke/status.h>

/* From open to close on these devices. YOKE_OK only with a right result (a wrong one fails the
 * test); everything is closed whatever happened. */
yoke_status scene_run(const char *devices);

#endif
