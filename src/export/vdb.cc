// OpenVDB files from frames. OpenVDB has no C interface, so this is the one file in C++; no exception leaves
// it.
//
// A tile becomes a leaf of the same 8^3 voxels, active where its cells are live: nothing is made dense, and
// nothing is pruned. OpenVDB puts voxel (i, j, k) at index position (i, j, k) and our cell centres are half a
// cell on, so the transform scales by the cell and moves by half of it. The velocity is a staggered grid:
// component n of a voxel sits on its low face along axis n, as ours do.
//
// Memory is OpenVDB's own. What it lacks comes back as an error, but for one case that no caller can catch: a
// tree allocates a little while it is freed, and ends the program where even that is refused.
#include "export/vdb.h"

#include "export/volume_fields.h"

#include <openvdb/io/Archive.h>
#include <openvdb/io/Compression.h>
#include <openvdb/openvdb.h>

#include <cerrno>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <cstring>
#include <new>
#include <streambuf>

namespace
{

using openvdb::Coord;
using openvdb::Vec3s;

// A FILE for OpenVDB to write to, which goes back now and then to fill in an offset. Keeps the reason of the
// first failure, for streams of C++ only keep that there was one.
class FileBuffer : public std::streambuf
{
  public:
    explicit FileBuffer(FILE *stream) : file(stream)
    {
    }

    int reason() const
    {
        return failure;
    }

  protected:
    std::streamsize xsputn(const char *bytes, std::streamsize count) override
    {
        std::streamsize written =
            static_cast<std::streamsize>(fwrite(bytes, 1, static_cast<size_t>(count), file));
        note_failure(written != count);
        return written;
    }

    int_type overflow(int_type byte) override
    {
        bool has_failed = fputc(byte, file) == EOF;
        note_failure(has_failed);
        return has_failed ? traits_type::eof() : byte;
    }

    pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override
    {
        int origin = from == std::ios_base::beg ? SEEK_SET : from == std::ios_base::cur ? SEEK_CUR : SEEK_END;
        // Telling the place must not cost a flush.
        bool has_failed = (offset != 0 || origin != SEEK_CUR) && fseeko(file, offset, origin) != 0;
        note_failure(has_failed);
        return has_failed ? pos_type(off_type(-1)) : pos_type(ftello(file));
    }

    pos_type seekpos(pos_type position, std::ios_base::openmode mode) override
    {
        return seekoff(off_type(position), std::ios_base::beg, mode);
    }

  private:
    void note_failure(bool has_failed)
    {
        if (has_failed && failure == 0)
            failure = errno != 0 ? errno : EIO;
    }

    FILE *file;
    int failure = 0;
};

// Opens the part of OpenVDB's writer that takes any stream and yet keeps the table of grids, which
// io::Stream leaves out.
class StreamArchive : public openvdb::io::Archive
{
  public:
    void write_to(std::ostream &stream, const openvdb::GridPtrVec &grids, const openvdb::MetaMap &head) const
    {
        write(stream, grids, true, head);
    }
};

Coord leaf_origin(BwTileCoord tile, BwUp up)
{
    return up == BW_UP_Z ? Coord(8 * tile.x, -8 * tile.z - 8, 8 * tile.y)
                         : Coord(8 * tile.x, 8 * tile.y, 8 * tile.z);
}

// Where cell n of a tile is in its leaf, whose z runs fastest.
openvdb::Index leaf_offset(int n, BwUp up)
{
    int i = n & 7, j = n >> 3 & 7, k = n >> 6;
    return static_cast<openvdb::Index>(up == BW_UP_Z ? i << 6 | (7 - k) << 3 | j : i << 6 | j << 3 | k);
}

// Whether all voxels of a tile are live and hold one and the same value.
template <typename ValueOf> bool is_even(const BwFrame &frame, int32_t tile, ValueOf value_of)
{
    if (frame.layers < 8)
        return false;
    auto first = value_of(tile, 0, true);
    for (int n = 0; n < 512; n++)
        if (!bw_volume_is_live(&frame, tile, n) || !(value_of(tile, n, true) == first))
            return false;
    return true;
}

// Fills a leaf a tile with value_of(tile, n, is_live). A tile of one value is said in one word, as OpenVDB's
// own tools would.
template <typename Grid, typename ValueOf>
void fill_leaves(Grid &grid, const BwFrame &frame, BwUp up, ValueOf value_of)
{
    auto accessor = grid.getAccessor();
    for (int32_t tile = 0; tile < frame.tile_count; tile++) {
        if (is_even(frame, tile, value_of)) {
            accessor.addTile(1, leaf_origin(frame.tiles[tile], up), value_of(tile, 0, true), true);
            continue;
        }
        auto *leaf = accessor.touchLeaf(leaf_origin(frame.tiles[tile], up));
        auto *values = leaf->buffer().data();
        for (int n = 0; n < 64 * frame.layers; n++) {
            bool is_live = bw_volume_is_live(&frame, tile, n);
            openvdb::Index offset = leaf_offset(n, up);
            values[offset] = value_of(tile, n, is_live);
            if (is_live)
                leaf->setValueOn(offset);
        }
    }
}

// The class of the grid stays unknown: OpenVDB does not zip what is called a fog volume.
openvdb::GridBase::Ptr make_scalar(const BwFrame &frame, const BwFrameField &field, BwUp up)
{
    auto grid = openvdb::FloatGrid::create(field.background);
    fill_leaves(*grid, frame, up, [&](int32_t tile, int n, bool is_live) {
        size_t at =
            static_cast<size_t>(tile) * 64 * static_cast<size_t>(frame.layers) + static_cast<size_t>(n);
        return is_live ? field.values[at] : field.background;
    });
    grid->insertMeta("unit", openvdb::StringMetadata(field.unit));
    return grid;
}

Vec3s turned(BwVec3 v, BwUp up)
{
    BwVec3 t = bw_volume_turn(v, up);
    return Vec3s(t.x, t.y, t.z);
}

// Reads the three components as the file wants them. Turning z round makes each cell's low face its high one,
// so there a voxel takes the w of the next cell; the tile may be another.
class VelocityReader
{
  public:
    VelocityReader(const BwFrame &frame_, const BwVolumeVelocity &fields_, BwUp up_)
        : frame(frame_), fields(fields_), up(up_)
    {
    }

    Vec3s at(int32_t tile, int n)
    {
        BwVec3 v = bw_vec3(value(fields.u, tile, n), value(fields.v, tile, n), 0.0f);
        if (fields.w != nullptr)
            v.z = up == BW_UP_Z ? next_w(tile, n) : value(fields.w, tile, n);
        return turned(v, up);
    }

    float value(const BwFrameField *field, int32_t tile, int n) const
    {
        return field->values[static_cast<size_t>(tile) * 64 * static_cast<size_t>(frame.layers) +
                             static_cast<size_t>(n)];
    }

  private:
    float next_w(int32_t tile, int n)
    {
        if (n < 7 * 64)
            return value(fields.w, tile, n + 64);
        if (tile != looked_up) {
            BwTileCoord above = frame.tiles[tile];
            above.z++;
            next_tile = bw_frame_find_tile(&frame, above);
            looked_up = tile;
        }
        return next_tile >= 0 ? value(fields.w, next_tile, n - 7 * 64) : fields.w->background;
    }

    const BwFrame &frame;
    BwVolumeVelocity fields;
    BwUp up;
    int32_t looked_up = -1, next_tile = -1;
};

// With z turned round, the w on the low side of a tile that has none below it belongs to voxels outside all
// tiles.
void keep_outer_faces(openvdb::Vec3SGrid &grid, const BwFrame &frame, const BwVolumeVelocity &fields,
                      const VelocityReader &reader)
{
    auto accessor = grid.getAccessor();
    for (int32_t tile = 0; tile < frame.tile_count; tile++) {
        BwTileCoord place = frame.tiles[tile];
        if (bw_frame_find_tile(&frame, BwTileCoord{place.x, place.y, place.z - 1}) >= 0)
            continue;
        for (int n = 0; n < 64; n++) {
            BwVec3 v = bw_volume_background(fields);
            float w = reader.value(fields.w, tile, n);
            if (w == v.z)
                continue;
            v.z = w;
            Coord voxel(8 * place.x + (n & 7), -8 * place.z, 8 * place.y + (n >> 3));
            accessor.setValueOff(voxel, turned(v, BW_UP_Z));
        }
    }
}

openvdb::GridBase::Ptr make_velocity(const BwFrame &frame, const BwVolumeVelocity &fields, BwUp up)
{
    auto grid = openvdb::Vec3SGrid::create(turned(bw_volume_background(fields), up));
    VelocityReader reader(frame, fields, up);
    grid->setName("vel");
    grid->setGridClass(openvdb::GRID_STAGGERED);
    grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    // A cell that is not live may own the high face of one that is.
    fill_leaves(*grid, frame, up, [&](int32_t tile, int n, bool) { return reader.at(tile, n); });
    if (up == BW_UP_Z && fields.w != nullptr)
        keep_outer_faces(*grid, frame, fields, reader);
    grid->insertMeta("unit", openvdb::StringMetadata(fields.u->unit));
    return grid;
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

openvdb::GridPtrVec make_grids(const BwFrame &frame, const BwVolumeDef &def)
{
    openvdb::GridPtrVec grids;
    for (int n = 0; n < frame.field_count; n++) {
        if (!bw_volume_holds(&frame.fields[n]))
            continue;
        grids.push_back(make_scalar(frame, frame.fields[n], def.up));
        grids.back()->setName(frame.fields[n].name);
    }
    BwVolumeVelocity velocity = bw_volume_velocity(&frame);
    if (velocity.u != nullptr)
        grids.push_back(make_velocity(frame, velocity, def.up));
    for (const auto &grid : grids) {
        grid->setTransform(cell_centres(static_cast<double>(frame.cell_size)));
        grid->setCreator(creator());
        grid->setSaveFloatAsHalf(def.half);
    }
    return grids;
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

BwResult write_volume(const BwFrame &frame, const BwVolumeDef &def, FileBuffer &buffer, char *trouble)
{
    openvdb::initialize();
    if (const char *reason = missing_compressor(def.compression))
        return tell(trouble, BW_ERR_BACKEND, reason);
    StreamArchive archive;
    std::ostream stream(&buffer);
    stream.exceptions(std::ios_base::badbit | std::ios_base::failbit);
    archive.setCompression(compression_flags(def.compression));
    archive.write_to(stream, make_grids(frame, def), make_head(frame, def));
    return BW_OK;
}

} // namespace

BwResult bw_vdb_write(const BwFrame *frame, const BwVolumeDef *def, FILE *stream,
                      char trouble[BW_VDB_TROUBLE_SIZE])
{
    FileBuffer buffer(stream);
    try {
        BwResult result = write_volume(*frame, *def, buffer, trouble);
#ifdef __GLIBC__
        malloc_trim(0); // the trees were thousands of small blocks, which the C library would hold on to
#endif
        return result;
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
