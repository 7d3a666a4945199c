/* app_machine.c - see app_machine.h. */
#include "app_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app.h"

yoke_runtime *app_machine_open(const char *devices)
{
    yoke_config config = { .devices = devices };
    yoke_runtime *rt = NULL;
    yoke_status status = yoke_open(&config, &rt);
    if (status == YOKE_OK)
        status = yoke_ready(rt);
    if (status == YOKE_OK)
        return rt;
    yoke_close(rt);
    if (status != YOKE_ENODEV)
        fail_msg("%s: %s", devices, app_error_text());
    print_message("%s: not on this machine: %s\n", devices, app_error_text());
    return NULL;
}
