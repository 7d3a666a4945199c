/* under_tsan.h - whether the thread sanitizer watches this build: it refuses threads in children of
 * fork.
 */
#ifndef UNDER_TSAN_H
#define UNDER_TSAN_H

#ifdef __has_feature
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
enum { RUNNING_UNDER_TSAN = 1 };
#else
enum { RUNNING_UNDER_TSAN = 0 };
#endif

#endif
