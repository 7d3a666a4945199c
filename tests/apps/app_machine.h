/* app_machine.h - the devices on which an application is tested. */
#ifndef APP_MACHINE_H
#define APP_MACHINE_H

#include <yoke/yoke.h>

/* Opens a runtime, owned by the caller. NULL if this machine does not have the devices, which the
 * test's output says; any other error fails the test. */
yoke_runtime *app_machine_open(const char *devices);

#endif
