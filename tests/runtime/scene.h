/* scene.h - a small program that uses everything that can fail: a job in place, time steps with
 * halos, a histogram. For tests that make each call fail in turn. */
#ifndef SCENE_H
#define SCENE_H

#include <yoke/status.h>

/* Runs it from open to close on these devices. YOKE_OK only with a correct result (a wrong result
 * fails the test); everything is closed in every case. */
yoke_status scene_run(const char *devices);

#endif
