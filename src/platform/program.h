/* program.h - the program that the library is part of. */
#ifndef YK_PLATFORM_PROGRAM_H
#define YK_PLATFORM_PROGRAM_H

/* Its file's name, without folders. */
const char *yk_program_name(void);

#endif
