// Reading and writing of cache/sums.txt.
#include "run_sums.h"

#include "base/checksum.h"
#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static uint64_t sum_of_line(int frame, RunSum sum)
{
    return bw_mix(bw_mix(bw_mix(1, (uint64_t)frame), sum.stats), sum.picture);
}

static void write_line(FILE *stream, int frame, RunSum sum)
{
    fprintf(stream, "%d %016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n", frame, sum.stats, sum.picture,
            sum_of_line(frame, sum));
}

BwResult run_sums_set(RunSums *sums, int frame, RunSum sum, BwError *err)
{
    BW_TRY(bw_reserve(&sums->allocator, (void **)&sums->sums, &sums->capacity, frame + 1, sizeof sum, err));
    for (; sums->count <= frame; sums->count++)
        sums->sums[sums->count] = (RunSum){0};
    sums->sums[frame] = sum;
    return BW_OK;
}

RunSum run_sums_find(const RunSums *sums, int frame)
{
    return frame < sums->count ? sums->sums[frame] : (RunSum){0};
}

BwResult run_sums_read(RunSums *sums, const char *folder, int frame, BwError *err)
{
    char line[128];
    *sums = (RunSums){.allocator = bw_allocator_or_default((BwAllocator){0}), .movie_frames = -1};
    BW_TRY(run_file_path(sums->path, folder, "cache/sums.txt", err));
    FILE *stream = frame >= 0 ? fopen(sums->path, "r") : NULL;
    BwResult result = BW_OK;
    while (stream != NULL && result == BW_OK && fgets(line, sizeof line, stream) != NULL) {
        int number;
        RunSum sum;
        uint64_t own;
        bool is_whole =
            sscanf(line, "%d %" SCNx64 " %" SCNx64 " %" SCNx64, &number, &sum.stats, &sum.picture, &own) == 4;
        sscanf(line, "movie %" SCNd64, &sums->movie_frames);
        if (is_whole && number >= 0 && number <= frame && own == sum_of_line(number, sum))
            result = run_sums_set(sums, number, sum, err);
    }
    if (stream != NULL)
        fclose(stream);
    return result;
}

static BwResult fail_to_write(const RunSums *sums, BwError *err)
{
    return bw_fail(err, BW_ERR_FILE, "could not write %s: %s", sums->path, strerror(errno));
}

BwResult run_sums_begin(RunSums *sums, BwError *err)
{
    BwFileWriter writer;
    BW_TRY(bw_file_begin(&writer, &sums->allocator, sums->path, err));
    for (int n = 0; n < sums->count; n++)
        write_line(writer.stream, n, sums->sums[n]);
    if (sums->count > 0) // else no older movie is there
        fprintf(writer.stream, "movie 0\n");
    BW_TRY(bw_file_commit(&writer, err));
    sums->stream = fopen(sums->path, "ab");
    return sums->stream != NULL ? BW_OK : fail_to_write(sums, err);
}

BwResult run_sums_add(RunSums *sums, int frame, RunSum sum, BwError *err)
{
    if (sums->stream == NULL)
        return BW_OK;
    BW_TRY(run_sums_set(sums, frame, sum, err));
    errno = 0;
    write_line(sums->stream, frame, sum);
    return fflush(sums->stream) == 0 && !ferror(sums->stream) ? BW_OK : fail_to_write(sums, err);
}

BwResult run_sums_add_movie(RunSums *sums, BwError *err)
{
    if (sums->stream == NULL)
        return BW_OK;
    errno = 0;
    fprintf(sums->stream, "movie %" PRId64 "\n", sums->count);
    return fflush(sums->stream) == 0 && !ferror(sums->stream) ? BW_OK : fail_to_write(sums, err);
}

void run_sums_end(RunSums *sums)
{
    if (sums->stream != NULL)
        fclose(sums->stream);
    bw_free(&sums->allocator, sums->sums, (size_t)sums->capacity * sizeof *sums->sums, BW_ALIGN);
    *sums = (RunSums){.allocator = sums->allocator};
}
