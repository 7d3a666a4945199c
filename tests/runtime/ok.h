/* ok.h - calls of the library that must succeed; otherwise the test fails with the library's
 * message. */
#ifndef OK_H
#define OK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != YOKE_OK)                                                                     \
            fail_msg("%s: %s", #call, yoke_error_text());                                          \
    } while (0)

static inline yoke_runtime *open_runtime(const char *devices)
{
    yoke_runtime *rt;
    OK(yoke_open(&(yoke_config){ .devices = devices }, &rt));
    return rt;
}

#endif
