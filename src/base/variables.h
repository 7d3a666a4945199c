/* variables.h - checks the spelling of environment variables for yoke. */
#ifndef YK_BASE_VARIABLES_H
#define YK_BASE_VARIABLES_H

/* Once per process: warns of names that are probably misspelt names of yoke's, and of an unknown
 * level in YOKE_LOG. */
void yk_variables_check(void);

#endif
