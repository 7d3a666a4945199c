/* at_once.h - tests that wait for seconds, each in a process of its own, all at the same time.
 * Begin them before the program has threads. Needs cmocka.h. */
#ifndef TESTS_RUNTIME_AT_ONCE_H
#define TESTS_RUNTIME_AT_ONCE_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Does the test in a new process, which ends by `leave`: exit, or _exit if a driver could wait in
 * exit for work that was abandoned. Returns the process. */
static inline pid_t at_once_begin(const struct CMUnitTest *test, void (*leave)(int))
{
    const pid_t child = fork();
    if (child == 0) {
        const int failed = _cmocka_run_group_tests(test->name, test, 1, NULL, NULL);
        fflush(NULL);
        leave(failed);
    }
    return child;
}

/* Returns 1 if the process failed. */
static inline int at_once_failed(pid_t child)
{
    int status = 1;
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

#endif
