// Any text as a scene: it is loaded or refused with a message.
#include "fuzz.h"

#include <billow/billow.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    BwScene *scene;
    BwError err = {0};
    if (bw_scene_load_text(&scene, (const char *)bytes, size, "fuzz", NULL, &err) == BW_OK) {
        bw_scene_def_check_runnable(bw_scene_view_def(scene), &err);
        bw_scene_destroy(scene);
    } else {
        must_hold(err.code != BW_OK && err.message[0] != '\0');
    }
    return 0;
}
