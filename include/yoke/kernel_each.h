/* yoke/kernel_each.h - apply a macro to each of up to 32 arguments.
 *
 * YK_EACH(F, a, b, c) gives F(0, a) F(0 + 1, b) F(0 + 1 + 1, c): the first argument is the
 * position, as a constant expression.
 */
#ifndef YOKE_KERNEL_EACH_H
#define YOKE_KERNEL_EACH_H

#define YK_CAT(a, b)  YK_CAT_(a, b)
#define YK_CAT_(a, b) a##b

#define YK_FIRST(...)     YK_FIRST_(__VA_ARGS__, ~)
#define YK_FIRST_(a, ...) a
#define YK_BARE(...)      __VA_ARGS__

#define YK_COUNT(...)                                                                              \
    YK_COUNT_(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, \
              14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define YK_COUNT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, \
                  a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, n, ...)    \
    n

#define YK_EACH(F, ...)          YK_CAT(YK_EACH_, YK_COUNT(__VA_ARGS__))(F, 0, __VA_ARGS__)
#define YK_EACH_1(F, k, p)       F(k, p)
#define YK_EACH_2(F, k, p, ...)  F(k, p) YK_EACH_1(F, k + 1, __VA_ARGS__)
#define YK_EACH_3(F, k, p, ...)  F(k, p) YK_EACH_2(F, k + 1, __VA_ARGS__)
#define YK_EACH_4(F, k, p, ...)  F(k, p) YK_EACH_3(F, k + 1, __VA_ARGS__)
#define YK_EACH_5(F, k, p, ...)  F(k, p) YK_EACH_4(F, k + 1, __VA_ARGS__)
#define YK_EACH_6(F, k, p, ...)  F(k, p) YK_EACH_5(F, k + 1, __VA_ARGS__)
#define YK_EACH_7(F, k, p, ...)  F(k, p) YK_EACH_6(F, k + 1, __VA_ARGS__)
#define YK_EACH_8(F, k, p, ...)  F(k, p) YK_EACH_7(F, k + 1, __VA_ARGS__)
#define YK_EACH_9(F, k, p, ...)  F(k, p) YK_EACH_8(F, k + 1, __VA_ARGS__)
#define YK_EACH_10(F, k, p, ...) F(k, p) YK_EACH_9(F, k + 1, __VA_ARGS__)
#define YK_EACH_11(F, k, p, ...) F(k, p) YK_EACH_10(F, k + 1, __VA_ARGS__)
#define YK_EACH_12(F, k, p, ...) F(k, p) YK_EACH_11(F, k + 1, __VA_ARGS__)
#define YK_EACH_13(F, k, p, ...) F(k, p) YK_EACH_12(F, k + 1, __VA_ARGS__)
#define YK_EACH_14(F, k, p, ...) F(k, p) YK_EACH_13(F, k + 1, __VA_ARGS__)
#define YK_EACH_15(F, k, p, ...) F(k, p) YK_EACH_14(F, k + 1, __VA_ARGS__)
#define YK_EACH_16(F, k, p, ...) F(k, p) YK_EACH_15(F, k + 1, __VA_ARGS__)
#define YK_EACH_17(F, k, p, ...) F(k, p) YK_EACH_16(F, k + 1, __VA_ARGS__)
#define YK_EACH_18(F, k, p, ...) F(k, p) YK_EACH_17(F, k + 1, __VA_ARGS__)
#define YK_EACH_19(F, k, p, ...) F(k, p) YK_EACH_18(F, k + 1, __VA_ARGS__)
#define YK_EACH_20(F, k, p, ...) F(k, p) YK_EACH_19(F, k + 1, __VA_ARGS__)
#define YK_EACH_21(F, k, p, ...) F(k, p) YK_EACH_20(F, k + 1, __VA_ARGS__)
#define YK_EACH_22(F, k, p, ...) F(k, p) YK_EACH_21(F, k + 1, __VA_ARGS__)
#define YK_EACH_23(F, k, p, ...) F(k, p) YK_EACH_22(F, k + 1, __VA_ARGS__)
#define YK_EACH_24(F, k, p, ...) F(k, p) YK_EACH_23(F, k + 1, __VA_ARGS__)
#define YK_EACH_25(F, k, p, ...) F(k, p) YK_EACH_24(F, k + 1, __VA_ARGS__)
#define YK_EACH_26(F, k, p, ...) F(k, p) YK_EACH_25(F, k + 1, __VA_ARGS__)
#define YK_EACH_27(F, k, p, ...) F(k, p) YK_EACH_26(F, k + 1, __VA_ARGS__)
#define YK_EACH_28(F, k, p, ...) F(k, p) YK_EACH_27(F, k + 1, __VA_ARGS__)
#define YK_EACH_29(F, k, p, ...) F(k, p) YK_EACH_28(F, k + 1, __VA_ARGS__)
#define YK_EACH_30(F, k, p, ...) F(k, p) YK_EACH_29(F, k + 1, __VA_ARGS__)
#define YK_EACH_31(F, k, p, ...) F(k, p) YK_EACH_30(F, k + 1, __VA_ARGS__)
#define YK_EACH_32(F, k, p, ...) F(k, p) YK_EACH_31(F, k + 1, __VA_ARGS__)

/* F(T, n) if the parameter p has mode add, otherwise nothing. */
#define YK_IF_ADD(F, p)           YK_IF_ADD_(F, YK_BARE p)
#define YK_IF_ADD_(...)           YK_IF_ADD__(__VA_ARGS__)
#define YK_IF_ADD__(F, mode, ...) YK_IF_ADD_##mode(F, __VA_ARGS__)
#define YK_IF_ADD_yk_value(F, ...)
#define YK_IF_ADD_yk_in(F, ...)
#define YK_IF_ADD_yk_out(F, ...)
#define YK_IF_ADD_yk_inout(F, ...)
#define YK_IF_ADD_yk_reduce(F, ...)
#define YK_IF_ADD_yk_add(F, ...) F(__VA_ARGS__)

#endif
