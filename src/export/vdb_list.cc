// What an OpenVDB file holds: the names and kinds of its grids. Lets no exception out.
#include "export/vdb.h"

#include <openvdb/openvdb.h>

#include <new>

namespace
{

template <size_t size> void copy(char (&out)[size], const std::string &text)
{
    snprintf(out, size, "%s", text.c_str());
}

BwVdbGrid describe(const openvdb::GridBase &grid)
{
    BwVdbGrid told = {};
    auto unit = grid.getMetadata<openvdb::StringMetadata>("unit");
    auto voxels = grid.getMetadata<openvdb::Int64Metadata>(openvdb::GridBase::META_FILE_VOXEL_COUNT);
    copy(told.name, grid.getName());
    copy(told.type, grid.valueType());
    copy(told.unit, unit ? unit->value() : std::string());
    told.voxels = voxels ? voxels->value() : -1;
    return told;
}

BwResult tell(char *trouble, BwResult code, const char *reason)
{
    snprintf(trouble, BW_VDB_TROUBLE_SIZE, "%s", reason);
    return code;
}

} // namespace

BwResult bw_vdb_list(const char *path, BwVdbGrid *grids, int grids_max, int *count,
                     char trouble[BW_VDB_TROUBLE_SIZE])
{
    try {
        openvdb::initialize();
        openvdb::io::File file(path);
        file.open(false);
        openvdb::GridPtrVecPtr all = file.readAllGridMetadata();
        *count = static_cast<int>(all->size());
        for (int n = 0; n < *count && n < grids_max; n++)
            grids[n] = describe(*(*all)[static_cast<size_t>(n)]);
        return BW_OK;
    } catch (const std::bad_alloc &) {
        return tell(trouble, BW_ERR_MEMORY, "out of memory");
    } catch (const std::exception &exception) {
        return tell(trouble, BW_ERR_FORMAT, exception.what());
    } catch (...) {
        return tell(trouble, BW_ERR_FORMAT, "OpenVDB failed without a reason");
    }
}
