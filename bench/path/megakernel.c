/* megakernel.c - compares a handwritten path tracer on one GPU with yoke, in turns. The handwritten
 * one is the simplest: one launch, in which a thread follows all paths of a pixel.
 *
 *     yoke-bench-path-megakernel SAMPLES ROUNDS [OPTION=VALUE ...]
 *
 * First each block size is tried for the handwritten kernel. The best one then alternates with each
 * of yoke's kernels on the same GPU. Times go from a scene on the GPU to a picture on the host;
 * sending the scene is reported separately. The pictures must be equal to the bit, except that of
 * the fused kernel, in which the compiler may fuse products and sums. Writes one JSON object.
 *
 * Options are as in contest.h. DEVICE in the environment is yoke's device (cuda:0); the handwritten
 * kernel always uses the first GPU.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../contest.h"
#include "by_hand.h"

enum { TRIALS = 2 };
static const int blocks[] = { 32, 64, 128, 256 };
enum { BLOCKS = sizeof blocks / sizeof *blocks };
static const char *const sums_names[BY_HAND_SUMS] = { "by hand", "by hand, fused" };

struct times {
    int count;
    double run[CONTEST_ROUNDS_MAX], kernel[CONTEST_ROUNDS_MAX], upload[CONTEST_ROUNDS_MAX];
};

static struct path_rays rays_in(const struct path_state *state, pixel_t *pixels)
{
    struct path_state other = *state;
    other.pixels = pixels;
    return path_rays(&other);
}

static int same_picture(const struct by_hand *hand)
{
    const struct path_state *s = hand->state;
    int same;
    contest_well(yoke_array_acquire(s->pixel_array, YOKE_READ));
    same = !memcmp(hand->pixels, s->pixels, (size_t)s->setup.count * sizeof *s->pixels);
    contest_well(yoke_array_release(s->pixel_array));
    return same;
}

/* --- output --- */

static void print_numbers(const char *name, const double *values, int count)
{
    printf(",\"%s\":[", name);
    for (int k = 0; k < count; k++)
        printf("%s%.9g", k ? "," : "", values[k]);
    printf("]");
}

static void print_rays(struct path_rays rays)
{
    printf("\"rays\":{\"primary\":%" PRId64 ",\"secondary\":%" PRId64 ",\"shadow\":%" PRId64 "}",
           rays.primary, rays.secondary, rays.shadow);
}

/* --- handwritten --- */

static void time_by_hand(struct by_hand *hand, enum by_hand_sums sums, int block,
                         struct times *times)
{
    const struct by_hand_seconds seconds = by_hand_run(hand, sums, block);
    times->run[times->count] = seconds.run;
    times->kernel[times->count] = seconds.kernel;
    times->upload[times->count++] = seconds.upload;
}

static void print_by_hand(struct by_hand *hand, enum by_hand_sums sums, int block,
                          const struct times *times)
{
    const struct by_hand_kernel *kernel = &hand->kernels[sums];
    printf("{\"name\":\"%s\",\"block\":%d,\"registers\":%d,\"local_bytes\":%d,", sums_names[sums],
           block, kernel->registers, kernel->local_bytes);
    print_rays(rays_in(hand->state, hand->pixels));
    print_numbers("seconds", times->run, times->count);
    print_numbers("kernel_seconds", times->kernel, times->count);
    print_numbers("upload_seconds", times->upload, times->count);
    printf("}");
}

/* Finds the best block size: by the shorter of two runs per size, after one run to warm up. */
static int best_block(struct by_hand *hand, enum by_hand_sums sums)
{
    double least = -1;
    int best = blocks[0];
    by_hand_run(hand, sums, blocks[0]);
    for (int b = 0; b < BLOCKS; b++) {
        static struct times times;
        times.count = 0;
        for (int t = 0; t < TRIALS; t++) {
            time_by_hand(hand, sums, blocks[b], &times);
            if (least < 0 || times.run[t] < least) {
                least = times.run[t];
                best = blocks[b];
            }
        }
        printf("%s", sums || b ? "," : "");
        print_by_hand(hand, sums, blocks[b], &times);
    }
    return best;
}

/* --- in turns with yoke --- */

static const char *const kernel_names[] = { "plain", "step", "auto" };
enum { PLAIN, STEP, AUTO, KERNELS };

static void choose_kernel(struct path_state *s, int kernel)
{
    static yoke_kernel plain;
    if (!plain.name)
        plain = s->kernel;
    s->kernel = kernel == STEP ? s->alternative : plain;
    s->chooses = kernel == AUTO;
}

/* `session` is attached. Each kernel has its own session, which knows nothing yet. */
static void take_turns(const struct contest *contest, struct app_session *session,
                       struct by_hand *hand, const int *block)
{
    static struct times mine, by_hand[BY_HAND_SUMS];
    double first;
    int same = 1;
    mine.count = by_hand[BY_HAND_EXACT].count = by_hand[BY_HAND_FUSED].count = 0;
    contest_well(app_session_warm_up(session, &first));
    for (int r = 0; r < contest->rounds; r++) {
        contest_well(app_session_time(session, "run", &mine.run[mine.count++]));
        time_by_hand(hand, BY_HAND_FUSED, block[BY_HAND_FUSED], &by_hand[BY_HAND_FUSED]);
        time_by_hand(hand, BY_HAND_EXACT, block[BY_HAND_EXACT], &by_hand[BY_HAND_EXACT]);
        same &= same_picture(hand);
    }
    printf("\"same\":%s,\"first_seconds\":%.9g", same ? "true" : "false", first);
    print_numbers("seconds", mine.run, mine.count);
    print_numbers("by_hand_seconds", by_hand[BY_HAND_EXACT].run, mine.count);
    print_numbers("by_hand_kernel_seconds", by_hand[BY_HAND_EXACT].kernel, mine.count);
    print_numbers("by_hand_upload_seconds", by_hand[BY_HAND_EXACT].upload, mine.count);
    print_numbers("fused_seconds", by_hand[BY_HAND_FUSED].run, mine.count);
    if (!same)
        fprintf(stderr, "the pictures differ\n");
}

static void meet_all(struct contest *contest, struct by_hand *hand, const int *block)
{
    struct path_state *state = contest->state;
    for (int k = 0; k < KERNELS; k++) {
        struct app_session other;
        printf("%s{\"kernel\":\"%s\",", k ? "," : "", kernel_names[k]);
        choose_kernel(state, k);
        contest_well(
            app_session_open(&(struct app_session_spec){ .spec = &contest->spec }, &other));
        contest_well(app_session_attach(&other, state));
        take_turns(contest, &other, hand, block);
        contest_well(app_session_close(&other));
        printf("}");
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const char *device = getenv("DEVICE");
    struct contest contest = { .spec.config.devices = device ? device : "cuda:0" };
    struct path_state *state;
    struct by_hand hand;
    int block[BY_HAND_SUMS];
    if (argc < 3 || !contest_words(app_find("path"), argv + 1, &contest)) {
        fprintf(stderr, "usage: %s SAMPLES ROUNDS [OPTION=VALUE ...]\n", argv[0]);
        return 2;
    }
    contest_open(&contest);
    contest_well(app_session_detach(&contest.session));
    state = contest.state;
    if (state->passes > 1)
        contest_well(app_fail(YOKE_EINVAL, "passes=%d: there is one here", state->passes));
    by_hand_open(state, &hand);
    printf("{\"samples\":%" PRId64 ",\"picture\":[%" PRId64 ",%" PRId64 "],\"shadows\":%d,"
           "\"triangles\":%" PRId64 ",\"gpu\":\"%s\",\"arch\":%d,\"blocks\":[",
           state->samples, state->width, state->height, state->setup.shadows,
           state->scene.triangle_count, hand.gpu, hand.arch);
    for (int s = 0; s < BY_HAND_SUMS; s++)
        block[s] = best_block(&hand, (enum by_hand_sums)s);
    printf("],\"block\":%d,\"fused_block\":%d,\"turns\":[", block[BY_HAND_EXACT],
           block[BY_HAND_FUSED]);
    meet_all(&contest, &hand, block);
    printf("],");
    print_rays(path_rays(state));
    printf("}\n");
    by_hand_close(&hand);
    contest_close(&contest);
    return 0;
}
