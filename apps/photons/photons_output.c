/* photons_output.c - writes the results: a summary; with --output a text file like MCML's .mco, and
 * pictures.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../output.h"
#include "../picture.h"
#include "photons_grids.h"

enum { VALUES_A_LINE = 5, DECADES = 5 };

/* --- the text file --- */

static void write_input(const struct photons_state *s, FILE *file)
{
    const struct mci_run *input = &s->input;
    fprintf(file, "InParm \t\t\t# Input parameters. cm is used.\n");
    fprintf(file, "%s \tA\t\t# output file name, ASCII.\n", input->output);
    fprintf(file, "%" PRId64 " \t\t\t# No. of photons\n", s->packets);
    fprintf(file, "%G\t%G\t\t# dz, dr [cm]\n", input->dz, input->dr);
    fprintf(file, "%d\t%d\t%d\t# No. of dz, dr, da.\n\n", input->nz, input->nr, input->na);
    fprintf(file, "%d\t\t\t\t\t# Number of layers\n", input->layer_count);
    fprintf(file, "#n\tmua\tmus\tg\td\t# One line for each layer\n");
    fprintf(file, "%G\t\t\t\t\t# n for medium above\n", input->n_above);
    for (int k = 0; k < input->layer_count; k++) {
        const struct mci_layer *layer = &input->layers[k];
        const struct mci_optics *a = &layer->light, *b = &layer->fluorescence;
        fprintf(file, "%G\t%G\t%G\t%G\t%G", a->n, a->mua, a->mus, a->g, layer->depth);
        if (layer->yield > 0)
            fprintf(file, "\tyield %G\t%G\t%G\t%G\t%G", layer->yield, b->n, b->mua, b->mus, b->g);
        fprintf(file, "\t# layer %d\n", k + 1);
    }
    fprintf(file, "%G\t\t\t\t\t# n for medium below\n\n", input->n_below);
}

static void write_sums(const struct photons_state *s, int wavelength, FILE *file)
{
    const struct photons_sums sums = photons_sums(s, wavelength);
    const char *name = wavelength ? "F" : "";
    fprintf(file, "%sRAT #Reflectance, absorption, transmission. \n", name);
    if (wavelength)
        fprintf(file, "%-14.6G \t#Fluorescence sent out [-]\n", photons_share(s, sums.begun));
    else
        fprintf(file, "%-14.6G \t#Specular reflectance [-]\n", s->specular);
    fprintf(file, "%-14.6G \t#Diffuse reflectance [-]\n", photons_share(s, sums.up));
    fprintf(file, "%-14.6G \t#Absorbed fraction [-]\n", photons_share(s, sums.absorbed));
    fprintf(file, "%-14.6G \t#Transmittance [-]\n\n", photons_share(s, sums.down));
    fprintf(file, "%sA_l #Absorption as a function of layer. [-]\n", name);
    for (int k = 0; k < s->input.layer_count; k++)
        fprintf(file, "%12.4G\n", photons_share(s, photons_absorbed(s, wavelength, k)));
    fputc('\n', file);
}

/* One number per line, as in MCML's files. */
static void write_rows(const struct grid_of *of, const char *title, FILE *file)
{
    fprintf(file, "%s%s\n", of->wavelength ? "F" : "", title);
    for (int32_t i = 0; i < grid_rows(of); i++)
        fprintf(file, "%12.4E\n", grid_row(of, i));
    fputc('\n', file);
}

static void write_columns(const struct grid_of *of, const char *title, FILE *file)
{
    fprintf(file, "%s%s\n", of->wavelength ? "F" : "", title);
    for (int32_t j = 0; j < grid_columns(of); j++)
        fprintf(file, "%12.4E\n", grid_column(of, j));
    fputc('\n', file);
}

/* MCML's order: in A[r][z] and Rd[r][angle], the last index varies fastest. */
static void write_cells(const struct grid_of *of, const char *title, FILE *file)
{
    const int inside = of->grid == GRID_ABSORPTION || of->grid == GRID_FLUENCE;
    const int32_t outer = inside ? grid_columns(of) : grid_rows(of);
    const int32_t inner = inside ? grid_rows(of) : grid_columns(of);
    int64_t written = 0;
    fprintf(file, "%s%s\n", of->wavelength ? "F" : "", title);
    for (int32_t a = 0; a < outer; a++)
        for (int32_t b = 0; b < inner; b++)
            fprintf(file, "%12.4E%c", inside ? grid_cell(of, b, a) : grid_cell(of, a, b),
                    ++written % VALUES_A_LINE ? ' ' : '\n');
    fputs(written % VALUES_A_LINE ? "\n\n" : "\n", file);
}

static void write_wavelength(const struct photons_state *s, int wavelength, FILE *file)
{
    const struct grid_of absorption = { s, wavelength, GRID_ABSORPTION };
    const struct grid_of fluence = { s, wavelength, GRID_FLUENCE };
    const struct grid_of up = { s, wavelength, GRID_UP }, down = { s, wavelength, GRID_DOWN };
    write_sums(s, wavelength, file);
    write_rows(&absorption, "A_z #A[0], [1],..A[nz-1]. [1/cm]", file);
    write_rows(&up, "Rd_r #Rd[0], [1],..Rd[nr-1]. [1/cm2]", file);
    write_columns(&up, "Rd_a #Rd[0], [1],..Rd[na-1]. [sr-1]", file);
    write_rows(&down, "Tt_r #Tt[0], [1],..Tt[nr-1]. [1/cm2]", file);
    write_columns(&down, "Tt_a #Tt[0], [1],..Tt[na-1]. [sr-1]", file);
    write_cells(&absorption, "A_rz # A[r][z]. [1/cm3]", file);
    write_cells(&up, "Rd_ra # Rd[r][angle]. [1/(cm2sr)]", file);
    write_cells(&down, "Tt_ra # Tt[r][angle]. [1/(cm2sr)]", file);
    write_rows(&fluence, "Phi_z # fluence: A_z / mua of the layer there. [-]", file);
    write_cells(&fluence, "Phi_rz # Phi[r][z]. [1/cm2]", file);
}

static yoke_status write_text(const struct output *output, FILE *file)
{
    const struct photons_state *s = output->content;
    fprintf(file, "A1 \t# Version number of the file format.\n\n");
    fprintf(file,
            "####\n# Data categories include: InParm, RAT, A_l, A_z, Rd_r, Rd_a, Tt_r, Tt_a,\n"
            "# A_rz, Rd_ra, Tt_ra as MCML has them; Phi_z, Phi_rz; and all of them of\n"
            "# fluorescence with an F before the name, where there is any.\n####\n\n");
    write_input(s, file);
    for (int w = 0; w < s->wavelengths; w++)
        write_wavelength(s, w, file);
    return YOKE_OK;
}

/* --- pictures: a section through the axis, depth downwards, five decades from black to white
 * --- */

static void paint(const struct grid_of *of, uint8_t *pixels)
{
    const int32_t rows = grid_rows(of), rings = grid_columns(of);
    double most = 0;
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < rings; j++)
            most = fmax(most, grid_cell(of, i, j));
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < rings; j++) {
            const double value = grid_cell(of, i, j);
            const double bright = value > 0 ? 1 + log10(value / most) / DECADES : 0;
            const uint8_t gray = (uint8_t)lround(255 * fmax(bright, 0));
            uint8_t *row = pixels + (int64_t)i * 2 * rings;
            row[rings + j] = row[rings - 1 - j] = gray;
        }
}

static yoke_status write_picture(const struct grid_of *of, const char *name)
{
    const int32_t rows = grid_rows(of), columns = 2 * grid_columns(of);
    char path[4096];
    void *pixels = NULL;
    yoke_status status;
    if (snprintf(path, sizeof path, "%s-%s.png", of->state->output, name) >= (int)sizeof path)
        return app_mistake("--output %.60s... is too long", of->state->output);
    status = app_alloc("a picture of photons", (int64_t)rows * columns, 1, &pixels);
    if (status != YOKE_OK)
        return status;
    paint(of, pixels);
    status = picture_write(path, &(struct picture){ columns, rows, 1, pixels });
    free(pixels);
    return status;
}

static yoke_status write_files(const struct photons_state *s, FILE *out)
{
    const struct grid_of grids[] = { { s, 0, GRID_ABSORPTION },
                                     { s, 0, GRID_FLUENCE },
                                     { s, 1, GRID_FLUENCE } };
    static const char *const names[] = { "absorption", "fluence", "fluorescence" };
    const int pictures = s->wavelengths == 2 ? 3 : 2;
    char path[4096];
    yoke_status status;
    if (snprintf(path, sizeof path, "%s.mco", s->output) >= (int)sizeof path)
        return app_mistake("--output %.60s... is too long", s->output);
    status = output_write(&(struct output){ "the results", path, write_text, s });
    for (int k = 0; k < pictures && status == YOKE_OK; k++)
        status = write_picture(&grids[k], names[k]);
    if (status == YOKE_OK)
        fprintf(out, "wrote %s and pictures %s-%s\n", path, s->output,
                pictures == 3 ? "absorption, -fluence and -fluorescence.png"
                              : "absorption and -fluence.png");
    return status;
}

/* --- the summary --- */

/* A share with its error bar of one standard error: two of three runs lie within it. */
struct bar {
    char text[48];
};

static struct bar bar(const struct photons_state *s, int64_t units)
{
    const double share = photons_share(s, units);
    struct bar bar;
    snprintf(bar.text, sizeof bar.text, "%.6f +- %.6f", share, photons_error(s, share));
    return bar;
}

static void summarize(const struct photons_state *s, FILE *out)
{
    const struct photons_sums light = photons_sums(s, 0), more = photons_sums(s, 1);
    const double diffuse = photons_share(s, light.up);
    fprintf(out,
            "reflectance %.6f (specular %.6f, diffuse %s), transmittance %s (unscattered %s)\n",
            s->specular + diffuse, s->specular, bar(s, light.up).text, bar(s, light.down).text,
            bar(s, light.straight_down).text);
    fprintf(out, "absorbed %s; errors are standard errors at most\n", bar(s, light.absorbed).text);
    if (s->wavelengths == 2)
        fprintf(out, "fluorescence %s: %s upwards, %s downwards, %s absorbed\n",
                bar(s, more.begun).text, bar(s, more.up).text, bar(s, more.down).text,
                bar(s, more.absorbed).text);
    if (light.cut || more.cut)
        fprintf(out,
                "%.3g of the light and %.3g of fluorescence was still on its way after "
                "%" PRIu32 " events\n",
                photons_share(s, light.cut), photons_share(s, more.cut), s->setup.events);
}

yoke_status photons_report(void *state, FILE *out)
{
    const struct photons_state *s = state;
    yoke_status released, status = yoke_array_acquire(s->tally_array, YOKE_READ);
    if (status != YOKE_OK)
        return status;
    summarize(s, out);
    if (s->output)
        status = write_files(s, out);
    released = yoke_array_release(s->tally_array);
    return status != YOKE_OK ? status : released;
}
