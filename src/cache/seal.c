// Seals: little-endian numbers at fixed places, the rest of the block zero.
//
//     0  8 bytes  "BWCACHE\n"
//     8  uint32   version of the layout
//    12  uint32   size of the seal, 512
//    16  uint64   bytes of the whole file
//    24  uint64   checksum of the bytes from 512 on
//    32  uint64   checksum of the first 32 bytes
//    40  uint64   the run that the file belongs to; 0: none
//    48  uint64   checksum of the first 48 bytes
//
// Version 1 ended with the first checksum.
#include "cache/seal.h"

#include "base/checksum.h"
#include <endian.h>
#include <stdbool.h>

static const char magic[8] = {'B', 'W', 'C', 'A', 'C', 'H', 'E', '\n'};

enum {
    VERSION_AT = 8,
    SEAL_SIZE_AT = 12,
    SIZE_AT = 16,
    SUM_AT = 24,
    OWN_SUM_AT = 32,
    RUN_AT = 40,
    LAST_SUM_AT = 48,
    USED = 56
};

static void put32(char *at, uint32_t value)
{
    value = htole32(value);
    memcpy(at, &value, sizeof value);
}

static void put64(char *at, uint64_t value)
{
    value = htole64(value);
    memcpy(at, &value, sizeof value);
}

static uint32_t get32(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return le32toh(value);
}

static uint64_t get64(const char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return le64toh(value);
}

void bw_seal_write(char *file, size_t size, uint64_t run_id)
{
    BW_ASSERT(size >= BW_SEAL_SIZE);
    memset(file, 0, BW_SEAL_SIZE);
    memcpy(file, magic, sizeof magic);
    put32(file + VERSION_AT, BW_CACHE_VERSION);
    put32(file + SEAL_SIZE_AT, BW_SEAL_SIZE);
    put64(file + SIZE_AT, size);
    put64(file + SUM_AT, bw_mix_bytes(0, file + BW_SEAL_SIZE, size - BW_SEAL_SIZE));
    put64(file + OWN_SUM_AT, bw_mix_bytes(0, file, OWN_SUM_AT));
    put64(file + RUN_AT, run_id);
    put64(file + LAST_SUM_AT, bw_mix_bytes(0, file, LAST_SUM_AT));
}

uint32_t bw_seal_version(const char *file)
{
    return get32(file + VERSION_AT);
}

uint64_t bw_seal_run_id(const char *file)
{
    return get64(file + RUN_AT);
}

static bool is_well_ended(const char *file)
{
    bool is_first = bw_seal_version(file) == 1;
    if (!is_first && get64(file + LAST_SUM_AT) != bw_mix_bytes(0, file, LAST_SUM_AT))
        return false;
    for (int n = is_first ? RUN_AT : USED; n < BW_SEAL_SIZE; n++)
        if (file[n] != 0)
            return false;
    return true;
}

BwResult bw_seal_check(const char *file, size_t size, const char *path, BwError *err)
{
    if (size < sizeof magic || memcmp(file, magic, sizeof magic) != 0)
        return bw_fail(err, BW_ERR_FORMAT, "%s is not a checkpoint of Billow", path);
    if (size < BW_SEAL_SIZE)
        return bw_fail(err, BW_ERR_FORMAT, "%s is cut short: it holds %zu bytes", path, size);
    if (get64(file + OWN_SUM_AT) != bw_mix_bytes(0, file, OWN_SUM_AT))
        return bw_fail(err, BW_ERR_FORMAT, "%s is damaged: its first bytes do not agree", path);
    uint32_t version = bw_seal_version(file);
    if (version < 1 || version > BW_CACHE_VERSION || get32(file + SEAL_SIZE_AT) != BW_SEAL_SIZE)
        return bw_fail(err, BW_ERR_FORMAT, "%s is of version %u; this build reads up to %d", path, version,
                       BW_CACHE_VERSION);
    if (!is_well_ended(file))
        return bw_fail(err, BW_ERR_FORMAT, "%s is damaged: its first bytes do not agree", path);
    if (get64(file + SIZE_AT) != size)
        return bw_fail(err, BW_ERR_FORMAT, "%s is cut short: it holds %zu of %llu bytes", path, size,
                       (unsigned long long)get64(file + SIZE_AT));
    if (get64(file + SUM_AT) != bw_mix_bytes(0, file + BW_SEAL_SIZE, size - BW_SEAL_SIZE))
        return bw_fail(err, BW_ERR_FORMAT, "%s is damaged: its checksum does not agree", path);
    return BW_OK;
}
