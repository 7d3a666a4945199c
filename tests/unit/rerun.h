/* rerun.h - for state that a process reads only once (environment, topology): the test program
 * starts itself again with a variable set and a word that selects the action. */
#ifndef YK_TEST_RERUN_H
#define YK_TEST_RERUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs this program as "PROGRAM word" with "NAME=value" in its environment (NULL: no change) and
 * stores the beginning of its standard output and standard error. Returns its exit status, -1 if it
 * did not exit normally. */
static inline int rerun(const char *word, const char *variable, char *output, size_t size)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return -1;
    }
    char program[512]; /* by its real name: under valgrind the link /proc/self/exe points to
                          valgrind */
    ssize_t name_length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[name_length < 0 ? 0 : name_length] = '\0';
    char argument[64];
    char setting[512];
    snprintf(argument, sizeof argument, "%s", word);
    snprintf(setting, sizeof setting, "%s", variable ? variable : "");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        if (variable) {
            putenv(setting);
        }
        execl(program, program, argument, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t length = 0;
    char dropped[256];
    for (ssize_t got = 1; got > 0;) {
        int full = length + 1 >= size;
        got = read(ends[0], full ? dropped : output + length,
                   full ? sizeof dropped : size - 1 - length);
        length += full || got < 0 ? 0 : (size_t)got;
    }
    output[length] = '\0';
    close(ends[0]);
    int status = 0;
    int reaped = child > 0 && waitpid(child, &status, 0) == child;
    return reaped && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
