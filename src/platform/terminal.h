/* terminal.h - whether a person reads what is written. */
#ifndef YK_PLATFORM_TERMINAL_H
#define YK_PLATFORM_TERMINAL_H

int yk_stderr_is_terminal(void);

#endif
