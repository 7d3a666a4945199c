/* terminal.c - see terminal.h. */
#include "terminal.h"

#include <unistd.h>

int yk_stderr_is_terminal(void)
{
    return isatty(STDERR_FILENO);
}
