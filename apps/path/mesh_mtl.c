/* mesh_mtl.c - Wavefront MTL: what a surface does with light, as far as this path tracer models it.
 *
 *     newmtl NAME            begins a material; an existing name is defined anew
 *     Kd R [G B]             scattered evenly; 0 to 1. One number stands for all three
 *     Ks R [G B]             fraction of light that a mirror reflects; 0 to 1
 *     Tf R [G B]             fraction of light that glass lets through; 0 to 1
 *     Ke R [G B]             emitted light; 0 and more
 *     Ni N                   refractive index of glass
 *     illum K                3, 5: mirror; 4, 6, 7, 9: glass; 0, 1, 2, 8, 10: diffuse
 *
 * Ka may count as emitted light (mesh.h). d, Tr and textures (map_...) lead to a note. Unknown
 * statements are skipped with a note, because many programs add statements of their own.
 */
#include <string.h>

#include "../text_words.h"
#include "mesh_build.h"

enum { HAS_SPECULAR = 1, HAS_EMISSION = 2, HAS_ALPHA = 4, HAS_FILTER = 8 };

/* A material while it is read. Some of its values are known only at its end. */
struct mtl {
    struct text_file from;
    struct mesh_build *build;
    struct mesh_material current; /* name "": no newmtl was read yet */
    float ambient[3], filter[3];  /* Ka, Tf */
    unsigned has;                 /* HAS_ bits of the current material */
};

/* The range of a number. */
struct bounds {
    const char *word; /* of the statement */
    double least, most;
};

static yoke_status read_bounded(const struct mtl *mtl, const char **at, const struct bounds *bounds,
                                double *out)
{
    const char *here = *at;
    char what[80];
    if (text_take_number(at, out) && *out >= bounds->least && *out <= bounds->most)
        return YOKE_OK;
    snprintf(what, sizeof what, "a number from %g to %g (%s)", bounds->least, bounds->most,
             bounds->word);
    return text_not_this(&mtl->from, here, what);
}

/* One number for all three colors, or three numbers. */
static yoke_status read_color(const struct mtl *mtl, const char *at, const struct bounds *bounds,
                              float out[3])
{
    double value;
    yoke_status status = read_bounded(mtl, &at, bounds, &value);
    const int is_one = text_at_end(&at);
    for (int k = 0; k < 3 && status == YOKE_OK; k++) {
        out[k] = (float)value;
        if (k < 2 && !is_one)
            status = read_bounded(mtl, &at, bounds, &value);
    }
    return status;
}

/* --- a material's beginning and end --- */

/* Decides what depends on the whole material, and stores it. */
static yoke_status end_material(struct mtl *mtl)
{
    struct mesh_material *current = &mtl->current, *entry;
    static const float white[3] = { 1, 1, 1 };
    const float *ambient = mtl->ambient;
    yoke_status status;
    if (!*current->name)
        return YOKE_OK;
    if (current->surface == MESH_GLASS)
        memcpy(current->specular, mtl->has & HAS_FILTER ? mtl->filter : white, sizeof white);
    else if (current->surface == MESH_MIRROR && !(mtl->has & HAS_SPECULAR))
        memcpy(current->specular, white, sizeof white);
    if (!(mtl->has & HAS_EMISSION) && (ambient[0] > 1 || ambient[1] > 1 || ambient[2] > 1)) {
        memcpy(current->emission, ambient, sizeof current->emission);
        mtl->build->mesh.notes |= MESH_NOTE_AMBIENT;
    }
    if (current->surface != MESH_GLASS && (mtl->has & HAS_ALPHA))
        mtl->build->mesh.notes |= MESH_NOTE_ALPHA;
    status = mesh_name_material(mtl->build, &mtl->from, current->name, &entry);
    if (status == YOKE_OK)
        *entry = *current;
    return status;
}

static yoke_status begin_material(struct mtl *mtl, const char *at)
{
    yoke_status status = end_material(mtl);
    if (status != YOKE_OK)
        return status;
    mtl->current = (struct mesh_material){ .diffuse = { 0.8F, 0.8F, 0.8F }, .index = 1.5F };
    memset(mtl->ambient, 0, sizeof mtl->ambient);
    mtl->has = 0;
    status = text_take_name(&mtl->from, at, mtl->current.name);
    if (status == YOKE_OK && !*mtl->current.name)
        return text_not_this(&mtl->from, "", "the material's name");
    return status;
}

/* --- its statements --- */

static yoke_status read_diffuse(struct mtl *mtl, const char *at)
{
    return read_color(mtl, at, &(struct bounds){ "Kd", 0, 1 }, mtl->current.diffuse);
}

static yoke_status read_specular(struct mtl *mtl, const char *at)
{
    mtl->has |= HAS_SPECULAR;
    return read_color(mtl, at, &(struct bounds){ "Ks", 0, 1 }, mtl->current.specular);
}

static yoke_status read_emission(struct mtl *mtl, const char *at)
{
    mtl->has |= HAS_EMISSION;
    return read_color(mtl, at, &(struct bounds){ "Ke", 0, MESH_EMISSION_MOST },
                      mtl->current.emission);
}

static yoke_status read_ambient(struct mtl *mtl, const char *at)
{
    return read_color(mtl, at, &(struct bounds){ "Ka", 0, MESH_EMISSION_MOST }, mtl->ambient);
}

static yoke_status read_filter(struct mtl *mtl, const char *at)
{
    mtl->has |= HAS_FILTER;
    return read_color(mtl, at, &(struct bounds){ "Tf", 0, 1 }, mtl->filter);
}

static yoke_status read_index(struct mtl *mtl, const char *at)
{
    double value = 0;
    yoke_status status =
        read_bounded(mtl, &at, &(struct bounds){ "Ni", MESH_INDEX_LEAST, MESH_INDEX_MOST }, &value);
    mtl->current.index = (float)value;
    return status;
}

static yoke_status read_illumination(struct mtl *mtl, const char *at)
{
    static const enum mesh_surface surfaces[] = {
        [3] = MESH_MIRROR, [4] = MESH_GLASS, [5] = MESH_MIRROR,  [6] = MESH_GLASS,
        [7] = MESH_GLASS,  [9] = MESH_GLASS, [10] = MESH_DIFFUSE
    };
    const char *here = at;
    int64_t model;
    if (!text_take_whole(&at, &model) || !text_at_end(&at) || model < 0 || model > 10)
        return text_not_this(&mtl->from, here, "a model of light from 0 to 10 (illum)");
    mtl->current.surface = surfaces[model];
    return YOKE_OK;
}

/* `clear`: the value of an opaque surface. Any other value leads to a note. */
static yoke_status read_alpha(struct mtl *mtl, const char *at, const struct bounds *bounds,
                              double clear)
{
    double value = clear;
    text_take_this(&at, "-halo");
    yoke_status status = read_bounded(mtl, &at, bounds, &value);
    if (value != clear)
        mtl->has |= HAS_ALPHA;
    return status;
}

static yoke_status read_opacity(struct mtl *mtl, const char *at)
{
    return read_alpha(mtl, at, &(struct bounds){ "d", 0, 1 }, 1);
}

static yoke_status read_transparency(struct mtl *mtl, const char *at)
{
    return read_alpha(mtl, at, &(struct bounds){ "Tr", 0, 1 }, 0);
}

static yoke_status skip(struct mtl *mtl, const char *at)
{
    (void)mtl;
    (void)at;
    return YOKE_OK;
}

static yoke_status skip_texture(struct mtl *mtl, const char *at)
{
    (void)at;
    mtl->build->mesh.notes |= MESH_NOTE_TEXTURES;
    return YOKE_OK;
}

static const struct {
    const char *word;
    yoke_status (*read)(struct mtl *, const char *);
} statements[] = {
    { "newmtl", begin_material },
    { "Kd", read_diffuse },
    { "Ks", read_specular },
    { "Ke", read_emission },
    { "Ka", read_ambient },
    { "Tf", read_filter },
    { "Ni", read_index },
    { "illum", read_illumination },
    { "d", read_opacity },
    { "Tr", read_transparency },
    { "Ns", skip },
    { "sharpness", skip },
    { "bump", skip_texture },
    { "disp", skip_texture },
    { "decal", skip_texture },
    { "refl", skip_texture },
    { "norm", skip_texture },
};

static yoke_status read_statement(struct mtl *mtl, const char *at)
{
    const char *word;
    const size_t length = text_take_word(&at, &word);
    if (length == 0)
        return YOKE_OK;
    if (!*mtl->current.name && !(length == 6 && memcmp(word, "newmtl", 6) == 0))
        return text_not_this(&mtl->from, word, "newmtl, with which a material file begins");
    for (size_t k = 0; k < sizeof statements / sizeof *statements; k++)
        if (strlen(statements[k].word) == length && memcmp(word, statements[k].word, length) == 0)
            return statements[k].read(mtl, at);
    if (strncmp(word, "map_", 4) == 0)
        return skip_texture(mtl, at);
    mtl->build->mesh.notes |= MESH_NOTE_STATEMENTS;
    return YOKE_OK;
}

yoke_status mesh_read_mtl(FILE *file, const char *path, struct mesh_build *build)
{
    struct mtl mtl = { .build = build };
    const char *line = "";
    yoke_status status = text_file_open(file, path, &mtl.from);
    if (status != YOKE_OK)
        return status;
    mtl.from.reading = TEXT_JOINED_LINES;
    while (status == YOKE_OK && line) {
        status = text_file_line(&mtl.from, &line);
        if (status == YOKE_OK && line)
            status = read_statement(&mtl, line);
    }
    if (status == YOKE_OK)
        status = end_material(&mtl);
    text_file_close(&mtl.from);
    return status;
}
