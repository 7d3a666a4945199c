/* yoke/kernel_gather_cuda.h - entries of range kernels that add (mode add), in CUDA C++.
 *
 * Blocks that add to one element wait for each other. So a block gathers: it adds to sums of its
 * own, in shared memory, and at its end adds these to its copy in the device's memory. That needs
 * all sums of the kernel in shared memory at once; otherwise the block adds to its copy directly. A
 * block does several turns along the first dimension, so that clearing its sums and adding them
 * costs little. The launch decides both (src/backend/cuda/cuda_gather.c). (An H200, 10 million
 * indexes: a histogram of 256 bins takes 25 us instead of 110, k-means with 16 means 405 us instead
 * of 922.)
 *
 * If the indexes of all additions to an array are constants, each thread keeps these sums, in
 * registers, and adds them to the block's after its turns (src/access/narrow_sums.c tells the
 * compiler how many there are). Otherwise the lanes of each warp would fold every addition. (An
 * H200: 16 sums over 2 million rows take 96 us instead of 183, two sums over 32 million floats 72
 * us instead of 135.)
 *
 * The compiler must know in which memory an addition takes place. So the entry that is used for
 * most ranges contains the body twice; compiling it takes longer. If there is an entry for 32-bit
 * indexes, only that one gathers (YK_GATHERS, src/backend/prelude.c).
 */
#ifndef YOKE_KERNEL_GATHER_CUDA_H
#define YOKE_KERNEL_GATHER_CUDA_H

/* Appends `adds` to a form's name if one of its parameters has mode add, otherwise `simple`. */
#define YK_RANGE_FORM(form, ...) YK_CAT(form, YK_FIRST(YK_EACH(YK_IS_ADD, __VA_ARGS__) simple))
#define YK_IS_ADD(k, p)          YK_IS_ADD_ p
#define YK_IS_ADD_(mode, ...)    YK_IS_ADD_##mode
#define YK_IS_ADD_yk_value
#define YK_IS_ADD_yk_in
#define YK_IS_ADD_yk_out
#define YK_IS_ADD_yk_inout
#define YK_IS_ADD_yk_add adds,

/* For each parameter of mode add: the thread's sums, and a pointer to the block's. */
#define YK_OWN_DECLARE(k, p) YK_IF_ADD(YK_OWN_DECLARE_, p)
#define YK_OWN_DECLARE_(T, n)                                                                      \
    yk_thread_sums<T, YK_SUMS(n)> n##_yk_sums = {};                                                \
    T *const n##_yk_own = (T *)((char *)yk_own + yk_own_bytes);                                    \
    yk_own_bytes += YK_GATHERS ? yk_gathered_bytes(n##_yk_copies) : 0;

/* What an entry passes to the body: the thread's sums; if it has none, those of the block if it
 * gathers, otherwise of its copy. */
#define YK_COPY_ACTUAL(k, p)        YK_COPY_ACTUAL_ p
#define YK_COPY_ACTUAL_(mode, ...)  YK_COPY_ACTUAL_##mode(__VA_ARGS__)
#define YK_COPY_ACTUAL_yk_value     YK_ENTRY_ACTUAL_yk_value
#define YK_COPY_ACTUAL_yk_in        YK_ENTRY_ACTUAL_yk_in
#define YK_COPY_ACTUAL_yk_out       YK_ENTRY_ACTUAL_yk_out
#define YK_COPY_ACTUAL_yk_inout     YK_ENTRY_ACTUAL_yk_inout
#define YK_COPY_ACTUAL_yk_add(T, n) , yk_sums_of(n##_yk_sums, YK_COPY_OF(T, n))
#define YK_COPY_OF(T, n)            (T *)((char *)n + yk_copy(n##_yk_copies))
#define YK_OWN_ACTUAL(k, p)         YK_OWN_ACTUAL_ p
#define YK_OWN_ACTUAL_(mode, ...)   YK_OWN_ACTUAL_##mode(__VA_ARGS__)
#define YK_OWN_ACTUAL_yk_value      YK_ENTRY_ACTUAL_yk_value
#define YK_OWN_ACTUAL_yk_in         YK_ENTRY_ACTUAL_yk_in
#define YK_OWN_ACTUAL_yk_out        YK_ENTRY_ACTUAL_yk_out
#define YK_OWN_ACTUAL_yk_inout      YK_ENTRY_ACTUAL_yk_inout
#define YK_OWN_ACTUAL_yk_add(T, n)  , yk_sums_of(n##_yk_sums, n##_yk_own)

/* Adds the thread's sums to the block's, or to its copy; and the block's to its copy. */
#define YK_THREAD_ADD(k, p) YK_IF_ADD(YK_THREAD_ADD_, p)
#define YK_THREAD_ADD_(T, n)                                                                       \
    yk_thread_sums_add(n##_yk_sums, yk_own_bytes ? n##_yk_own : YK_COPY_OF(T, n));
#define YK_OWN_ADD(k, p) YK_IF_ADD(YK_OWN_ADD_, p)
#define YK_OWN_ADD_(T, n)                                                                          \
    yk_gathered_add(YK_COPY_OF(T, n), n##_yk_own, yk_gathered_bytes(n##_yk_copies));

/* Whether each thread keeps all sums of the kernel. */
#define YK_KEEPS_SUMS(...) (1 YK_EACH(YK_AND_SUMS, __VA_ARGS__))
#define YK_AND_SUMS(k, p)  YK_IF_ADD(YK_AND_SUMS_, p)
#define YK_AND_SUMS_(T, n) &&YK_SUMS(n) > 0

/* The block of an entry, with turns along the first dimension. The last arguments are a turn, at
 * index yk_at, of a thread that keeps its sums. That loop has one exit: so the compiler unrolls
 * short turns, and loads for several at once (100 million floats: 154 us instead of 322). `turn`
 * is a turn of another thread, and begins at index yk_from of the block. It has an exit of its own:
 * otherwise the compiler loads ahead of the loop, into registers that more threads could use
 * (k-means: 347 us instead of 289). */
#define YK_GATHER(d, params, turn, ...)                                                            \
    YK_OWN_MEMORY(yk_own)                                                                          \
    unsigned yk_own_bytes = 0;                                                                     \
    YK_EACH(YK_OWN_DECLARE, YK_BARE params)                                                        \
    if (yk_own_bytes)                                                                              \
        yk_gather_begin(yk_own, yk_own_bytes);                                                     \
    if (YK_KEEPS_SUMS params)                                                                      \
        for (int64_t yk_at = yk_part.first + blockIdx.d * blockDim.d + threadIdx.d;                \
             yk_at < yk_part.last; yk_at += (int64_t)gridDim.d * blockDim.d) {                     \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    else                                                                                           \
        for (int64_t yk_from = yk_part.first; yk_from < yk_part.last;                              \
             yk_from += (int64_t)gridDim.d * blockDim.d) {                                         \
            YK_BARE turn                                                                           \
        }                                                                                          \
    YK_EACH(YK_THREAD_ADD, YK_BARE params)                                                         \
    if (yk_own_bytes) {                                                                            \
        __syncthreads();                                                                           \
        YK_EACH(YK_OWN_ADD, YK_BARE params)                                                        \
    }
#define YK_COPY_CALL(body, indexes, ...)                                                           \
    body(YK_BARE indexes, yk_part.size2, yk_part.size3 YK_EACH(YK_COPY_ACTUAL, __VA_ARGS__));
#define YK_GATHER_CALL(body, indexes, ...)                                                         \
    if (yk_own_bytes)                                                                              \
        body(YK_BARE indexes, yk_part.size2, yk_part.size3 YK_EACH(YK_OWN_ACTUAL, __VA_ARGS__));   \
    else                                                                                           \
        YK_COPY_CALL(body, indexes, __VA_ARGS__)

#define YK_KERNEL1_adds(name, i, ...)                                                              \
    YK_BODY1(name, i, __VA_ARGS__);                                                                \
    extern "C" __global__ void YK_ENTRY(name, __VA_ARGS__)                                         \
    {                                                                                              \
        YK_GATHER(x, (__VA_ARGS__),                                                                \
                  (YK_AXIS(yk_i, yk_from, yk_part.last, x) if (yk_i_beyond) break;                 \
                   YK_GATHER_CALL(yk_body_##name, (yk_i), __VA_ARGS__)),                           \
                  YK_TURN(yk_i, yk_at) YK_COPY_CALL(yk_body_##name, (yk_i), __VA_ARGS__))          \
    }                                                                                              \
    YK_BODY1(name, i, __VA_ARGS__)

#define YK_KERNEL2_adds(name, i, j, ...)                                                           \
    YK_BODY2(name, i, j, __VA_ARGS__);                                                             \
    extern "C" __global__ void YK_ENTRY(name, __VA_ARGS__)                                         \
    {                                                                                              \
        YK_AXIS(yk_j, yk_part.first2, yk_part.last2, x)                                            \
        YK_GATHER(y, (__VA_ARGS__),                                                                \
                  (YK_AXIS(yk_i, yk_from, yk_part.last, y) if (yk_j_beyond | yk_i_beyond) break;   \
                   YK_GATHER_CALL(yk_body_##name, (yk_i, yk_j), __VA_ARGS__)),                     \
                  if (yk_j_beyond) break;                                                          \
                  YK_TURN(yk_i, yk_at) YK_COPY_CALL(yk_body_##name, (yk_i, yk_j), __VA_ARGS__))    \
    }                                                                                              \
    YK_BODY2(name, i, j, __VA_ARGS__)

#define YK_KERNEL3_adds(name, i, j, k, ...)                                                        \
    YK_BODY3(name, i, j, k, __VA_ARGS__);                                                          \
    extern "C" __global__ void YK_ENTRY(name, __VA_ARGS__)                                         \
    {                                                                                              \
        YK_AXIS(yk_k, yk_part.first3, yk_part.last3, x)                                            \
        YK_AXIS(yk_j, yk_part.first2, yk_part.last2, y)                                            \
        YK_GATHER(z, (__VA_ARGS__),                                                                \
                  (YK_AXIS(yk_i, yk_from, yk_part.last,                                            \
                           z) if (yk_k_beyond | yk_j_beyond | yk_i_beyond) break;                  \
                   YK_GATHER_CALL(yk_body_##name, (yk_i, yk_j, yk_k), __VA_ARGS__)),               \
                  if (yk_k_beyond | yk_j_beyond) break;                                            \
                  YK_TURN(yk_i, yk_at)                                                             \
                      YK_COPY_CALL(yk_body_##name, (yk_i, yk_j, yk_k), __VA_ARGS__))               \
    }                                                                                              \
    YK_BODY3(name, i, j, k, __VA_ARGS__)

#endif
