/* yoke/for_cpp.h - yoke_for and yoke_submit_for in C++: see yoke/for.h. Beside pointers and arrays
 * it accepts everything with data() and size(), such as std::vector; the size is checked like an
 * array's. A null pointer needs a type: (float *)nullptr.
 *
 * Functions of the program that the library calls (progress, merge, rows, policies, log lines) must
 * not throw: an exception would pass through C code, which could not undo what it had begun.
 */
#ifndef YOKE_FOR_CPP_H
#define YOKE_FOR_CPP_H

#include <yoke/for.h>

#ifdef __cplusplus

inline yoke_given yk_given_memory(const void *at, size_t size, yoke_type type, int64_t count)
{
    yoke_given given = {};
    given.kind = YOKE_GIVEN_MEMORY;
    given.type = type;
    given.size = size;
    given.at = at;
    given.count = count;
    return given;
}
template <class T> inline yoke_given yk_given_elements(T *at, int64_t count)
{
    typedef typename std::remove_cv<T>::type element;
    yoke_given given = yk_given_memory(at, sizeof(T), yk_type_of<element>(), count);
    if (std::is_const<T>::value)
        given.kind = YOKE_GIVEN_CONST_MEMORY;
    return given;
}

/* The kinds of arguments, the most specific first.
 * Write (float *)nullptr: a null pointer needs a type. */
inline yoke_given yk_given(decltype(nullptr), int) = delete;
inline yoke_given yk_given(const yoke_given &given, int)
{
    return given;
}
inline yoke_given yk_given(yoke_array *array, int)
{
    yoke_given given = {};
    given.kind = YOKE_GIVEN_ARRAY;
    given.array = array;
    return given;
}
template <class T, size_t N> inline yoke_given yk_given(T (&array)[N], int)
{
    return yk_given_elements(array, (int64_t)N);
}
template <class T> inline yoke_given yk_given(T *const &pointer, int)
{
    return yk_given_elements(pointer, 0);
}
template <class T>
inline auto yk_given(T &container, int)
    -> decltype(yk_given_elements(container.data(), (int64_t)container.size()))
{
    return yk_with_count(yk_given_elements(container.data(), 0), (int64_t)container.size());
}
template <class T> inline yoke_given yk_given(const T &value, long)
{
    yoke_given given = {};
    given.type = yk_type_of<T>();
    given.size = sizeof value;
    given.at = &value;
    return given;
}

template <class T> inline yoke_given yoke_row(T &&x, int64_t elements)
{
    return yk_with_row(yk_given(x, 0), elements);
}
template <class T> inline yoke_given yoke_whole(T &&x)
{
    return yk_with_whole(yk_given(x, 0));
}
template <class T> inline yoke_given yoke_whole(T &&x, int64_t count)
{
    return yk_with_count(yoke_whole(x), count);
}
template <class T> inline yoke_given yoke_halo(T &&x, int64_t before, int64_t after)
{
    return yk_with_halo(yk_given(x, 0), before, after);
}

template <class T> inline yoke_given yoke_onto(T &&x)
{
    return yk_with_onto(yk_given(x, 0));
}

/* A dimension: a number of indexes, or a part of them. */
struct yk_dimension {
    yoke_span span;
    yk_dimension(int64_t size) : span(yoke_indexes(0, size, size))
    {
    }
    yk_dimension(const yoke_span &given) : span(given)
    {
    }
};

/* What is done with a loop: yoke_loop_run or yoke_loop_submit. */
typedef yoke_status yk_loop_call(yoke_runtime *runtime, const yoke_loop *loop);
template <class... T>
inline yoke_status yk_for(yk_loop_call *call, yoke_runtime *runtime, yoke_loop loop,
                          T &&...arguments)
{
    static_assert(sizeof...(T) <= YOKE_ARGS_MAX, "a kernel has at most 24 arguments");
    const yoke_given given[] = { yk_given(arguments, 0)... };
    loop.given = given;
    loop.given_count = (int)sizeof...(T);
    return call(runtime, &loop);
}
template <class... T>
inline yoke_status yoke_for(yoke_runtime *runtime, const yoke_kernel *kernel, yk_dimension n,
                            T &&...arguments)
{
    return yk_for(yoke_loop_run, runtime, yoke_loop{ kernel, 1, { n.span, {}, {} }, nullptr, 0 },
                  arguments...);
}
template <class... T>
inline yoke_status yoke_for2(yoke_runtime *runtime, const yoke_kernel *kernel, yk_dimension n,
                             yk_dimension m, T &&...arguments)
{
    return yk_for(yoke_loop_run, runtime,
                  yoke_loop{ kernel, 2, { n.span, m.span, {} }, nullptr, 0 }, arguments...);
}
template <class... T>
inline yoke_status yoke_for3(yoke_runtime *runtime, const yoke_kernel *kernel, yk_dimension n,
                             yk_dimension m, yk_dimension l, T &&...arguments)
{
    return yk_for(yoke_loop_run, runtime,
                  yoke_loop{ kernel, 3, { n.span, m.span, l.span }, nullptr, 0 }, arguments...);
}
template <class... T>
inline yoke_status yoke_submit_for(yoke_runtime *runtime, const yoke_kernel *kernel, yk_dimension n,
                                   T &&...arguments)
{
    return yk_for(yoke_loop_submit, runtime, yoke_loop{ kernel, 1, { n.span, {}, {} }, nullptr, 0 },
                  arguments...);
}
template <class... T>
inline yoke_status yoke_submit_for2(yoke_runtime *runtime, const yoke_kernel *kernel,
                                    yk_dimension n, yk_dimension m, T &&...arguments)
{
    return yk_for(yoke_loop_submit, runtime,
                  yoke_loop{ kernel, 2, { n.span, m.span, {} }, nullptr, 0 }, arguments...);
}
template <class... T>
inline yoke_status yoke_submit_for3(yoke_runtime *runtime, const yoke_kernel *kernel,
                                    yk_dimension n, yk_dimension m, yk_dimension l,
                                    T &&...arguments)
{
    return yk_for(yoke_loop_submit, runtime,
                  yoke_loop{ kernel, 3, { n.span, m.span, l.span }, nullptr, 0 }, arguments...);
}
#endif
#endif
