/* mesh_off.c - OFF: a list of vertices and a list of polygons.
 *
 *     OFF                    also COFF, NOFF, STOFF and others: with colours, normals, texture
 *                            coordinates
 *     VERTICES FACES [EDGES] may follow OFF on its line, with or without a blank between
 *     X Y Z ...              a line for each vertex; only the first three numbers are used
 *     N I ... I ...          a line for each face: N indexes from 0; the rest is its colour
 */
#include <string.h>

#include "../count.h"
#include "../text_words.h"
#include "mesh_build.h"

struct off {
    struct text_file from;
    struct mesh_build build;
    int64_t vertex_count, face_count;
};

/* The next line that is not empty. */
static yoke_status next_line(struct off *off, const char *what, const char **out)
{
    do {
        yoke_status status = text_file_line(&off->from, out);
        if (status != YOKE_OK)
            return status;
        if (!*out)
            return text_file_fail(&off->from, YOKE_EINVAL,
                                  "the file ends, but %s belongs here; is it complete?", what);
    } while (text_at_end(out));
    return YOKE_OK;
}

/* Checks the format's name. The letters before OFF say what vertices have besides coordinates.
 * Moves `*at` behind the name. */
static yoke_status take_name(const struct off *off, const char **at)
{
    const char *word = *at, *c = word;
    c += strncmp(c, "ST", 2) == 0 ? 2 : 0;
    c += *c == 'C';
    c += *c == 'N';
    if (strncmp(c, "4OFF", 4) == 0 || strncmp(c, "nOFF", 4) == 0 || strncmp(c, "4nOFF", 5) == 0)
        return text_file_fail(&off->from, YOKE_EINVAL,
                              "vertices of other than three dimensions; save it as OFF");
    if (strncmp(c, "OFF", 3) != 0)
        return text_not_this(&off->from, word, "OFF, with which such a file begins");
    *at = c + 3;
    if (text_take_this(at, "BINARY"))
        return text_file_fail(&off->from, YOKE_EINVAL, "binary OFF is not read; save it as text");
    return YOKE_OK;
}

static yoke_status take_count(const struct off *off, const char **at, const char *what,
                              int64_t *out)
{
    const char *here = *at;
    if (text_take_whole(at, out) && *out >= 0 && *out <= INT32_MAX && text_word_ends(*at))
        return YOKE_OK;
    return text_not_this(&off->from, here, what);
}

static yoke_status read_header(struct off *off)
{
    static const char counts[] = "the numbers of vertices and faces";
    const char *at;
    yoke_status status = next_line(off, "OFF", &at);
    if (status == YOKE_OK)
        status = take_name(off, &at);
    if (status == YOKE_OK && text_at_end(&at))
        status = next_line(off, counts, &at);
    if (status == YOKE_OK)
        status = take_count(off, &at, "a number of vertices up to 2147483647", &off->vertex_count);
    if (status == YOKE_OK)
        status = take_count(off, &at, "a number of faces up to 2147483647", &off->face_count);
    return status;
}

static yoke_status read_vertex(struct off *off)
{
    static const char *const what[3] = { "a number (the vertex's x)", "a number (the vertex's y)",
                                         "a number (the vertex's z)" };
    double xyz[3];
    const char *at;
    yoke_status status = next_line(off, "a vertex", &at);
    for (int k = 0; k < 3 && status == YOKE_OK; k++)
        status = text_number(&off->from, &at, what[k], &xyz[k]);
    return status == YOKE_OK ? mesh_add_vertex(&off->build, &off->from, xyz) : status;
}

static yoke_status read_face(struct off *off)
{
    const char *at;
    int64_t corners = 0, index;
    yoke_status status = next_line(off, "a face", &at);
    if (status == YOKE_OK)
        status = take_count(off, &at, "a face's number of corners", &corners);
    for (int64_t k = 0; k < corners && status == YOKE_OK; k++) {
        const char *here = at;
        if (!text_take_whole(&at, &index) || !text_word_ends(at))
            return text_not_this(&off->from, here, "a corner's index");
        if (index < 0 || index >= off->vertex_count)
            return text_file_fail(&off->from, YOKE_EINVAL,
                                  "a corner is vertex %s; the file's %lld are counted from 0",
                                  text_whole_at(here).text, (long long)off->vertex_count);
        status = mesh_add_corner(&off->build, &off->from, (int32_t)index);
    }
    mesh_end_face(&off->build);
    return status;
}

static yoke_status read_lists(struct off *off)
{
    const char *line;
    yoke_status status = YOKE_OK;
    for (int64_t k = 0; k < off->vertex_count && status == YOKE_OK; k++)
        status = read_vertex(off);
    for (int64_t k = 0; k < off->face_count && status == YOKE_OK; k++)
        status = read_face(off);
    while (status == YOKE_OK) {
        status = text_file_line(&off->from, &line);
        if (status != YOKE_OK || !line)
            break;
        if (!text_at_end(&line))
            status = text_file_fail(&off->from, YOKE_EINVAL,
                                    "the file goes on behind the %s and %s that its beginning "
                                    "announces; correct that",
                                    count_words(off->vertex_count, "vertices").text,
                                    count_words(off->face_count, "faces").text);
    }
    return status;
}

yoke_status mesh_read_off(FILE *file, const char *path, struct mesh *out)
{
    struct off off = { .vertex_count = 0 };
    yoke_status status = text_file_open(file, path, &off.from);
    if (status != YOKE_OK)
        return status;
    status = mesh_build_open(&off.build);
    if (status == YOKE_OK)
        status = read_header(&off);
    if (status == YOKE_OK)
        status = read_lists(&off);
    if (status == YOKE_OK)
        status = mesh_build_finish(&off.build, path, out);
    mesh_build_close(&off.build);
    text_file_close(&off.from);
    return status;
}
