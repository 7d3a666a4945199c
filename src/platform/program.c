/* program.c - see program.h. */
#include "program.h"

#include <errno.h>

const char *yk_program_name(void)
{
    return program_invocation_short_name;
}
