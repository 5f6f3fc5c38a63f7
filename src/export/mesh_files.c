// Meshes as OBJ (Wavefront's text) files, and what other files of meshes need.
#include "export/mesh_files.h"

#include "base/need.h"
#include "base/number_text.h"
#include "grid/frame_check.h"

BwResult bw_mesh_begin(const BwVolumeDef *def, BwVolumeDef *checked, const char *path, BwFileWriter *writer,
                       BwError *err)
{
    BW_TRY(bw_need(path, "the path of the mesh", err));
    BW_TRY(bw_volume_check(checked, def, err));
    return bw_file_begin(writer, &checked->allocator, path, err);
}

void bw_turn_place(const double place[3], BwUp up, double turned[3])
{
    turned[0] = place[0];
    turned[1] = up == BW_UP_Z ? -place[2] : place[1];
    turned[2] = up == BW_UP_Z ? place[1] : place[2];
}

void bw_vertex_place(const BwFrameMesh *mesh, int32_t n, BwUp up, double place[3])
{
    BwVec3 vertex = mesh->vertices[n];
    const double own[3] = {mesh->origin[0] + (double)vertex.x, mesh->origin[1] + (double)vertex.y,
                           mesh->origin[2] + (double)vertex.z};
    bw_turn_place(own, up, place);
}

bool bw_mesh_needs_doubles(const BwFrameMesh *mesh)
{
    return mesh->origin[0] != 0.0 || mesh->origin[1] != 0.0 || mesh->origin[2] != 0.0;
}

static void write_obj(FILE *stream, const BwFrameMesh *mesh, BwUp up)
{
    const BwFrameAttribute *color = bw_frame_attribute(mesh->attributes, mesh->attribute_count, "color");
    int digits = bw_mesh_needs_doubles(mesh) ? 17 : 9;
    char text[BW_NUMBER_TEXT_SIZE];
    fprintf(stream, "# Billow %s, metres, %s up\n# %d vertices, %d triangles\no %s\n", bw_version(),
            up == BW_UP_Z ? "z" : "y", mesh->vertex_count, mesh->triangle_count, mesh->name);
    for (int32_t n = 0; n < mesh->vertex_count && !ferror(stream); n++) {
        double place[3];
        bw_vertex_place(mesh, n, up, place);
        fputc('v', stream);
        for (int c = 0; c < 3; c++)
            fprintf(stream, " %s", bw_number_print(text, digits, place[c]));
        for (int c = 0; color != NULL && bw_is_color(color) && c < 3; c++)
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
    BW_TRY(bw_need(mesh, "the mesh", err));
    BW_TRY(bw_mesh_check(mesh, err));
    BW_TRY(bw_mesh_begin(def, &checked, path, &writer, err));
    write_obj(writer.stream, mesh, checked.up);
    return bw_file_commit(&writer, err);
}
