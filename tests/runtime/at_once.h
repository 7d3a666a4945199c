/* at_once.h - tests that wait for seconds, each in a process of its own, all at the same time.
 * Begin them before the program has threads. Needs cmocka.h. */
#ifndef TESTS_RUNTIME_AT_ONCE_H
#define TESTS_RUNTIME_AT_ONCE_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Does each test in a new process, which ends by `leave`: exit, or _exit if a driver could wait in
 * exit for work that was abandoned. Writes the processes to children. */
static inline void at_once_begin(const struct CMUnitTest *tests, int count, void (*leave)(int),
                                 pid_t *children)
{
    for (int t = 0; t < count; t++) {
        children[t] = fork();
        if (children[t] == 0) {
            const int failed = _cmocka_run_group_tests(tests[t].name, &tests[t], 1, NULL, NULL);
            fflush(NULL);
            leave(failed);
        }
    }
}

/* Waits for the processes. Returns how many of them failed. */
static inline int at_once_failed(const pid_t *children, int count)
{
    int failed = 0;
    for (int t = 0; t < count; t++) {
        int status = 1;
        failed += children[t] < 0 || waitpid(children[t], &status, 0) != children[t] || status != 0;
    }
    return failed;
}

#endif
