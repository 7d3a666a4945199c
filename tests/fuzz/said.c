/* said.c - see said.h. */
#include "said.h"

#include <stdarg.h>
#include <stdio.h>

#include "../apps/app.h"

char said[1024];

yoke_status app_fail(yoke_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    return status;
}
