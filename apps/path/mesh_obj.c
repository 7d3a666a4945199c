/* mesh_obj.c - Wavefront OBJ: vertices, polygons and their materials.
 *
 *     mtllib NAME            a material file beside this one; its materials are known from here on
 *     usemtl NAME            the material of the faces from here on
 *     v X Y Z ...            a vertex
 *     f V V V ...            a polygon; each V is v, v/vt, v//vn or v/vt/vn. Only v is used. It
 *                            counts the vertices so far: from 1, or backwards from -1
 *
 * A line that ends with a backslash goes on in the next. A statement that does not change a picture
 * is skipped. A statement that OBJ does not have is an error: this is how files of other formats
 * are detected.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../app.h"
#include "../text_words.h"
#include "mesh_build.h"

enum { LIBRARIES_MOST = 1000 };

struct obj {
    struct text_file from;
    struct mesh_build build;
    char *library; /* path of the material file that was read last */
    int library_count;
};

/* --- geometry --- */

static yoke_status read_vertex(struct obj *obj, const char *at)
{
    static const char *const what[3] = { "a number (the vertex's x)", "a number (the vertex's y)",
                                         "a number (the vertex's z)" };
    double xyz[3];
    for (int k = 0; k < 3; k++) {
        yoke_status status = text_number(&obj->from, &at, what[k], &xyz[k]);
        if (status != YOKE_OK)
            return status;
    }
    return mesh_add_vertex(&obj->build, &obj->from, xyz);
}

/* Skips the indexes of a texture coordinate and of a normal. Returns 0 if the text is not such
 * indexes. */
static int skip_more(const char **at)
{
    int64_t skipped;
    for (int k = 0; k < 2 && **at == '/'; k++) {
        ++*at;
        if (**at && **at != '/' && !text_is_blank(**at) && !text_take_whole(at, &skipped))
            return 0;
    }
    return text_word_ends(*at);
}

static yoke_status wrong_index(const struct obj *obj, const char *corner, int64_t index)
{
    const int64_t count = obj->build.mesh.vertex_count;
    if (index == 0)
        return text_file_fail(&obj->from, YOKE_EINVAL,
                              "a corner is vertex 0; vertices are counted from 1, or from -1 "
                              "backwards");
    return text_file_fail(&obj->from, YOKE_EINVAL,
                          "a corner is vertex %s, and %lld are defined above this line",
                          text_whole_at(corner).text, (long long)count);
}

static yoke_status read_face(struct obj *obj, const char *at)
{
    static const char what[] = "a corner: v, v/vt, v//vn or v/vt/vn";
    yoke_status status = YOKE_OK;
    if (text_at_end(&at))
        return text_not_this(&obj->from, at, what);
    while (status == YOKE_OK && !text_at_end(&at)) {
        const int64_t count = obj->build.mesh.vertex_count;
        const char *corner = at;
        int64_t index;
        if (!text_take_whole(&at, &index) || !skip_more(&at))
            return text_not_this(&obj->from, corner, what);
        if (index == 0 || index > count || index < -count)
            return wrong_index(obj, corner, index);
        index = index > 0 ? index - 1 : count + index;
        status = mesh_add_corner(&obj->build, &obj->from, (int32_t)index);
    }
    mesh_end_face(&obj->build);
    return status;
}

/* --- materials --- */

/* Returns the path of file `name` in the directory of the mesh; free(). */
static char *beside(const char *path, const char *name, size_t length)
{
    const char *slash = *name == '/' ? NULL : strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *both = malloc(folder + length + 1);
    if (!both)
        return NULL;
    memcpy(both, path, folder);
    memcpy(both + folder, name, length);
    both[folder + length] = 0;
    return both;
}

static yoke_status no_memory(size_t length)
{
    return app_fail(YOKE_ENOMEM, "no memory for a file name of %zu bytes", length);
}

/* Merged meshes name the same file many times in a row: it is read once. */
static yoke_status read_library(struct obj *obj, const char *name, size_t length)
{
    char *path = beside(obj->from.path, name, length);
    const char *cause;
    FILE *file;
    yoke_status status;
    if (!path)
        return no_memory(length);
    if (obj->library && strcmp(obj->library, path) == 0) {
        free(path);
        return YOKE_OK;
    }
    free(obj->library);
    obj->library = path;
    if (obj->library_count++ == LIBRARIES_MOST)
        return text_file_fail(&obj->from, YOKE_EINVAL, "more than %d material files; join them",
                              LIBRARIES_MOST);
    file = mesh_open_file(path, &cause);
    if (!file)
        return text_file_fail(&obj->from, YOKE_EIO,
                              "cannot read the material file %s: %s; put it there, or take mtllib "
                              "and usemtl out of the mesh",
                              path, cause);
    status = mesh_read_mtl(file, path, &obj->build);
    fclose(file);
    return status;
}

/* The rest of the line is one name, as most programs write it. If no such file exists, it is
 * several names. */
static yoke_status read_libraries(struct obj *obj, const char *at)
{
    const char *name, *rest = at;
    size_t length = text_take_rest(&rest, &name);
    char *path = beside(obj->from.path, name, length);
    const int is_one = path && (!memchr(name, ' ', length) || access(path, F_OK) == 0);
    yoke_status status = path ? YOKE_OK : no_memory(length);
    free(path);
    if (length == 0)
        return text_not_this(&obj->from, rest, "the name of a material file");
    if (is_one)
        return read_library(obj, name, length);
    while (status == YOKE_OK && (length = text_take_word(&at, &name)) > 0)
        status = read_library(obj, name, length);
    return status;
}

/* Without a name: no material, as before the first usemtl. */
static yoke_status use_material(struct obj *obj, const char *at)
{
    char name[MESH_NAME_MOST];
    yoke_status status = text_take_name(&obj->from, at, name);
    if (status != YOKE_OK)
        return status;
    obj->build.material = *name ? mesh_find_material(&obj->build, name) : 0;
    if (obj->build.material >= 0)
        return YOKE_OK;
    if (!obj->library)
        return text_file_fail(&obj->from, YOKE_EINVAL,
                              "the material '%.80s' is defined nowhere: no mtllib is above this "
                              "line; add one, or take usemtl out",
                              name);
    return text_file_fail(&obj->from, YOKE_EINVAL,
                          "the material '%.80s' is not in %s%s; define it there (newmtl), or take "
                          "usemtl out",
                          name, obj->library,
                          obj->library_count > 1 ? ", nor in the material files before it" : "");
}

/* --- the file --- */

static yoke_status skip(struct obj *obj, const char *at)
{
    (void)obj;
    (void)at;
    return YOKE_OK;
}

static yoke_status skip_curve(struct obj *obj, const char *at)
{
    (void)at;
    obj->build.mesh.notes |= MESH_NOTE_CURVES;
    return YOKE_OK;
}

static const struct {
    const char *word;
    yoke_status (*read)(struct obj *, const char *);
} statements[] = {
    { "v", read_vertex },
    { "f", read_face },
    { "vn", skip },
    { "vt", skip },
    { "usemtl", use_material },
    { "mtllib", read_libraries },
    { "g", skip },
    { "s", skip },
    { "o", skip },
    { "l", skip },
    { "p", skip },
    { "fo", read_face }, /* an old word for f */
    { "vp", skip },
    { "mg", skip },
    { "lod", skip },
    { "usemap", skip },
    { "maplib", skip },
    { "bevel", skip },
    { "c_interp", skip },
    { "d_interp", skip },
    { "shadow_obj", skip },
    { "trace_obj", skip },
    { "ctech", skip },
    { "stech", skip },
    { "cstype", skip },
    { "deg", skip },
    { "bmat", skip },
    { "step", skip },
    { "parm", skip },
    { "trim", skip },
    { "hole", skip },
    { "scrv", skip },
    { "sp", skip },
    { "con", skip },
    { "end", skip },
    { "curv", skip_curve },
    { "curv2", skip_curve },
    { "surf", skip_curve },
};

static yoke_status read_statement(struct obj *obj, const char *at)
{
    const char *word;
    const size_t length = text_take_word(&at, &word);
    if (length == 0)
        return YOKE_OK;
    for (size_t k = 0; k < sizeof statements / sizeof *statements; k++)
        if (strlen(statements[k].word) == length && memcmp(word, statements[k].word, length) == 0)
            return statements[k].read(obj, at);
    return text_file_fail(&obj->from, YOKE_EINVAL,
                          "'%.*s' is no statement of OBJ; name a text file of v and f lines",
                          length < 40 ? (int)length : 40, word);
}

yoke_status mesh_read_obj(FILE *file, const char *path, struct mesh *out)
{
    struct obj obj = { .library = NULL };
    const char *line = "";
    yoke_status status = text_file_open(file, path, &obj.from);
    if (status != YOKE_OK)
        return status;
    obj.from.reading = TEXT_JOINED_LINES;
    status = mesh_build_open(&obj.build);
    while (status == YOKE_OK && line) {
        status = text_file_line(&obj.from, &line);
        if (status == YOKE_OK && line)
            status = read_statement(&obj, line);
    }
    if (status == YOKE_OK)
        status = mesh_build_finish(&obj.build, path, out);
    mesh_build_close(&obj.build);
    text_file_close(&obj.from);
    free(obj.library);
    return status;
}
