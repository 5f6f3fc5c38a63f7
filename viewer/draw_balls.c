// Points that look like balls.
#include "draw_balls.h"

#include "colors.h"

static const char vertex_text[] =
    "layout(location = 0) in vec4 particle;\n"
    "uniform mat4 view, projection;\n"
    "uniform float radius, height;\n"
    "out vec3 center;\n"
    "out float speed;\n"
    "void main() {\n"
    "    vec4 p = view * vec4(particle.xyz, 1.0);\n"
    "    center = p.xyz;\n"
    "    speed = particle.w;\n"
    "    gl_Position = projection * p;\n"
    "    gl_PointSize = max(radius * projection[1][1] * height / gl_Position.w, 1.0);\n"
    "}\n";

#define BALL_HEAD                                                                                            \
    "uniform mat4 projection;\n"                                                                             \
    "uniform float radius, fast;\n"                                                                          \
    "uniform vec3 light;\n"                                                                                  \
    "in vec3 center;\n"                                                                                      \
    "in float speed;\n"                                                                                      \
    "out vec4 color;\n"                                                                                      \
    "vec3 normal() {\n"                                                                                      \
    "    vec2 n = 2.0 * gl_PointCoord - 1.0;\n"                                                              \
    "    float s = dot(n, n);\n"                                                                             \
    "    if (s > 1.0) discard;\n"                                                                            \
    "    return vec3(n.x, -n.y, sqrt(1.0 - s));\n"                                                           \
    "}\n"                                                                                                    \
    "void set_depth(vec3 n) {\n"                                                                             \
    "    vec4 p = projection * vec4(center + radius * n, 1.0);\n"                                            \
    "    gl_FragDepth = 0.5 * p.z / p.w + 0.5;\n"                                                            \
    "}\n"

static const char lit_text[] =
    BALL_HEAD COLOR_MAPS "void main() {\n"
                         "    vec3 n = normal();\n"
                         "    set_depth(n);\n"
                         "    float shade = 0.35 + 0.65 * max(dot(n, light), 0.0);\n"
                         "    float shine = pow(max(dot(reflect(-light, n), vec3(0, 0, 1)), 0.0), 30.0);\n"
                         "    color = vec4(water_speed(speed / fast) * shade + 0.25 * shine, 1.0);\n"
                         "}\n";

static const char depth_text[] = BALL_HEAD "void main() {\n"
                                           "    set_depth(normal());\n"
                                           "    color = vec4(1.0);\n"
                                           "}\n";

static const char thickness_text[] = BALL_HEAD "void main() {\n"
                                               "    color = vec4(vec3(0.09 * normal().z), 1.0);\n"
                                               "}\n";

bool balls_create(BallDraw *balls)
{
    balls->program = program_create("balls", vertex_text, lit_text);
    balls->depth_program = program_create("balls' depth", vertex_text, depth_text);
    balls->thickness_program = program_create("balls' thickness", vertex_text, thickness_text);
    glGenVertexArrays(1, &balls->vertices);
    glGenBuffers(1, &balls->buffer);
    glBindVertexArray(balls->vertices);
    glBindBuffer(GL_ARRAY_BUFFER, balls->buffer);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    return balls->program != 0 && balls->depth_program != 0 && balls->thickness_program != 0;
}

void balls_free(BallDraw *balls)
{
    glDeleteProgram(balls->program);
    glDeleteProgram(balls->depth_program);
    glDeleteProgram(balls->thickness_program);
    glDeleteVertexArrays(1, &balls->vertices);
    glDeleteBuffers(1, &balls->buffer);
}

void balls_update(BallDraw *balls, const View *view)
{
    const Snapshot *s = view->snapshot;
    if (!view->is_new)
        return;
    balls->count = s->particle_count;
    glBindBuffer(GL_ARRAY_BUFFER, balls->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(balls->count * 4 * (int64_t)sizeof(float)), s->particles,
                 GL_STREAM_DRAW);
}

static BwVec3 turned(const View *view, BwVec3 v)
{
    const float *m = view->view.m;
    return bw_vec3(m[0] * v.x + m[4] * v.y + m[8] * v.z, m[1] * v.x + m[5] * v.y + m[9] * v.z,
                   m[2] * v.x + m[6] * v.y + m[10] * v.z);
}

// The speed that is drawn white: that of a fall over half the height of the scene.
static float fast_speed(const View *view)
{
    BwBox box = stage_box(view->snapshot->stage);
    return sqrtf(9.81f * fmaxf(box.high.y - box.low.y, 1e-3f));
}

void balls_draw(const BallDraw *balls, const View *view, BallPass pass, float size)
{
    GLuint program = pass == BALLS_LIT     ? balls->program
                     : pass == BALLS_DEPTH ? balls->depth_program
                                           : balls->thickness_program;
    if (balls->count == 0)
        return;
    glUseProgram(program);
    glBindVertexArray(balls->vertices);
    program_matrix(program, "view", &view->view);
    program_matrix(program, "projection", &view->projection);
    program_number(program, "radius", size * view->snapshot->particle_radius);
    program_number(program, "height", (float)view->camera->height_px);
    program_number(program, "fast", fast_speed(view));
    program_vector(program, "light", turned(view, view->light));
    glDrawArrays(GL_POINTS, 0, (GLsizei)balls->count);
}
