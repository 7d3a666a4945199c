/* path_output.c - writes the picture's files and figures. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../count.h"
#include "../output.h"
#include "../picture.h"
#include "path_pixel.h"
#include "path_state.h"

struct path_rays path_rays(const struct path_state *s)
{
    struct path_rays rays = { .primary = s->width * s->height * s->samples };
    int64_t segments = 0;
    for (int64_t i = 0; i < s->setup.count; i++) {
        segments += s->pixels[i].segments;
        rays.shadow += s->pixels[i].shadows;
    }
    rays.secondary = segments - rays.primary;
    return rays;
}

/* --- files --- */

/* Returns the place of index i in a picture stored by rows; -1 if it is outside. */
static int64_t place_of(const struct path_state *s, int64_t i)
{
    const spot_t place = path_pixel(s->setup, (int32_t)i);
    return place.x < s->width && place.y < s->height ? place.y * s->width + place.x : -1;
}

/* Converts for screens: sRGB's curve (IEC 61966-2-1). Light above 1 becomes white. */
static uint8_t shade(double light)
{
    const double x = fmin(fmax(light, 0), 1); /* NaN becomes 0 */
    const double y = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
    return (uint8_t)lround(255 * y);
}

static yoke_status path_name(const struct path_state *s, const char *ending, char path[4096])
{
    if (snprintf(path, 4096, "%s%s", s->output, ending) >= 4096)
        return app_mistake("--output %.60s... is too long", s->output);
    return YOKE_OK;
}

/* Shows which device computed a pixel: half of its color is the device's. */
static void tint(uint8_t *rgb, int owner)
{
    static const uint8_t colors[8][3] = { { 255, 140, 0 }, { 0, 120, 255 },  { 0, 200, 80 },
                                          { 230, 0, 120 }, { 120, 60, 255 }, { 0, 200, 200 },
                                          { 200, 200, 0 }, { 150, 90, 40 } };
    for (int c = 0; c < 3; c++)
        rgb[c] = (uint8_t)((rgb[c] + colors[owner % 8][c]) / 2);
}

/* Sums of all samples: three floats per pixel, row by row; free(). */
static yoke_status sums_by_rows(const struct path_state *s, float **out)
{
    float *rgb;
    yoke_status status =
        app_alloc("the picture", s->width * s->height, 3 * sizeof *rgb, (void **)&rgb);
    if (status != YOKE_OK)
        return status;
    for (int64_t i = 0; i < s->setup.count; i++) {
        const int64_t at = place_of(s, i);
        if (at < 0)
            continue;
        rgb[3 * at] = s->pixels[i].red;
        rgb[3 * at + 1] = s->pixels[i].green;
        rgb[3 * at + 2] = s->pixels[i].blue;
    }
    *out = rgb;
    return YOKE_OK;
}

static yoke_status write_picture(const struct path_state *s, const char *ending, int64_t samples,
                                 const uint8_t *owners)
{
    const double per = 1 / (double)samples;
    char path[4096];
    float *sums;
    uint8_t *rgb;
    yoke_status status = path_name(s, ending, path);
    if (status == YOKE_OK)
        status = sums_by_rows(s, &sums);
    if (status != YOKE_OK)
        return status;
    rgb = (uint8_t *)sums; /* shades overwrite sums that were read */
    for (int64_t k = 0; k < 3 * s->width * s->height; k++)
        rgb[k] = shade(per * sums[k]);
    for (int64_t i = 0; owners && i < s->setup.count; i++)
        if (place_of(s, i) >= 0)
            tint(rgb + 3 * place_of(s, i), owners[i]);
    status = picture_write(path, &(struct picture){ s->width, s->height, 3, rgb });
    free(sums);
    return status;
}

yoke_status path_write_png(const struct path_state *s, int64_t samples)
{
    return write_picture(s, ".png", samples, NULL);
}

/* Writes floats unchanged: little endian (-1 in the header), the bottom row first. */
static yoke_status write_pfm(const struct output *output, FILE *file)
{
    const float *rgb = ((const void *const *)output->content)[0];
    const struct path_state *s = ((const void *const *)output->content)[1];
    fprintf(file, "PF\n%" PRId64 " %" PRId64 "\n-1.0\n", s->width, s->height);
    for (int64_t y = s->height - 1; y >= 0; y--)
        fwrite(rgb + 3 * y * s->width, 3 * sizeof *rgb, (size_t)s->width, file);
    return YOKE_OK;
}

static yoke_status write_floats(const struct path_state *s)
{
    const float per = 1.0f / (float)s->samples;
    char path[4096];
    float *rgb;
    yoke_status status = path_name(s, ".pfm", path);
    if (status == YOKE_OK)
        status = sums_by_rows(s, &rgb);
    if (status != YOKE_OK)
        return status;
    for (int64_t k = 0; k < 3 * s->width * s->height; k++)
        rgb[k] *= per;
    const void *content[] = { rgb, s };
    status = output_write(&(struct output){ "the picture", path, write_pfm, content });
    free(rgb);
    return status;
}

static yoke_status write_files(const struct path_state *s, FILE *out)
{
    yoke_status status = path_write_png(s, s->samples);
    if (status == YOKE_OK)
        status = write_floats(s);
    if (status == YOKE_OK)
        status = write_picture(s, "-who.png", s->samples, s->owners);
    if (status == YOKE_OK)
        fprintf(out, "wrote %s.png, %s.pfm and, tinted by device, %s-who.png\n", s->output,
                s->output, s->output);
    return status;
}

/* --- figures --- */

static double brightness(const struct path_state *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->setup.count; i++)
        sum += (double)s->pixels[i].red + s->pixels[i].green + s->pixels[i].blue;
    return sum / (3.0 * (double)(s->width * s->height * s->samples));
}

static void summarize(const struct path_state *s, FILE *out)
{
    const struct path_rays rays = path_rays(s);
    const double light = brightness(s);
    fprintf(out,
            "%" PRId64 "x%" PRId64 " pixels of %s: %.4g million primary rays, "
            "%.4g million secondary, %.4g million shadow; mean radiance %.6g\n",
            s->width, s->height, count_words(s->scene.triangle_count, "triangles").text,
            1e-6 * (double)rays.primary, 1e-6 * (double)rays.secondary, 1e-6 * (double)rays.shadow,
            light);
    if (s->scene.flat_faces)
        fprintf(out, "%s without area %s left out\n",
                count_words(s->scene.flat_faces, "faces").text,
                s->scene.flat_faces == 1 ? "was" : "were");
    if (light == 0)
        fprintf(out, "the picture is black: is the eye inside a wall? --eye X,Y,Z and --look X,Y,Z "
                     "place it; --sky L gives light\n");
}

yoke_status path_report(void *state, FILE *out)
{
    const struct path_state *s = state;
    yoke_status released, status = yoke_array_acquire(s->pixel_array, YOKE_READ);
    if (status != YOKE_OK)
        return status;
    summarize(s, out);
    if (s->output)
        status = write_files(s, out);
    released = yoke_array_release(s->pixel_array);
    return status != YOKE_OK ? status : released;
}
