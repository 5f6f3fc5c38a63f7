// OpenVDB files are read back by OpenVDB's own reader. Places are compared in metres, not in voxels, so that
// transforms, staggering and turned axes are tested by what they mean.
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fstream>
#include <random>
#include <sys/resource.h>
#include <unistd.h>

// Last, for cmocka has macros with names of everyday.
#include "export/vdb_list.h"
#include "gate.h"
#include "volume_frame.h"
#include <billow/volume.h>

namespace
{

char folder[] = "/tmp/billow_test_vdb_XXXXXX";

std::string path_of(const char *name)
{
    return std::string(folder) + "/" + name;
}

int files_in_folder()
{
    int count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory)) != nullptr;)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

int make_folder(void **)
{
    openvdb::initialize();
    return mkdtemp(folder) != nullptr ? 0 : -1;
}

int remove_folder(void **)
{
    remove(path_of("a.vdb").c_str());
    return rmdir(folder);
}

// A file as it was read.
struct Reading {
    openvdb::GridPtrVecPtr grids;
    openvdb::MetaMap::Ptr head;

    const openvdb::GridBase::Ptr &any(const char *name) const
    {
        for (const auto &one : *grids)
            if (one->getName() == name)
                return one;
        fail_msg("there is no grid %s", name);
        return grids->front();
    }

    template <typename Grid> typename Grid::Ptr grid(const char *name) const
    {
        return openvdb::gridPtrCast<Grid>(any(name));
    }
};

Reading save_and_read(const VolumeFrame *volume, const BwVolumeDef &def)
{
    BwError err;
    std::string path = path_of("a.vdb");
    if (bw_volume_save_vdb(&volume->frame, &def, path.c_str(), &err) != BW_OK)
        fail_msg("%s", err.message);
    openvdb::io::File file(path);
    file.open(false);
    Reading reading = {file.getGrids(), file.getMetadata()};
    file.close();
    return reading;
}

openvdb::Vec3d turned(double x, double y, double z, BwUp up)
{
    return up == BW_UP_Z ? openvdb::Vec3d(x, -z, y) : openvdb::Vec3d(x, y, z);
}

// The voxel whose place in the grid, shifted by half a voxel down `axis` (3: not at all), is this one.
openvdb::Coord voxel_at(const openvdb::GridBase &grid, const openvdb::Vec3d &place, int axis)
{
    openvdb::Vec3d index = grid.transform().worldToIndex(place);
    if (axis < 3)
        index[axis] += 0.5;
    openvdb::Coord voxel = openvdb::Coord::round(index);
    for (int a = 0; a < 3; a++)
        assert_true(std::abs(index[a] - voxel.asVec3d()[a]) < 1e-6 * (1.0 + std::abs(index[a])));
    return voxel;
}

// Calls check(i, j, k) for each cell that the frame has.
template <typename Check> int for_each_cell(const BwFrame &frame, Check check)
{
    int live = 0;
    for (int32_t tile = 0; tile < frame.tile_count; tile++) {
        for (int n = 0; n < 64 * frame.layers; n++) {
            BwTileCoord at = frame.tiles[tile];
            int i = 8 * at.x + (n & 7), j = 8 * at.y + (n >> 3 & 7), k = frame.layers * at.z + (n >> 6);
            check(i, j, k);
            live += volume_is_live(i, j, k);
        }
    }
    return live;
}

void check_scalar(const Reading &reading, const VolumeFrame *volume, int f, BwUp up, double tolerance)
{
    const BwFrameField &field = volume->fields[f];
    auto grid = reading.grid<openvdb::FloatGrid>(field.name);
    double h = static_cast<double>(volume->frame.cell_size);
    assert_true(std::abs(grid->background() - field.background) <= tolerance);
    int live = for_each_cell(volume->frame, [&](int i, int j, int k) {
        openvdb::Coord voxel = voxel_at(*grid, turned((i + 0.5) * h, (j + 0.5) * h, (k + 0.5) * h, up), 3);
        bool is_live = volume_is_live(i, j, k);
        float wanted = is_live ? volume_value(&field, i, j, k) : field.background;
        assert_true(grid->tree().isValueOn(voxel) == is_live);
        assert_true(static_cast<double>(std::abs(grid->tree().getValue(voxel) - wanted)) <= tolerance);
    });
    assert_int_equal(grid->activeVoxelCount(), live);
    assert_int_equal(grid->tree().leafCount(), volume->frame.tile_count);
    assert_int_equal(grid->tree().activeTileCount(), 0);
}

// Every face of the frame is found where it is, on the axis it became, with its sign.
void check_velocity(const Reading &reading, const VolumeFrame *volume, BwUp up, double tolerance)
{
    auto grid = reading.grid<openvdb::Vec3SGrid>("vel");
    double h = static_cast<double>(volume->frame.cell_size);
    const int axis_of[2][3] = {{0, 1, 2}, {0, 2, 1}};
    int live = for_each_cell(volume->frame, [&](int i, int j, int k) {
        for (int a = 0; a < volume->frame.dimension; a++) {
            double x = i + (a == 0 ? 0.0 : 0.5), y = j + (a == 1 ? 0.0 : 0.5), z = k + (a == 2 ? 0.0 : 0.5);
            int axis = axis_of[up == BW_UP_Z][a];
            openvdb::Coord voxel = voxel_at(*grid, turned(x * h, y * h, z * h, up), axis);
            float sign = up == BW_UP_Z && a == 2 ? -1.0f : 1.0f;
            float wanted = sign * volume_value(&volume->fields[VOLUME_U + a], i, j, k);
            assert_true(static_cast<double>(std::abs(grid->tree().getValue(voxel)[axis] - wanted)) <=
                        tolerance);
        }
    });
    assert_int_equal(grid->activeVoxelCount(), live);
    assert_int_equal(grid->getGridClass(), openvdb::GRID_STAGGERED);
    assert_int_equal(grid->getVectorType(), openvdb::VEC_CONTRAVARIANT_RELATIVE);
    float w = volume->frame.dimension == 3 ? 0.75f : 0.0f;
    openvdb::Vec3s wanted =
        up == BW_UP_Z ? openvdb::Vec3s(0.25f, -w, -0.5f) : openvdb::Vec3s(0.25f, -0.5f, w);
    assert_true(grid->background() == wanted);
}

// One vector a cell, which does not turn.
void check_color(const Reading &reading, const VolumeFrame *volume, BwUp up, double tolerance)
{
    auto grid = reading.grid<openvdb::Vec3SGrid>("color");
    double h = static_cast<double>(volume->frame.cell_size);
    int live = for_each_cell(volume->frame, [&](int i, int j, int k) {
        openvdb::Coord voxel = voxel_at(*grid, turned((i + 0.5) * h, (j + 0.5) * h, (k + 0.5) * h, up), 3);
        for (int c = 0; c < 3; c++) {
            const BwFrameField &field = volume->fields[VOLUME_COLOR + c];
            float wanted = volume_is_live(i, j, k) ? volume_value(&field, i, j, k) : field.background;
            assert_true(static_cast<double>(std::abs(grid->tree().getValue(voxel)[c] - wanted)) <= tolerance);
        }
    });
    assert_int_equal(grid->activeVoxelCount(), live);
    assert_int_equal(grid->getVectorType(), openvdb::VEC_INVARIANT);
    assert_true(grid->background() == openvdb::Vec3s(0.0f));
}

void check_all(const VolumeFrame *volume, BwUp up, bool half)
{
    BwVolumeDef def = bw_volume_def_default();
    def.up = up;
    def.half = half;
    Reading reading = save_and_read(volume, def);
    assert_int_equal(reading.grids->size(), 4);
    // A half has 11 digits: an error of 2^-11 of the number, or half as much.
    check_scalar(reading, volume, 0, up, half ? 1.0 / 2048 : 0.0);
    check_scalar(reading, volume, 1, up, half ? 295.0 / 2048 : 0.0);
    check_velocity(reading, volume, up, half ? 2.0 / 2048 : 0.0);
    check_color(reading, volume, up, half ? 1.0 / 2048 : 0.0);
    for (const auto &grid : *reading.grids)
        assert_true(grid->saveFloatAsHalf() == half);
}

void values_and_places_survive(void **)
{
    VolumeFrame *near = volume_make(3, volume_tiles_near, 5);
    VolumeFrame *far = volume_make(3, volume_tiles_far, 2);
    VolumeFrame *flat = volume_make(2, volume_tiles_flat, 3);
    VolumeFrame *none = volume_make(3, nullptr, 0);
    for (VolumeFrame *volume : {near, far, flat, none}) {
        for (BwUp up : {BW_UP_Y, BW_UP_Z}) {
            check_all(volume, up, false);
            check_all(volume, up, true);
        }
        free(volume);
    }
}

void the_transform_is_that_of_cell_centres(void **)
{
    VolumeFrame *volume = volume_make(3, volume_tiles_near, 5);
    Reading reading = save_and_read(volume, bw_volume_def_default());
    double h = static_cast<double>(0.02f);
    for (const auto &grid : *reading.grids) {
        assert_true(grid->voxelSize() == openvdb::Vec3d(h));
        assert_true(grid->transform().indexToWorld(openvdb::Vec3d(0.0)) == openvdb::Vec3d(0.5 * h));
        assert_true(grid->isInWorldSpace());
    }
    free(volume);
}

void files_say_what_they_hold(void **)
{
    VolumeFrame *volume = volume_make(3, volume_tiles_near, 5);
    Reading reading = save_and_read(volume, bw_volume_def_default());
    std::string creator = std::string("Billow ") + bw_version();
    assert_string_equal(reading.head->metaValue<std::string>("creator").c_str(), creator.c_str());
    assert_int_equal(reading.head->metaValue<int32_t>("frame"), 7);
    assert_true(reading.head->metaValue<double>("time") == volume->frame.time);
    assert_string_equal(reading.head->metaValue<std::string>("up").c_str(), "y");
    const char *names[] = {"color", "density", "temperature", "vel"}, *units[] = {"1", "1", "K", "m/s"};
    for (size_t n = 0; n < 4; n++) {
        const openvdb::GridBase &grid = *reading.grids->at(n);
        assert_string_equal(grid.getName().c_str(), names[n]);
        assert_string_equal(grid.getCreator().c_str(), creator.c_str());
        assert_string_equal(grid.metaValue<std::string>("unit").c_str(), units[n]);
    }
    free(volume);
}

// The first bytes of a file: eight of a magic number, four of the format's version.
uint32_t file_version()
{
    std::ifstream file(path_of("a.vdb"), std::ios::binary);
    uint32_t words[3] = {0, 0, 0};
    file.read(reinterpret_cast<char *>(words), sizeof words);
    assert_int_equal(words[0], 0x56444220);
    return words[2];
}

void compression_is_as_asked(void **)
{
    VolumeFrame *volume = volume_make(3, volume_tiles_near, 5);
    const char *wanted[] = {"zip + active values", "blosc + active values", "active values"};
    for (int c = BW_COMPRESS_ZIP; c <= BW_COMPRESS_NONE; c++) {
        BwVolumeDef def = bw_volume_def_default();
        assert_int_equal(def.compression, BW_COMPRESS_ZIP);
        def.compression = static_cast<BwCompression>(c);
        Reading reading = save_and_read(volume, def);
        assert_int_equal(file_version(), 224);
        for (const auto &grid : *reading.grids)
            assert_string_equal(grid->metaValue<std::string>("file_compression").c_str(), wanted[c]);
        check_scalar(reading, volume, 1, BW_UP_Y, 0.0);
    }
    free(volume);
}

// A box of more tiles than are written at a time.
VolumeFrame *make_box()
{
    std::vector<BwTileCoord> tiles;
    for (int32_t z = 0; z < 6; z++)
        for (int32_t y = 0; y < 10; y++)
            for (int32_t x = 0; x < 10; x++)
                tiles.push_back(BwTileCoord{x, y, z});
    return volume_make(3, tiles.data(), static_cast<int32_t>(tiles.size()));
}

// What follows the name that OpenVDB makes up for each file.
std::string bytes_after_name()
{
    std::ifstream file(path_of("a.vdb"), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return bytes.substr(64);
}

void files_do_not_depend_on_the_workers(void **)
{
    VolumeFrame *volume = make_box();
    for (BwUp up : {BW_UP_Y, BW_UP_Z}) {
        check_all(volume, up, false);
        std::string first;
        for (int workers : {1, 2, 5}) {
            BwVolumeDef def = bw_volume_def_default();
            def.up = up;
            def.compression = BW_COMPRESS_BLOSC;
            def.worker_count = workers;
            save_and_read(volume, def);
            std::string bytes = bytes_after_name();
            assert_true(workers == 1 || bytes == first);
            first = bytes;
        }
    }
    free(volume);
}

void a_tile_of_one_value_is_one_word(void **)
{
    VolumeFrame *volume = make_box();
    memset(volume->live[599], 0xff, sizeof volume->live[599]);
    for (int f = 0; f < VOLUME_FIELDS; f++)
        std::fill_n(volume->values[f] + 512 * 599, 512, 2.0f);
    Reading reading = save_and_read(volume, bw_volume_def_default());
    for (const char *name : {"density", "temperature"}) {
        const auto &tree = reading.grid<openvdb::FloatGrid>(name)->tree();
        assert_int_equal(tree.leafCount(), volume->frame.tile_count - 1);
        assert_int_equal(tree.activeTileCount(), 1);
        assert_true(tree.getValue(openvdb::Coord(75, 75, 45)) == 2.0f);
    }
    free(volume);
}

void trouble_is_told_and_leaves_nothing(void **)
{
    VolumeFrame *volume = volume_make(3, volume_tiles_near, 5);
    BwError err;
    remove(path_of("a.vdb").c_str());
    assert_int_equal(bw_volume_save_vdb(&volume->frame, nullptr, path_of("no/a.vdb").c_str(), &err),
                     BW_ERR_FILE);
    assert_non_null(strstr(err.message, "no/a.vdb"));
    assert_non_null(strstr(err.message, "No such file"));
    BwVolumeDef zeros = {};
    assert_int_equal(bw_volume_save_vdb(&volume->frame, &zeros, path_of("a.vdb").c_str(), &err), BW_ERR_DEF);
    // A limit on the size of files stands for a full disk, met early and late.
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    for (rlim_t size : {rlim_t(0), rlim_t(1000), rlim_t(20000)}) {
        limit = {size, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        BwResult result = bw_volume_save_vdb(&volume->frame, nullptr, path_of("a.vdb").c_str(), &err);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(result, BW_ERR_FILE);
        assert_non_null(strstr(err.message, "a.vdb: File too large"));
    }
    assert_int_equal(files_in_folder(), 0);
    free(volume);
}

void lists_agree_with_openvdb(void **)
{
    for (bool is_half : {false, true}) {
        VolumeFrame *volume = volume_make(3, volume_tiles_near, 5);
        BwVolumeDef def = bw_volume_def_default();
        def.half = is_half;
        Reading reading = save_and_read(volume, def);
        BwVdbGrid grids[16];
        BwError err;
        int count;
        assert_int_equal(bw_vdb_list(path_of("a.vdb").c_str(), grids, 16, &count, &err), BW_OK);
        assert_int_equal(count, reading.grids->size());
        for (int n = 0; n < count; n++) {
            const openvdb::GridBase &grid = *reading.any(grids[n].name);
            assert_string_equal(grids[n].type, grid.valueType().c_str());
            assert_string_equal(grids[n].unit,
                                grid.getMetadata<openvdb::StringMetadata>("unit")->value().c_str());
            assert_int_equal(grids[n].voxels, grid.activeVoxelCount());
        }
        free(volume);
    }
}

std::string bytes_of(const std::string &path)
{
    std::ifstream stream(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

// What is read of a file of these bytes; a trouble names the file.
BwResult list_of(const std::string &bytes)
{
    BwVdbGrid grids[16];
    BwError err = {};
    int count;
    std::string path = path_of("a.vdb");
    std::ofstream(path, std::ios::binary) << bytes;
    BwResult result = bw_vdb_list(path.c_str(), grids, 16, &count, &err);
    assert_true(result == BW_OK || strstr(err.message, path.c_str()) != nullptr);
    return result;
}

// Where a text begins in a file, beginning with the number that counts its letters.
size_t text_at(const std::string &whole, const char *text)
{
    size_t at = whole.find(text);
    assert_true(at != std::string::npos);
    return at - 4;
}

void damaged_files_are_refused_at_once(void **)
{
    VolumeFrame *volume = volume_make(3, volume_tiles_near, 5);
    save_and_read(volume, bw_volume_def_default());
    const std::string whole = bytes_of(path_of("a.vdb"));
    assert_int_equal(list_of(whole), BW_OK);
    for (size_t size = 0; size < whole.size(); size += size < 1000 ? 1 : 97)
        assert_int_equal(list_of(whole.substr(0, size)), BW_ERR_FORMAT);
    assert_int_equal(list_of(whole.substr(0, whole.size() - 1)), BW_ERR_FORMAT);
    // Counts of entries, of letters and of grids, and the three offsets of a grid.
    size_t grid = text_at(whole, "density"), places = text_at(whole, "Tree_float_5_4_3") + 24;
    for (size_t at : {size_t(57), size_t(61), grid - 4, grid, places, places + 8, places + 16})
        for (const char *forged : {"\xff\xff\xff\xff", "\xff\xff\xff\x7f", "\0\0\0\x40"})
            assert_int_equal(list_of(std::string(whole).replace(at, 4, forged, 4)), BW_ERR_FORMAT);
    // Whatever the bytes, it returns; sanitizers see to the rest.
    std::mt19937 random(1);
    for (int n = 0; n < 500; n++) {
        std::string damaged = whole;
        for (int k = 0; k < 8; k++)
            damaged[random() % (n % 2 == 0 ? 2000 : damaged.size())] = static_cast<char>(random());
        list_of(damaged);
    }
    free(volume);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_places_survive),
        cmocka_unit_test(the_transform_is_that_of_cell_centres),
        cmocka_unit_test(files_say_what_they_hold),
        cmocka_unit_test(compression_is_as_asked),
        cmocka_unit_test(files_do_not_depend_on_the_workers),
        cmocka_unit_test(a_tile_of_one_value_is_one_word),
        cmocka_unit_test(lists_agree_with_openvdb),
        cmocka_unit_test(damaged_files_are_refused_at_once),
        cmocka_unit_test(trouble_is_told_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
