// Particles and meshes as VTK polygons (.vtp), columns as a VTK structured grid (.vts). Places are doubles,
// for they may be far from the origin.
#include "base/need.h"
#include "export/mesh_files.h"
#include "grid/frame_check.h"

#include <inttypes.h>
#include <string.h>

enum { ARRAYS_MAX = 3 };

// One file in the making.
typedef struct PointFile {
    const BwFrame *frame;
    const BwFrameAttribute *attributes;
    int attribute_count;
    BwVolumeDef def;
    const char *kind;  // "PolyData" or "StructuredGrid"
    const char *cells; // "Verts", "Polys"; NULL: the grid has them by itself
    char extent[120];  // of a grid, as XML
    int64_t point_count, cell_count;
    BwVtkArray arrays[ARRAYS_MAX]; // points; connectivity and offsets of cells
    int array_count;
    BwVtkArray heights; // rows below 0: none
} PointFile;

static void write_points(const PointFile *file, FILE *stream, uint64_t *offset)
{
    static const char *const names[] = {"Points", "connectivity", "offsets"};
    fputs("      <Points>\n", stream);
    *offset = bw_vtk_announce(stream, &file->arrays[0], *offset);
    fputs("      </Points>\n", stream);
    if (file->cells == NULL)
        return;
    fprintf(stream, "      <%s>\n", file->cells);
    for (int n = 1; n < file->array_count; n++) {
        BwVtkArray array = file->arrays[n];
        array.name = names[n];
        *offset = bw_vtk_announce(stream, &array, *offset);
    }
    fprintf(stream, "      </%s>\n", file->cells);
}

static void write_head(const PointFile *file, FILE *stream)
{
    uint64_t offset = 0;
    fprintf(stream,
            "<?xml version=\"1.0\"?>\n<!-- Billow %s: metres and seconds, %s up -->\n"
            "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n",
            bw_version(), file->def.up == BW_UP_Z ? "z" : "y", file->kind, bw_vtk_byte_order());
    if (file->cells != NULL) {
        fprintf(stream, "  <%s>\n", file->kind);
        bw_vtk_write_time(stream, file->frame->time);
        fprintf(stream, "    <Piece NumberOfPoints=\"%" PRId64 "\" NumberOf%s=\"%" PRId64 "\">\n",
                file->point_count, file->cells, file->cell_count);
    } else {
        fprintf(stream, "  <%s WholeExtent=\"%s\">\n", file->kind, file->extent);
        bw_vtk_write_time(stream, file->frame->time);
        fprintf(stream, "    <Piece Extent=\"%s\">\n", file->extent);
    }
    write_points(file, stream, &offset);
    fputs("      <PointData>\n", stream);
    if (file->heights.rows >= 0)
        offset = bw_vtk_announce(stream, &file->heights, offset);
    for (int n = 0; n < file->attribute_count; n++) {
        BwVtkAttribute attribute = {&file->attributes[n], file->def.up};
        BwVtkArray array = bw_vtk_attribute(&attribute, file->point_count);
        offset = bw_vtk_announce(stream, &array, offset);
    }
    fprintf(stream, "      </PointData>\n    </Piece>\n  </%s>\n  <AppendedData encoding=\"raw\">\n    _",
            file->kind);
}

static void write_file(const PointFile *file, FILE *stream)
{
    write_head(file, stream);
    for (int n = 0; n < file->array_count; n++)
        bw_vtk_append(stream, &file->arrays[n]);
    if (file->heights.rows >= 0)
        bw_vtk_append(stream, &file->heights);
    for (int n = 0; n < file->attribute_count; n++) {
        BwVtkAttribute attribute = {&file->attributes[n], file->def.up};
        BwVtkArray array = bw_vtk_attribute(&attribute, file->point_count);
        bw_vtk_append(stream, &array);
    }
    fputs("\n  </AppendedData>\n</VTKFile>\n", stream);
}

static BwResult save_file(const PointFile *file, const char *path, BwError *err)
{
    BwFileWriter writer;
    BW_TRY(bw_file_begin(&writer, &file->def.allocator, path, err));
    write_file(file, writer.stream);
    return bw_file_commit(&writer, err);
}

static BwResult begin_file(PointFile *file, const BwFrame *frame, const BwVolumeDef *def, const char *path,
                           BwError *err)
{
    *file = (PointFile){.frame = frame, .heights = {.rows = -1}};
    BW_TRY(bw_frame_check_fields(frame, err));
    BW_TRY(bw_need(path, "the path of the file", err));
    return bw_volume_check(&file->def, def, err);
}

// What the rows of a file are read from.
typedef struct Rows {
    const BwFrame *frame;
    const BwFrameParticles *particles;
    const BwFrameColumns *columns;
    const BwFrameMesh *mesh;
    BwUp up;
} Rows;

static void particle_row(const void *context, int64_t n, void *row)
{
    const Rows *rows = context;
    double place[3], turned[3];
    bw_frame_particle_place(rows->frame, rows->particles, n, place);
    bw_turn_place(place, rows->up, turned);
    memcpy(row, turned, sizeof turned);
}

static void vertex_row(const void *context, int64_t n, void *row)
{
    const Rows *rows = context;
    double turned[3];
    bw_vertex_place(rows->mesh, (int32_t)n, rows->up, turned);
    memcpy(row, turned, sizeof turned);
}

static void column_row(const void *context, int64_t n, void *row)
{
    const Rows *rows = context;
    const BwFrameColumns *set = rows->columns;
    double h = (double)set->cell_size, turned[3];
    bw_turn_place((double[3]){((double)(set->low[0] + n % set->count[0]) + 0.5) * h, (double)set->heights[n],
                              ((double)(set->low[1] + n / set->count[0]) + 0.5) * h},
                  rows->up, turned);
    memcpy(row, turned, sizeof turned);
}

static void height_row(const void *context, int64_t n, void *row)
{
    memcpy(row, &((const Rows *)context)->columns->heights[n], sizeof(float));
}

static void own_index_row(const void *context, int64_t n, void *row)
{
    (void)context;
    memcpy(row, &n, sizeof n);
}

static void own_end_row(const void *context, int64_t n, void *row)
{
    int64_t end = n + 1;
    (void)context;
    memcpy(row, &end, sizeof end);
}

static void corner_row(const void *context, int64_t n, void *row)
{
    int64_t corner = ((const Rows *)context)->mesh->triangles[n / 3][n % 3];
    memcpy(row, &corner, sizeof corner);
}

static void triangle_end_row(const void *context, int64_t n, void *row)
{
    int64_t end = 3 * (n + 1);
    (void)context;
    memcpy(row, &end, sizeof end);
}

BwResult bw_particles_save_vtp(const BwFrame *frame, const BwFrameParticles *particles,
                               const BwVolumeDef *def, const char *path, BwError *err)
{
    PointFile file;
    BW_TRY(begin_file(&file, frame, def, path, err));
    BW_TRY(bw_need(particles, "the set of particles", err));
    BW_TRY(bw_particles_check(particles, err));
    Rows rows = {.frame = frame, .particles = particles, .up = file.def.up};
    file.kind = "PolyData";
    file.cells = "Verts";
    file.point_count = file.cell_count = particles->count;
    file.attributes = particles->attributes;
    file.attribute_count = particles->attribute_count;
    file.array_count = 3;
    file.arrays[0] = (BwVtkArray){NULL, BW_VTK_FLOAT64, 3, particles->count, particle_row, &rows};
    file.arrays[1] = (BwVtkArray){NULL, BW_VTK_INT64, 1, particles->count, own_index_row, NULL};
    file.arrays[2] = (BwVtkArray){NULL, BW_VTK_INT64, 1, particles->count, own_end_row, NULL};
    return save_file(&file, path, err);
}

BwResult bw_mesh_save_vtp(const BwFrame *frame, const BwFrameMesh *mesh, const BwVolumeDef *def,
                          const char *path, BwError *err)
{
    PointFile file;
    BW_TRY(begin_file(&file, frame, def, path, err));
    BW_TRY(bw_need(mesh, "the mesh", err));
    BW_TRY(bw_mesh_check(mesh, err));
    Rows rows = {.mesh = mesh, .up = file.def.up};
    file.kind = "PolyData";
    file.cells = "Polys";
    file.point_count = mesh->vertex_count;
    file.cell_count = mesh->triangle_count;
    file.attributes = mesh->attributes;
    file.attribute_count = mesh->attribute_count;
    file.array_count = 3;
    file.arrays[0] = (BwVtkArray){NULL, BW_VTK_FLOAT64, 3, mesh->vertex_count, vertex_row, &rows};
    file.arrays[1] =
        (BwVtkArray){NULL, BW_VTK_INT64, 1, 3 * (int64_t)mesh->triangle_count, corner_row, &rows};
    file.arrays[2] = (BwVtkArray){NULL, BW_VTK_INT64, 1, mesh->triangle_count, triangle_end_row, NULL};
    return save_file(&file, path, err);
}

BwResult bw_columns_save_vts(const BwFrame *frame, const BwFrameColumns *columns, const BwVolumeDef *def,
                             const char *path, BwError *err)
{
    PointFile file;
    BW_TRY(begin_file(&file, frame, def, path, err));
    BW_TRY(bw_need(columns, "the set of columns", err));
    BW_TRY(bw_columns_check(columns, err));
    if (bw_frame_attribute(columns->attributes, columns->attribute_count, "height") != NULL)
        return bw_fail(err, BW_ERR_DEF, "%s would have two of \"height\": that of \"%s\" and its attribute",
                       path, columns->name);
    Rows rows = {.columns = columns, .up = file.def.up};
    int64_t count = (int64_t)columns->count[0] * columns->count[1];
    file.kind = "StructuredGrid";
    file.point_count = count;
    file.attributes = columns->attributes;
    file.attribute_count = columns->attribute_count;
    if (count > 0)
        snprintf(file.extent, sizeof file.extent, "0 %d 0 0 0 %d", columns->count[0] - 1,
                 columns->count[1] - 1);
    else
        snprintf(file.extent, sizeof file.extent, "0 -1 0 -1 0 -1");
    file.array_count = 1;
    file.arrays[0] = (BwVtkArray){NULL, BW_VTK_FLOAT64, 3, count, column_row, &rows};
    file.heights = (BwVtkArray){"height", BW_VTK_FLOAT32, 1, count, height_row, &rows};
    return save_file(&file, path, err);
}
