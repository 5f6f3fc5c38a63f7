// Dots by depth.
#include "draw_dots.h"

#include "seconds.h"

#include <stdlib.h>

// So many at most, and drawn from this density on; slices that they are sorted into.
enum { DOTS_MOST = 150000, SLICES = 1024 };
static const float least_density = 0.02f;

static const char vertex_text[] =
    "layout(location = 0) in vec4 dot;\n"
    "uniform mat4 view, projection;\n"
    "uniform float size, height;\n"
    "out float density;\n"
    "void main() {\n"
    "    gl_Position = projection * (view * vec4(dot.xyz, 1.0));\n"
    "    gl_PointSize = clamp(2.6 * size * projection[1][1] * 0.5 * height / gl_Position.w, 2.0, 250.0);\n"
    "    density = dot.w;\n"
    "}\n";

static const char fragment_text[] =
    "uniform vec3 albedo;\n"
    "uniform float thickness;\n"
    "in float density;\n"
    "out vec4 color;\n"
    "void main() {\n"
    "    vec2 n = 2.0 * gl_PointCoord - 1.0;\n"
    "    float s = dot(n, n);\n"
    "    if (s > 1.0) discard;\n"
    "    float alpha = (1.0 - exp(-thickness * density)) * exp(-3.0 * s) * (1.0 - s);\n"
    "    float shade = 0.55 + 0.45 * clamp(0.5 - 0.5 * n.y - 0.3 * n.x, 0.0, 1.0);\n"
    "    color = vec4(albedo * shade * alpha, alpha);\n"
    "}\n";

bool dots_create(DotDraw *dots)
{
    *dots = (DotDraw){.program = program_create("dots", vertex_text, fragment_text)};
    glGenVertexArrays(1, &dots->vertices);
    glGenBuffers(1, &dots->buffer);
    glBindVertexArray(dots->vertices);
    glBindBuffer(GL_ARRAY_BUFFER, dots->buffer);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    dots->dots = malloc((size_t)DOTS_MOST * 4 * sizeof(float));
    dots->sorted = malloc((size_t)DOTS_MOST * 4 * sizeof(float));
    return dots->program != 0 && dots->dots != NULL && dots->sorted != NULL;
}

void dots_free(DotDraw *dots)
{
    glDeleteProgram(dots->program);
    glDeleteVertexArrays(1, &dots->vertices);
    glDeleteBuffers(1, &dots->buffer);
    free(dots->dots);
    free(dots->sorted);
}

static int64_t count_cells(const Snapshot *s, int stride)
{
    const float *density = s->values[CHANNEL_DENSITY];
    int64_t count = 0;
    for (int k = 0; k < s->size[2]; k += stride)
        for (int j = 0; j < s->size[1]; j += stride)
            for (int i = 0; i < s->size[0]; i += stride)
                count += density[i + (int64_t)s->size[0] * (j + (int64_t)s->size[1] * k)] > least_density;
    return count;
}

static void gather(DotDraw *dots, const Snapshot *s, int stride)
{
    const float *density = s->values[CHANNEL_DENSITY];
    float h = s->cell_size, middle = s->dimension == 3 ? 0.5f : 0.0f;
    dots->count = 0;
    dots->size = h * (float)stride;
    for (int k = 0; k < s->size[2]; k += stride)
        for (int j = 0; j < s->size[1]; j += stride)
            for (int i = 0; i < s->size[0]; i += stride) {
                float value = density[i + (int64_t)s->size[0] * (j + (int64_t)s->size[1] * k)];
                float *dot = &dots->dots[4 * dots->count];
                if (!(value > least_density) || dots->count == DOTS_MOST)
                    continue;
                dot[0] = s->origin.x + h * ((float)i + 0.5f);
                dot[1] = s->origin.y + h * ((float)j + 0.5f);
                dot[2] = s->origin.z + h * ((float)k + middle);
                dot[3] = value;
                dots->count++;
            }
}

static int slice_of(const float *dot, BwVec3 forward, float low, float scale)
{
    float depth = dot[0] * forward.x + dot[1] * forward.y + dot[2] * forward.z;
    int slice = (int)((depth - low) * scale);
    return SLICES - 1 - (slice < 0 ? 0 : slice >= SLICES ? SLICES - 1 : slice);
}

// By counting: the farthest slice comes first.
static void sort(DotDraw *dots, const View *view)
{
    int first[SLICES + 1] = {0};
    const Snapshot *s = view->snapshot;
    BwVec3 forward = camera_forward(view->camera);
    float reach = s->cell_size * (float)(s->size[0] + s->size[1] + s->size[2]);
    BwVec3 o = s->origin;
    float low = bw_dot(o, forward) - reach, scale = (float)SLICES / (2.0f * reach);
    for (int64_t n = 0; n < dots->count; n++)
        first[slice_of(&dots->dots[4 * n], forward, low, scale) + 1]++;
    for (int n = 0; n < SLICES; n++)
        first[n + 1] += first[n];
    for (int64_t n = 0; n < dots->count; n++) {
        int place = first[slice_of(&dots->dots[4 * n], forward, low, scale)]++;
        memcpy(&dots->sorted[4 * (size_t)place], &dots->dots[4 * n], 4 * sizeof(float));
    }
    dots->last_forward = forward;
}

static void update(DotDraw *dots, const View *view)
{
    const Snapshot *s = view->snapshot;
    double began = seconds_now();
    dots->own_seconds = 0.0;
    bool is_turned = bw_length(bw_sub(dots->last_forward, camera_forward(view->camera))) > 1e-3f;
    if (view->is_new) {
        int stride = 1;
        while (count_cells(s, stride) > DOTS_MOST)
            stride++;
        gather(dots, s, stride);
    }
    if (!view->is_new && !is_turned)
        return;
    sort(dots, view);
    dots->own_seconds = seconds_now() - began;
    glBindBuffer(GL_ARRAY_BUFFER, dots->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(dots->count * 4 * (int64_t)sizeof(float)), dots->sorted,
                 GL_STREAM_DRAW);
}

// A dot covers as much as the smoke of its cell along the way of the light.
static float thickness_of(const DotDraw *dots, const View *view)
{
    BwBox box = stage_box(view->snapshot->stage);
    BwVec3 size = bw_sub(box.high, box.low);
    float least = fminf(size.x, size.y);
    if (view->snapshot->dimension == 2)
        return 1.6f;
    return 40.0f * dots->size / fminf(least, size.z);
}

void dots_draw(DotDraw *dots, const View *view)
{
    GLuint program = dots->program;
    if (!view->snapshot->has[CHANNEL_DENSITY])
        return;
    update(dots, view);
    const float *albedo = stage_scene(view->snapshot->stage)->look.smoke_color;
    glUseProgram(program);
    glBindVertexArray(dots->vertices);
    program_matrix(program, "view", &view->view);
    program_matrix(program, "projection", &view->projection);
    program_number(program, "size", dots->size);
    program_number(program, "height", (float)view->camera->height_px);
    program_number(program, "thickness", thickness_of(dots, view));
    program_vector(program, "albedo", bw_vec3(albedo[0], albedo[1], albedo[2]));
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArrays(GL_POINTS, 0, (GLsizei)dots->count);
    glDisable(GL_BLEND);
}
