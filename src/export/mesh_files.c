// Meshes as PLY (binary, as G. Turk's description of 1994 has it) and OBJ (Wavefront's text) files.
#include "base/need.h"
#include "base/number_text.h"
#include "export/vtk.h"
#include "grid/frame_check.h"

#include <math.h>
#include <string.h>

static BwResult check_mesh(const BwFrameMesh *mesh, BwError *err)
{
    BW_TRY(bw_need(mesh, "the mesh", err));
    return bw_mesh_check(mesh, err);
}

static BwResult begin_mesh(const BwVolumeDef *def, BwVolumeDef *checked, const char *path,
                           BwFileWriter *writer, BwError *err)
{
    BW_TRY(bw_need(path, "the path of the mesh", err));
    BW_TRY(bw_volume_check(checked, def, err));
    return bw_file_begin(writer, &checked->allocator, path, err);
}

static void vertex_place(const BwFrameMesh *mesh, int32_t n, BwUp up, double place[3])
{
    BwVec3 vertex = mesh->vertices[n];
    double x = mesh->origin[0] + (double)vertex.x, y = mesh->origin[1] + (double)vertex.y,
           z = mesh->origin[2] + (double)vertex.z;
    place[0] = x;
    place[1] = up == BW_UP_Z ? -z : y;
    place[2] = up == BW_UP_Z ? y : z;
}

// A colour is three bytes in the files that know one.
static bool is_color(const BwFrameAttribute *attribute)
{
    return strcmp(attribute->name, "color") == 0 && attribute->components == 3 && attribute->values != NULL;
}

static uint8_t color_byte(float value)
{
    return isfinite(value) ? (uint8_t)lrintf(255.0f * fminf(fmaxf(value, 0.0f), 1.0f)) : 0;
}

// Floats, which every reader takes, are exact where vertices are: counted from an origin that is not zero
// they need doubles.
static bool needs_doubles(const BwFrameMesh *mesh)
{
    return mesh->origin[0] != 0.0 || mesh->origin[1] != 0.0 || mesh->origin[2] != 0.0;
}

enum { PROPERTY_SIZE = BW_FRAME_NAME_SIZE + 2 };

static void name_property(char name[PROPERTY_SIZE], const BwFrameAttribute *attribute, int component)
{
    static const char *const colors[] = {"red", "green", "blue"};
    if (is_color(attribute))
        snprintf(name, PROPERTY_SIZE, "%s", colors[component]);
    else if (attribute->components == 1)
        snprintf(name, PROPERTY_SIZE, "%s", attribute->name);
    else
        snprintf(name, PROPERTY_SIZE, "%s_%c", attribute->name, "xyz"[component]);
}

// Whether one of the first attributes has a property of that name.
static bool has_property(const BwFrameMesh *mesh, int attribute_count, const char *name)
{
    char other[PROPERTY_SIZE];
    for (int n = 0; n < attribute_count; n++)
        for (int c = 0; c < mesh->attributes[n].components; c++) {
            name_property(other, &mesh->attributes[n], c);
            if (strcmp(other, name) == 0)
                return true;
        }
    return false;
}

// Components are properties of their own, which may be called as another attribute or a coordinate is.
static BwResult check_properties(const BwFrameMesh *mesh, BwError *err)
{
    char name[PROPERTY_SIZE];
    for (int n = 0; n < mesh->attribute_count; n++)
        for (int c = 0; c < mesh->attributes[n].components; c++) {
            name_property(name, &mesh->attributes[n], c);
            bool is_place = strlen(name) == 1 && strchr("xyz", name[0]) != NULL;
            if (is_place || has_property(mesh, n, name))
                return bw_fail(err, BW_ERR_DEF, "a PLY file of \"%s\" would have two of \"%s\"", mesh->name,
                               name);
        }
    return BW_OK;
}

static void write_ply_property(FILE *stream, const BwFrameAttribute *attribute)
{
    const char *type = is_color(attribute) ? "uchar" : attribute->values != NULL ? "float" : "int";
    char name[PROPERTY_SIZE];
    for (int c = 0; c < attribute->components; c++) {
        name_property(name, attribute, c);
        fprintf(stream, "property %s %s\n", type, name);
    }
}

static void write_ply_head(FILE *stream, const BwFrameMesh *mesh, BwUp up)
{
    bool is_little = strcmp(bw_vtk_byte_order(), "LittleEndian") == 0;
    const char *type = needs_doubles(mesh) ? "double" : "float";
    fprintf(stream, "ply\nformat binary_%s_endian 1.0\ncomment Billow %s, metres, %s up\n",
            is_little ? "little" : "big", bw_version(), up == BW_UP_Z ? "z" : "y");
    fprintf(stream, "element vertex %d\nproperty %s x\nproperty %s y\nproperty %s z\n", mesh->vertex_count,
            type, type, type);
    for (int n = 0; n < mesh->attribute_count; n++)
        write_ply_property(stream, &mesh->attributes[n]);
    fprintf(stream, "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
            mesh->triangle_count);
}

static void write_ply_vertex(FILE *stream, const BwFrameMesh *mesh, int32_t n, BwUp up)
{
    double place[3];
    vertex_place(mesh, n, up, place);
    const float narrow[3] = {(float)place[0], (float)place[1], (float)place[2]};
    if (needs_doubles(mesh))
        fwrite(place, sizeof place, 1, stream);
    else
        fwrite(narrow, sizeof narrow, 1, stream);
    for (int a = 0; a < mesh->attribute_count; a++) {
        BwVtkAttribute turned = {&mesh->attributes[a], up};
        BwVtkArray array = bw_vtk_attribute(&turned, mesh->vertex_count);
        float row[6] = {0};
        array.row(array.context, n, row);
        const uint8_t bytes[3] = {color_byte(row[0]), color_byte(row[1]), color_byte(row[2])};
        if (is_color(turned.attribute))
            fwrite(bytes, sizeof bytes, 1, stream);
        else
            fwrite(row, 4, (size_t)array.components, stream);
    }
}

BwResult bw_mesh_save_ply(const BwFrameMesh *mesh, const BwVolumeDef *def, const char *path, BwError *err)
{
    BwVolumeDef checked;
    BwFileWriter writer;
    BW_TRY(check_mesh(mesh, err));
    BW_TRY(check_properties(mesh, err));
    BW_TRY(begin_mesh(def, &checked, path, &writer, err));
    write_ply_head(writer.stream, mesh, checked.up);
    for (int32_t n = 0; n < mesh->vertex_count && !ferror(writer.stream); n++)
        write_ply_vertex(writer.stream, mesh, n, checked.up);
    for (int32_t n = 0; n < mesh->triangle_count && !ferror(writer.stream); n++) {
        fputc(3, writer.stream);
        fwrite(mesh->triangles[n], sizeof mesh->triangles[n], 1, writer.stream);
    }
    return bw_file_commit(&writer, err);
}

static void write_obj(FILE *stream, const BwFrameMesh *mesh, BwUp up)
{
    const BwFrameAttribute *color = bw_frame_attribute(mesh->attributes, mesh->attribute_count, "color");
    int digits = needs_doubles(mesh) ? 17 : 9;
    char text[BW_NUMBER_TEXT_SIZE];
    fprintf(stream, "# Billow %s, metres, %s up\no %s\n", bw_version(), up == BW_UP_Z ? "z" : "y",
            mesh->name);
    for (int32_t n = 0; n < mesh->vertex_count && !ferror(stream); n++) {
        double place[3];
        vertex_place(mesh, n, up, place);
        fputc('v', stream);
        for (int c = 0; c < 3; c++)
            fprintf(stream, " %s", bw_number_print(text, digits, place[c]));
        for (int c = 0; color != NULL && is_color(color) && c < 3; c++)
            fprintf(stream, " %s",
                    bw_number_print(text, 9, (double)color->values[3 * (size_t)n + (size_t)c]));
        fputc('\n', stream);
    }
    for (int32_t n = 0; n < mesh->triangle_count && !ferror(stream); n++)
        fprintf(stream, "f %d %d %d\n", mesh->triangles[n][0] + 1, mesh->triangles[n][1] + 1,
                mesh->triangles[n][2] + 1);
}

BwResult bw_mesh_save_obj(const BwFrameMesh *mesh, const BwVolumeDef *def, const char *path, BwError *err)
{
    BwVolumeDef checked;
    BwFileWriter writer;
    BW_TRY(check_mesh(mesh, err));
    BW_TRY(begin_mesh(def, &checked, path, &writer, err));
    write_obj(writer.stream, mesh, checked.up);
    return bw_file_commit(&writer, err);
}
