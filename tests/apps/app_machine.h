/* app_machine.h - the devices that an application is tried on. */
#ifndef APP_MACHINE_H
#define APP_MACHINE_H

#include <yoke/yoke.h>

/* Ready to be used, owned by the caller. NULL, told in the test's output: they are not on this
 * machine; whatever else is wrong with them fails the test. */
yoke_runtime *app_machine_open(const char *devices);

#endif
