// One quad, coloured by what its points are in.
#include "draw_slice.h"

#include "colors.h"

static const char vertex_text[] = "uniform mat4 both;\n"
                                  "uniform vec3 corner, along, across;\n"
                                  "out vec3 place;\n"
                                  "void main() {\n"
                                  "    vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                                  "    place = corner + along * at.x + across * at.y;\n"
                                  "    gl_Position = both * vec4(place, 1.0);\n"
                                  "}\n";

static const char fragment_text[] =
    "uniform sampler3D scalar, red, green, blue, u, v, w;\n"
    "uniform vec3 low, extent, cell;\n"
    "uniform int kind;\n" // 0 density, 1 coloured density, 2 from both sides of 0, 3 heat, 4 curl, 5 water
    "uniform float scale, zero;\n"
    "uniform int is_flat;\n"
    "in vec3 place;\n"
    "out vec4 color;\n" COLOR_MAPS
    "vec3 velocity(vec3 at) { return vec3(texture(u, at).r, texture(v, at).r, texture(w, at).r); }\n"
    "float curl(vec3 at) {\n"
    "    vec3 d = cell / extent;\n"
    "    vec3 x = velocity(at + vec3(d.x, 0, 0)) - velocity(at - vec3(d.x, 0, 0));\n"
    "    vec3 y = velocity(at + vec3(0, d.y, 0)) - velocity(at - vec3(0, d.y, 0));\n"
    "    if (is_flat == 1) return (x.y - y.x) / (2.0 * cell.x);\n"
    "    vec3 z = velocity(at + vec3(0, 0, d.z)) - velocity(at - vec3(0, 0, d.z));\n"
    "    return length(vec3(y.z - z.y, z.x - x.z, x.y - y.x)) / (2.0 * cell.x);\n"
    "}\n"
    "void main() {\n"
    "    vec3 at = (place - low) / extent;\n"
    "    float value = kind == 4 ? curl(at) : texture(scalar, at).r - zero;\n"
    "    if (kind == 0) color = vec4(ink(1.0 - exp(-1.7 * value)), 1.0);\n"
    "    if (kind == 1) {\n"
    "        vec3 tint = vec3(texture(red, at).r, texture(green, at).r, texture(blue, at).r);\n"
    "        color = vec4(mix(vec3(0.02, 0.025, 0.05), tint, 1.0 - exp(-2.2 * value)), 1.0);\n"
    "    }\n"
    "    if (kind == 2 || kind == 4) color = vec4(balance(value / scale), 1.0);\n"
    "    if (kind == 5) {\n"
    "        if (value > 0.0) discard;\n"
    "        float deep = clamp(-value / (14.0 * cell.x), 0.0, 1.0), rim = exp(value / (0.7 * cell.x));\n"
    "        vec3 body = mix(vec3(0.14, 0.42, 0.72), vec3(0.05, 0.17, 0.4), deep);\n"
    "        color = vec4(mix(body, vec3(0.75, 0.9, 1.0), 0.8 * rim), 1.0);\n"
    "    }\n"
    "    if (kind == 3) color = vec4(glow(value / scale), 1.0);\n"
    "}\n";

bool slice_create(SliceDraw *slice)
{
    slice->program = program_create("slice", vertex_text, fragment_text);
    glGenVertexArrays(1, &slice->vertices);
    return slice->program != 0;
}

void slice_free(SliceDraw *slice)
{
    glDeleteProgram(slice->program);
    glDeleteVertexArrays(1, &slice->vertices);
}

static BwVec3 axis_vector(int axis, float length)
{
    return bw_vec3(axis == 0 ? length : 0.0f, axis == 1 ? length : 0.0f, axis == 2 ? length : 0.0f);
}

// The two axes of the slice are those across the way the camera looks most.
static void place_quad(const View *view, GLuint program)
{
    const Snapshot *s = view->snapshot;
    BwVec3 forward = camera_forward(view->camera);
    int across = fabsf(forward.x) > fabsf(forward.z) && s->dimension == 3 ? 0 : 2;
    if (s->dimension == 3 && fabsf(forward.y) > 0.8f)
        across = 1;
    int a = across == 0 ? 2 : 0, b = across == 1 ? 2 : 1;
    float h = s->cell_size;
    BwVec3 corner =
        bw_add(s->origin, axis_vector(across, s->dimension == 3 ? 0.5f * h * (float)s->size[across] : 0.0f));
    program_vector(program, "corner", corner);
    program_vector(program, "along", axis_vector(a, h * (float)s->size[a]));
    program_vector(program, "across", axis_vector(b, h * (float)s->size[b]));
}

typedef struct Kind {
    int kind;
    Channel channel;
    float scale, zero;
} Kind;

static float larger(float a, float b)
{
    return a > b ? a : b;
}

static Kind kind_of(const View *view, const Fields *fields, Show show)
{
    const float *most = fields->most;
    float speed = sqrtf(most[CHANNEL_U] * most[CHANNEL_U] + most[CHANNEL_V] * most[CHANNEL_V]);
    switch (show) {
    case SHOW_PRESSURE:
        return (Kind){2, CHANNEL_PRESSURE, larger(most[CHANNEL_PRESSURE], 1e-6f), 0.0f};
    case SHOW_VORTICITY:
        return (Kind){4, CHANNEL_U, larger(0.12f * speed / view->snapshot->cell_size, 1e-6f), 0.0f};
    case SHOW_TEMPERATURE:
        return (Kind){3, CHANNEL_TEMPERATURE, larger(most[CHANNEL_TEMPERATURE], 1.0f), fields->ambient};
    default:
        if (stage_scene(view->snapshot->stage)->fluid == BW_FLUID_LIQUID)
            return (Kind){5, CHANNEL_PHI, 1.0f, 0.0f};
        return (Kind){fields->has[CHANNEL_RED] ? 1 : 0, CHANNEL_DENSITY, 1.0f, 0.0f};
    }
}

void slice_draw(const SliceDraw *slice, const View *view, const Fields *fields, Show show)
{
    Kind kind = kind_of(view, fields, show);
    GLuint program = slice->program;
    if (!fields->has[kind.channel])
        return;
    glUseProgram(program);
    glBindVertexArray(slice->vertices);
    program_matrix(program, "both", &view->both);
    fields_place(view, program);
    place_quad(view, program);
    program_integer(program, "kind", kind.kind);
    program_integer(program, "is_flat", view->snapshot->dimension == 2);
    program_number(program, "scale", kind.scale);
    program_number(program, "zero", kind.zero);
    fields_bind(fields, program, "scalar", 0, kind.channel);
    static const char *const names[6] = {"red", "green", "blue", "u", "v", "w"};
    for (int n = 0; n < 6; n++)
        fields_bind(fields, program, names[n], 1 + n, (Channel)(CHANNEL_RED + n));
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}
