// Depth, smoothing, thickness, shading. Depths stay depth textures throughout: to draw into textures of
// floats would take an extension.
#include "draw_surface.h"

enum { SMOOTHINGS = 3 };

static const float ball_size = 1.7f, thick_size = 2.2f;

static const char vertex_text[] =
    "out vec2 at;\n"
    "void main() {\n"
    "    at = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);\n"
    "    gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);\n"
    "}\n";

#define DISTANCES                                                                                            \
    "uniform float near, far, is_flat;\n"                                                                    \
    "float away(float z) {\n"                                                                                \
    "    if (is_flat > 0.5) return z * far;\n"                                                               \
    "    return 2.0 * far * near / (far + near - (2.0 * z - 1.0) * (far - near));\n"                         \
    "}\n"                                                                                                    \
    "float depth_of(float d) {\n"                                                                            \
    "    if (is_flat > 0.5) return d / far;\n"                                                               \
    "    return 0.5 * ((far + near) - 2.0 * far * near / d) / (far - near) + 0.5;\n"                         \
    "}\n"

// A mean over neighbours on a line, weighted by how near they are on the screen and in depth.
static const char smooth_text[] =
    "uniform sampler2D depth;\n"
    "uniform vec2 pixel;\n"          // along the line
    "uniform float radius, reach;\n" // m; pixels of a metre at a distance of one
    "in vec2 at;\n" DISTANCES "void main() {\n"
    "    float z = texture(depth, at).r;\n"
    "    if (z >= 1.0) { gl_FragDepth = 1.0; return; }\n"
    "    float here = away(z);\n"
    "    float width = clamp(3.0 * radius * reach / (is_flat > 0.5 ? 1.0 : here), 1.0, 24.0);\n"
    "    float sum = 0.0, weights = 0.0;\n"
    "    for (int n = -12; n <= 12; n++) {\n"
    "        float x = float(n) / 12.0;\n"
    "        float other = away(texture(depth, at + pixel * x * width).r);\n"
    "        float apart = (other - here) / (3.0 * radius);\n"
    "        float weight = exp(-2.5 * x * x) * exp(-apart * apart);\n"
    "        sum += weight * other;\n"
    "        weights += weight;\n"
    "    }\n"
    "    gl_FragDepth = depth_of(sum / weights);\n"
    "}\n";

static const char shade_text[] =
    "uniform sampler2D depth, thickness, scene, scene_depth;\n"
    "uniform vec2 pixel, slope;\n" // of the screen; half its width and height at a distance of one
    "uniform vec3 light, tint;\n"
    "in vec2 at;\n"
    "out vec4 color;\n" DISTANCES "vec3 point(vec2 p) {\n"
    "    float d = away(texture(depth, p).r);\n"
    "    return vec3((2.0 * p - 1.0) * slope * (is_flat > 0.5 ? 1.0 : d), -d);\n"
    "}\n"
    "vec3 nearer(vec3 a, vec3 b) { return abs(a.z) < abs(b.z) ? a : b; }\n"
    "void main() {\n"
    "    float z = texture(depth, at).r;\n"
    "    if (z >= 1.0 || z >= texture(scene_depth, at).r) discard;\n"
    "    vec3 p = point(at);\n"
    "    vec2 dx = vec2(pixel.x, 0.0), dy = vec2(0.0, pixel.y);\n"
    "    vec3 x = nearer(point(at + dx) - p, p - point(at - dx));\n"
    "    vec3 y = nearer(point(at + dy) - p, p - point(at - dy));\n"
    "    vec3 n = normalize(cross(x, y));\n"
    "    vec3 to_eye = is_flat > 0.5 ? vec3(0, 0, 1) : normalize(-p);\n"
    "    float thick = texture(thickness, at).r * 6.0;\n"
    "    vec2 bent = at + n.xy * min(thick, 2.0) * 0.018;\n"
    "    vec3 behind = texture(scene, bent).rgb * exp(-thick * (1.0 - tint));\n"
    "    vec3 body = tint * (0.12 + 0.25 * max(dot(n, light), 0.0)) * (1.0 - exp(-0.6 * thick));\n"
    "    float glance = 0.02 + 0.98 * pow(1.0 - max(dot(n, to_eye), 0.0), 5.0);\n"
    "    vec3 mirrored = reflect(-to_eye, n);\n"
    "    vec3 sky = mix(vec3(0.28, 0.33, 0.4), vec3(0.75, 0.86, 0.97), 0.5 + 0.5 * mirrored.y);\n"
    "    float shine = pow(max(dot(mirrored, light), 0.0), 90.0);\n"
    "    color = vec4(mix(behind + body, sky, glance) + shine, 1.0);\n"
    "}\n";

bool surface_create(SurfaceDraw *surface)
{
    *surface = (SurfaceDraw){0};
    surface->smooth_program = program_create("smoothing", vertex_text, smooth_text);
    surface->shade_program = program_create("water", vertex_text, shade_text);
    glGenVertexArrays(1, &surface->vertices);
    return surface->smooth_program != 0 && surface->shade_program != 0;
}

static void free_targets(SurfaceDraw *surface)
{
    glDeleteTextures(2, surface->depth);
    glDeleteTextures(1, &surface->thickness);
    glDeleteFramebuffers(3, surface->targets);
}

void surface_free(SurfaceDraw *surface)
{
    free_targets(surface);
    glDeleteProgram(surface->smooth_program);
    glDeleteProgram(surface->shade_program);
    glDeleteVertexArrays(1, &surface->vertices);
}

static void make_targets(SurfaceDraw *surface, int width, int height)
{
    if (surface->width == width && surface->height == height)
        return;
    free_targets(surface);
    glGenFramebuffers(3, surface->targets);
    for (int n = 0; n < 2; n++) {
        const GLenum none = GL_NONE;
        surface->depth[n] = texture_create_depth(width, height);
        glBindFramebuffer(GL_FRAMEBUFFER, surface->targets[n]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, surface->depth[n], 0);
        glDrawBuffers(1, &none);
        glReadBuffer(GL_NONE);
    }
    surface->thickness = texture_create_color(width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, surface->targets[2]);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, surface->thickness, 0);
    surface->width = width;
    surface->height = height;
}

static void draw_depth(const SurfaceDraw *surface, const View *view, const BallDraw *balls)
{
    glBindFramebuffer(GL_FRAMEBUFFER, surface->targets[0]);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_DEPTH_BUFFER_BIT);
    balls_draw(balls, view, BALLS_DEPTH, ball_size);
}

static void draw_thickness(const SurfaceDraw *surface, const View *view, const BallDraw *balls)
{
    glBindFramebuffer(GL_FRAMEBUFFER, surface->targets[2]);
    glDisable(GL_DEPTH_TEST);
    glClearColor(0.0f, 0.0f, 0.0f, 0.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    balls_draw(balls, view, BALLS_THICKNESS, thick_size);
    glDisable(GL_BLEND);
}

static void tell_distances(const View *view, GLuint program)
{
    program_number(program, "far", view->camera->reach);
    program_number(program, "near", 0.002f * view->camera->reach);
    program_number(program, "is_flat", view->camera->is_flat ? 1.0f : 0.0f);
}

static void smooth_along(const SurfaceDraw *surface, int from, bool is_up)
{
    GLuint program = surface->smooth_program;
    glBindFramebuffer(GL_FRAMEBUFFER, surface->targets[1 - from]);
    program_texture(program, "depth", 0, GL_TEXTURE_2D, surface->depth[from]);
    glUniform2f(glGetUniformLocation(program, "pixel"), is_up ? 0.0f : 1.0f / (float)surface->width,
                is_up ? 1.0f / (float)surface->height : 0.0f);
    program_cover();
}

// A line after the other, there and back between the two textures; ends in the first.
static void smooth(const SurfaceDraw *surface, const View *view)
{
    GLuint program = surface->smooth_program;
    glUseProgram(program);
    glBindVertexArray(surface->vertices);
    tell_distances(view, program);
    program_number(program, "radius", view->snapshot->particle_radius);
    program_number(program, "reach", 0.5f * view->projection.m[5] * (float)surface->height);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    for (int n = 0; n < SMOOTHINGS; n++) {
        smooth_along(surface, 0, false);
        smooth_along(surface, 1, true);
    }
    glDepthFunc(GL_LESS);
}

static void shade(const SurfaceDraw *surface, const View *view, GLuint scene, GLuint scene_depth)
{
    GLuint program = surface->shade_program;
    const float *m = view->view.m, *tint = stage_scene(view->snapshot->stage)->look.water_color;
    BwVec3 l = view->light;
    glUseProgram(program);
    tell_distances(view, program);
    program_texture(program, "depth", 0, GL_TEXTURE_2D, surface->depth[0]);
    program_texture(program, "thickness", 1, GL_TEXTURE_2D, surface->thickness);
    program_texture(program, "scene", 2, GL_TEXTURE_2D, scene);
    program_texture(program, "scene_depth", 3, GL_TEXTURE_2D, scene_depth);
    glUniform2f(glGetUniformLocation(program, "pixel"), 1.0f / (float)surface->width,
                1.0f / (float)surface->height);
    glUniform2f(glGetUniformLocation(program, "slope"), 1.0f / view->projection.m[0],
                1.0f / view->projection.m[5]);
    program_vector(program, "tint", bw_vec3(tint[0], tint[1], tint[2]));
    program_vector(program, "light",
                   bw_vec3(m[0] * l.x + m[4] * l.y + m[8] * l.z, m[1] * l.x + m[5] * l.y + m[9] * l.z,
                           m[2] * l.x + m[6] * l.y + m[10] * l.z));
    program_cover();
}

void surface_draw(SurfaceDraw *surface, const View *view, const BallDraw *balls, GLuint scene,
                  GLuint scene_depth, GLuint target)
{
    if (balls->count == 0)
        return;
    make_targets(surface, view->camera->width_px, view->camera->height_px);
    draw_depth(surface, view, balls);
    draw_thickness(surface, view, balls);
    smooth(surface, view);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glDisable(GL_DEPTH_TEST);
    shade(surface, view, scene, scene_depth);
}
