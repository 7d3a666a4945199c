/* mesh_ply.c - PLY, also called Stanford's format: as text, or binary in either byte order.
 *
 * Only two elements are used: vertex (x, y, z) and face (the list of corners). Other elements and
 * properties are skipped. A text file has one line per element.
 */
#include "mesh_ply.h"

#include <math.h>
#include <string.h>

#include "../text_words.h"
#include "mesh_build.h"

struct ply {
    struct text_file from;
    struct mesh_build build;
    struct ply_header header;
    const struct ply_element *element; /* the element that is being read */
    int64_t rest;                      /* elements of its kind that are left, including this one */
    const char *at;                    /* position in the element's line, for text files */
};

static yoke_status cut_short(const struct ply *ply)
{
    return text_file_fail(&ply->from, YOKE_EINVAL,
                          "the file ends, but %lld more of element %s belong here; is it complete?",
                          (long long)ply->rest, ply->element->name);
}

/* --- values --- */

static double decoded(const unsigned char *bytes, enum ply_type type, int is_big)
{
    const int size = ply_type_bytes(type);
    uint64_t bits = 0;
    for (int k = 0; k < size; k++)
        bits = bits << 8 | bytes[is_big ? k : size - 1 - k];
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
    case PLY_CHAR:
        return (int8_t)bits;
    case PLY_SHORT:
        return (int16_t)bits;
    case PLY_INT:
        return (int32_t)bits;
    case PLY_FLOAT:
        memcpy(&single, &low, sizeof single);
        return single;
    case PLY_DOUBLE:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return low;
    }
}

/* `what` is for messages. */
static yoke_status take_value(struct ply *ply, enum ply_type type, const char *what, double *out)
{
    const unsigned char *bytes;
    if (ply->header.format == PLY_ASCII)
        return text_number(&ply->from, &ply->at, what, out);
    yoke_status status = text_file_bytes(&ply->from, (size_t)ply_type_bytes(type), &bytes);
    if (status == YOKE_OK && !bytes)
        status = cut_short(ply);
    if (status == YOKE_OK)
        *out = decoded(bytes, type, ply->header.format == PLY_BIG);
    return status;
}

/* The value may be NaN: scans have such normals. */
static yoke_status skip_value(struct ply *ply, enum ply_type type)
{
    const char *word;
    double skipped;
    if (ply->header.format != PLY_ASCII)
        return take_value(ply, type, NULL, &skipped);
    if (text_take_word(&ply->at, &word) > 0)
        return YOKE_OK;
    return text_not_this(&ply->from, ply->at, "a property's value");
}

/* --- elements --- */

static yoke_status take_corner(struct ply *ply, enum ply_type type)
{
    const int64_t count = ply->header.vertex_count;
    double index = 0;
    yoke_status status = take_value(ply, type, "a corner's index", &index);
    if (status != YOKE_OK)
        return status;
    if (!(index >= 0 && index < (double)count && index == floor(index)))
        return text_file_fail(&ply->from, YOKE_EINVAL,
                              "a corner is vertex %.10g; the file's %lld are counted from 0", index,
                              (long long)count);
    return mesh_add_corner(&ply->build, &ply->from, (int32_t)index);
}

static yoke_status read_list(struct ply *ply, const struct ply_property *property)
{
    double length = 0;
    yoke_status status = take_value(ply, property->count_type, "a list's length", &length);
    if (status != YOKE_OK)
        return status;
    if (!(length >= 0 && length <= UINT32_MAX && length == floor(length)))
        return text_file_fail(&ply->from, YOKE_EINVAL, "a list's length is %.10g", length);
    for (int64_t k = 0; k < (int64_t)length && status == YOKE_OK; k++)
        status = property->role == PLY_CORNERS ? take_corner(ply, property->type)
                                               : skip_value(ply, property->type);
    if (property->role == PLY_CORNERS)
        mesh_end_face(&ply->build);
    return status;
}

static yoke_status read_properties(struct ply *ply)
{
    static const char *const what[3] = { "a number (the vertex's x)", "a number (the vertex's y)",
                                         "a number (the vertex's z)" };
    const struct ply_property *properties = &ply->header.properties[ply->element->first];
    double xyz[3] = { 0 };
    yoke_status status = YOKE_OK;
    for (int p = 0; p < ply->element->property_count && status == YOKE_OK; p++) {
        const struct ply_property *property = &properties[p];
        if (property->shape == PLY_LIST)
            status = read_list(ply, property);
        else if (property->role == PLY_SKIPPED)
            status = skip_value(ply, property->type);
        else
            status = take_value(ply, property->type, what[property->role], &xyz[property->role]);
    }
    if (status == YOKE_OK && ply->element->kind == PLY_VERTEX)
        status = mesh_add_vertex(&ply->build, &ply->from, xyz);
    return status;
}

/* Reads one element from a line of its own. */
static yoke_status read_line(struct ply *ply)
{
    yoke_status status;
    do {
        status = text_file_line(&ply->from, &ply->at);
        if (status != YOKE_OK)
            return status;
        if (!ply->at)
            return cut_short(ply);
    } while (text_at_end(&ply->at));
    status = read_properties(ply);
    if (status != YOKE_OK || text_at_end(&ply->at))
        return status;
    return text_file_fail(&ply->from, YOKE_EINVAL,
                          "the line goes on behind the properties of element %s",
                          ply->element->name);
}

static yoke_status read_elements(struct ply *ply)
{
    const int is_text = ply->header.format == PLY_ASCII;
    yoke_status status = YOKE_OK;
    for (int e = 0; e < ply->header.element_count; e++) {
        ply->element = &ply->header.elements[e];
        for (ply->rest = ply->element->count; ply->rest > 0; ply->rest--) {
            status = is_text ? read_line(ply) : read_properties(ply);
            if (status != YOKE_OK)
                return status;
        }
    }
    return status;
}

/* Behind the last element, a text file may have only blanks. A binary file may have more data: some
 * programs write more. */
static yoke_status read_end(struct ply *ply)
{
    yoke_status status = YOKE_OK;
    while (status == YOKE_OK && ply->header.format == PLY_ASCII) {
        status = text_file_line(&ply->from, &ply->at);
        if (status != YOKE_OK || !ply->at)
            break;
        if (!text_at_end(&ply->at))
            status = text_file_fail(&ply->from, YOKE_EINVAL,
                                    "the file goes on behind the elements that its header "
                                    "announces; correct the header");
    }
    return status;
}

yoke_status mesh_read_ply(FILE *file, const char *path, struct mesh *out)
{
    struct ply ply = { .rest = 0 };
    yoke_status status = text_file_open(file, path, &ply.from);
    if (status != YOKE_OK)
        return status;
    status = mesh_build_open(&ply.build);
    if (status == YOKE_OK)
        status = ply_read_header(&ply.from, &ply.header);
    if (status == YOKE_OK && ply.header.format != PLY_ASCII)
        ply.from.reading = TEXT_BYTES;
    if (status == YOKE_OK)
        status = read_elements(&ply);
    if (status == YOKE_OK)
        status = read_end(&ply);
    if (status == YOKE_OK)
        status = mesh_build_finish(&ply.build, path, out);
    mesh_build_close(&ply.build);
    text_file_close(&ply.from);
    return status;
}
