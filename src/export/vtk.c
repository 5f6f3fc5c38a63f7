// Parts of VTK's XML files, lists of blocks (.vtm) and ParaView's collections (.pvd).
#include "export/vtk.h"

#include "base/file.h"
#include "base/need.h"
#include "base/number_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *bw_vtk_byte_order(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 1 ? "LittleEndian" : "BigEndian";
}

void bw_vtk_write_escaped(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *name = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '"' ? "&quot;" : NULL;
        if (name != NULL)
            fputs(name, stream);
        else
            fputc(*text, stream);
    }
}

void bw_vtk_write_time(FILE *stream, double time)
{
    char text[BW_NUMBER_TEXT_SIZE];
    fprintf(stream,
            "    <FieldData>\n"
            "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%s"
            "</DataArray>\n"
            "    </FieldData>\n",
            bw_number_print(text, 17, time));
}

static const char *const type_names[] = {"Float32", "Float64", "Int32", "Int64"};

static size_t row_bytes(const BwVtkArray *array)
{
    bool is_wide = array->type == BW_VTK_FLOAT64 || array->type == BW_VTK_INT64;
    return (size_t)array->components * (is_wide ? 8 : 4);
}

uint64_t bw_vtk_announce(FILE *stream, const BwVtkArray *array, uint64_t offset)
{
    fprintf(stream, "        <DataArray type=\"%s\"", type_names[array->type]);
    if (array->name != NULL)
        fprintf(stream, " Name=\"%s\"", array->name);
    fprintf(stream, " NumberOfComponents=\"%d\" format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
            array->components, offset);
    return offset + sizeof offset + (uint64_t)array->rows * row_bytes(array);
}

// A stream that has failed gets no more rows.
void bw_vtk_append(FILE *stream, const BwVtkArray *array)
{
    uint64_t bytes = (uint64_t)array->rows * row_bytes(array);
    fwrite(&bytes, sizeof bytes, 1, stream);
    for (int64_t n = 0; n < array->rows && !ferror(stream); n++) {
        int64_t row[3]; // room for three of the widest
        array->row(array->context, n, row);
        fwrite(row, row_bytes(array), 1, stream);
    }
}

static void attribute_row(const void *context, int64_t n, void *row)
{
    const BwVtkAttribute *own = context;
    const BwFrameAttribute *attribute = own->attribute;
    size_t at = (size_t)n * (size_t)attribute->components, bytes = (size_t)attribute->components * 4;
    if (attribute->values == NULL) {
        memcpy(row, attribute->integers + at, bytes);
        return;
    }
    memcpy(row, attribute->values + at, bytes);
    if (attribute->components == 3 && strcmp(attribute->unit, "1") != 0) {
        BwVec3 vector;
        memcpy(&vector, row, sizeof vector);
        vector = bw_volume_turn(vector, own->up);
        memcpy(row, &vector, sizeof vector);
    }
}

BwVtkArray bw_vtk_attribute(const BwVtkAttribute *attribute, int64_t rows)
{
    return (BwVtkArray){.name = attribute->attribute->name,
                        .type = attribute->attribute->values != NULL ? BW_VTK_FLOAT32 : BW_VTK_INT32,
                        .components = attribute->attribute->components,
                        .rows = rows,
                        .row = attribute_row,
                        .context = attribute};
}

BwResult bw_volume_save_vtm(const BwVolumeBlock *blocks, int count, const char *path, BwError *err)
{
    BW_TRY(bw_need(path, "the path of the block", err));
    BW_TRY(bw_need_list(blocks, count, "blocks", err));
    for (int n = 0; n < count; n++) {
        BW_TRY(bw_need(blocks[n].name, "the name of a block", err));
        BW_TRY(bw_need(blocks[n].file, "the file of a block", err));
    }
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    BwFileWriter writer;
    BW_TRY(bw_file_begin(&writer, &allocator, path, err));
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\">\n"
          "  <vtkMultiBlockDataSet>\n",
          writer.stream);
    for (int n = 0; n < count; n++) {
        fprintf(writer.stream, "    <DataSet index=\"%d\" name=\"", n);
        bw_vtk_write_escaped(writer.stream, blocks[n].name);
        fputs("\" file=\"", writer.stream);
        bw_vtk_write_escaped(writer.stream, blocks[n].file);
        fputs("\"/>\n", writer.stream);
    }
    fputs("  </vtkMultiBlockDataSet>\n</VTKFile>\n", writer.stream);
    return bw_file_commit(&writer, err);
}

BwResult bw_volume_save_pvd(const BwVolumeFile *files, int count, const char *path, BwError *err)
{
    BW_TRY(bw_need(path, "the path of the collection", err));
    BW_TRY(bw_need_list(files, count, "a collection's files", err));
    for (int n = 0; n < count; n++) {
        BW_TRY(bw_need(files[n].name, "the name of a collection's file", err));
        if (!isfinite(files[n].time))
            return bw_fail(err, BW_ERR_DEF, "%s: the time of %s is %g; it must be finite", path,
                           files[n].name, files[n].time);
    }
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    BwFileWriter writer;
    BW_TRY(bw_file_begin(&writer, &allocator, path, err));
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n",
          writer.stream);
    for (int n = 0; n < count; n++) {
        char time[BW_NUMBER_TEXT_SIZE];
        fprintf(writer.stream, "    <DataSet timestep=\"%s\" part=\"0\" file=\"",
                bw_number_print(time, 17, files[n].time));
        bw_vtk_write_escaped(writer.stream, files[n].name);
        fputs("\"/>\n", writer.stream);
    }
    fputs("  </Collection>\n</VTKFile>\n", writer.stream);
    return bw_file_commit(&writer, err);
}
