// OpenVDB files from frames. OpenVDB has no C interface, so this file and the vdb_*.h beside it are C++; no
// exception leaves them.
//
// A tile becomes a leaf of the same 8^3 voxels, active where its cells are live: nothing is made dense, and
// nothing is pruned. OpenVDB puts voxel (i, j, k) at index position (i, j, k) and our cell centres are half a
// cell on, so the transform scales by the cell and moves by half of it. The velocity is a staggered grid:
// component n of a voxel sits on its low face along axis n, as ours do.
//
// Memory is OpenVDB's own. What it lacks comes back as an error, but for one case that no caller can catch: a
// tree allocates a little while it is freed, and ends the program where even that is refused.
#include "export/vdb.h"

#include "export/vdb_leaves.h"

#include <openvdb/io/Archive.h>
#include <openvdb/io/Compression.h>
#include <openvdb/io/GridDescriptor.h>

#include <cstring>
#include <memory>
#include <new>

namespace
{

using openvdb::Vec3s;

using Volumes = std::vector<std::unique_ptr<Volume>>;

// OpenVDB's files, with leaves written by the volumes themselves.
class VolumeArchive : public openvdb::io::Archive
{
  public:
    void write_to(std::ostream &stream, const Volumes &volumes, const openvdb::MetaMap &head,
                  BwPool *pool) const
    {
        int32_t count = static_cast<int32_t>(volumes.size());
        openvdb::io::setDataCompression(stream, compression());
        writeHeader(stream, true);
        head.writeMeta(stream);
        stream.write(reinterpret_cast<const char *>(&count), sizeof count);
        for (const auto &volume : volumes)
            write_volume(stream, *volume, pool);
    }

  private:
    // A descriptor with the offsets of what follows, which are known only after it.
    void write_volume(std::ostream &stream, Volume &volume, BwPool *pool) const
    {
        openvdb::GridBase &grid = volume.grid();
        openvdb::io::GridDescriptor descriptor(grid.getName(), grid.type(), grid.saveFloatAsHalf());
        descriptor.writeHeader(stream);
        std::streampos offsets = stream.tellp();
        descriptor.writeStreamPos(stream);
        descriptor.setGridPos(stream.tellp());
        setGridCompression(stream, grid);
        add_statistics(volume, openvdb::io::getDataCompression(stream));
        grid.writeMeta(stream);
        grid.writeTransform(stream);
        grid.writeTopology(stream);
        descriptor.setBlockPos(stream.tellp());
        volume.write_leaves(stream, pool);
        descriptor.setEndPos(stream.tellp());
        stream.seekp(offsets);
        descriptor.writeStreamPos(stream);
        descriptor.seekToEnd(stream);
    }

    static void add_statistics(Volume &volume, uint32_t compression)
    {
        using openvdb::GridBase;
        GridBase &grid = volume.grid();
        grid.addStatsMetadata();
        grid.insertMeta(GridBase::META_FILE_MEM_BYTES,
                        openvdb::Int64Metadata(static_cast<int64_t>(grid.memUsage()) + volume.value_bytes()));
        grid.insertMeta(GridBase::META_FILE_COMPRESSION,
                        openvdb::StringMetadata(openvdb::io::compressionToString(compression)));
    }
};

// The values of a field at one tile.
const float *tile_values(const BwFrame &frame, const BwFrameField &field, int32_t tile)
{
    return field.values + static_cast<size_t>(tile) * 64 * static_cast<size_t>(frame.layers);
}

bool has_one_value(const float *values)
{
    int differ = 0;
    for (int n = 0; n < 512; n++)
        differ |= values[n] != values[0];
    return !differ;
}

// A field at cell centres; the background where cells are not live.
class ScalarSource
{
  public:
    ScalarSource(const BwFrame &frame_, const BwFrameField &field_, BwUp up_)
        : frame(frame_), field(field_), up(up_)
    {
    }

    bool is_even(int32_t tile) const
    {
        return has_one_value(tile_values(frame, field, tile));
    }

    float first(int32_t tile) const
    {
        return tile_values(frame, field, tile)[0];
    }

    void read(int32_t tile, float *out) const
    {
        const float *values = tile_values(frame, field, tile);
        if (frame.layers < 8)
            std::fill(out, out + 512, field.background);
        for (int n = 0; n < 64 * frame.layers; n++)
            out[leaf_offset(n, up)] = bw_volume_is_live(&frame, tile, n) ? values[n] : field.background;
    }

  private:
    const BwFrame &frame;
    const BwFrameField &field;
    BwUp up;
};

// The class of the grid stays unknown: OpenVDB does not zip what is called a fog volume.
std::unique_ptr<Volume> make_scalar(const BwFrame &frame, const BwFrameField &field, BwUp up)
{
    auto volume = std::make_unique<TileVolume<openvdb::FloatGrid, ScalarSource>>(
        frame, up, field.background, ScalarSource(frame, field, up));
    volume->grid().setName(field.name);
    volume->grid().insertMeta("unit", openvdb::StringMetadata(field.unit));
    return volume;
}

// The colour at cell centres, which no turn of the axes changes.
class ColorSource
{
  public:
    ColorSource(const BwFrame &frame_, const BwVolumeColor &color_, BwUp up_)
        : frame(frame_), color(color_), up(up_)
    {
    }

    Vec3s background() const
    {
        return Vec3s(color.part[0]->background, color.part[1]->background, color.part[2]->background);
    }

    bool is_even(int32_t tile) const
    {
        return has_one_value(tile_values(frame, *color.part[0], tile)) &&
               has_one_value(tile_values(frame, *color.part[1], tile)) &&
               has_one_value(tile_values(frame, *color.part[2], tile));
    }

    Vec3s first(int32_t tile) const
    {
        return value(tile, 0);
    }

    void read(int32_t tile, Vec3s *out) const
    {
        if (frame.layers < 8)
            std::fill(out, out + 512, background());
        for (int n = 0; n < 64 * frame.layers; n++)
            out[leaf_offset(n, up)] = bw_volume_is_live(&frame, tile, n) ? value(tile, n) : background();
    }

  private:
    Vec3s value(int32_t tile, int n) const
    {
        return Vec3s(tile_values(frame, *color.part[0], tile)[n], tile_values(frame, *color.part[1], tile)[n],
                     tile_values(frame, *color.part[2], tile)[n]);
    }

    const BwFrame &frame;
    BwVolumeColor color;
    BwUp up;
};

std::unique_ptr<Volume> make_color(const BwFrame &frame, const BwVolumeColor &color, BwUp up)
{
    ColorSource source(frame, color, up);
    auto volume =
        std::make_unique<TileVolume<openvdb::Vec3SGrid, ColorSource>>(frame, up, source.background(), source);
    openvdb::Vec3SGrid &grid = volume->typed_grid();
    grid.setName("color");
    grid.setVectorType(openvdb::VEC_INVARIANT);
    grid.insertMeta("unit", openvdb::StringMetadata(color.part[0]->unit));
    return volume;
}

Vec3s turned(BwVec3 v, BwUp up)
{
    BwVec3 t = bw_volume_turn(v, up);
    return Vec3s(t.x, t.y, t.z);
}

// Gives the three components as the file wants them. Turning z round makes each cell's low face its high one,
// so there a voxel takes the w of the next cell; the tile may be another. A cell that is not live may own the
// high face of one that is, so all cells count.
class VelocitySource
{
  public:
    VelocitySource(const BwFrame &frame_, const BwVolumeVelocity &fields_, BwUp up_)
        : frame(frame_), fields(fields_), up(up_)
    {
    }

    bool is_even(int32_t tile) const
    {
        return has_one_value(tile_values(frame, *fields.u, tile)) &&
               has_one_value(tile_values(frame, *fields.v, tile)) &&
               (fields.w == nullptr || has_one_value(tile_values(frame, *fields.w, tile))) &&
               (up != BW_UP_Z || fields.w == nullptr || has_one_next_value(tile));
    }

    Vec3s first(int32_t tile) const
    {
        BwVec3 v =
            bw_vec3(tile_values(frame, *fields.u, tile)[0], tile_values(frame, *fields.v, tile)[0], 0.0f);
        v.z = fields.w != nullptr ? tile_values(frame, *fields.w, tile)[0] : 0.0f;
        return turned(v, up);
    }

    void read(int32_t tile, Vec3s *out) const
    {
        static const float none[512] = {0};
        const float *u = tile_values(frame, *fields.u, tile), *v = tile_values(frame, *fields.v, tile),
                    *w = fields.w != nullptr ? tile_values(frame, *fields.w, tile) : none;
        if (frame.layers < 8)
            std::fill(out, out + 512, turned(bw_volume_background(fields), up));
        if (up == BW_UP_Z && fields.w != nullptr)
            read_turned(tile, out, u, v, w);
        else
            for (int n = 0; n < 64 * frame.layers; n++)
                out[leaf_offset(n, up)] = turned(bw_vec3(u[n], v[n], w[n]), up);
    }

  private:
    void read_turned(int32_t tile, Vec3s *out, const float *u, const float *v, const float *w) const
    {
        const float *next = next_w(tile);
        for (int n = 0; n < 512; n++) {
            float high = n < 7 * 64 ? w[n + 64] : next != nullptr ? next[n - 7 * 64] : fields.w->background;
            out[leaf_offset(n, up)] = turned(bw_vec3(u[n], v[n], high), up);
        }
    }

    // Of the tile above along z; nullptr where there is none.
    const float *next_w(int32_t tile) const
    {
        BwTileCoord above = frame.tiles[tile];
        above.z++;
        int32_t next = bw_frame_find_tile(&frame, above);
        return next >= 0 ? tile_values(frame, *fields.w, next) : nullptr;
    }

    bool has_one_next_value(int32_t tile) const
    {
        const float *next = next_w(tile);
        float own = tile_values(frame, *fields.w, tile)[0];
        int differ = 0;
        for (int n = 0; n < 64; n++)
            differ |= (next != nullptr ? next[n] : fields.w->background) != own;
        return !differ;
    }

    const BwFrame &frame;
    BwVolumeVelocity fields;
    BwUp up;
};

// With z turned round, the w on the low side of a tile that has none below it belongs to voxels outside all
// tiles: their leaves hold values of their own.
void keep_outer_faces(openvdb::Vec3SGrid &grid, const BwFrame &frame, const BwVolumeVelocity &fields)
{
    auto accessor = grid.getAccessor();
    for (int32_t tile = 0; tile < frame.tile_count; tile++) {
        BwTileCoord place = frame.tiles[tile];
        if (bw_frame_find_tile(&frame, BwTileCoord{place.x, place.y, place.z - 1}) >= 0)
            continue;
        const float *w = tile_values(frame, *fields.w, tile);
        for (int n = 0; n < 64; n++) {
            BwVec3 v = bw_volume_background(fields);
            if (w[n] == v.z)
                continue;
            v.z = w[n];
            Coord voxel(8 * place.x + (n & 7), -8 * place.z, 8 * place.y + (n >> 3));
            accessor.setValueOff(voxel, turned(v, BW_UP_Z));
        }
    }
}

std::unique_ptr<Volume> make_velocity(const BwFrame &frame, const BwVolumeVelocity &fields, BwUp up)
{
    auto volume = std::make_unique<TileVolume<openvdb::Vec3SGrid, VelocitySource>>(
        frame, up, turned(bw_volume_background(fields), up), VelocitySource(frame, fields, up));
    openvdb::Vec3SGrid &grid = volume->typed_grid();
    grid.setName("vel");
    grid.setGridClass(openvdb::GRID_STAGGERED);
    grid.setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    if (up == BW_UP_Z && fields.w != nullptr)
        keep_outer_faces(grid, frame, fields);
    grid.insertMeta("unit", openvdb::StringMetadata(fields.u->unit));
    return volume;
}

openvdb::math::Transform::Ptr cell_centres(double cell)
{
    auto transform = openvdb::math::Transform::createLinearTransform(cell);
    transform->postTranslate(openvdb::Vec3d(0.5 * cell));
    return transform;
}

std::string creator()
{
    return std::string("Billow ") + bw_version();
}

Volumes make_volumes(const BwFrame &frame, const BwVolumeDef &def)
{
    Volumes volumes;
    for (int n = 0; n < frame.field_count; n++)
        if (bw_volume_holds(&frame.fields[n]))
            volumes.push_back(make_scalar(frame, frame.fields[n], def.up));
    BwVolumeColor color = bw_volume_color(&frame);
    if (color.part[0] != nullptr)
        volumes.push_back(make_color(frame, color, def.up));
    BwVolumeVelocity velocity = bw_volume_velocity(&frame);
    if (velocity.u != nullptr)
        volumes.push_back(make_velocity(frame, velocity, def.up));
    for (const auto &volume : volumes) {
        volume->grid().setTransform(cell_centres(static_cast<double>(frame.cell_size)));
        volume->grid().setCreator(creator());
        volume->grid().setSaveFloatAsHalf(def.half);
    }
    return volumes;
}

openvdb::MetaMap make_head(const BwFrame &frame, const BwVolumeDef &def)
{
    openvdb::MetaMap head;
    head.insertMeta("creator", openvdb::StringMetadata(creator()));
    head.insertMeta("frame", openvdb::Int32Metadata(frame.number));
    head.insertMeta("time", openvdb::DoubleMetadata(frame.time));
    head.insertMeta("length_unit", openvdb::StringMetadata("m"));
    head.insertMeta("time_unit", openvdb::StringMetadata("s"));
    head.insertMeta("up", openvdb::StringMetadata(def.up == BW_UP_Z ? "z" : "y"));
    return head;
}

uint32_t compression_flags(BwCompression compression)
{
    using namespace openvdb::io;
    switch (compression) {
    case BW_COMPRESS_ZIP:
        return COMPRESS_ZIP | COMPRESS_ACTIVE_MASK;
    case BW_COMPRESS_BLOSC:
        return COMPRESS_BLOSC | COMPRESS_ACTIVE_MASK;
    default:
        return COMPRESS_ACTIVE_MASK;
    }
}

const char *missing_compressor(BwCompression compression)
{
    if (compression == BW_COMPRESS_ZIP && !openvdb::io::Archive::hasZLibCompression())
        return "this OpenVDB was built without zlib; choose another compression";
    if (compression == BW_COMPRESS_BLOSC && !openvdb::io::Archive::hasBloscCompression())
        return "this OpenVDB was built without Blosc; choose another compression";
    return nullptr;
}

BwResult tell(char *trouble, BwResult code, const char *reason)
{
    snprintf(trouble, BW_VDB_TROUBLE_SIZE, "%s", reason);
    return code;
}

BwResult write_volumes(const BwFrame &frame, const BwVolumeDef &def, BwPool *pool, FileBuffer &buffer,
                       char *trouble)
{
    openvdb::initialize();
    if (const char *reason = missing_compressor(def.compression))
        return tell(trouble, BW_ERR_BACKEND, reason);
    VolumeArchive archive;
    std::ostream stream(&buffer);
    stream.exceptions(std::ios_base::badbit | std::ios_base::failbit);
    archive.setCompression(compression_flags(def.compression));
    archive.write_to(stream, make_volumes(frame, def), make_head(frame, def), pool);
    return BW_OK;
}

} // namespace

BwResult bw_vdb_write(const BwFrame *frame, const BwVolumeDef *def, BwPool *pool, FILE *stream,
                      char trouble[BW_VDB_TROUBLE_SIZE])
{
    FileBuffer buffer(stream);
    try {
        return write_volumes(*frame, *def, pool, buffer, trouble);
    } catch (const std::bad_alloc &) {
        return BW_ERR_MEMORY;
    } catch (const std::exception &exception) {
        if (buffer.reason() != 0)
            return tell(trouble, BW_ERR_FILE, strerror(buffer.reason()));
        return tell(trouble, BW_ERR_BACKEND, exception.what());
    } catch (...) {
        return tell(trouble, BW_ERR_BACKEND, "OpenVDB failed without a reason");
    }
}
