/* mesh_materials.c - materials by their names.
 *
 * A file may name thousands of materials and change the material at every face. So a hash table
 * finds them. It is never more than half full and never grows.
 */
#include <stdlib.h>
#include <string.h>

#include "../text_words.h"
#include "mesh_build.h"

enum { TABLE = 1 << 17, MATERIALS_MOST = TABLE / 2 };

/* The slot of the name in the table, or the free slot where it belongs. A free slot holds 0:
 * material 0 has no name. */
static int32_t *place_of(const struct mesh_build *build, const char *name)
{
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    for (uint32_t at = hash ^ hash >> 15;; at++) {
        int32_t *place = &build->named[at % TABLE];
        if (*place == 0 || strcmp(build->mesh.materials[*place].name, name) == 0)
            return place;
    }
}

int32_t mesh_find_material(const struct mesh_build *build, const char *name)
{
    const int32_t found = build->named ? *place_of(build, name) : 0;
    return found ? found : -1;
}

/* Makes room for one more material. */
static yoke_status make_room(struct mesh_build *build, const struct text_file *from)
{
    struct mesh *mesh = &build->mesh;
    const int64_t more = 2 * build->material_room;
    struct mesh_material *larger;
    if (mesh->material_count == MATERIALS_MOST)
        return text_file_fail(from, YOKE_EINVAL,
                              "more than %d materials; join those that are alike",
                              MATERIALS_MOST - 1);
    if (!build->named)
        build->named = calloc(TABLE, sizeof *build->named);
    if (!build->named)
        return text_file_fail(from, YOKE_ENOMEM, "no memory for names of materials");
    if (mesh->material_count < build->material_room)
        return YOKE_OK;
    larger = realloc(mesh->materials, (size_t)more * sizeof *larger);
    if (!larger)
        return text_file_fail(from, YOKE_ENOMEM, "no memory for more than %lld materials",
                              (long long)mesh->material_count);
    mesh->materials = larger;
    build->material_room = more;
    return YOKE_OK;
}

yoke_status mesh_name_material(struct mesh_build *build, const struct text_file *from,
                               const char *name, struct mesh_material **out)
{
    struct mesh *mesh = &build->mesh;
    int32_t found = mesh_find_material(build, name);
    if (found < 0) {
        yoke_status status = make_room(build, from);
        if (status != YOKE_OK)
            return status;
        found = (int32_t)mesh->material_count;
        *place_of(build, name) = found;
        mesh->material_count++;
        memset(&mesh->materials[found], 0, sizeof *mesh->materials);
        strcpy(mesh->materials[found].name, name);
    }
    *out = &mesh->materials[found];
    return YOKE_OK;
}

yoke_status text_take_name(const struct text_file *from, const char *at, char name[MESH_NAME_MOST])
{
    const char *rest;
    const size_t length = text_take_rest(&at, &rest);
    if (length >= MESH_NAME_MOST)
        return text_file_fail(from, YOKE_EINVAL, "a material's name has at most %d characters",
                              MESH_NAME_MOST - 1);
    memcpy(name, rest, length);
    name[length] = 0;
    return YOKE_OK;
}
