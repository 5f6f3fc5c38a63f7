// Values over time.
#include "base/error.h"
#include <billow/curve.h>

#include <string.h>

// Straight lines between keys, held before the first and after the last.
static void value_from_keys(const BwCurve *curve, double time, float value[4])
{
    const BwKey *keys = curve->keys;
    int next = 0;
    while (next < curve->key_count && keys[next].time <= time)
        next++;
    if (next == 0 || next == curve->key_count) {
        memcpy(value, keys[next == 0 ? 0 : next - 1].value, sizeof keys->value);
        return;
    }
    const BwKey *low = &keys[next - 1], *high = &keys[next];
    float blend = (float)((time - low->time) / (high->time - low->time));
    for (int c = 0; c < 4; c++)
        value[c] = low->value[c] + blend * (high->value[c] - low->value[c]);
}

BwResult bw_curve_at(const BwCurve *curve, double time, float value[4], BwError *err)
{
    memset(value, 0, 4 * sizeof *value);
    switch (curve->kind) {
    case BW_CURVE_NONE:
        return BW_OK;
    case BW_CURVE_CONSTANT:
        memcpy(value, curve->value, sizeof curve->value);
        return BW_OK;
    case BW_CURVE_KEYS:
        value_from_keys(curve, time, value);
        return BW_OK;
    case BW_CURVE_FUNCTION:
        return curve->function(curve->user, time, value, err);
    }
    return BW_OK;
}
