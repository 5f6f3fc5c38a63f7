// Meshes and particles as PLY files (binary, as G. Turk's description of 1994 has it).
#include "export/mesh_files.h"

#include "base/need.h"
#include "grid/frame_check.h"

#include <inttypes.h>
#include <string.h>

// Tiles from the origin up to which the places of particles are floats: exact to a thousandth of a cell.
enum { NEAR_TILES = 1 << 11 };

// The points of a file: the vertices of a mesh, or particles.
typedef struct Points {
    const char *name;
    int64_t count;
    const BwFrameAttribute *attributes;
    int attribute_count;
    const BwFrameMesh *mesh; // or
    const BwFrame *frame;
    const BwFrameParticles *particles;
    bool is_wide; // places are doubles
    BwUp up;
} Points;

static void point_place(const Points *points, int64_t n, double place[3])
{
    double own[3];
    if (points->mesh != NULL) {
        bw_vertex_place(points->mesh, (int32_t)n, points->up, place);
        return;
    }
    bw_frame_particle_place(points->frame, points->particles, n, own);
    bw_turn_place(own, points->up, place);
}

enum { PROPERTY_SIZE = BW_FRAME_NAME_SIZE + 2 };

static void name_property(char name[PROPERTY_SIZE], const BwFrameAttribute *attribute, int component)
{
    static const char *const colors[] = {"red", "green", "blue"};
    if (bw_is_color(attribute))
        snprintf(name, PROPERTY_SIZE, "%s", colors[component]);
    else if (attribute->components == 1)
        snprintf(name, PROPERTY_SIZE, "%s", attribute->name);
    else
        snprintf(name, PROPERTY_SIZE, "%s_%c", attribute->name, "xyz"[component]);
}

// Whether one of the first attributes has a property of that name.
static bool has_property(const Points *points, int attribute_count, const char *name)
{
    char other[PROPERTY_SIZE];
    for (int n = 0; n < attribute_count; n++)
        for (int c = 0; c < points->attributes[n].components; c++) {
            name_property(other, &points->attributes[n], c);
            if (strcmp(other, name) == 0)
                return true;
        }
    return false;
}

// Components are properties of their own, which may be called as another attribute or a coordinate is.
static BwResult check_properties(const Points *points, BwError *err)
{
    char name[PROPERTY_SIZE];
    for (int n = 0; n < points->attribute_count; n++)
        for (int c = 0; c < points->attributes[n].components; c++) {
            name_property(name, &points->attributes[n], c);
            bool is_place = strlen(name) == 1 && strchr("xyz", name[0]) != NULL;
            if (is_place || has_property(points, n, name))
                return bw_fail(err, BW_ERR_DEF, "a PLY file of \"%s\" would have two of \"%s\"", points->name,
                               name);
        }
    return BW_OK;
}

static void write_property(FILE *stream, const BwFrameAttribute *attribute)
{
    const char *type = bw_is_color(attribute) ? "uchar" : attribute->values != NULL ? "float" : "int";
    char name[PROPERTY_SIZE];
    for (int c = 0; c < attribute->components; c++) {
        name_property(name, attribute, c);
        fprintf(stream, "property %s %s\n", type, name);
    }
}

static void write_head(FILE *stream, const Points *points)
{
    bool is_little = strcmp(bw_vtk_byte_order(), "LittleEndian") == 0;
    const char *type = points->is_wide ? "double" : "float";
    fprintf(stream, "ply\nformat binary_%s_endian 1.0\ncomment Billow %s, metres, %s up\n",
            is_little ? "little" : "big", bw_version(), points->up == BW_UP_Z ? "z" : "y");
    fprintf(stream, "element vertex %" PRId64 "\nproperty %s x\nproperty %s y\nproperty %s z\n",
            points->count, type, type, type);
    for (int n = 0; n < points->attribute_count; n++)
        write_property(stream, &points->attributes[n]);
    if (points->mesh != NULL)
        fprintf(stream, "element face %d\nproperty list uchar int vertex_indices\n",
                points->mesh->triangle_count);
    fputs("end_header\n", stream);
}

static void write_point(FILE *stream, const Points *points, int64_t n)
{
    double place[3];
    point_place(points, n, place);
    const float narrow[3] = {(float)place[0], (float)place[1], (float)place[2]};
    if (points->is_wide)
        fwrite(place, sizeof place, 1, stream);
    else
        fwrite(narrow, sizeof narrow, 1, stream);
    for (int a = 0; a < points->attribute_count; a++) {
        BwVtkAttribute turned = {&points->attributes[a], points->up};
        BwVtkArray array = bw_vtk_attribute(&turned, points->count);
        float row[6] = {0};
        array.row(array.context, n, row);
        const uint8_t bytes[3] = {bw_color_byte(row[0]), bw_color_byte(row[1]), bw_color_byte(row[2])};
        if (bw_is_color(turned.attribute))
            fwrite(bytes, sizeof bytes, 1, stream);
        else
            fwrite(row, 4, (size_t)array.components, stream);
    }
}

static void write_triangles(FILE *stream, const BwFrameMesh *mesh)
{
    for (int32_t n = 0; n < mesh->triangle_count && !ferror(stream); n++) {
        fputc(3, stream);
        fwrite(mesh->triangles[n], sizeof mesh->triangles[n], 1, stream);
    }
}

static BwResult save(Points *points, const BwVolumeDef *def, const char *path, BwError *err)
{
    BwVolumeDef checked;
    BwFileWriter writer;
    BW_TRY(check_properties(points, err));
    BW_TRY(bw_mesh_begin(def, &checked, path, &writer, err));
    points->up = checked.up;
    write_head(writer.stream, points);
    for (int64_t n = 0; n < points->count && !ferror(writer.stream); n++)
        write_point(writer.stream, points, n);
    if (points->mesh != NULL)
        write_triangles(writer.stream, points->mesh);
    return bw_file_commit(&writer, err);
}

BwResult bw_mesh_save_ply(const BwFrameMesh *mesh, const BwVolumeDef *def, const char *path, BwError *err)
{
    BW_TRY(bw_need(mesh, "the mesh", err));
    BW_TRY(bw_mesh_check(mesh, err));
    Points points = {.name = mesh->name,
                     .count = mesh->vertex_count,
                     .attributes = mesh->attributes,
                     .attribute_count = mesh->attribute_count,
                     .mesh = mesh,
                     .is_wide = bw_mesh_needs_doubles(mesh)};
    return save(&points, def, path, err);
}

static bool is_far(const BwFrameParticles *particles)
{
    for (int32_t n = 0; n < particles->tile_count; n++) {
        BwTileCoord tile = particles->tiles[n];
        const int32_t at[3] = {tile.x, tile.y, tile.z};
        for (int a = 0; a < 3; a++)
            if (at[a] > NEAR_TILES || at[a] < -NEAR_TILES)
                return true;
    }
    return false;
}

BwResult bw_particles_save_ply(const BwFrame *frame, const BwFrameParticles *particles,
                               const BwVolumeDef *def, const char *path, BwError *err)
{
    BW_TRY(bw_frame_check_fields(frame, err));
    BW_TRY(bw_need(particles, "the set of particles", err));
    BW_TRY(bw_particles_check(particles, err));
    Points points = {.name = particles->name,
                     .count = particles->count,
                     .attributes = particles->attributes,
                     .attribute_count = particles->attribute_count,
                     .frame = frame,
                     .particles = particles,
                     .is_wide = is_far(particles)};
    return save(&points, def, path, err);
}
