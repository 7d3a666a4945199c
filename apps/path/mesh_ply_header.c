/* mesh_ply_header.c - reads the header: lines of words, from ply to end_header.
 *
 *     format ascii 1.0             or binary_little_endian, binary_big_endian
 *     element NAME COUNT           its properties follow
 *     property TYPE NAME
 *     property list TYPE TYPE NAME the type of the list's length, then the type of its elements
 *     comment ..., obj_info ...
 */
#include <string.h>

#include "../text_words.h"
#include "mesh_ply.h"

static const struct {
    const char *names[2];
    int bytes;
} types[PLY_TYPES] = {
    [PLY_CHAR] = { { "char", "int8" }, 1 },      [PLY_UCHAR] = { { "uchar", "uint8" }, 1 },
    [PLY_SHORT] = { { "short", "int16" }, 2 },   [PLY_USHORT] = { { "ushort", "uint16" }, 2 },
    [PLY_INT] = { { "int", "int32" }, 4 },       [PLY_UINT] = { { "uint", "uint32" }, 4 },
    [PLY_FLOAT] = { { "float", "float32" }, 4 }, [PLY_DOUBLE] = { { "double", "float64" }, 8 },
};

int ply_type_bytes(enum ply_type type)
{
    return types[type].bytes;
}

struct reader {
    struct text_file *from;
    struct ply_header *header;
    int done;
};

static yoke_status take_type(const struct reader *reader, const char **at, enum ply_type *out)
{
    for (int t = 0; t < PLY_TYPES; t++)
        if (text_take_this(at, types[t].names[0]) || text_take_this(at, types[t].names[1])) {
            *out = (enum ply_type)t;
            return YOKE_OK;
        }
    return text_not_this(reader->from, *at, "a type of PLY (float, int, uchar, ...)");
}

/* Fails if something is left of the line. */
static yoke_status end_line(const struct reader *reader, const char *at)
{
    return text_at_end(&at) ? YOKE_OK : text_not_this(reader->from, at, "the line's end");
}

static yoke_status read_format(struct reader *reader, const char *at)
{
    struct ply_header *header = reader->header;
    if (text_take_this(&at, "ascii"))
        header->format = PLY_ASCII;
    else if (text_take_this(&at, "binary_little_endian"))
        header->format = PLY_LITTLE;
    else if (text_take_this(&at, "binary_big_endian"))
        header->format = PLY_BIG;
    else
        return text_not_this(reader->from, at, "ascii, binary_little_endian or binary_big_endian");
    if (!text_take_this(&at, "1.0"))
        return text_not_this(reader->from, at, "1.0, the version of PLY that is read");
    return end_line(reader, at);
}

static yoke_status read_element(struct reader *reader, const char *at)
{
    struct ply_header *header = reader->header;
    struct ply_element *element = &header->elements[header->element_count];
    const char *name, *here;
    const size_t length = text_take_word(&at, &name);
    if (length == 0)
        return text_not_this(reader->from, at, "an element's name");
    if (header->element_count == PLY_ELEMENTS_MOST)
        return text_file_fail(reader->from, YOKE_EINVAL, "more than %d elements",
                              PLY_ELEMENTS_MOST);
    *element = (struct ply_element){ .kind = PLY_OTHER, .first = header->property_count };
    memcpy(element->name, name, length < PLY_NAME_MOST ? length : PLY_NAME_MOST - 1);
    if (strcmp(element->name, "vertex") == 0)
        element->kind = PLY_VERTEX;
    else if (strcmp(element->name, "face") == 0)
        element->kind = PLY_FACE;
    for (int e = 0; e < header->element_count; e++)
        if (element->kind != PLY_OTHER && header->elements[e].kind == element->kind)
            return text_file_fail(reader->from, YOKE_EINVAL, "element %s is there twice",
                                  element->name);
    here = at;
    if (!text_take_whole(&at, &element->count) || element->count < 0 || element->count > INT32_MAX)
        return text_not_this(reader->from, here, "a number of elements up to 2147483647");
    if (element->kind == PLY_VERTEX)
        header->vertex_count = element->count;
    header->element_count++;
    return end_line(reader, at);
}

/* The role of a property, from its name. Any property may be PLY_SKIPPED. */
static int role_of(const struct ply_element *element, const struct ply_property *property,
                   const char *name, size_t length)
{
    static const struct {
        const char *name;
        int kind, shape, role;
    } roles[] = {
        { "x", PLY_VERTEX, PLY_ONE, PLY_X },
        { "y", PLY_VERTEX, PLY_ONE, PLY_Y },
        { "z", PLY_VERTEX, PLY_ONE, PLY_Z },
        { "vertex_indices", PLY_FACE, PLY_LIST, PLY_CORNERS },
        { "vertex_index", PLY_FACE, PLY_LIST, PLY_CORNERS },
    };
    for (size_t k = 0; k < sizeof roles / sizeof *roles; k++)
        if ((int)element->kind == roles[k].kind && (int)property->shape == roles[k].shape &&
            strlen(roles[k].name) == length && memcmp(name, roles[k].name, length) == 0)
            return roles[k].role;
    return PLY_SKIPPED;
}

static int has_role(const struct ply_header *header, const struct ply_element *element, int role)
{
    for (int p = 0; p < element->property_count; p++)
        if ((int)header->properties[element->first + p].role == role)
            return 1;
    return 0;
}

static yoke_status read_property(struct reader *reader, const char *at)
{
    struct ply_header *header = reader->header;
    struct ply_property property = { .shape = PLY_ONE };
    const char *name;
    yoke_status status = YOKE_OK;
    if (header->element_count == 0)
        return text_file_fail(reader->from, YOKE_EINVAL, "a property before the first element");
    struct ply_element *element = &header->elements[header->element_count - 1];
    if (header->property_count == PLY_PROPERTIES_MOST)
        return text_file_fail(reader->from, YOKE_EINVAL, "more than %d properties",
                              PLY_PROPERTIES_MOST);
    if (text_take_this(&at, "list")) {
        const char *here = at;
        property.shape = PLY_LIST;
        status = take_type(reader, &at, &property.count_type);
        if (status == YOKE_OK && property.count_type >= PLY_FLOAT)
            return text_not_this(reader->from, here, "a type of whole numbers");
    }
    if (status == YOKE_OK)
        status = take_type(reader, &at, &property.type);
    if (status != YOKE_OK)
        return status;
    const size_t length = text_take_word(&at, &name);
    if (length == 0)
        return text_not_this(reader->from, at, "a property's name");
    const int role = role_of(element, &property, name, length);
    if (role != PLY_SKIPPED && has_role(header, element, role))
        return text_file_fail(reader->from, YOKE_EINVAL, "property %.*s is there twice",
                              (int)length, name);
    header->properties[header->property_count++] = property;
    header->properties[header->property_count - 1].role = role;
    element->property_count++;
    return end_line(reader, at);
}

static yoke_status read_line(struct reader *reader, const char *at)
{
    if (text_take_this(&at, "comment") || text_take_this(&at, "obj_info"))
        return YOKE_OK;
    if (text_take_this(&at, "format"))
        return read_format(reader, at);
    if (text_take_this(&at, "element"))
        return read_element(reader, at);
    if (text_take_this(&at, "property"))
        return read_property(reader, at);
    reader->done = text_take_this(&at, "end_header");
    return reader->done ? end_line(reader, at)
                        : text_not_this(reader->from, at,
                                        "format, element, property, comment or end_header");
}

/* Checks that the header announces everything that a mesh needs. */
static yoke_status check(const struct reader *reader)
{
    const struct ply_header *header = reader->header;
    int found[3] = { 0 }; /* elements found, by kind */
    if (header->format == PLY_UNSAID)
        return text_file_fail(reader->from, YOKE_EINVAL, "the header ends without a line format");
    for (int e = 0; e < header->element_count; e++) {
        const struct ply_element *element = &header->elements[e];
        const int first = element->kind == PLY_VERTEX ? PLY_X : PLY_CORNERS;
        const int last = element->kind == PLY_VERTEX ? PLY_Z : PLY_CORNERS;
        found[element->kind] = 1;
        if (element->property_count == 0)
            return text_file_fail(reader->from, YOKE_EINVAL, "element %s has no property",
                                  element->name);
        for (int role = first; element->kind != PLY_OTHER && role <= last; role++)
            if (!has_role(header, element, role))
                return text_file_fail(
                    reader->from, YOKE_EINVAL, "element %s has no property %s", element->name,
                    role == PLY_CORNERS ? "list vertex_indices" : &"x\0y\0z"[2 * role]);
    }
    if (!found[PLY_VERTEX] || !found[PLY_FACE])
        return text_file_fail(reader->from, YOKE_EINVAL,
                              "the header has no element %s; save it as a mesh of faces",
                              found[PLY_VERTEX] ? "face" : "vertex");
    return YOKE_OK;
}

yoke_status ply_read_header(struct text_file *from, struct ply_header *out)
{
    struct reader reader = { from, out, 0 };
    const unsigned char *magic;
    const char *line;
    yoke_status status = text_file_bytes(from, 3, &magic); /* gigabytes may have no line end */
    memset(out, 0, sizeof *out);
    if (status == YOKE_OK && (!magic || memcmp(magic, "ply", 3) != 0))
        return text_file_fail(from, YOKE_EINVAL,
                              "no PLY: its first line is ply; name a .ply file that is");
    if (status == YOKE_OK)
        status = text_file_line(from, &line);
    if (status == YOKE_OK && line)
        status = end_line(&reader, line);
    while (status == YOKE_OK && !reader.done) {
        status = text_file_line(from, &line);
        if (status == YOKE_OK && !line)
            return text_file_fail(from, YOKE_EINVAL, "the file ends within its header");
        if (status == YOKE_OK)
            status = read_line(&reader, line);
    }
    return status == YOKE_OK ? check(&reader) : status;
}
