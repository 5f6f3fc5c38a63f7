// The key of a tile stands for the solids, its place and its faces. Where any of them differs from what was
// kept, all normals are found anew.
#include "solidflow/rest_normals.h"

#include "base/checksum.h"
#include "domain/solid_faces.h"

BwResult bw_rest_normals_create(BwRestNormals *normals, BwGrid *grid, BwError *err)
{
    *normals = (BwRestNormals){0};
    return bw_notes_create_wide(&normals->faces, grid, sizeof(BwRestFaces) / sizeof(uint64_t), err);
}

static void free_list(BwRestNormals *normals)
{
    if (normals->list != NULL)
        bw_free(&normals->faces.store.grid->allocator, normals->list,
                (size_t)normals->capacity * sizeof *normals->list, BW_ALIGN);
    normals->list = NULL;
    normals->capacity = 0;
}

void bw_rest_normals_destroy(BwRestNormals *normals)
{
    free_list(normals);
    bw_notes_destroy(&normals->faces);
}

static bool has_room(BwRestNormals *normals, int64_t count)
{
    if (count <= normals->capacity)
        return true;
    free_list(normals);
    int64_t wanted = count + count / 4;
    normals->list =
        bw_alloc(&normals->faces.store.grid->allocator, (size_t)wanted * sizeof *normals->list, BW_ALIGN);
    normals->capacity = normals->list != NULL ? wanted : 0;
    return normals->list != NULL;
}

typedef struct Job {
    BwRestNormals *normals;
    const BwDomain *domain;
    BwFacesFn *faces;
    const void *context;
    uint64_t key; // of the solids
} Job;

static uint64_t key_of_solids(const BwSolidPose *solids, int solid_count)
{
    uint64_t key = (uint64_t)solid_count;
    for (int s = 0; s < solid_count; s++)
        key = bw_solid_mix(key, &solids[s]);
    return key;
}

static bool all_rest(const BwSolidPose *solids, int solid_count)
{
    for (int s = 0; s < solid_count; s++)
        if (!bw_solid_is_at_rest(&solids[s]))
            return false;
    return true;
}

static void note_faces(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    BwRestFaces *note = bw_rest_faces_of(job->normals, slot);
    BwTileCoord coord = grid->tiles[slot].coord;
    uint64_t key = bw_mix_bytes(job->key, &coord, sizeof coord);
    note->count = 0;
    for (int a = 0; a < grid->dimension; a++)
        for (int k = 0; k < grid->layers; k++) {
            uint64_t bits = job->faces(job->context, slot, a, k);
            key = bw_mix(key, bits);
            note->count += (uint64_t)__builtin_popcountll(bits);
        }
    note->next_key = key | 1;
}

static void note_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[n];
        if (bw_solids_are_near(job->domain->cut, slot))
            note_faces(job, slot);
    }
}

// Gives the tiles their places in the list; whether they had them, for the same faces.
static bool take_places(const Job *job, int64_t *count)
{
    const BwGrid *grid = job->domain->grid;
    bool is_same = true;
    uint64_t first = 0;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        int32_t slot = grid->order[n];
        if (!bw_solids_are_near(job->domain->cut, slot))
            continue;
        BwRestFaces *note = bw_rest_faces_of(job->normals, slot);
        is_same &= note->key == note->next_key && note->first == first;
        note->key = note->next_key;
        note->first = first;
        first += note->count;
    }
    *count = (int64_t)first;
    return is_same;
}

BwRestState bw_rest_normals_prepare(BwRestNormals *normals, const BwDomain *domain, const BwSolidPose *solids,
                                    int solid_count, BwFacesFn *faces, const void *context)
{
    if (!all_rest(solids, solid_count))
        return BW_REST_NONE;
    Job job = {normals, domain, faces, context, key_of_solids(solids, solid_count)};
    int64_t count;
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, note_range, &job);
    if (take_places(&job, &count) && normals->list != NULL)
        return BW_REST_FOUND;
    return has_room(normals, count) ? BW_REST_EMPTY : BW_REST_NONE;
}
