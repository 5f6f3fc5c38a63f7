// Gathering and drawing lines.
#include "draw_lines.h"

#include <stdlib.h>

static const char vertex_text[] = "layout(location = 0) in vec3 place;\n"
                                  "layout(location = 1) in vec4 paint;\n"
                                  "uniform mat4 both;\n"
                                  "out vec4 tone;\n"
                                  "void main() { tone = paint; gl_Position = both * vec4(place, 1.0); }\n";

static const char fragment_text[] = "in vec4 tone;\n"
                                    "out vec4 color;\n"
                                    "void main() { color = vec4(tone.rgb * tone.a, tone.a); }\n";

bool lines_create(LineDraw *lines)
{
    *lines = (LineDraw){.program = program_create("lines", vertex_text, fragment_text)};
    glGenVertexArrays(1, &lines->vertices);
    glGenBuffers(1, &lines->buffer);
    glBindVertexArray(lines->vertices);
    glBindBuffer(GL_ARRAY_BUFFER, lines->buffer);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(LineVertex), NULL);
    glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(LineVertex),
                          (const void *)offsetof(LineVertex, color));
    return lines->program != 0;
}

void lines_free(LineDraw *lines)
{
    glDeleteProgram(lines->program);
    glDeleteVertexArrays(1, &lines->vertices);
    glDeleteBuffers(1, &lines->buffer);
    free(lines->list);
}

static bool make_room(LineDraw *lines)
{
    if (lines->count + 2 <= lines->capacity)
        return true;
    size_t capacity = 2 * lines->capacity + 1024;
    LineVertex *list = realloc(lines->list, capacity * sizeof *list);
    if (list == NULL)
        return false;
    lines->list = list;
    lines->capacity = capacity;
    return true;
}

void lines_add_faded(LineDraw *lines, BwVec3 from, BwVec3 to, const float from_color[4],
                     const float to_color[4])
{
    if (!make_room(lines))
        return; // a picture without some of its lines
    LineVertex *end = &lines->list[lines->count];
    end[0] =
        (LineVertex){{from.x, from.y, from.z}, {from_color[0], from_color[1], from_color[2], from_color[3]}};
    end[1] = (LineVertex){{to.x, to.y, to.z}, {to_color[0], to_color[1], to_color[2], to_color[3]}};
    lines->count += 2;
}

void lines_add(LineDraw *lines, BwVec3 from, BwVec3 to, const float color[4])
{
    lines_add_faded(lines, from, to, color, color);
}

static BwVec3 corner_of(BwBox box, int n)
{
    return bw_vec3(n & 1 ? box.high.x : box.low.x, n & 2 ? box.high.y : box.low.y,
                   n & 4 ? box.high.z : box.low.z);
}

// The twelve edges; a flat box has those of a rectangle.
void lines_add_box(LineDraw *lines, BwBox box, const float color[4])
{
    bool is_flat = box.low.z == box.high.z;
    for (int n = 0; n < (is_flat ? 4 : 8); n++)
        for (int bit = 1; bit <= (is_flat ? 2 : 4); bit *= 2)
            if ((n & bit) == 0)
                lines_add(lines, corner_of(box, n), corner_of(box, n | bit), color);
}

// Faces the camera.
void lines_add_ring(LineDraw *lines, const Camera *camera, BwVec3 center, float radius, const float color[4])
{
    enum { SIDES = 40 };
    BwVec3 forward = camera_forward(camera);
    BwVec3 x = bw_normalize(bw_cross(bw_vec3(0.0f, 1.0f, 0.0f), forward)), y = bw_cross(forward, x);
    BwVec3 last = bw_add(center, bw_mul(x, radius));
    for (int n = 1; n <= SIDES; n++) {
        float turn = 6.2831853f * (float)n / (float)SIDES;
        BwVec3 next = bw_add(center, bw_add(bw_mul(x, radius * cosf(turn)), bw_mul(y, radius * sinf(turn))));
        lines_add(lines, last, next, color);
        last = next;
    }
}

void lines_flush(LineDraw *lines, const Matrix *both)
{
    if (lines->count == 0)
        return;
    glUseProgram(lines->program);
    glBindVertexArray(lines->vertices);
    glBindBuffer(GL_ARRAY_BUFFER, lines->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(lines->count * sizeof *lines->list), lines->list,
                 GL_STREAM_DRAW);
    program_matrix(lines->program, "both", both);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArrays(GL_LINES, 0, (GLsizei)lines->count);
    glDisable(GL_BLEND);
    lines->count = 0;
}
