/* yoke/type_of.h - what the compiler knows about an argument's type, so that the library can
 * compare it with the kernel's parameter: by _Generic in C, by a template in C++.
 */
#ifndef YOKE_TYPE_OF_H
#define YOKE_TYPE_OF_H

#include <stdint.h>
#include <string.h>

/* The kind of number; its size completes the type. */
typedef enum yoke_type {
    YOKE_TYPE_OTHER, /* a struct, or unknown: only sizes are compared */
    YOKE_TYPE_SIGNED,
    YOKE_TYPE_UNSIGNED,
    YOKE_TYPE_REAL /* float, double */
} yoke_type;

#ifdef __cplusplus
#include <type_traits>

/* The integer that an enumeration is; any other type itself. */
template <class T, bool is_enum = std::is_enum<T>::value> struct yk_integer_of {
    typedef T type;
};
template <class T> struct yk_integer_of<T, true> {
    typedef typename std::underlying_type<T>::type type;
};
template <class T> inline yoke_type yk_type_of()
{
    typedef typename yk_integer_of<T>::type number;
    return std::is_floating_point<T>::value                                  ? YOKE_TYPE_REAL
           : !std::is_integral<number>::value || sizeof(T) > sizeof(int64_t) ? YOKE_TYPE_OTHER
           : std::is_unsigned<number>::value                                 ? YOKE_TYPE_UNSIGNED
                                                                             : YOKE_TYPE_SIGNED;
}
#else

#define YK_TYPE_OF(x)                                                                              \
    _Generic((x), float                                                                            \
             : YOKE_TYPE_REAL, double                                                              \
             : YOKE_TYPE_REAL, char                                                                \
             : (char)-1 < 0 ? YOKE_TYPE_SIGNED : YOKE_TYPE_UNSIGNED, signed char                   \
             : YOKE_TYPE_SIGNED, short                                                             \
             : YOKE_TYPE_SIGNED, int                                                               \
             : YOKE_TYPE_SIGNED, long                                                              \
             : YOKE_TYPE_SIGNED, long long                                                         \
             : YOKE_TYPE_SIGNED, _Bool                                                             \
             : YOKE_TYPE_UNSIGNED, unsigned char                                                   \
             : YOKE_TYPE_UNSIGNED, unsigned short                                                  \
             : YOKE_TYPE_UNSIGNED, unsigned                                                        \
             : YOKE_TYPE_UNSIGNED, unsigned long                                                   \
             : YOKE_TYPE_UNSIGNED, unsigned long long                                              \
             : YOKE_TYPE_UNSIGNED, default                                                         \
             : YOKE_TYPE_OTHER)

/* GCC's numbers of type classes: 5 pointer (and array), 12 struct, 13 union. */
#define YK_IS_POINTER(x) (__builtin_classify_type(x) == 5)
#define YK_IS_STRUCT(x)  (__builtin_classify_type(x) == 12 || __builtin_classify_type(x) == 13)

/* The bytes of a number, lowest first; 0 for a struct. Evaluates x once. */
#define YK_BITS(x)                                                                                 \
    _Generic((x), float                                                                            \
             : yk_bits_of_float, double                                                            \
             : yk_bits_of_double, unsigned long                                                    \
             : yk_bits_of_unsigned, unsigned long long                                             \
             : yk_bits_of_unsigned, default                                                        \
             : yk_bits_of_signed)(__builtin_choose_expr(YK_IS_STRUCT(x), 0, (x)))
static inline uint64_t yk_bits_of_signed(int64_t x)
{
    return (uint64_t)x;
}
static inline uint64_t yk_bits_of_unsigned(uint64_t x)
{
    return x;
}
static inline uint64_t yk_bits_of_float(float x)
{
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof x);
    return bits;
}
static inline uint64_t yk_bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof x);
    return bits;
}
#endif
#endif
