// Records through HDF5's "core" driver, which keeps a file in memory and lets us hand it that memory. Times
// are left out of the file, so that the same state gives the same bytes.
#include "cache/record_file.h"

void bw_file_image_free(BwFileImage *image)
{
    bw_free(&image->allocator, image->bytes, image->capacity, BW_ALIGN);
    *image = (BwFileImage){.allocator = image->allocator};
}

#ifdef BW_HAVE_HDF5

#include <hdf5.h>
#include <pthread.h>
#include <string.h>

// HDF5 is rarely built for threads, and worlds may be kept by several at once: one of them uses it at a time.
static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

// HDF5 makes a file in memory a whole number of growths long; what it writes beside the arrays is the head.
enum { HEAD_BYTES = 1 << 16, CHUNK_BYTES = 1 << 20, GROWTH_BYTES = 1 << 12, DEFLATE_LEVEL = 4 };

bool bw_record_file_is_built(void)
{
    return true;
}

static BwResult fail_hdf5(BwError *err, const char *verb, const char *name)
{
    return bw_fail(err, BW_ERR_FORMAT, "HDF5 could not %s \"%s\"", verb, name);
}

// HDF5 asks for memory of an image by these. There is one block of it, which outlives the file and is there
// before HDF5 is asked for anything: HDF5 does not recover well from memory that it does not get.
static void *image_realloc(void *block, size_t size, H5FD_file_image_op_t operation, void *user)
{
    (void)block, (void)operation;
    BwFileImage *image = user;
    if (size <= image->capacity)
        return image->bytes;
    char *grown =
        image->allocator.resize(image->allocator.user, image->bytes, image->capacity, size, BW_ALIGN);
    if (grown == NULL)
        return NULL;
    image->bytes = grown;
    image->capacity = size;
    return grown;
}

static void *image_malloc(size_t size, H5FD_file_image_op_t operation, void *user)
{
    return image_realloc(NULL, size, operation, user);
}

static herr_t image_keep(void *block, H5FD_file_image_op_t operation, void *user)
{
    (void)block, (void)operation, (void)user;
    return 0;
}

static void *same_user(void *user)
{
    return user;
}

static herr_t keep_user(void *user)
{
    (void)user;
    return 0;
}

static hid_t memory_access(BwFileImage *image)
{
    H5FD_file_image_callbacks_t callbacks = {.image_malloc = image_malloc,
                                             .image_realloc = image_realloc,
                                             .image_free = image_keep,
                                             .udata_copy = same_user,
                                             .udata_free = keep_user,
                                             .udata = image};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && (H5Pset_fapl_core(access, GROWTH_BYTES, false) < 0 ||
                        (image != NULL && H5Pset_file_image_callbacks(access, &callbacks) < 0))) {
        H5Pclose(access);
        return -1;
    }
    return access;
}

static hid_t memory_type(BwRecordType type)
{
    return type == BW_RECORD_INT32   ? H5T_NATIVE_INT32
           : type == BW_RECORD_FLOAT ? H5T_NATIVE_FLOAT
                                     : H5T_NATIVE_DOUBLE;
}

static hid_t file_type(BwRecordType type)
{
    return type == BW_RECORD_INT32   ? H5T_STD_I32LE
           : type == BW_RECORD_FLOAT ? H5T_IEEE_F32LE
                                     : H5T_IEEE_F64LE;
}

// How an array is laid out in the file; small ones are not worth compressing.
static hid_t layout_of(const BwRecordArray *array, bool compress)
{
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    if (layout < 0)
        return -1;
    bool is_well =
        H5Pset_obj_track_times(layout, false) >= 0 && H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER) >= 0;
    size_t row = (size_t)array->columns * bw_record_type_size(array->type);
    if (is_well && compress && bw_record_array_bytes(array) > 4096) {
        hsize_t rows = row < CHUNK_BYTES ? CHUNK_BYTES / row : 1;
        hsize_t chunk[2] = {rows < (hsize_t)array->rows ? rows : (hsize_t)array->rows,
                            (hsize_t)array->columns};
        is_well = H5Pset_chunk(layout, 2, chunk) >= 0 && H5Pset_shuffle(layout) >= 0 &&
                  H5Pset_deflate(layout, DEFLATE_LEVEL) >= 0;
    }
    if (!is_well) {
        H5Pclose(layout);
        return -1;
    }
    return layout;
}

static bool write_array(hid_t file, const BwRecordArray *array, bool compress)
{
    hsize_t size[2] = {(hsize_t)array->rows, (hsize_t)array->columns};
    hid_t space = H5Screate_simple(2, size, NULL);
    hid_t layout = layout_of(array, compress);
    hid_t set = -1;
    if (space >= 0 && layout >= 0)
        set = H5Dcreate2(file, array->name, file_type(array->type), space, H5P_DEFAULT, layout, H5P_DEFAULT);
    bool is_well = set >= 0 && (array->rows == 0 || H5Dwrite(set, memory_type(array->type), H5S_ALL, H5S_ALL,
                                                             H5P_DEFAULT, array->values) >= 0);
    if (set >= 0)
        is_well = H5Dclose(set) >= 0 && is_well;
    if (layout >= 0)
        H5Pclose(layout);
    if (space >= 0)
        H5Sclose(space);
    return is_well;
}

static BwResult write_arrays(hid_t file, const BwRecord *record, bool compress, BwError *err)
{
    for (int n = 0; n < record->count; n++)
        if (!write_array(file, &record->arrays[n], compress))
            return fail_hdf5(err, "write", record->arrays[n].name);
    return BW_OK;
}

static hid_t create_file(hid_t access, size_t room)
{
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    if (creation < 0)
        return -1;
    hid_t file = -1;
    if (H5Pset_userblock(creation, room) >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
        file = H5Fcreate("checkpoint", H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    return file;
}

static BwResult write_file(const BwRecord *record, size_t room, bool compress, BwFileImage *image,
                           BwError *err)
{
    // What compression cannot make smaller HDF5 stores as it is, so the plain size is the most.
    image->capacity = bw_record_bytes(record) + room + HEAD_BYTES;
    image->bytes = bw_alloc(&image->allocator, image->capacity, BW_ALIGN);
    hid_t access = image->bytes != NULL ? memory_access(image) : -1;
    if (access < 0)
        return bw_fail_memory(err);
    hid_t file = create_file(access, room);
    H5Pclose(access);
    if (file < 0)
        return bw_fail_memory(err);
    BwResult result = write_arrays(file, record, compress, err);
    hsize_t size = 0;
    if (result == BW_OK && (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 || H5Fget_filesize(file, &size) < 0))
        result = fail_hdf5(err, "finish", "checkpoint");
    if (H5Fclose(file) < 0 && result == BW_OK)
        result = fail_hdf5(err, "close", "checkpoint");
    image->size = (size_t)size;
    return result;
}

// HDF5 prints its troubles unless it is told not to; they come back as results here.
typedef struct Quiet {
    H5E_auto2_t print;
    void *user;
} Quiet;

static Quiet begin_hdf5(void)
{
    Quiet quiet = {NULL, NULL};
    pthread_mutex_lock(&hdf5_lock);
    H5Eget_auto2(H5E_DEFAULT, &quiet.print, &quiet.user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return quiet;
}

static void end_hdf5(Quiet quiet)
{
    H5Eset_auto2(H5E_DEFAULT, quiet.print, quiet.user);
    pthread_mutex_unlock(&hdf5_lock);
}

BwResult bw_record_write(const BwRecord *record, size_t room, bool compress, BwFileImage *image, BwError *err)
{
    *image = (BwFileImage){.allocator = record->allocator};
    Quiet quiet = begin_hdf5();
    BwResult result = write_file(record, room, compress, image, err);
    end_hdf5(quiet);
    if (result != BW_OK)
        bw_file_image_free(image);
    return result;
}

// The file's type as ours; false for any other.
static bool type_of(hid_t set, BwRecordType *type)
{
    hid_t stored = H5Dget_type(set);
    bool is_known = false;
    for (int n = 0; stored >= 0 && n < 3 && !is_known; n++) {
        is_known = H5Tequal(stored, file_type((BwRecordType)n)) > 0;
        *type = (BwRecordType)n;
    }
    if (stored >= 0)
        H5Tclose(stored);
    return is_known;
}

static bool size_of(hid_t set, size_t value_size, size_t bytes_max, hsize_t size[2])
{
    hid_t space = H5Dget_space(set);
    bool is_flat = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
                   H5Sget_simple_extent_dims(space, size, NULL) == 2;
    if (space >= 0)
        H5Sclose(space);
    return is_flat && size[1] > 0 && size[1] < (1 << 20) && size[0] <= bytes_max / size[1] / value_size;
}

// Deflate makes at most a thousandth of what it is given, so more than that is not a file of ours.
static BwResult read_array(hid_t set, const char *name, size_t bytes_max, BwRecord *record, BwError *err)
{
    BwRecordType type = BW_RECORD_INT32;
    hsize_t size[2];
    void *values;
    if (!type_of(set, &type) || !size_of(set, bw_record_type_size(type), bytes_max, size))
        return fail_hdf5(err, "make sense of", name);
    BW_TRY(bw_record_add(record, name, type, (int64_t)size[0], (int64_t)size[1], &values, err));
    if (size[0] > 0 && H5Dread(set, memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        return fail_hdf5(err, "read", name);
    return BW_OK;
}

// What a file of ours has: its own data, shuffled and deflated at most. Links to other files, data kept
// elsewhere and filters that would be loaded from plug-ins are refused before they are opened or read.
static bool is_own_link(hid_t file, const char *name)
{
    H5L_info_t info;
    return H5Lget_info(file, name, &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD;
}

static bool has_own_data(hid_t set)
{
    hid_t layout = H5Dget_create_plist(set);
    if (layout < 0)
        return false;
    H5D_layout_t kind = H5Pget_layout(layout);
    bool is_own = (kind == H5D_CONTIGUOUS || kind == H5D_CHUNKED || kind == H5D_COMPACT) &&
                  H5Pget_external_count(layout) == 0;
    int filters = kind == H5D_CHUNKED ? H5Pget_nfilters(layout) : 0;
    for (int n = 0; n < filters && is_own; n++) {
        unsigned flags, config;
        size_t count = 0;
        H5Z_filter_t filter = H5Pget_filter2(layout, (unsigned)n, &flags, &count, NULL, 0, NULL, &config);
        is_own = filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_DEFLATE;
    }
    H5Pclose(layout);
    return is_own;
}

static BwResult read_arrays(hid_t file, size_t bytes_max, BwRecord *record, BwError *err)
{
    H5G_info_t info;
    if (H5Gget_info(file, &info) < 0 || info.nlinks > BW_RECORD_ARRAYS_MAX)
        return fail_hdf5(err, "list", "/");
    for (hsize_t n = 0; n < info.nlinks; n++) {
        char name[BW_RECORD_NAME_SIZE];
        ssize_t length =
            H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, n, name, sizeof name, H5P_DEFAULT);
        if (length <= 0 || length >= BW_RECORD_NAME_SIZE)
            return fail_hdf5(err, "list", "/");
        hid_t set = is_own_link(file, name) ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
        if (set < 0)
            return fail_hdf5(err, "open", name);
        BwResult result = has_own_data(set) ? read_array(set, name, bytes_max, record, err)
                                            : fail_hdf5(err, "make sense of", name);
        H5Dclose(set);
        BW_TRY(result);
    }
    return BW_OK;
}

static BwResult read_file(BwRecord *record, const char *bytes, size_t size, BwError *err)
{
    hid_t access = memory_access(NULL);
    if (access < 0)
        return bw_fail_memory(err);
    hid_t file = -1;
    // HDF5 copies the image; it does not write to what it is given here.
    if (H5Pset_file_image(access, (void *)(uintptr_t)bytes, size) >= 0)
        file = H5Fopen("checkpoint", H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if (file < 0)
        return fail_hdf5(err, "open", "checkpoint");
    BwResult result = read_arrays(file, 1024 * size, record, err);
    H5Fclose(file);
    return result;
}

BwResult bw_record_read(BwRecord *record, const char *bytes, size_t size, const char *path, BwError *err)
{
    bw_record_clear(record);
    BwError reason = {0};
    Quiet quiet = begin_hdf5();
    BwResult result = read_file(record, bytes, size, &reason);
    end_hdf5(quiet);
    return result == BW_OK ? BW_OK : bw_fail(err, result, "%s: %s", path, reason.message);
}

#else

bool bw_record_file_is_built(void)
{
    return false;
}

static BwResult fail_missing(BwError *err)
{
    return bw_fail(err, BW_ERR_BACKEND,
                   "this build has no HDF5, so no checkpoints; install libhdf5-dev and build again");
}

BwResult bw_record_write(const BwRecord *record, size_t room, bool compress, BwFileImage *image, BwError *err)
{
    (void)room, (void)compress;
    *image = (BwFileImage){.allocator = record->allocator};
    return fail_missing(err);
}

BwResult bw_record_read(BwRecord *record, const char *bytes, size_t size, const char *path, BwError *err)
{
    (void)record, (void)bytes, (void)size, (void)path;
    return fail_missing(err);
}

#endif
