/* turn.c - runs an application on command: for two builds of yoke that alternate (versions.py).
 *
 *     yoke-bench-turn APP KERNEL DEVICES SIZE ROUNDS [OPTION=VALUE ...]
 *
 * KERNEL is auto, plain or step. After the first run and ROUNDS more runs it writes "ready". For
 * each line "run" it does one run and writes the seconds. For "verify" it writes whether the latest
 * result is right, and its figures. It ends when its input ends.
 */
#include <stdio.h>
#include <string.h>

#include "../contest.h"

static int read_kernel(const char *word, enum app_kernel *out)
{
    static const char *const names[] = {
        [APP_KERNEL_AUTO] = "auto", [APP_KERNEL_PLAIN] = "plain", [APP_KERNEL_STEP] = "step"
    };
    for (int k = 0; k < 3; k++)
        if (!strcmp(word, names[k])) {
            *out = (enum app_kernel)k;
            return 1;
        }
    return 0;
}

static void run(struct contest *contest)
{
    double seconds;
    contest_well(app_session_time(&contest->session, "run", &seconds));
    printf("%.9f\n", seconds);
}

static void verify(struct contest *contest)
{
    struct measure figures = measure_nothing();
    contest_well(app_session_verify(&contest->session, &figures));
    printf("%s: %s\n", figures.verified == 1 ? "right" : "wrong", figures.note);
}

int main(int argc, char **argv)
{
    struct contest contest = { .rounds = 0 };
    char line[16];
    double first;
    enum app_kernel kernel;
    if (argc < 6 || !read_kernel(argv[2], &kernel) ||
        !contest_words(app_find(argv[1]), argv + 4, &contest)) {
        fprintf(stderr, "usage: %s APP KERNEL DEVICES SIZE ROUNDS [OPTION=VALUE ...]\n", argv[0]);
        return 2;
    }
    contest.spec.input.kernel = kernel;
    contest.spec.config.devices = argv[3];
    contest_open(&contest);
    contest_well(app_session_warm_up(&contest.session, &first));
    for (int round = 0; round < contest.rounds; round++)
        contest_well(app_session_time(&contest.session, "warming up", &first));
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        strcmp(line, "verify\n") ? run(&contest) : verify(&contest);
        fflush(stdout);
    }
    contest_close(&contest);
    return 0;
}
