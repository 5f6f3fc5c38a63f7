// Grids of OpenVDB whose trees hold no values: only which leaves there are and which of their voxels are
// active. A leaf's values are read from the frame when it is written, compressed by any worker into plain
// memory, and go to the file in the order of the tree. So a volume costs no second copy of the frame, and the
// file is the same for any number of workers.
//
// OpenVDB's own writer compresses every leaf twice, on one thread, to note the sizes beforehand for readers
// that load leaves when they are asked for. Readers do without.
#pragma once

#include "export/vdb_stream.h"
#include "export/volume_fields.h"

#include <openvdb/openvdb.h>

#include <exception>
#include <ostream>

extern "C" {
#include "base/pool.h"
}

namespace
{

using openvdb::Coord;

inline Coord leaf_origin(BwTileCoord tile, BwUp up)
{
    return up == BW_UP_Z ? Coord(8 * tile.x, -8 * tile.z - 8, 8 * tile.y)
                         : Coord(8 * tile.x, 8 * tile.y, 8 * tile.z);
}

inline BwTileCoord tile_of_leaf(const Coord &origin, BwUp up)
{
    return up == BW_UP_Z ? BwTileCoord{origin.x() >> 3, origin.z() >> 3, -(origin.y() >> 3) - 1}
                         : BwTileCoord{origin.x() >> 3, origin.y() >> 3, origin.z() >> 3};
}

// Where cell n of a tile is in its leaf, whose z runs fastest.
inline openvdb::Index leaf_offset(int n, BwUp up)
{
    int i = n & 7, j = n >> 3 & 7, k = n >> 6;
    return static_cast<openvdb::Index>(up == BW_UP_Z ? i << 6 | (7 - k) << 3 | j : i << 6 | j << 3 | k);
}

// A grid that can be written.
class Volume
{
  public:
    virtual ~Volume() = default;
    virtual openvdb::GridBase &grid() = 0;
    virtual void write_leaves(std::ostream &stream, BwPool *pool) const = 0;
    virtual int64_t value_bytes() const = 0; // of all leaves
};

// Source tells of each tile whether it is even, and gives its values: `bool is_even(tile)`, `read(tile,
// values)` in the order of a leaf.
template <typename Grid, typename Source> class TileVolume : public Volume
{
  public:
    using Tree = typename Grid::TreeType;
    using Leaf = typename Tree::LeafNodeType;
    using Value = typename Grid::ValueType;

    TileVolume(const BwFrame &frame_, BwUp up_, const Value &background, Source source_)
        : frame(frame_), up(up_), source(source_), volume(Grid::create(background))
    {
        auto accessor = volume->getAccessor();
        for (int32_t tile = 0; tile < frame.tile_count; tile++)
            if (is_even(tile))
                accessor.addTile(1, leaf_origin(frame.tiles[tile], up), source.first(tile), true);
            else
                accessor.addLeaf(make_leaf(tile, background));
    }

    openvdb::GridBase &grid() override
    {
        return *volume;
    }

    Grid &typed_grid()
    {
        return *volume;
    }

    int64_t value_bytes() const override
    {
        return static_cast<int64_t>(volume->tree().leafCount()) * Leaf::SIZE * int64_t{sizeof(Value)};
    }

    // A batch at a time: many leaves for the workers, little memory.
    void write_leaves(std::ostream &stream, BwPool *pool) const override
    {
        std::vector<const Leaf *> leaves;
        volume->tree().getNodes(leaves);
        std::vector<Block> blocks(BATCH_BLOCKS);
        for (size_t begin = 0; begin < leaves.size(); begin += BATCH_BLOCKS * BLOCK_LEAVES) {
            size_t end = std::min(leaves.size(), begin + BATCH_BLOCKS * BLOCK_LEAVES);
            Batch batch = {this, &leaves[begin], &stream, blocks.data()};
            bw_parallel_for(pool, static_cast<int64_t>(end - begin), BLOCK_LEAVES, compress_block, &batch);
            for (size_t n = 0; n * BLOCK_LEAVES < end - begin; n++)
                blocks[n].write_to(stream);
        }
    }

  private:
    static constexpr size_t BLOCK_LEAVES = 16, BATCH_BLOCKS = 32;

    // What a worker made of some leaves.
    struct Block {
        MemoryBuffer bytes;
        std::exception_ptr trouble;

        void write_to(std::ostream &stream)
        {
            if (trouble)
                std::rethrow_exception(trouble);
            stream.write(bytes.data(), bytes.size());
        }
    };

    struct Batch {
        const TileVolume *volume;
        const Leaf *const *leaves;
        std::ostream *settings; // of the compression
        Block *blocks;
    };

    bool is_even(int32_t tile) const
    {
        for (int k = 0; k < 8; k++)
            if (frame.layers < 8 || frame.live[tile][k] != ~uint64_t{0})
                return false;
        return source.is_even(tile);
    }

    // Without room for values.
    Leaf *make_leaf(int32_t tile, const Value &background) const
    {
        Leaf *leaf = new Leaf(openvdb::PartialCreate(), leaf_origin(frame.tiles[tile], up), background);
        for (int n = 0; n < 64 * frame.layers; n++)
            if (bw_volume_is_live(&frame, tile, n))
                leaf->setValueOn(leaf_offset(n, up));
        return leaf;
    }

    static void compress_block(int64_t begin, int64_t end, int, void *context)
    {
        const Batch *batch = static_cast<const Batch *>(context);
        Block &block = batch->blocks[static_cast<size_t>(begin) / BLOCK_LEAVES];
        try {
            block.trouble = nullptr;
            block.bytes.clear();
            batch->volume->compress(batch->leaves + begin, batch->leaves + end, *batch->settings,
                                    block.bytes);
        } catch (...) {
            block.trouble = std::current_exception();
        }
    }

    void compress(const Leaf *const *begin, const Leaf *const *end, std::ostream &settings,
                  MemoryBuffer &bytes) const
    {
        std::ostream stream(&bytes);
        stream.exceptions(std::ios_base::badbit | std::ios_base::failbit);
        openvdb::io::setDataCompression(stream, openvdb::io::getDataCompression(settings));
        openvdb::io::setGridBackgroundValuePtr(stream, &volume->background());
        Leaf scratch;
        for (const Leaf *const *leaf = begin; leaf != end; leaf++) {
            int32_t tile = bw_frame_find_tile(&frame, tile_of_leaf((*leaf)->origin(), up));
            const Leaf *whole = *leaf;
            if (tile >= 0) {
                scratch.setValueMask((*leaf)->getValueMask());
                source.read(tile, scratch.buffer().data());
                whole = &scratch;
            }
            whole->writeBuffers(stream, volume->saveFloatAsHalf());
        }
    }

    const BwFrame &frame;
    BwUp up;
    Source source;
    typename Grid::Ptr volume;
};

} // namespace
