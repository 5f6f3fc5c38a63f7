// The words of pictures and files: camera, light, look, output. A part of vocabulary.c, which alone
// includes it.
#pragma once

#include "scene/field_rows.h"

// Rows stay rows.
// clang-format off
NAMES(water_names, "surface", "particles", "levelset");
NAMES(sky_names, "plain", "studio", "day");
NAMES(mesh_from_names, "levelset", "particles");
NAMES(up_names, "y", "z");
NAMES(compression_names, "zip", "blosc", "none");

#define DEF BwCameraDef
static const BwSceneField camera_fields[] = {
    {"position", BW_FIELD_VECTOR_CURVE, AT(position), "m", ANY, 0, "where it stands",
     .text = "frames the scene"},
    {"target", BW_FIELD_VECTOR_CURVE, AT(target), "m", ANY, 0, "what it looks at",
     .text = "the scene's middle"},
    {"up", BW_FIELD_VECTOR_CURVE, AT(up), "1", ANY, BW_DEFAULTED, "up in the picture", {0, 1, 0}},
    {"field_of_view", BW_FIELD_NUMBER, AT(field_of_view), "rad", FROM_TO(0.01, 3.0), 0, "vertical",
     {0.69813170}},
    {"shutter", BW_FIELD_NUMBER, AT(shutter), "1", SHARE, 0,
     "share of a frame's time that it is open for: water is blurred by its motion"},
};
#undef DEF

#define DEF BwLightDef
static const BwSceneField light_fields[] = {
    {"direction", BW_FIELD_VECTOR, AT(direction), "1", ANY, BW_DIRECTION, "towards the light",
     {-0.5, 1, 0.5}},
    {"color", BW_FIELD_COLOR, AT(color), "1", SHARE, 0, "", {1, 1, 1}},
    {"intensity", BW_FIELD_NUMBER, AT(intensity), "1", NOT_NEGATIVE, 0, "", {1}},
};
#undef DEF

#define DEF BwLookDef
static const BwSceneField look_fields[] = {
    {"smoke_color", BW_FIELD_COLOR, AT(smoke_color), "1", SHARE, 0, "albedo; of fire, where this is not given, 0.2", {0.9, 0.9, 0.9}},
    {"absorption", BW_FIELD_NUMBER, AT(absorption), "1/m", ABOVE_ZERO, BW_ZERO_UNSET, "per unit of density",
     .text = "from the scene's size"},
    {"background", BW_FIELD_COLOR, AT(background), "1", SHARE, 0, "behind everything", {0.17, 0.19, 0.22}},
    {"ground", BW_FIELD_COLOR, AT(ground), "1", SHARE, 0, "of the floor", {0.30, 0.31, 0.33}},
    {"show_ground", BW_FIELD_FLAG, AT(show_ground), NULL, ANY, 0, "draws a floor", {1}},
    {"show_walls", BW_FIELD_FLAG, AT(show_walls), NULL, ANY, 0,
     "draws the closed walls of the box as panes of glass", {0}},
    {"revolve", BW_FIELD_FLAG, AT(revolve), NULL, ANY, 0,
     "flat liquids within chains: draws what they enclose turned about the y axis", {0}},
    {"sky", BW_FIELD_CHOICE, AT(sky), NULL, ANY, 0, "what water and glass mirror from above", {BW_SKY_STUDIO},
     .names = &sky_names},
    {"ambient_light", BW_FIELD_NUMBER, AT(ambient_light), "1", NOT_NEGATIVE, 0, "light from everywhere",
     {0.35}},
    {"exposure_stops", BW_FIELD_NUMBER, AT(exposure_stops), "stops", FROM_TO(-20, 20), 0,
     "brighter or darker"},
    {"fire_brightness", BW_FIELD_NUMBER, AT(fire_brightness), "1", NOT_NEGATIVE, 0,
     "luminance of soot at 1700 K beside a white card in full light", {1.5}},
    {"core_brightness", BW_FIELD_NUMBER, AT(core_brightness), "1", NOT_NEGATIVE, 0,
     "of the blue front of burning propane, seen straight on", {0.25}},
    {"white_temperature", BW_FIELD_NUMBER, AT(white_temperature), "K", FROM_TO(1500, 20000), 0,
     "of light that the eye is used to and sees as white: lower makes fire less red", {6500}},
    {"water", BW_FIELD_CHOICE, AT(water), NULL, ANY, 0, "what is drawn of liquids", {BW_WATER_SURFACE},
     .names = &water_names},
    {"water_color", BW_FIELD_COLOR, AT(water_color), "1", SHARE, 0, "what deep water turns light into",
     {0.18, 0.54, 0.84}},
    {"water_absorption", BW_FIELD_NUMBER, AT(water_absorption), "1/m", ABOVE_ZERO, BW_ZERO_UNSET,
     "of light that the colour lacks", .text = "from the scene's size, or the thickness of its coloured liquid"},
    {"ripples", BW_FIELD_NUMBER, AT(ripples), "1", FROM_TO(0, 0.5), 0,
     "mean slope of small waves on top of water, too short for its cells", {0}},
    {"ripple_length", BW_FIELD_NUMBER, AT(ripple_length), "m", ABOVE_ZERO, BW_ZERO_UNSET,
     "of the longest of them", .text = "two cells"},
};
#undef DEF

#define DEF BwOutputDef
static const BwSceneField output_fields[] = {
    {"movie", BW_FIELD_FLAG, AT(movie), NULL, ANY, 0, "an MP4 of the run", {1}},
    {"images", BW_FIELD_FLAG, AT(images), NULL, ANY, 0, "a PNG a frame"},
    {"vdb", BW_FIELD_FLAG, AT(vdb), NULL, ANY, 0, "an OpenVDB file a frame"},
    {"mesh", BW_FIELD_FLAG, AT(mesh), NULL, ANY, 0, "the surface of liquids, a PLY file a frame; vtk has it too"},
    {"obj", BW_FIELD_FLAG, AT(obj), NULL, ANY, 0, "the surface of liquids, an OBJ file a frame"},
    {"gltf", BW_FIELD_FLAG, AT(gltf), NULL, ANY, 0, "the surface of liquids, a binary glTF file a frame"},
    {"mesh_resolution", BW_FIELD_INTEGER, AT(mesh_resolution), "1", FROM_TO(1, 4), 0,
     "cells of the mesh along a cell", {1}},
    {"mesh_from", BW_FIELD_CHOICE, AT(mesh_from), NULL, ANY, 0, "what the mesh is wrapped around",
     {BW_MESH_FROM_LEVELSET}, .names = &mesh_from_names},
    {"mesh_smoothing", BW_FIELD_INTEGER, AT(mesh_smoothing), "rounds", FROM_TO(0, 100), 0,
     "of smoothing, which keeps the volume", {3}},
    {"particles", BW_FIELD_FLAG, AT(particles), NULL, ANY, 0, "the particles, a VTK file a frame"},
    {"particles_ply", BW_FIELD_FLAG, AT(particles_ply), NULL, ANY, 0, "the particles, a PLY file a frame"},
    {"vtk", BW_FIELD_FLAG, AT(vtk), NULL, ANY, 0, "the fields for ParaView, a file a frame"},
    {"vtk_faces", BW_FIELD_FLAG, AT(vtk_faces), NULL, ANY, 0, "VTK: the velocity on faces too"},
    {"pressure", BW_FIELD_FLAG, AT(pressure), NULL, ANY, 0, "frames and volumes hold the pressure too"},
    {"record", BW_FIELD_FLAG, AT(record), NULL, ANY, 0,
     "liquids: every frame is kept, with velocity and pressure, for fluid = \"recorded\""},
    {"age", BW_FIELD_FLAG, AT(age), NULL, ANY, 0, "the particles of liquids carry how long they have been there"},
    {"source", BW_FIELD_FLAG, AT(source), NULL, ANY, 0,
     "and which fill, emitter or side gave them, in the order of the scene"},
    {"up", BW_FIELD_CHOICE, AT(up), NULL, ANY, 0, "up axis of exported files", {BW_UP_Y}, .names = &up_names},
    {"half", BW_FIELD_FLAG, AT(half), NULL, ANY, 0, "OpenVDB files with 16 bits a number"},
    {"vdb_compression", BW_FIELD_CHOICE, AT(compression), NULL, ANY, 0, "of OpenVDB files; blosc is fast",
     {BW_COMPRESS_ZIP}, .names = &compression_names},
    {"checkpoint_every", BW_FIELD_INTEGER, AT(checkpoint_every), "frames", FROM_TO(0, 1000000), 0,
     "between checkpoints, 0: never", {1}},
    {"compress", BW_FIELD_FLAG, AT(compress), NULL, ANY, 0, "checkpoints: smaller and slower"},
    {"keep_checkpoints", BW_FIELD_FLAG, AT(keep_checkpoints), NULL, ANY, 0, "all, not only the last two"},
    {"keep_frames", BW_FIELD_NUMBER, AT(keep_frames), "MB", FROM_TO(0, 1e9), 0,
     "of frames for billow render at most; past it every second one goes; 0: none", {2000}},
    {"width", BW_FIELD_INTEGER, AT(width), "pixels", FROM_TO(16, 16384), 0, "of pictures", {1280}},
    {"height", BW_FIELD_INTEGER, AT(height), "pixels", FROM_TO(16, 16384), 0, "of pictures", {720}},
};
#undef DEF
// clang-format on
