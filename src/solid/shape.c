// Signed distance and bounds of shapes.
#include <billow/shape.h>

const char *bw_shape_name(BwShapeKind kind)
{
    static const char *const names[] = {"none",
#define X(name, text) text,
                                        BW_SHAPES(X)
#undef X
    };
    return names[kind];
}
