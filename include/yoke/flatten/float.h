/* Takes the place of <float.h> while a kernel file is flattened for a device, which computes by
 * IEEE 754, too. There is no long double.
 */
#ifndef YOKE_FLATTEN_FLOAT_H
#define YOKE_FLATTEN_FLOAT_H

#define FLT_RADIX       2
#define FLT_MANT_DIG    24
#define FLT_DIG         6
#define FLT_DECIMAL_DIG 9
#define FLT_MIN_EXP     (-125)
#define FLT_MIN_10_EXP  (-37)
#define FLT_MAX_EXP     128
#define FLT_MAX_10_EXP  38
#define FLT_MAX         3.402823466e+38f
#define FLT_MIN         1.175494351e-38f
#define FLT_TRUE_MIN    1.401298464e-45f
#define FLT_EPSILON     1.192092896e-07f
#define DBL_MANT_DIG    53
#define DBL_DIG         15
#define DBL_DECIMAL_DIG 17
#define DBL_MIN_EXP     (-1021)
#define DBL_MIN_10_EXP  (-307)
#define DBL_MAX_EXP     1024
#define DBL_MAX_10_EXP  308
#define DBL_MAX         1.7976931348623158e+308
#define DBL_MIN         2.2250738585072014e-308
#define DBL_TRUE_MIN    4.9406564584124654e-324
#define DBL_EPSILON     2.2204460492503131e-16

#endif
