// Measuring and drawing obstacles.
#include "draw_solids.h"

#include <stdlib.h>

// Samples along the sides of a shape's box.
enum { SAMPLES_DEEP = 56, SAMPLES_FILE = 40, SAMPLES_FLAT = 256 };

// The corners of a cube; a flat one is its quad in the middle.
static const char vertex_text[] =
    "uniform mat4 model, both;\n"
    "uniform vec3 low, extent;\n"
    "uniform int is_flat;\n"
    "out vec3 place;\n"
    "const int corners[36] = int[36](0,2,1,1,2,3, 4,5,6,5,7,6, 0,1,4,1,5,4, 2,6,3,3,6,7, 0,4,2,2,4,6,\n"
    "                                1,3,5,3,7,5);\n"
    "void main() {\n"
    "    int n = is_flat == 1 ? gl_VertexID : corners[gl_VertexID];\n"
    "    vec3 at = vec3(n & 1, (n >> 1) & 1, is_flat == 1 ? 0.5 : float(n >> 2));\n"
    "    place = low + extent * at;\n"
    "    vec4 moved = model * vec4(place, 1.0);\n"
    "    gl_Position = both * moved;\n"
    "}\n";

static const char fragment_text[] =
    "uniform sampler3D distances;\n"
    "uniform mat4 model, both;\n"
    "uniform vec3 low, extent, eye, paint, light;\n" // eye in the coordinates of the shape
    "uniform int is_flat;\n"
    "uniform float touch;\n"
    "in vec3 place;\n"
    "out vec4 color;\n"
    "float distance_at(vec3 p) { return texture(distances, (p - low) / extent).r; }\n"
    "void main() {\n"
    "    gl_FragDepth = gl_FragCoord.z;\n"
    "    if (is_flat == 1) {\n"
    "        float d = distance_at(place);\n"
    "        float share = clamp(0.5 - d / max(fwidth(d), 1e-6), 0.0, 1.0);\n"
    "        float rim = clamp(1.0 + d / (6.0 * max(fwidth(d), 1e-6)), 0.0, 1.0);\n"
    "        if (share <= 0.0) discard;\n"
    "        color = vec4(paint * (0.75 + 0.35 * rim) * share, share);\n"
    "        return;\n"
    "    }\n"
    "    vec3 way = normalize(place - eye), low_at = (low - eye) / way, high_at = (low + extent - eye) / "
    "way;\n"
    "    vec3 first = min(low_at, high_at), last = max(low_at, high_at);\n"
    "    float t = max(max(first.x, first.y), max(first.z, 0.0)), end = min(last.x, min(last.y, last.z));\n"
    "    float d = 1.0;\n"
    "    for (int n = 0; n < 80; n++) {\n"
    "        d = distance_at(eye + way * t);\n"
    "        if (d < touch || t > end) break;\n"
    "        t += max(0.9 * d, touch);\n"
    "    }\n"
    "    if (d >= touch) discard;\n"
    "    vec3 p = eye + way * t;\n"
    "    vec2 e = vec2(1.5 * touch, 0.0);\n"
    "    vec3 n = vec3(distance_at(p + e.xyy) - distance_at(p - e.xyy),\n"
    "                  distance_at(p + e.yxy) - distance_at(p - e.yxy),\n"
    "                  distance_at(p + e.yyx) - distance_at(p - e.yyx));\n"
    "    n = normalize(mat3(model) * n);\n"
    "    vec4 clip = both * (model * vec4(p, 1.0));\n"
    "    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;\n"
    "    color = vec4(paint * (0.32 + 0.68 * max(dot(n, light), 0.0)), 1.0);\n"
    "}\n";

bool solids_create(SolidDraw *solids)
{
    *solids = (SolidDraw){.program = program_create("solids", vertex_text, fragment_text)};
    glGenVertexArrays(1, &solids->vertices);
    return solids->program != 0;
}

static void forget(SolidDraw *solids)
{
    for (int n = 0; n < solids->count; n++)
        volume_free(&solids->shapes[n].distances);
    free(solids->shapes);
    stage_release(solids->stage);
    solids->shapes = NULL;
    solids->stage = NULL;
    solids->count = 0;
}

void solids_free(SolidDraw *solids)
{
    forget(solids);
    glDeleteProgram(solids->program);
    glDeleteVertexArrays(1, &solids->vertices);
}

static float finite_or(float value, float otherwise)
{
    return isfinite(value) ? value : otherwise;
}

// What has no end stops well outside of the scene.
static BwBox box_of(const BwShape *shape, const Stage *stage)
{
    BwBox box = bw_shape_bounds(shape), all = stage_box(stage);
    BwVec3 size = bw_sub(all.high, all.low);
    box.low = bw_vec3(finite_or(box.low.x, all.low.x - size.x), finite_or(box.low.y, all.low.y - size.y),
                      finite_or(box.low.z, all.low.z - size.z));
    box.high = bw_vec3(finite_or(box.high.x, all.high.x + size.x), finite_or(box.high.y, all.high.y + size.y),
                       finite_or(box.high.z, all.high.z + size.z));
    BwVec3 more = bw_mul(bw_sub(box.high, box.low), 0.05f);
    float least = 1e-4f * bw_length(size);
    more = bw_max(more, bw_vec3(least, least, least));
    box.low = bw_sub(box.low, more);
    box.high = bw_add(box.high, more);
    if (stage_scene(stage)->dimension == 2) {
        box.low.z = -0.5f;
        box.high.z = 0.5f;
    }
    return box;
}

static void measure(SolidShape *solid, const BwShape *shape, const Stage *stage)
{
    bool is_flat = stage_scene(stage)->dimension == 2, has_file = shape->content != NULL;
    int along = is_flat ? SAMPLES_FLAT : has_file ? SAMPLES_FILE : SAMPLES_DEEP;
    const int size[3] = {along, along, is_flat ? 1 : along};
    float *values = malloc((size_t)size[0] * (size_t)size[1] * (size_t)size[2] * sizeof *values);
    solid->box = box_of(shape, stage);
    BwVec3 way = bw_sub(solid->box.high, solid->box.low);
    if (values == NULL)
        return;
    for (int k = 0, n = 0; k < size[2]; k++)
        for (int j = 0; j < size[1]; j++)
            for (int i = 0; i < size[0]; i++, n++) {
                BwVec3 at = {((float)i + 0.5f) / (float)size[0], ((float)j + 0.5f) / (float)size[1],
                             ((float)k + 0.5f) / (float)size[2]};
                BwVec3 p = {solid->box.low.x + way.x * at.x, solid->box.low.y + way.y * at.y,
                            is_flat ? 0.0f : solid->box.low.z + way.z * at.z};
                float distance = bw_shape_distance(shape, p);
                values[n] = fminf(fmaxf(distance, -1e4f), 1e4f);
            }
    volume_upload(&solid->distances, values, size, 1);
    free(values);
}

// Shapes are those of the scene; only their poses change.
static void take_stage(SolidDraw *solids, const View *view)
{
    Stage *stage = view->snapshot->stage;
    const BwSceneDef *scene = stage_scene(stage);
    if (solids->stage == stage)
        return;
    forget(solids);
    solids->stage = stage_share(stage);
    int count = scene->obstacle_count + scene->body_count; // in the order of frames
    solids->shapes = calloc((size_t)count + 1, sizeof *solids->shapes);
    if (solids->shapes == NULL)
        return;
    solids->count = count;
    for (int n = 0; n < count; n++)
        measure(&solids->shapes[n],
                n < scene->obstacle_count ? &scene->obstacles[n].shape
                                          : &scene->bodies[n - scene->obstacle_count].shape,
                stage);
}

static void draw_solid(const SolidDraw *solids, const View *view, int n)
{
    const SolidShape *solid = &solids->shapes[n];
    const BwSceneDef *scene = stage_scene(solids->stage);
    const float *paint = n < scene->obstacle_count ? scene->obstacles[n].color
                                                   : scene->bodies[n - scene->obstacle_count].color;
    BwPose pose = view->snapshot->poses[n];
    Matrix model = matrix_of_pose(pose);
    GLuint program = solids->program;
    BwVec3 extent = bw_sub(solid->box.high, solid->box.low);
    bool is_flat = view->snapshot->dimension == 2;
    program_matrix(program, "model", &model);
    program_vector(program, "low", solid->box.low);
    program_vector(program, "extent", extent);
    program_vector(program, "eye", bw_pose_to_local(pose, camera_position(view->camera)));
    program_vector(program, "paint", bw_vec3(paint[0], paint[1], paint[2]));
    program_number(program, "touch", 0.5f * fmaxf(extent.x, fmaxf(extent.y, extent.z)) / (float)SAMPLES_DEEP);
    program_texture(program, "distances", 0, GL_TEXTURE_3D, solid->distances.texture);
    glDrawArrays(is_flat ? GL_TRIANGLE_STRIP : GL_TRIANGLES, 0, is_flat ? 4 : 36);
}

void solids_draw(SolidDraw *solids, const View *view)
{
    GLuint program = solids->program;
    bool is_flat = view->snapshot->dimension == 2;
    take_stage(solids, view);
    glUseProgram(program);
    glBindVertexArray(solids->vertices);
    program_matrix(program, "both", &view->both);
    program_vector(program, "light", view->light);
    program_integer(program, "is_flat", is_flat);
    glEnable(GL_CULL_FACE); // the far sides alone, so that a camera inside of the box sees them, too
    glCullFace(GL_FRONT);
    if (is_flat) {
        glDisable(GL_CULL_FACE);
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    }
    for (int n = 0; n < solids->count && n < view->snapshot->solid_count; n++)
        if (!view->snapshot->is_removed[n] && solids->shapes[n].distances.texture != 0)
            draw_solid(solids, view, n);
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
}
