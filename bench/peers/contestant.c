/* contestant.c - see contestant.h: reads commands, measures, answers.
 *
 *     yoke-peer-NAME THREADS FLOATS UNEVEN-ITEMS NOTHINGS [FILE-NUMBER]
 */
#include "contestant.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double contestant_inner;
static int threads;

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double contestant_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

void contestant_refuse(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* Seconds that threads of this process were ready to run but did not, because others had their
 * cores; 0: the system does not report it. */
static double waited(void)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;
    long long all = 0, one;
    while (tasks && (entry = readdir(tasks))) {
        char path[300];
        FILE *file;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        file = fopen(path, "r");
        if (file && fscanf(file, "%*s %lld", &one) == 1)
            all += one;
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return 1e-9 * (double)all;
}

static const struct loop *find(const char *name)
{
    const struct loop *loop = loop_find(name);
    if (!loop)
        contestant_refuse(name, "no such loop; saxpy, uneven-up, uneven-down or nothing");
    return loop;
}

static void run(const char *name, const char *variant)
{
    const struct loop *loop = find(name);
    double wall, cpu, wait;
    long long calls;
    loop_prepare(loop);
    contestant_inner = 0;
    wait = waited();
    cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    wall = contestant_seconds();
    contestant.run(loop, variant);
    wall = contestant_seconds() - wall;
    cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wait = waited() - wait;
    calls = (long long)loop_verify(loop);
    printf("seconds=%.9f cpu=%.9f waited=%.9f calls=%lld inner=%.9f\n", wall, cpu, wait, calls,
           contestant_inner > 0 ? contestant_inner : wall);
}

static void idle(double seconds)
{
    struct timespec pause = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };
    double wall = contestant_seconds(), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    nanosleep(&pause, NULL);
    cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("cores=%.6f\n", cpu / (contestant_seconds() - wall));
}

static void startup(const char *name, const char *variant)
{
    const struct loop *loop = find(name);
    double wall;
    loop_prepare(loop);
    wall = contestant_seconds();
    contestant.open(threads);
    contestant.run(loop, variant);
    contestant.close();
    wall = contestant_seconds() - wall;
    loop_verify(loop);
    printf("seconds=%.9f\n", wall);
}

static void call(void (*function)(void))
{
    if (function)
        function();
    puts("done=1");
}

static void obey(const char *command, const char *first, const char *second)
{
    if (strcmp(command, "steps") == 0) {
        loops.steps = atof(first);
        call(NULL);
    } else if (strcmp(command, "open") == 0) {
        contestant.open(threads);
        call(NULL);
    } else if (strcmp(command, "close") == 0) {
        call(contestant.close);
    } else if (strcmp(command, "hush") == 0) {
        call(contestant.hush);
    } else if (strcmp(command, "wake") == 0) {
        call(contestant.wake);
    } else if (strcmp(command, "run") == 0) {
        run(first, second);
    } else if (strcmp(command, "idle") == 0) {
        idle(atof(first));
    } else if (strcmp(command, "startup") == 0) {
        startup(first, second);
    } else {
        contestant_refuse(command, "no such command");
    }
}

int main(int argc, char **argv)
{
    char line[256];
    if (argc < 5 || argc > 6 || atoi(argv[1]) < 1 || atoi(argv[1]) > LANES_MAX) {
        fprintf(stderr, "usage: %s THREADS FLOATS UNEVEN-ITEMS NOTHINGS [FILE-NUMBER]\n", argv[0]);
        return 2;
    }
    threads = atoi(argv[1]);
    loops_open(atoll(argv[2]), atoll(argv[3]), atoll(argv[4]), argc > 5 ? atoi(argv[5]) : -1);
    while (fgets(line, sizeof line, stdin)) {
        char command[32] = "", first[64] = "", second[128] = "";
        sscanf(line, "%31s %63s %127s", command, first, second);
        obey(command, first, second);
        fflush(stdout);
    }
    return 0;
}
