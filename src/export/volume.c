// Volumes by their public names: checks of the Def, and OpenVDB files through the shim in vdb.cc.
#include "export/volume.h"
#include "base/need.h"
#include "base/pool.h"
#include "grid/frame_check.h"

enum { VOLUME_COOKIE = 0x766f6c75 };

BwVolumeDef bw_volume_def_default(void)
{
    return (BwVolumeDef){.cookie = VOLUME_COOKIE};
}

BwResult bw_volume_check(BwVolumeDef *checked, const BwVolumeDef *def, BwError *err)
{
    *checked = def != NULL ? *def : bw_volume_def_default();
    if (checked->cookie != VOLUME_COOKIE)
        return bw_fail(err, BW_ERR_DEF, "the volume's Def was not made by bw_volume_def_default");
    if (checked->up != BW_UP_Y && checked->up != BW_UP_Z)
        return bw_fail(err, BW_ERR_DEF, "the volume's up is %d; it must be BW_UP_Y or BW_UP_Z",
                       (int)checked->up);
    checked->allocator = bw_allocator_or_default(checked->allocator);
    return BW_OK;
}

// Vectors take their parts together under these names.
static bool is_name_of_vector(const BwFrame *frame, const BwFrameField *field)
{
    return bw_volume_holds(field) &&
           ((strcmp(field->name, "vel") == 0 && bw_volume_velocity(frame).u != NULL) ||
            (strcmp(field->name, "color") == 0 && bw_volume_color(frame).part[0] != NULL));
}

BwResult bw_volume_check_names(const BwFrame *frame, BwError *err)
{
    for (int n = 0; n < frame->field_count; n++) {
        const BwFrameField *field = &frame->fields[n];
        if (is_name_of_vector(frame, field))
            return bw_fail(err, BW_ERR_DEF, "the frame has a field \"%s\", which is what volumes call the %s",
                           field->name, field->name[0] == 'v' ? "velocity" : "colour");
        for (int before = 0; before < n; before++)
            if (strcmp(frame->fields[before].name, field->name) == 0)
                return bw_fail(err, BW_ERR_DEF, "the frame has two fields \"%s\"; a volume holds one",
                               field->name);
    }
    return BW_OK;
}

#ifdef BW_HAVE_VDB

bool bw_volume_has_vdb(void)
{
    return true;
}

static BwResult write_grids(const BwFrame *frame, const BwVolumeDef *def, const BwFileWriter *writer,
                            BwError *err)
{
    char trouble[BW_VDB_TROUBLE_SIZE] = "";
    BwPoolDef pool_def = {.allocator = def->allocator, .worker_count = def->worker_count};
    BwPool *pool;
    BW_TRY(bw_pool_create(&pool, &pool_def, err));
    BwResult result = bw_vdb_write(frame, def, pool, writer->stream, trouble);
    bw_pool_destroy(pool);
    if (result == BW_ERR_MEMORY)
        return bw_fail_memory(err);
    return result == BW_OK ? BW_OK : bw_fail(err, result, "could not write %s: %s", writer->path, trouble);
}

BwResult bw_volume_write_vdb(const BwFrame *frame, const BwVolumeDef *def, const char *path,
                             BwFileWriter *writer, BwError *err)
{
    BwVolumeDef checked;
    BW_TRY(bw_frame_check(frame, err));
    BW_TRY(bw_need(path, "the path of the volume", err));
    BW_TRY(bw_volume_check(&checked, def, err));
    BW_TRY(bw_volume_check_names(frame, err));
    BW_TRY(bw_file_begin(writer, &checked.allocator, path, err));
    BwResult result = write_grids(frame, &checked, writer, err);
    if (result != BW_OK)
        bw_file_abandon(writer);
    return result;
}

#else

bool bw_volume_has_vdb(void)
{
    return false;
}

BwResult bw_volume_write_vdb(const BwFrame *frame, const BwVolumeDef *def, const char *path,
                             BwFileWriter *writer, BwError *err)
{
    (void)frame, (void)def, (void)writer;
    return bw_fail(err, BW_ERR_BACKEND,
                   "could not write %s: this build has no OpenVDB; install libopenvdb-dev and libboost-dev "
                   "and build again",
                   path);
}

#endif

BwResult bw_volume_save_vdb(const BwFrame *frame, const BwVolumeDef *def, const char *path, BwError *err)
{
    BwFileWriter writer;
    BW_TRY(bw_volume_write_vdb(frame, def, path, &writer, err));
    return bw_file_commit(&writer, err);
}
