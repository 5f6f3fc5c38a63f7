// The formats that a run is written in: one table, which run, export, info and describe all read. What is new
// in it is written, listed, cleared away and described without further ado.
#pragma once

#include <billow/frame.h>
#include <billow/scene.h>

typedef struct RunVolumes RunVolumes;

// Writes what the format holds of a frame; nothing where the frame has none of it.
typedef BwResult FormatWriteFn(RunVolumes *volumes, const BwFrame *frame, BwError *err);

enum { FORMAT_PATTERNS_MAX = 5, FORMATS_MAX = 16 };

typedef struct Format {
    const char *name;   // as --to takes it
    const char *key;    // the field of `output` that asks for it; NULL: only export writes it
    const char *label;  // what billow info calls it
    const char *holds;  // in words
    const char *file;   // in the folder of the run: all frames, or a list of them; NULL: there is none
    const char *folder; // in the folder of the run, with files of every frame; NULL: there is none
    // Names in the folder: # stands for the digits of the frame, * for the name of a set.
    const char *patterns[FORMAT_PATTERNS_MAX];
    bool (*is_asked)(const BwOutputDef *output); // NULL as `key`
    bool (*is_built)(void);                      // NULL: always
    const char *needs;                           // of the build, where it may be missing
    FormatWriteFn *write;                        // NULL: pictures, which are drawn elsewhere
    bool begins_with_folder;                     // made before the first frame; else with the first file
    bool needs_little;                           // the frames kept for pictures will do, without a checkpoint
    bool has_surface;                            // holds the surface of liquids, which has to be meshed
} Format;

extern const Format formats[];
extern const int format_count;

// The format that --to takes by this name, or NULL.
const Format *format_to_export(const char *name);

// The names that --to takes: "vdb, vtk or ply".
void formats_list(char *text, size_t size);

// Whether a name in a format's folder is one of its files; `rest` is what follows the name, such as ".part".
bool format_names(const Format *format, const char *name, const char **rest);

// The same for one pattern.
const char *format_skip_pattern(const char *name, const char *pattern);
