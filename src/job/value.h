/* value.h - types of values: names of a kernel's parameter types, and types of arguments. Needs no
 * lock. */
#ifndef YK_JOB_VALUE_H
#define YK_JOB_VALUE_H

#include <stddef.h>
#include <yoke/type_of.h>

/* Returns the kind of number that a parameter's type names, as written in the kernel.
 * YOKE_TYPE_OTHER: a struct, a type name of the program, or NULL. */
yoke_type yk_type_named(const char *text);

/* Returns a name for messages: "float", "int32_t", "a struct". Static storage. */
const char *yk_type_name(yoke_type type, size_t size);

#endif
