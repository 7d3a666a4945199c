/* lanes.c - calculates how busy the lanes of a GPU's groups are in the plain kernel: with one pixel
 * per lane, or if a group's lanes took samples of its pixels from a pool. Also how much longer a
 * launch lasts because its last groups end at different times. The picture is that of the bunny; a
 * launch has half of it.
 *
 *     yoke-bench-path-lanes [SAMPLES [TILES]]
 *
 * A core counts the rays of each sample, for TILES tiles of 64 pixels spread over the picture;
 * these stand for all tiles. Assumptions: all rays take the same time, and a slot for a group has
 * the same speed whether other slots are used or not.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../program.h"
#include "driver.h"
#include "path/path_state.h"

extern const struct app app_path;

/* An H200 has 132 multiprocessors. Each has room for ten groups of 64 lanes at 96 registers. */
enum { LANES = PATH_GROUP, SLOTS = 1320, LAUNCH_TILES = 32768, SAMPLES_MOST = 4096 };

struct study {
    struct path_state *path;
    int64_t tiles;
    int samples;    /* samples that were counted */
    uint16_t *rays; /* per sample, pixel and tile */
};

static void count_tile(const struct study *study, int64_t tile)
{
    struct path_state *s = study->path;
    const int64_t first = s->setup.count / PATH_TILE * tile / study->tiles * PATH_TILE;
    const yoke_chunk chunk = { .first = first, .last = first + PATH_TILE, .extent = { 1, 1 } };
    path_setup_t setup = s->setup;
    void *const args[] = {
        &setup,          s->scene.bvh.nodes, s->scene.triangles, s->scene.materials,
        s->scene.lights, s->pixels
    };
    for (int k = 0; k < study->samples; k++) {
        setup.first = k;
        setup.last = k + 1;
        s->kernel.cpu.variant[0](args, &chunk);
        for (int l = 0; l < PATH_TILE; l++) {
            const pixel_t *pixel = &s->pixels[first + l];
            study->rays[(tile * PATH_TILE + l) * study->samples + k] =
                (uint16_t)(pixel->segments + pixel->shadows);
        }
    }
}

/* The time of a group's lanes: the sum over the lanes, and the longest. */
struct span {
    double work, time;
};

/* The time of a group with pixels from `first` on; beyond the last pixel it begins again at 0. With
 * a pool, the next sample goes to the lane that is free first. */
static struct span group(const struct study *study, int64_t first, int pixels, int samples)
{
    double lanes[LANES] = { 0 };
    struct span span = { 0, 0 };
    const int count = pixels ? pixels : LANES;
    for (int n = 0; n < count * samples; n++) {
        const int64_t pixel = (first + n % count) % (study->tiles * PATH_TILE);
        const double rays = study->rays[pixel * study->samples + n / count];
        int lane = n % LANES;
        for (int l = 0; pixels && l < LANES; l++)
            lane = lanes[l] < lanes[lane] ? l : lane;
        lanes[lane] += rays;
        span.work += rays;
    }
    for (int l = 0; l < LANES; l++)
        span.time = lanes[l] > span.time ? lanes[l] : span.time;
    return span;
}

/* The slot that is free first, at the top of the heap, works for `time` more. */
static void take_slot(double *slots, double time)
{
    const double end = slots[0] + time;
    int at = 0, below;
    for (; (below = 2 * at + 1) < SLOTS; at = below) {
        below += below + 1 < SLOTS && slots[below + 1] < slots[below];
        if (slots[below] >= end)
            break;
        slots[at] = slots[below];
    }
    slots[at] = end;
}

/* pixels 0: one pixel per lane. */
static void print_row(const struct study *study, int samples, int pixels)
{
    const int count = pixels ? pixels : LANES;
    const int64_t groups = study->tiles * PATH_TILE / count;
    const int64_t launched = (int64_t)LAUNCH_TILES * PATH_TILE / count;
    struct span all = { 0, 0 }, *spans = malloc((size_t)groups * sizeof *spans);
    double slots[SLOTS] = { 0 }, end = 0, sum = 0;
    must(spans ? YOKE_OK : YOKE_ENOMEM, "memory for groups");
    for (int64_t g = 0; g < groups; g++) {
        spans[g] = group(study, g * count, pixels, samples);
        all.work += spans[g].work;
        all.time += spans[g].time;
    }
    for (int64_t g = 0; g < launched; g++) {
        const double time = spans[g * groups / launched].time;
        take_slot(slots, time);
        sum += time;
    }
    for (int k = 0; k < SLOTS; k++)
        end = slots[k] > end ? slots[k] : end;
    printf("| %d | %s %d | %.3f | %.2f %% | %.3f |\n", samples, pixels ? "pool of" : "own,", count,
           all.work / (all.time * LANES), 100 * (end * SLOTS / sum - 1),
           all.work / (all.time * LANES) * sum / (end * SLOTS));
    free(spans);
}

static void open_path(struct study *study)
{
    struct app_spec spec = { .size = { study->samples }, .seed = 1, .kernel = APP_KERNEL_PLAIN };
    void *state;
    for (int k = 0; app_path.options[k].name; k++)
        spec.values[k] = app_path.options[k].initial;
    must(app_path.open(&spec, &state), "the scene");
    study->path = state;
}

static void print_halves(const struct study *study)
{
    const int64_t all = study->tiles * PATH_TILE * study->samples;
    double upper = 0, sum = 0;
    for (int64_t k = 0; k < all; k++) {
        upper += k < all / 2 ? study->rays[k] : 0;
        sum += study->rays[k];
    }
    printf("%.2f rays a sample; %.1f %% of them in the picture's upper half\n\n", sum / (double)all,
           100 * upper / sum);
}

int main(int argc, char **argv)
{
    static const int samples[] = { 1, 4, 16, 64, 256, 512 }, pools[] = { 0, 16, 64, 256 };
    int64_t most = 512, tiles = 512;
    struct study study;
    if (argc > 3 || (argc > 1 && (read_size(argv[1], 1, &most) != 1 || most > SAMPLES_MOST)) ||
        (argc > 2 && (read_size(argv[2], 4, &tiles) != 1 || tiles > LAUNCH_TILES / 2))) {
        fprintf(stderr, "usage: %s [SAMPLES [TILES]]\n", argv[0]);
        return 2;
    }
    study = (struct study){ .tiles = tiles, .samples = (int)most };
    study.rays = malloc((size_t)(tiles * PATH_TILE * most) * sizeof *study.rays);
    must(study.rays ? YOKE_OK : YOKE_ENOMEM, "memory for rays");
    open_path(&study);
    for (int64_t tile = 0; tile < tiles; tile++)
        count_tile(&study, tile);
    print_halves(&study);
    printf("| samples | pixels of a group | lanes busy | launch longer by | both |\n"
           "| --- | --- | --- | --- | --- |\n");
    for (size_t k = 0; k < sizeof samples / sizeof *samples && samples[k] <= most; k++)
        for (size_t p = 0; p < sizeof pools / sizeof *pools; p++)
            if (pools[p] == 0 || pools[p] * samples[k] >= LANES)
                print_row(&study, samples[k], pools[p]);
    app_path.close(study.path);
    free(study.rays);
    return 0;
}
