/* under_sanitizer.h - which sanitizer this build has, and what it does not allow. */
#ifndef UNDER_SANITIZER_H
#define UNDER_SANITIZER_H

#ifdef __has_feature
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
enum { RUNNING_UNDER_TSAN = 1 };
#else
enum { RUNNING_UNDER_TSAN = 0 };
#endif
#ifdef __SANITIZE_ADDRESS__
enum { RUNNING_UNDER_ASAN = 1 };
#else
enum { RUNNING_UNDER_ASAN = 0 };
#endif

/* A walk over failing calls takes this many at a time. A build without a sanitizer lets each one
 * fail. The thread sanitizer is ten times slower, the other three times; neighbouring calls have
 * the same interleavings and free the same memory. */
enum { WALK_STRIDE = RUNNING_UNDER_TSAN ? 5 : RUNNING_UNDER_ASAN ? 3 : 1 };

/* 0: a child of fork must not start threads. The thread sanitizer refuses them; the address
 * sanitizer of clang 14 does not unlock its allocator in the child, so threads sometimes hang. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { CHILDREN_MAY_START_THREADS = 0 };
#else
enum { CHILDREN_MAY_START_THREADS = 1 };
#endif

#endif
