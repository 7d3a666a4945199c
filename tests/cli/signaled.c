/* signaled SIGNAL MICROSECONDS COMMAND [WORD...] - runs the command and sends it a signal
 * MICROSECONDS after its start; prints "exit N M", "signal N M" or "late N M", where M is the time
 * in ms after the signal.
 *
 * The command starts with the signal blocked, so a signal before its program runs stays pending
 * until then, instead of ending the child before the exec. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A command that has not ended by then counts as hanging. */
static const int64_t patience_ms = 60000;

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static pid_t start(int number, char **words)
{
    sigset_t blocked;
    pid_t child;
    sigemptyset(&blocked);
    sigaddset(&blocked, number);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    child = fork();
    if (child != 0)
        return child;
    signal(number, SIG_DFL); /* a shell without job control ignores it */
    execv(words[0], words);
    perror(words[0]);
    _exit(127);
}

/* 0: it has not ended. */
static int ends(pid_t child, int64_t since_ms, int *status)
{
    const struct timespec pause = { .tv_nsec = 1000000 };
    while (now_ms() - since_ms < patience_ms) {
        if (waitpid(child, status, WNOHANG) == child)
            return 1;
        nanosleep(&pause, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, status, 0);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    const int number = atoi(argv[1]);
    const long delay_us = atol(argv[2]);
    const struct timespec delay = { delay_us / 1000000, delay_us % 1000000 * 1000 };
    int status;
    pid_t child = start(number, argv + 3);
    if (child < 0)
        return 1;
    nanosleep(&delay, NULL);
    kill(child, number);
    int64_t since = now_ms();
    int ended = ends(child, since, &status);
    printf("%s %d %lld\n",
           !ended              ? "late"
           : WIFEXITED(status) ? "exit"
                               : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
           (long long)(now_ms() - since));
    return 0;
}
