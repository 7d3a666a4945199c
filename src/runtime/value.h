/* value.h - types of values: what a kernel's parameter is called, and what an argument is. */
#ifndef YK_RUNTIME_VALUE_H
#define YK_RUNTIME_VALUE_H

#include <stddef.h>
#include <yoke/type_of.h>

/* The kind of number that a parameter's type, as written in the kernel, names; YOKE_TYPE_OTHER: a
 * struct, or a name that the program gave to a type. */
yoke_type yk_type_named(const char *text);

/* For messages: "float", "int32_t", "a struct". Static storage. */
const char *yk_type_name(yoke_type type, size_t size);

#endif
