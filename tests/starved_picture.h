// A picture drawn while each allocation fails once.
#pragma once

#include "gate.h"
#include "strict_allocator.h"
#include <billow/render.h>

// The renderer says what it lacks and gives all back, until there is enough. `def` says what is drawn, and
// how large.
static inline void draw_short_of_memory(BwRendererDef def, const BwFrame *frame)
{
    StrictAllocator strict = {0};
    def.allocator = (BwAllocator){strict_resize, &strict};
    def.worker_count = 1;
    int n = 0;
    for (bool is_drawn = false; !is_drawn; n++) {
        BwError err = {0};
        BwRenderer *renderer;
        strict.left = n;
        BwResult result = bw_renderer_create(&renderer, &def, &err);
        if (result == BW_OK) {
            is_drawn = bw_renderer_draw(renderer, frame, &err) != NULL;
            result = err.code;
            bw_renderer_destroy(renderer);
        }
        assert_true(is_drawn || result == BW_ERR_MEMORY);
        assert_int_equal(strict.blocks, 0);
    }
    assert_int_equal(strict.wrong, 0);
    assert_true(n > 10);
}
