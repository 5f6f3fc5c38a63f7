// Commits on a thread of their own.
#include "base/file_commit.h"

static void *carry_out(void *context)
{
    BwFileCommit *commit = context;
    commit->result = bw_file_commit(&commit->writer, &commit->err);
    return NULL;
}

BwResult bw_file_commit_finish(BwFileCommit *commit, BwError *err)
{
    if (!commit->is_busy)
        return BW_OK;
    if (commit->has_thread)
        pthread_join(commit->thread, NULL);
    commit->is_busy = false;
    return commit->result == BW_OK ? BW_OK : bw_fail(err, commit->result, "%s", commit->err.message);
}

BwResult bw_file_commit_begin(BwFileCommit *commit, BwFileWriter *writer, BwError *err)
{
    BwResult result = bw_file_commit_finish(commit, err);
    if (result != BW_OK) {
        bw_file_abandon(writer);
        return result;
    }
    if (fflush(writer->stream) != 0) // a full disk is told here, by the commit
        return bw_file_commit(writer, err);
    *commit = (BwFileCommit){.writer = *writer, .is_busy = true};
    *writer = (BwFileWriter){.allocator = writer->allocator};
    commit->has_thread = pthread_create(&commit->thread, NULL, carry_out, commit) == 0;
    if (!commit->has_thread)
        carry_out(commit);
    return BW_OK;
}
