// Letters from FreeType, in one texture, one cell for each; the first cell, of the space, is filled and
// serves rectangles.
#include "overlay.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <stdlib.h>

enum { FIRST = 32, LAST = 126, COLUMNS = 16, FLOATS = 8 };

static const char vertex_text[] =
    "layout(location = 0) in vec4 corner;\n" // pixels, and place in the sheet
    "layout(location = 1) in vec4 paint;\n"
    "uniform vec2 size;\n"
    "out vec2 at;\n"
    "out vec4 tone;\n"
    "void main() {\n"
    "    at = corner.zw;\n"
    "    tone = paint;\n"
    "    gl_Position = vec4(2.0 * corner.x / size.x - 1.0, 1.0 - 2.0 * corner.y / size.y, 0.0, 1.0);\n"
    "}\n";

static const char fragment_text[] = "uniform sampler2D letters;\n"
                                    "in vec2 at;\n"
                                    "in vec4 tone;\n"
                                    "out vec4 color;\n"
                                    "void main() {\n"
                                    "    float share = texture(letters, at).r * tone.a;\n"
                                    "    color = vec4(tone.rgb * share, share);\n"
                                    "}\n";

// The file of the system's monospaced font; the caller frees it.
static char *find_font(void)
{
    FcConfig *config = FcInitLoadConfigAndFonts();
    FcPattern *pattern = FcNameParse((const FcChar8 *)"monospace:style=Book");
    FcResult result;
    FcChar8 *file = NULL;
    char *copy = NULL;
    FcConfigSubstitute(config, pattern, FcMatchPattern);
    FcDefaultSubstitute(pattern);
    FcPattern *match = FcFontMatch(config, pattern, &result);
    if (match != NULL && FcPatternGetString(match, FC_FILE, 0, &file) == FcResultMatch)
        copy = strdup((const char *)file);
    if (match != NULL)
        FcPatternDestroy(match);
    FcPatternDestroy(pattern);
    FcConfigDestroy(config);
    return copy;
}

static void copy_letter(const Overlay *overlay, unsigned char *sheet, const FT_GlyphSlot glyph, int n)
{
    int x = n % COLUMNS * overlay->letter_width + glyph->bitmap_left;
    int y = n / COLUMNS * overlay->letter_height + overlay->rise - glyph->bitmap_top;
    for (int row = 0; row < (int)glyph->bitmap.rows; row++)
        for (int column = 0; column < (int)glyph->bitmap.width; column++) {
            int px = x + column, py = y + row;
            if (px >= 0 && py >= 0 && px < overlay->sheet_width && py < overlay->sheet_height)
                sheet[px + py * overlay->sheet_width] =
                    glyph->bitmap.buffer[column + row * glyph->bitmap.pitch];
        }
}

static void set_sizes(Overlay *overlay, int letter_width, int letter_height, int rise)
{
    overlay->letter_width = letter_width;
    overlay->letter_height = letter_height;
    overlay->rise = rise;
    overlay->sheet_width = COLUMNS * letter_width;
    overlay->sheet_height = ((LAST - FIRST) / COLUMNS + 1) * letter_height;
}

static void draw_letters(Overlay *overlay, FT_Face face, unsigned char *sheet)
{
    for (int n = 1; n <= LAST - FIRST; n++)
        if (FT_Load_Char(face, (FT_ULong)(FIRST + n), FT_LOAD_RENDER) == 0)
            copy_letter(overlay, sheet, face->glyph, n);
}

static unsigned char *make_sheet(Overlay *overlay, FT_Face face, int size_px)
{
    set_sizes(overlay, size_px, 2 * size_px, size_px);
    if (face != NULL && FT_Set_Pixel_Sizes(face, 0, (FT_UInt)size_px) == 0) {
        const FT_Size_Metrics *metrics = &face->size->metrics;
        bool has_letter =
            FT_Load_Char(face, 'M', FT_LOAD_DEFAULT) == 0; // others may be wider than all of ours
        FT_Pos advance = has_letter ? face->glyph->advance.x : metrics->max_advance;
        set_sizes(overlay, (int)(advance >> 6), (int)(metrics->height >> 6), (int)(metrics->ascender >> 6));
    }
    unsigned char *sheet = calloc((size_t)overlay->sheet_width, (size_t)overlay->sheet_height);
    for (int y = 0; sheet != NULL && y < overlay->letter_height; y++)
        memset(sheet + (size_t)y * (size_t)overlay->sheet_width, 255, (size_t)overlay->letter_width);
    if (sheet != NULL && face != NULL)
        draw_letters(overlay, face, sheet);
    return sheet;
}

static bool upload_sheet(Overlay *overlay, unsigned char *sheet)
{
    if (sheet == NULL)
        return false;
    glGenTextures(1, &overlay->letters);
    glBindTexture(GL_TEXTURE_2D, overlay->letters);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, overlay->sheet_width, overlay->sheet_height, 0, GL_RED,
                 GL_UNSIGNED_BYTE, sheet);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    free(sheet);
    return true;
}

static bool load_letters(Overlay *overlay, int size_px)
{
    FT_Library library;
    FT_Face face = NULL;
    char *file = find_font();
    if (FT_Init_FreeType(&library) != 0) {
        free(file);
        return upload_sheet(overlay, make_sheet(overlay, NULL, size_px));
    }
    overlay->has_font = file != NULL && FT_New_Face(library, file, 0, &face) == 0;
    unsigned char *sheet = make_sheet(overlay, overlay->has_font ? face : NULL, size_px);
    if (overlay->has_font)
        FT_Done_Face(face);
    FT_Done_FreeType(library);
    free(file);
    return upload_sheet(overlay, sheet);
}

bool overlay_create(Overlay *overlay, int size_px)
{
    *overlay = (Overlay){.program = program_create("overlay", vertex_text, fragment_text)};
    glGenVertexArrays(1, &overlay->vertices);
    glGenBuffers(1, &overlay->buffer);
    glBindVertexArray(overlay->vertices);
    glBindBuffer(GL_ARRAY_BUFFER, overlay->buffer);
    for (GLuint n = 0; n < 2; n++) {
        glEnableVertexAttribArray(n);
        glVertexAttribPointer(n, 4, GL_FLOAT, GL_FALSE, FLOATS * sizeof(float),
                              (const void *)(n * 4 * sizeof(float)));
    }
    return overlay->program != 0 && load_letters(overlay, size_px);
}

void overlay_free(Overlay *overlay)
{
    glDeleteProgram(overlay->program);
    glDeleteVertexArrays(1, &overlay->vertices);
    glDeleteBuffers(1, &overlay->buffer);
    glDeleteTextures(1, &overlay->letters);
    free(overlay->list);
}

static bool make_room(Overlay *overlay)
{
    size_t wanted = overlay->count + (size_t)6 * FLOATS;
    if (wanted <= overlay->capacity)
        return true;
    size_t capacity = 2 * wanted + 4096;
    float *list = realloc(overlay->list, capacity * sizeof *list);
    if (list == NULL)
        return false;
    overlay->list = list;
    overlay->capacity = capacity;
    return true;
}

// Two triangles between corners of the window and of the sheet: x, y, x, y.
static void add_quad(Overlay *overlay, const float at[4], const float from[4], Paint paint)
{
    static const int corners[6][2] = {{0, 1}, {2, 1}, {0, 3}, {2, 1}, {2, 3}, {0, 3}};
    if (!make_room(overlay))
        return;
    for (int n = 0; n < 6; n++) {
        int x = corners[n][0], y = corners[n][1];
        const float vertex[FLOATS] = {at[x], at[y], from[x], from[y], paint.r, paint.g, paint.b, paint.a};
        memcpy(&overlay->list[overlay->count], vertex, sizeof vertex);
        overlay->count += FLOATS;
    }
}

void overlay_rectangle(Overlay *overlay, float x, float y, float width, float height, Paint paint)
{
    float u = 0.5f * (float)overlay->letter_width / (float)overlay->sheet_width;
    float v = 0.5f * (float)overlay->letter_height / (float)overlay->sheet_height;
    const float at[4] = {x, y, x + width, y + height}, from[4] = {u, v, u, v};
    add_quad(overlay, at, from, paint);
}

static void add_letter(Overlay *overlay, float x, float y, int letter, Paint paint)
{
    float w = (float)overlay->letter_width, h = (float)overlay->letter_height;
    float u = (float)(letter % COLUMNS) * w, v = (float)(letter / COLUMNS) * h;
    float sheet_w = (float)overlay->sheet_width, sheet_h = (float)overlay->sheet_height;
    const float at[4] = {x, y, x + w, y + h};
    const float from[4] = {u / sheet_w, v / sheet_h, (u + w) / sheet_w, (v + h) / sheet_h};
    add_quad(overlay, at, from, paint);
}

float overlay_text(Overlay *overlay, float x, float y, const char *text, Paint paint)
{
    float start = x;
    x = floorf(x);
    y = floorf(y);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '\n') {
            x = floorf(start);
            y += (float)overlay->letter_height;
            continue;
        }
        if (c >= 0x80 && c < 0xc0)
            continue; // the rest of a letter that is shown as one question mark
        if (c != ' ' && overlay->has_font)
            add_letter(overlay, x, y, c > FIRST && c <= LAST ? c - FIRST : '?' - FIRST, paint);
        x += (float)overlay->letter_width;
    }
    return x;
}

void overlay_flush(Overlay *overlay, int width_px, int height_px)
{
    if (overlay->count == 0)
        return;
    glUseProgram(overlay->program);
    glBindVertexArray(overlay->vertices);
    glBindBuffer(GL_ARRAY_BUFFER, overlay->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(overlay->count * sizeof(float)), overlay->list,
                 GL_STREAM_DRAW);
    glUniform2f(glGetUniformLocation(overlay->program, "size"), (float)width_px, (float)height_px);
    program_texture(overlay->program, "letters", 0, GL_TEXTURE_2D, overlay->letters);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)(overlay->count / FLOATS));
    glDisable(GL_BLEND);
    overlay->count = 0;
}
