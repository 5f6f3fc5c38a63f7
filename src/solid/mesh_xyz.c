// Points as lines of three numbers.
#include "solid/mesh_read.h"
#include "solid/text_scan.h"

BwResult bw_mesh_read_xyz(BwMesh *mesh, const BwFileBytes *file, BwError *err)
{
    BwTextScan scan = bw_text_scan(file->name, file->bytes, file->size);
    do {
        double value[3];
        BwWord word = bw_scan_word(&scan);
        if (word.length == 0 || word.text[0] == '#')
            continue;
        for (int n = 0; n < 3; n++, word = bw_scan_word(&scan))
            if (!bw_word_number(word, &value[n]))
                return bw_fail_word(err, &scan, word, "a number, one of x, y and z");
        BW_TRY(bw_mesh_add_point(mesh, bw_vec3((float)value[0], (float)value[1], (float)value[2]), err));
    } while (bw_scan_next_line(&scan));
    return BW_OK;
}
