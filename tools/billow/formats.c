// The table of formats.
#include "formats.h"

#include "run_volumes.h"

#include <stdio.h>
#include <string.h>

static bool asks_movie(const BwOutputDef *output)
{
    return output->movie;
}

static bool asks_images(const BwOutputDef *output)
{
    return output->images;
}

static bool asks_vdb(const BwOutputDef *output)
{
    return output->vdb;
}

static bool asks_vtk(const BwOutputDef *output)
{
    return output->vtk;
}

static bool asks_particles(const BwOutputDef *output)
{
    return output->particles;
}

static bool asks_particles_ply(const BwOutputDef *output)
{
    return output->particles_ply;
}

static bool asks_obj(const BwOutputDef *output)
{
    return output->obj;
}

static bool asks_gltf(const BwOutputDef *output)
{
    return output->gltf;
}

static bool asks_mesh(const BwOutputDef *output)
{
    return output->mesh;
}

const Format formats[] = {
    {.name = "movie",
     .key = "movie",
     .label = "movie",
     .holds = "pictures of all frames, as an MP4",
     .file = "movie.mp4",
     .is_asked = asks_movie},
    {.name = "images",
     .key = "images",
     .label = "images",
     .holds = "a picture of each frame, as a PNG",
     .folder = "images",
     .patterns = {"frame_#.png"},
     .is_asked = asks_images,
     .begins_with_folder = true},
    {.name = "vdb",
     .key = "vdb",
     .label = "volumes",
     .holds = "fields, as OpenVDB volumes: Blender, Houdini",
     .folder = "vdb",
     .patterns = {"frame_#.vdb"},
     .is_asked = asks_vdb,
     .is_built = bw_volume_has_vdb,
     .needs = "OpenVDB volumes are asked for and this build has no OpenVDB; install libopenvdb-dev and "
              "libboost-dev and build again",
     .write = run_volumes_write_vdb,
     .begins_with_folder = true},
    {.name = "vtk",
     .key = "vtk",
     .label = "ParaView",
     .holds = "fields, particles, columns and meshes, as VTK files: ParaView",
     .file = "run.pvd",
     .folder = "vtk",
     .patterns = {"frame_#.vti", "frame_#.vtm", "frame_#_*_particles.vtp", "frame_#_*_mesh.vtp",
                  "frame_#_*_columns.vts"},
     .is_asked = asks_vtk,
     .write = run_volumes_write_vtk,
     .begins_with_folder = true},
    {.name = "particles",
     .key = "particles",
     .label = "particles",
     .holds = "particles, as VTK polygons",
     .folder = "particles",
     .patterns = {"frame_#_*.vtp"},
     .is_asked = asks_particles,
     .write = run_volumes_write_particles,
     .needs_little = true},
    {.name = "particles_ply",
     .key = "particles_ply",
     .label = "particles",
     .holds = "particles, as PLY files with their attributes",
     .folder = "particles_ply",
     .patterns = {"frame_#_*.ply"},
     .is_asked = asks_particles_ply,
     .write = run_volumes_write_particles_ply,
     .needs_little = true},
    {.name = "ply",
     .key = "mesh",
     .label = "meshes",
     .holds = "meshes, as PLY files with their attributes",
     .folder = "ply",
     .patterns = {"frame_#_*.ply"},
     .is_asked = asks_mesh,
     .write = run_volumes_write_ply,
     .needs_little = true,
     .has_surface = true},
    {.name = "obj",
     .key = "obj",
     .label = "meshes",
     .holds = "meshes, as OBJ files",
     .folder = "obj",
     .patterns = {"frame_#_*.obj"},
     .is_asked = asks_obj,
     .write = run_volumes_write_obj,
     .needs_little = true,
     .has_surface = true},
    {.name = "gltf",
     .key = "gltf",
     .label = "meshes",
     .holds = "meshes, as binary glTF files with their attributes",
     .folder = "gltf",
     .patterns = {"frame_#_*.glb"},
     .is_asked = asks_gltf,
     .write = run_volumes_write_gltf,
     .needs_little = true,
     .has_surface = true},
};

enum { COUNT = sizeof formats / sizeof *formats };
_Static_assert((int)COUNT <= (int)FORMATS_MAX,
               "a run notes which formats it writes in a list of this length");
const int format_count = COUNT;

const Format *format_to_export(const char *name)
{
    for (int n = 0; n < COUNT && name != NULL; n++)
        if (formats[n].write != NULL && strcmp(formats[n].name, name) == 0)
            return &formats[n];
    return NULL;
}

void formats_list(char *text, size_t size)
{
    int last = COUNT - 1, written = 0;
    while (formats[last].write == NULL)
        last--;
    text[0] = '\0';
    for (int n = 0; n <= last && (size_t)written < size; n++)
        if (formats[n].write != NULL)
            written += snprintf(text + written, size - (size_t)written, "%s%s",
                                written == 0 ? ""
                                : n == last  ? " or "
                                             : ", ",
                                formats[n].name);
}

// The shortest name of a set that lets the rest of the pattern match; names hold no dots.
static const char *skip_set_name(const char *name, const char *pattern)
{
    for (size_t length = 1; name[length - 1] != '\0' && name[length - 1] != '.'; length++) {
        const char *rest = format_skip_pattern(name + length, pattern);
        if (rest != NULL)
            return rest;
    }
    return NULL;
}

const char *format_skip_pattern(const char *name, const char *pattern)
{
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '*')
            return skip_set_name(name, pattern + 1);
        size_t length = *pattern == '#' ? strspn(name, "0123456789") : *name == *pattern;
        if (length == 0 || (*pattern == '#' && length < 4))
            return NULL;
        name += length;
    }
    return name;
}

bool format_names(const Format *format, const char *name, const char **rest)
{
    for (int n = 0; n < FORMAT_PATTERNS_MAX && format->patterns[n] != NULL; n++) {
        *rest = format_skip_pattern(name, format->patterns[n]);
        if (*rest != NULL && ((*rest)[0] == '\0' || strcmp(*rest, ".part") == 0))
            return true;
    }
    return false;
}
