/* test_steps_stress.c - random woods (wood.h) on any device: items that emit from none to the
 * largest allowed number, on queues of any size, each handled exactly once; and kernels that emit
 * more than declared, or for too long, end with the right error.
 *
 *     test_steps_stress [--devices TEXT] [--seed S] [--items N] [--seconds T] [--wood N]
 *                       [--turns N] [--groups N] [--kernels N] [--hang T]
 *
 * Each machine (without --devices: the real ones, and simulated ones) gets woods until N items are
 * done or T seconds are over. A wood has up to --wood items, fewer if queues are so small that one
 * work-group would need more than about --turns turns. A failure is printed with the arguments that
 * repeat it, to be used with `--items 1`. If no wood has ended for --hang seconds, the program
 * prints the queue's words and ends. --stuck T: the first queue never gets empty, and T seconds
 * after the first look at it this must be reported. */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <yoke/yoke.h>

#include "backend/step_queue.h"
#include "wood.h"

struct options {
    const char *devices;
    uint64_t seed;
    int64_t items, seconds, hang;
    struct wood_limits limits;
};

static struct { /* the present job, for the report of a hang */
    const char *devices;
    uint64_t seed;
    int64_t hang;
    const struct wood_limits *limits;
    const struct wood_job *job;
} now;

/* --- looks at queues: the library's own calls, intercepted (see --wrap in CMakeLists.txt) --- */

static struct {
    pthread_mutex_t lock;
    int64_t all, left, deep; /* looks; those that found items in the outbox, in the reserve */
    int64_t of_job;
    struct yk_step_plan plan;
    uint32_t words[YK_STEP_WORDS];
} looks = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int64_t stuck;

int __real_yk_step_is_open(const uint32_t *words, const struct yk_step_plan *plan, int64_t indexes);
int __wrap_yk_step_is_open(const uint32_t *words, const struct yk_step_plan *plan, int64_t indexes);

static void look(const uint32_t *words, const struct yk_step_plan *plan)
{
    pthread_mutex_lock(&looks.lock); /* host threads look at the same time */
    looks.all++;
    looks.of_job++;
    looks.left += words[YK_STEP_LEFT + plan->phase] != 0;
    looks.deep += words[YK_STEP_DEEP + plan->phase] != 0;
    looks.plan = *plan;
    memcpy(looks.words, words, sizeof looks.words);
    pthread_mutex_unlock(&looks.lock);
}

int __wrap_yk_step_is_open(const uint32_t *words, const struct yk_step_plan *plan, int64_t indexes)
{
    look(words, plan);
    if (stuck && looks.of_job == 1) /* not before: compiling takes time */
        alarm((unsigned)(now.hang = stuck));
    return __real_yk_step_is_open(words, plan, indexes) || stuck != 0;
}

/* --- output --- */

static int describe(char *text, size_t size, const struct wood_job *job)
{
    return snprintf(text, size,
                    "  --devices %s --seed %llu --wood %lld --turns %lld --groups %u --kernels "
                    "%lld: %s, indexes "
                    "%lld to %lld, %lld items, room %u, turns %u, "
                    "groups %u, partitioner '%s'%s%s\n",
                    now.devices, (unsigned long long)now.seed, (long long)now.limits->items,
                    (long long)now.limits->turns, now.limits->groups,
                    (long long)now.limits->kernels, job->form->kernel->name, (long long)job->first,
                    (long long)job->last, (long long)job->items, job->step.room, job->step.turns,
                    job->step.groups, job->partitioner, job->too_many ? ", one emits too many" : "",
                    job->too_old ? ", too many generations" : "");
}

__attribute__((noreturn, format(printf, 2, 3))) static void wrong(const struct wood_job *job,
                                                                  const char *format, ...)
{
    char text[600];
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    describe(text, sizeof text, job);
    fprintf(stderr, "\n%s", text);
    exit(1);
}

static void hangs(int number)
{
    char text[1500];
    const struct yk_step_plan *plan = &looks.plan;
    int length = snprintf(text, sizeof text, "nothing has ended for %lld s\n", (long long)now.hang);
    (void)number;
    if (now.job)
        length += describe(text + length, sizeof text - (size_t)length, now.job);
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "  %lld looks at its queues; at the last one %u groups with room for %u and "
                       "%u, %u turns, phase %u; words",
                       (long long)looks.of_job, plan->groups, plan->room, plan->reserve,
                       plan->turns, plan->phase);
    for (int w = 0; w < YK_STEP_WORDS; w++)
        length += snprintf(text + length, sizeof text - (size_t)length, " %u", looks.words[w]);
    text[length++] = '\n';
    _exit(write(2, text, (size_t)length) == length ? 3 : 4);
}

/* --- a wood on a machine --- */

static void compare(const struct wood_job *job, const struct wood_tally *got,
                    const struct wood_tally *want)
{
    for (uint32_t b = 0; b < job->wood.bins; b++)
        if (memcmp(&got->bins[2 * b], &want->bins[2 * b], 2 * sizeof got->bins[0]) != 0)
            wrong(job, "of index %lld, modulo %u, %llu items were done and not %llu, or others",
                  (long long)(job->first + b), job->wood.bins, (unsigned long long)got->bins[2 * b],
                  (unsigned long long)want->bins[2 * b]);
    for (uint32_t a = 0; a < job->wood.ages; a++)
        if (memcmp(&got->ages[2 * a], &want->ages[2 * a], 2 * sizeof got->ages[0]) != 0)
            wrong(job, "of generation %u %llu items were done and not %llu, or others", a,
                  (unsigned long long)got->ages[2 * a], (unsigned long long)want->ages[2 * a]);
}

static void must(const struct wood_job *job, yoke_status status)
{
    if (status != YOKE_OK)
        wrong(job, "%s: %s", yoke_status_text(status), yoke_error_text());
}

/* 1: success, as expected; 0: the expected error. */
static int outcome(const struct wood_job *job, yoke_status status)
{
    static const char many[] = "emitted more than the", old[] = "items of the last of its";
    const char *text = yoke_error_text();
    if (!job->too_many && !job->too_old) {
        must(job, status);
        return 1;
    }
    if (status != YOKE_EINVAL || !strstr(text, job->form->kernel->name) ||
        !((job->too_many && strstr(text, many)) || (job->too_old && strstr(text, old))))
        wrong(job, "that was no error, or another one: %s: %s", yoke_status_text(status), text);
    return 0;
}

/* 1: its results could be compared. */
static int run_wood(yoke_runtime *rt, const struct wood_job *wood, struct wood_tally *got,
                    const struct wood_tally *want)
{
    yoke_kernel kernel = *wood->form->kernel;
    yoke_array *bins, *ages;
    int is_fine;
    kernel.step = wood->step;
    memset(got, 0, sizeof *got);
    must(wood, yoke_array_wrap(rt, got->bins, 2 * (int64_t)wood->wood.bins, 8, &bins));
    must(wood, yoke_array_wrap(rt, got->ages, 2 * (int64_t)wood->wood.ages, 8, &ages));
    yoke_job job = { .kernel = &kernel,
                     .range = { wood->first, wood->last },
                     .partitioner = wood->partitioner[0] ? wood->partitioner : NULL,
                     .args = { yoke_value(wood->wood), yoke_add_to(bins), yoke_add_to(ages) } };
    is_fine = outcome(wood, yoke_run(rt, &job, NULL));
    if (is_fine) {
        must(wood, yoke_array_acquire(bins, YOKE_READ));
        must(wood, yoke_array_acquire(ages, YOKE_READ));
        compare(wood, got, want);
    }
    must(wood, yoke_array_close(bins));
    must(wood, yoke_array_close(ages));
    return is_fine;
}

static int64_t seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec;
}

/* 0: there is no such machine. */
static int run_machine(const struct options *options, const char *devices, struct wood_tally *got,
                       struct wood_tally *want)
{
    int64_t start;
    yoke_runtime *rt;
    yoke_status status;
    struct wood_job job;
    int64_t items = 0, woods = 0, errors = 0;
    now.devices = devices;
    now.seed = options->seed;
    now.limits = &options->limits;
    now.job = NULL;
    status = yoke_open(&(yoke_config){ .devices = devices }, &rt);
    if (status != YOKE_OK) {
        printf("%s %s: %s\n", status == YOKE_ENODEV ? "there is no" : "cannot open", devices,
               yoke_error_text());
        if (status != YOKE_ENODEV)
            exit(1);
        return 0;
    }
    start = seconds_now();
    looks.all = looks.left = looks.deep = 0;
    for (; items < options->items && seconds_now() - start < options->seconds; now.seed++) {
        wood_draw(now.seed, &options->limits, &job, want);
        now.job = &job;
        looks.of_job = 0;
        alarm((unsigned)options->hang);
        if (run_wood(rt, &job, got, want))
            items += job.items;
        else
            errors++;
        woods++;
        now.job = NULL;
    }
    must(&job, yoke_close(rt));
    alarm(0);
    printf("%s: %lld items of %lld woods, each once; %lld woods with their error; of %lld looks "
           "%lld found items left, %lld in the reserve; %lld s\n",
           devices, (long long)items, (long long)(woods - errors), (long long)errors,
           (long long)looks.all, (long long)looks.left, (long long)looks.deep,
           (long long)(seconds_now() - start));
    return 1;
}

/* --- arguments --- */

static int usage(void)
{
    fprintf(
        stderr,
        "usage: test_steps_stress [--devices TEXT] [--seed S] [--items N] "
        "[--seconds T] [--wood N] [--turns N] [--groups N] [--kernels N] [--hang T] [--stuck T]\n");
    return 2;
}

static int read_words(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i += 2) {
        const char *word = argv[i], *value = argv[i + 1];
        const int64_t number = value ? atoll(value) : 0;
        if (value && strcmp(word, "--devices") == 0)
            options->devices = value;
        else if (number < 1)
            return 0;
        else if (strcmp(word, "--seed") == 0)
            options->seed = strtoull(value, NULL, 10);
        else if (strcmp(word, "--items") == 0)
            options->items = number;
        else if (strcmp(word, "--seconds") == 0)
            options->seconds = number;
        else if (strcmp(word, "--wood") == 0)
            options->limits.items = number;
        else if (strcmp(word, "--turns") == 0)
            options->limits.turns = number;
        else if (strcmp(word, "--groups") == 0)
            options->limits.groups = (uint32_t)number;
        else if (strcmp(word, "--kernels") == 0 && number <= wood_form_count)
            options->limits.kernels = number;
        else if (strcmp(word, "--hang") == 0)
            options->hang = number;
        else if (strcmp(word, "--stuck") == 0)
            stuck = number;
        else
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    static const char *const here[] = { "cpu", "opencl:0", "cpu:1,opencl:0:lanes=2", "sim:gpu",
                                        "sim:cpu:cores=2,sim:gpu*2:fill=64" };
    struct options options = { .seed = (uint64_t)time(NULL),
                               .items = 600000,
                               .seconds = 1000000,
                               .hang = 120,
                               .limits = { .items = 40000, .turns = 20000 } };
    struct wood_tally *got = malloc(sizeof *got), *want = malloc(sizeof *want);
    int there = 0;
    if (!read_words(argc, argv, &options))
        return usage();
    now.hang = options.hang;
    signal(SIGALRM, hangs);
    printf("--seed %llu\n", (unsigned long long)options.seed);
    setlinebuf(stdout);
    for (int m = 0; m < (options.devices ? 1 : (int)(sizeof here / sizeof *here)); m++)
        there += run_machine(&options, options.devices ? options.devices : here[m], got, want);
    free(got);
    free(want);
    return there ? 0 : options.devices ? 1 : 77;
}
