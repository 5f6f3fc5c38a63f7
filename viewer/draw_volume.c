// Ray marching in a fragment shader.
#include "draw_volume.h"

static const char vertex_text[] =
    "out vec2 at;\n"
    "void main() {\n"
    "    at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);\n"
    "    gl_Position = vec4(at, 0.0, 1.0);\n"
    "}\n";

static const char fragment_text[] =
    "uniform sampler3D density, red, green, blue, flame, temperature;\n"
    "uniform sampler2D depth;\n"
    "uniform vec3 low, extent, eye, ahead, right, up, light, albedo;\n"
    "uniform float thickness, near, far;\n"
    "uniform float brightness;\n"
    "uniform int has_color, has_flame;\n"
    "in vec2 at;\n"
    "out vec4 color;\n"
    "float amount(vec3 p) {\n"
    "    float soot = has_flame == 1 ? 0.12 * texture(flame, (p - low) / extent).r : 0.0;\n"
    "    return texture(density, (p - low) / extent).r + soot;\n"
    "}\n"
    // Wien's law at a wavelength of each colour, beside a black body of 1700 K.
    "vec3 glow(vec3 p) {\n"
    "    float t = max(texture(temperature, (p - low) / extent).r, 500.0);\n"
    "    return brightness * vec3(2.9, 0.53, 0.004) * exp(vec3(23587.0, 26160.0, 30942.0) * (1.0 / 1700.0 - "
    "1.0 / t));\n"
    "}\n"
    "vec2 meet(vec3 from, vec3 way) {\n"
    "    vec3 a = (low - from) / way, b = (low + extent - from) / way;\n"
    "    vec3 first = min(a, b), last = max(a, b);\n"
    "    return vec2(max(max(first.x, first.y), max(first.z, 0.0)), min(last.x, min(last.y, last.z)));\n"
    "}\n"
    "float lit(vec3 p) {\n" // the light that is left after the smoke before it
    "    float step = 0.045 * length(extent), sum = 0.0;\n"
    "    for (int n = 1; n <= 5; n++) {\n"
    "        vec3 q = p + light * step * (float(n) - 0.5);\n"
    "        vec3 c = (q - low) / extent;\n"
    "        if (any(lessThan(c, vec3(0.0))) || any(greaterThan(c, vec3(1.0)))) break;\n"
    "        sum += amount(q);\n"
    "    }\n"
    "    return exp(-thickness * step * sum);\n"
    "}\n"
    "void main() {\n"
    "    vec3 way = normalize(ahead + at.x * right + at.y * up);\n"
    "    vec2 span = meet(eye, way);\n"
    "    float z = 2.0 * texture(depth, 0.5 * at + 0.5).r - 1.0;\n"
    "    float solid = 2.0 * far * near / (far + near - z * (far - near)) / dot(way, ahead);\n"
    "    span.y = min(span.y, solid);\n"
    "    if (span.x >= span.y) discard;\n"
    "    const int steps = 96;\n"
    "    float step = max((span.y - span.x) / float(steps), 0.003 * length(extent));\n"
    "    float shift = fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584))));\n"
    "    vec3 sum = vec3(0.0);\n"
    "    float left = 1.0;\n"
    "    for (int n = 0; n < steps; n++) {\n"
    "        float t = span.x + (float(n) + shift) * step;\n"
    "        if (t > span.y || left < 0.01) break;\n"
    "        vec3 p = eye + way * t;\n"
    "        float here = amount(p);\n"
    "        if (here < 0.002) continue;\n"
    "        float kept = exp(-thickness * here * step);\n"
    "        vec3 tint = albedo;\n"
    "        if (has_color == 1) { vec3 c = (p - low) / extent;\n"
    "            tint *= vec3(texture(red, c).r, texture(green, c).r, texture(blue, c).r); }\n"
    "        vec3 source = tint * (0.28 + 0.85 * lit(p));\n"
    "        if (has_flame == 1) source += glow(p);\n"
    "        sum += left * (1.0 - kept) * source;\n"
    "        left *= kept;\n"
    "    }\n"
    "    if (has_flame == 1) sum = 1.0 - exp(-sum);\n" // fire is brighter than a display
    "    color = vec4(sum, 1.0 - left);\n"
    "}\n";

static const char cover_text[] = "uniform sampler2D smoke;\n"
                                 "in vec2 at;\n"
                                 "out vec4 color;\n"
                                 "void main() { color = texture(smoke, 0.5 * at + 0.5); }\n";

enum { COARSEST = 5 };

// A picture should take no longer, s; one that takes less than the second may be finer.
static const double picture_most = 1.0 / 12.0, picture_least = 1.0 / 45.0;

bool volume_draw_create(VolumeDraw *draw)
{
    *draw = (VolumeDraw){.coarseness = 2};
    draw->program = program_create("volume", vertex_text, fragment_text);
    draw->cover_program = program_create("volume's cover", vertex_text, cover_text);
    glGenVertexArrays(1, &draw->vertices);
    return draw->program != 0 && draw->cover_program != 0;
}

void volume_draw_adapt(VolumeDraw *draw, double picture_seconds)
{
    if (picture_seconds > picture_most && draw->coarseness < COARSEST)
        draw->coarseness++;
    else if (picture_seconds < picture_least && draw->coarseness > 1)
        draw->coarseness--;
}

static void make_target(VolumeDraw *draw, const Camera *camera)
{
    int width = (camera->width_px + draw->coarseness - 1) / draw->coarseness;
    int height = (camera->height_px + draw->coarseness - 1) / draw->coarseness;
    if (draw->width == width && draw->height == height)
        return;
    glDeleteTextures(1, &draw->color);
    glDeleteFramebuffers(1, &draw->target);
    glGenFramebuffers(1, &draw->target);
    draw->color = texture_create_color(width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, draw->target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, draw->color, 0);
    draw->width = width;
    draw->height = height;
}

void volume_draw_free(VolumeDraw *draw)
{
    glDeleteProgram(draw->program);
    glDeleteProgram(draw->cover_program);
    glDeleteTextures(1, &draw->color);
    glDeleteFramebuffers(1, &draw->target);
    glDeleteVertexArrays(1, &draw->vertices);
}

// The absorption that the scene asks for, or one by which smoke of density 1 is opaque across a third of it.
static float thickness_of(const View *view)
{
    const BwSceneDef *scene = stage_scene(view->snapshot->stage);
    BwBox box = stage_box(view->snapshot->stage);
    BwVec3 size = bw_sub(box.high, box.low);
    float least = fminf(size.x, fminf(size.y, size.z));
    return scene->look.absorption > 0.0f ? scene->look.absorption : 18.0f / least;
}

static void place_rays(const View *view, GLuint program)
{
    const Camera *camera = view->camera;
    const float *m = view->view.m;
    float half = tanf(0.5f * camera->field_of_view),
          aspect = (float)camera->width_px / (float)camera->height_px;
    program_vector(program, "eye", camera_position(camera));
    program_vector(program, "ahead", camera_forward(camera));
    program_vector(program, "right", bw_mul(bw_vec3(m[0], m[4], m[8]), half * aspect));
    program_vector(program, "up", bw_mul(bw_vec3(m[1], m[5], m[9]), half));
    program_number(program, "far", camera->reach);
    program_number(program, "near", 0.002f * camera->reach);
}

// Into the window, over what is there.
static void cover(const VolumeDraw *draw, const Camera *camera)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, camera->width_px, camera->height_px);
    glUseProgram(draw->cover_program);
    program_texture(draw->cover_program, "smoke", 0, GL_TEXTURE_2D, draw->color);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    program_cover();
    glDisable(GL_BLEND);
}

void volume_draw(VolumeDraw *draw, const View *view, const Fields *fields, GLuint depth)
{
    GLuint program = draw->program;
    if (!fields->has[CHANNEL_DENSITY] || view->snapshot->dimension != 3)
        return;
    const BwLookDef *look = &stage_scene(view->snapshot->stage)->look;
    const float soot[3] = {0.2f, 0.2f, 0.2f};
    bool has_flame = fields->has[CHANNEL_FLAME] && fields->has[CHANNEL_TEMPERATURE];
    const float *albedo = has_flame ? soot : look->smoke_color;
    make_target(draw, view->camera);
    glBindFramebuffer(GL_FRAMEBUFFER, draw->target);
    glViewport(0, 0, draw->width, draw->height);
    glClearColor(0.0f, 0.0f, 0.0f, 0.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program);
    glBindVertexArray(draw->vertices);
    fields_place(view, program);
    place_rays(view, program);
    program_vector(program, "light", view->light);
    program_vector(program, "albedo", bw_vec3(albedo[0], albedo[1], albedo[2]));
    program_number(program, "thickness", thickness_of(view));
    program_integer(program, "has_color", fields->has[CHANNEL_RED]);
    fields_bind(fields, program, "density", 0, CHANNEL_DENSITY);
    fields_bind(fields, program, "red", 1, CHANNEL_RED);
    fields_bind(fields, program, "green", 2, CHANNEL_GREEN);
    fields_bind(fields, program, "blue", 3, CHANNEL_BLUE);
    program_number(program, "brightness", look->fire_brightness);
    program_integer(program, "has_flame", has_flame);
    fields_bind(fields, program, "flame", 5, CHANNEL_FLAME);
    fields_bind(fields, program, "temperature", 6, CHANNEL_TEMPERATURE);
    program_texture(program, "depth", 4, GL_TEXTURE_2D, depth);
    program_cover();
    cover(draw, view->camera);
}
