/* variables.h - whether the environment's names for yoke are written right. */
#ifndef YK_BASE_VARIABLES_H
#define YK_BASE_VARIABLES_H

/* Once a process: warns of names that were probably meant to be ones of yoke's, and of a level in
 * YOKE_LOG that is none. */
void yk_variables_check(void);

#endif
