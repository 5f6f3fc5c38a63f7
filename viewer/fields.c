// Uploading fields.
#include "fields.h"

#include "seconds.h"

static float largest(const float *values, int64_t count, float zero)
{
    float most = 0.0f;
    for (int64_t n = 0; n < count; n++) {
        float amount = fabsf(values[n] - zero);
        most = amount > most ? amount : most;
    }
    return most;
}

// A look at every so many values is enough for a scale.
static float scale_of(const Snapshot *snapshot, Channel channel, float zero)
{
    int64_t count = (int64_t)snapshot->size[0] * snapshot->size[1] * snapshot->size[2];
    int64_t some = count < 65536 ? count : 65536;
    return largest(snapshot->values[channel] + (count - some) / 2, some, zero);
}

static void update_scale(Fields *fields, const View *view, Channel channel)
{
    const BwSceneDef *scene = stage_scene(view->snapshot->stage);
    float ambient = scene->fluid == BW_FLUID_FIRE ? scene->fire.smoke.ambient : scene->smoke.ambient;
    float zero = channel == CHANNEL_TEMPERATURE ? ambient : 0.0f;
    float now = scale_of(view->snapshot, channel, zero), last = fields->most[channel];
    fields->ambient = ambient;
    fields->most[channel] = now > last ? now : last + 0.05f * (now - last);
}

void fields_update(Fields *fields, const View *view)
{
    const Snapshot *snapshot = view->snapshot;
    fields->own_seconds = 0.0;
    for (int channel = 0; channel < CHANNEL_COUNT && view->is_new; channel++) {
        fields->has[channel] = snapshot->has[channel];
        if (!snapshot->has[channel])
            continue;
        volume_upload(&fields->volumes[channel], snapshot->values[channel], snapshot->size, 1);
        double began = seconds_now();
        update_scale(fields, view, (Channel)channel);
        fields->own_seconds += seconds_now() - began;
    }
}

void fields_free(Fields *fields)
{
    for (int channel = 0; channel < CHANNEL_COUNT; channel++)
        volume_free(&fields->volumes[channel]);
}

void fields_bind(const Fields *fields, GLuint program, const char *name, int unit, Channel channel)
{
    program_texture(program, name, unit, GL_TEXTURE_3D,
                    fields->has[channel] ? fields->volumes[channel].texture : 0);
}

void fields_place(const View *view, GLuint program)
{
    const Snapshot *s = view->snapshot;
    float h = s->cell_size, deep = s->dimension == 3 ? (float)s->size[2] * h : 1.0f;
    program_vector(program, "low", s->dimension == 3 ? s->origin : bw_vec3(s->origin.x, s->origin.y, -0.5f));
    program_vector(program, "extent", bw_vec3((float)s->size[0] * h, (float)s->size[1] * h, deep));
    program_vector(program, "cell", bw_vec3(h, h, s->dimension == 3 ? h : 1.0f));
}
