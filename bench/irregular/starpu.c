/* starpu.c - an application's jobs by StarPU (starpu_job.h) and by yoke, in turns, on the cores of
 * this machine.
 *
 *     yoke-bench-irregular-starpu APP SIZE ROUNDS [OPTION=VALUE ...]
 *
 * Each of StarPU's schedulers tries a range of block sizes. StarPU is paused while yoke works,
 * because its idle workers poll; yoke's sleep. One more run of each contestant is verified; results
 * with the same digest are verified only once. Then the best of StarPU's combinations, and StarPU's
 * default, alternate with yoke again. Writes one JSON object with all seconds.
 *
 * Options are as in contest.h.
 */
#include <inttypes.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../contest.h"
#include "starpu_job.h"

enum { SIZES_MAX = 7, BLOCK_LEAST = 64 };

static const char *const schedulers[] = { "eager", "lws", "dmda" };

struct contestant { /* block 0: yoke */
    int64_t block;
    uint64_t bits; /* digest of what its latest job wrote */
    double seconds[2 * CONTEST_ROUNDS_MAX];
    int rounds, verified;
};

static void time_one(struct app_session *session, struct contestant *one, int counts)
{
    double seconds;
    starpu_turn.wanted = one->block != 0;
    starpu_turn.block = one->block;
    contest_well(app_session_time(session, "run", &seconds));
    if (counts)
        one->seconds[one->rounds++] = seconds;
}

/* Verifies one more run. A result with the same bits as a right one is right. The application
 * verifies while StarPU is paused, because StarPU polls.
 */
static void verify_one(struct app_session *session, struct contestant *one)
{
    static uint64_t right;
    static int is_known;
    char note[APP_NOTE_MAX];
    time_one(session, one, 0);
    starpu_turn.wanted = 0;
    one->bits = starpu_job_digest();
    one->verified = is_known && one->bits == right;
    if (one->verified)
        return;
    starpu_pause();
    one->verified = session->spec->app->verify(session->state, note) == YOKE_OK;
    starpu_resume();
    if (!one->verified)
        fprintf(stderr, "%s\n", app_error_text());
    else if (!is_known)
        right = one->bits;
    is_known |= one->verified;
}

/* Block sizes: from one block per core to smaller and smaller ones, all multiples of the unit. */
static int block_sizes(int64_t items, struct contestant *out)
{
    const int64_t cores = starpu_cpu_worker_get_count(),
                  unit = starpu_turn.unit > 1 ? starpu_turn.unit : 1;
    const int64_t least = unit > BLOCK_LEAST ? unit : BLOCK_LEAST;
    int64_t block = (items + cores - 1) / cores;
    int count = 0;
    for (; count < SIZES_MAX && (block >= least || !count); block /= 4) {
        out[count++] = (struct contestant){ .block = (block + unit - 1) / unit * unit };
    }
    return count;
}

static void print(const char *name, const struct contestant *one)
{
    printf("{\"name\":\"%s\",\"block\":%" PRId64 ",\"verified\":%s,\"bits\":\"%016" PRIx64
           "\",\"seconds\":[",
           name, one->block, one->verified ? "true" : "false", one->bits);
    for (int r = 0; r < one->rounds; r++)
        printf("%s%.9g", r ? "," : "", one->seconds[r]);
    printf("]}");
}

/* Starts StarPU. 0: it does not start. `scheduler` NULL: StarPU's default. */
static int begin(const char *scheduler)
{
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncuda = conf.nopencl = 0;
    conf.sched_policy_name = scheduler;
    return starpu_init(&conf) == 0;
}

static void start(const char *scheduler)
{
    if (!begin(scheduler))
        contest_well(
            app_fail(YOKE_EDEVICE, "StarPU does not start with the scheduler %s", scheduler));
}

/* Pauses StarPU while yoke works. */
static void time_in_turn(struct app_session *session, struct contestant *one, int counts)
{
    if (one->block == 0)
        starpu_pause();
    time_one(session, one, counts);
    if (one->block == 0)
        starpu_resume();
}

struct chosen { /* one of StarPU's combinations */
    const char *scheduler;
    int64_t block;
    double over_yoke; /* its median / yoke's median, measured in turns */
};

/* Times all block sizes of a scheduler and yoke in turns. `best`: the best combination so far. */
static void meet(struct contest *contest, const char *scheduler, struct chosen *best)
{
    static struct contestant all[1 + SIZES_MAX];
    struct app_session *session = &contest->session;
    int count, k, r;
    start(scheduler);
    all[0] = (struct contestant){ .block = 0 };
    time_in_turn(session, &all[0], 0); /* finds the unit */
    count = 1 + block_sizes(contest->spec.app->items(contest->state), &all[1]);
    for (r = -1; r < contest->rounds; r++) /* the first round warms up */
        for (k = 0; k < count; k++)
            time_in_turn(session, &all[k], r >= 0);
    for (k = 0; k < count; k++) {
        const double over_yoke =
            app_median(all[k].seconds, all[k].rounds) / app_median(all[0].seconds, all[0].rounds);
        if (k > 0 && (!best->scheduler || over_yoke < best->over_yoke))
            *best = (struct chosen){ scheduler, all[k].block, over_yoke };
        verify_one(session, &all[k]);
        printf("%s", strcmp(scheduler, schedulers[0]) || k ? "," : "");
        print(k ? scheduler : "yoke", &all[k]);
    }
    starpu_shutdown();
}

/* Times the chosen combination and yoke again, because the best of many times is partly luck. */
static void meet_again(struct contest *contest, const char *key, const struct chosen *chosen)
{
    static struct contestant pair[2];
    pair[0] = (struct contestant){ .block = 0 };
    pair[1] = (struct contestant){ .block = chosen->block };
    start(chosen->scheduler);
    for (int r = -1; r < 2 * contest->rounds; r++)
        for (int k = 0; k < 2; k++)
            time_in_turn(&contest->session, &pair[k], r >= 0);
    for (int k = 0; k < 2; k++)
        verify_one(&contest->session, &pair[k]);
    printf(",\"%s\":[", key);
    print("yoke", &pair[0]);
    printf(",");
    print(chosen->scheduler, &pair[1]);
    printf("]");
    starpu_shutdown();
}

/* Prints the head. Returns StarPU's default: its default scheduler, and one task per core. */
static struct chosen print_head(const struct contest *contest)
{
    static char name[64];
    struct chosen initial = { .scheduler = name };
    if (!begin(NULL))
        contest_well(app_fail(YOKE_EDEVICE, "StarPU does not start"));
    const int64_t cores = starpu_cpu_worker_get_count();
    initial.block = (contest->spec.app->items(contest->state) + cores - 1) / cores;
    snprintf(name, sizeof name, "%s", starpu_sched_ctx_get_sched_policy(0)->policy_name);
    printf("{\"app\":\"%s\",\"size\":%" PRId64 ",\"starpu\":\"%d.%d\",\"workers\":%u,"
           "\"initial_scheduler\":\"%s\",",
           contest->spec.app->name, contest->spec.input.size[0], STARPU_MAJOR_VERSION,
           STARPU_MINOR_VERSION, (unsigned)cores, name);
    starpu_shutdown();
    return initial;
}

int main(int argc, char **argv)
{
    struct contest contest = { .spec.config.devices = "cpu" };
    struct chosen best = { .scheduler = NULL }, initial;
    if (argc < 4 || !contest_words(app_find(argv[1]), argv + 2, &contest)) {
        fprintf(stderr, "usage: %s APP SIZE ROUNDS [OPTION=VALUE ...]\n", argv[0]);
        return 2;
    }
    contest_open(&contest);
    initial = print_head(&contest);
    printf("\"contestants\":[");
    for (size_t s = 0; s < sizeof schedulers / sizeof *schedulers; s++)
        meet(&contest, schedulers[s], &best);
    printf("]");
    meet_again(&contest, "best", &best);
    meet_again(&contest, "initial", &initial);
    if (contest.spec.app->work)
        printf(",\"work\":%.17g,\"work_words\":\"%s\"", contest.spec.app->work(contest.state),
               contest.spec.app->work_words);
    printf("}\n");
    contest_close(&contest);
    return 0;
}
