// billow-read-mesh FILE: reads a mesh with Assimp and writes it to its output as a binary PLY, or a line that
// begins with "error". Billow runs it for formats that it does not read itself, and trusts neither its life
// nor its words: whatever a file does to Assimp, it does it in here, within limits.
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#ifdef __SANITIZE_ADDRESS__
static const rlim_t memory_max = RLIM_INFINITY; // the sanitizer takes terabytes of addresses
#else
static const rlim_t memory_max = (rlim_t)4 << 30; // bytes
#endif
static const rlim_t seconds_max = 60; // of the processor

static void limit(int what, rlim_t most)
{
    struct rlimit is;
    if (getrlimit((unsigned)what, &is) != 0)
        return;
    is.rlim_cur = is.rlim_max == RLIM_INFINITY || most < is.rlim_max ? most : is.rlim_max;
    setrlimit((unsigned)what, &is);
}

static void set_limits(void)
{
    limit(RLIMIT_AS, memory_max);
    limit(RLIMIT_CPU, seconds_max);
    limit(RLIMIT_CORE, 0);
}

static int fail(const char *text)
{
    printf("error %.400s\n", text);
    return 1;
}

static size_t count_faces(const struct aiMesh *mesh)
{
    size_t count = 0;
    for (unsigned n = 0; n < mesh->mNumFaces; n++)
        count += mesh->mFaces[n].mNumIndices == 3;
    return count;
}

static void write_header(const struct aiScene *scene)
{
    size_t points = 0, faces = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        points += scene->mMeshes[m]->mNumVertices;
        faces += count_faces(scene->mMeshes[m]);
    }
    printf("ply\nformat binary_little_endian 1.0\nelement vertex %zu\nproperty float x\nproperty float "
           "y\nproperty "
           "float z\nelement face %zu\nproperty list uchar uint vertex_indices\nend_header\n",
           points, faces);
}

// Billow runs on little-endian machines, and so does this.
static void write_points(const struct aiMesh *mesh)
{
    for (unsigned n = 0; n < mesh->mNumVertices; n++) {
        const struct aiVector3D *v = &mesh->mVertices[n];
        const float place[3] = {(float)v->x, (float)v->y, (float)v->z};
        fwrite(place, sizeof *place, 3, stdout);
    }
}

static void write_faces(const struct aiMesh *mesh, unsigned first)
{
    for (unsigned n = 0; n < mesh->mNumFaces; n++) {
        const struct aiFace *face = &mesh->mFaces[n];
        if (face->mNumIndices != 3)
            continue; // lines and points
        putchar(3);
        for (int c = 0; c < 3; c++) {
            unsigned corner = first + face->mIndices[c];
            fwrite(&corner, sizeof corner, 1, stdout);
        }
    }
}

static int write_scene(const struct aiScene *scene)
{
    write_header(scene);
    for (unsigned m = 0; m < scene->mNumMeshes; m++)
        write_points(scene->mMeshes[m]);
    for (unsigned m = 0, first = 0; m < scene->mNumMeshes; m++) {
        write_faces(scene->mMeshes[m], first);
        first += scene->mMeshes[m]->mNumVertices;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 2)
        return fail("usage: billow-read-mesh FILE");
    set_limits();
    // Transforms of nodes are applied, polygons are cut into triangles.
    const struct aiScene *scene =
        aiImportFile(arguments[1], aiProcess_Triangulate | aiProcess_PreTransformVertices);
    if (scene == NULL)
        return fail(aiGetErrorString());
    int code = write_scene(scene);
    aiReleaseImport(scene);
    return code;
}
