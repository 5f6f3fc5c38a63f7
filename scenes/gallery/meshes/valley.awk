# A valley as a height map: awk -f valley.awk > valley.pgm. Black is the bed of the river, which winds from left to right and
# falls a little; stones rise out of it.
BEGIN {
    width = 128; height = 48; most = 999
    printf "P2\n%d %d\n%d\n", width, height, most
    for (j = 0; j < height; j++) {
        line = ""
        for (i = 0; i < width; i++) {
            x = i / (width - 1); z = j / (height - 1)
            across = z - .5 - .12 * sin(6.5 * x) * (x > .12 && x < .9 ? 1 : 0) * wake(x)
            bank = across * across * 9 - .25
            bank = bank < 0 ? 0 : bank > 1 ? 1 : bank
            ground = .12 * (1 - x) + .85 * bank * bank * (3 - 2 * bank)
            ground += stone(x, z, .38, .57, .035) + stone(x, z, .55, .36, .03) + stone(x, z, .7, .6, .028)
            ground = ground > 1 ? 1 : ground
            line = line int(most * ground + .5) " "
        }
        print line
    }
}

# The bends begin and end softly.
function wake(x) {
    return x < .3 ? (x - .12) / .18 : x > .75 ? (.9 - x) / .15 : 1
}

# A round stone; the map is two and two thirds as long as it is wide.
function stone(x, z, at_x, at_z, size,    away) {
    away = sqrt((2.667 * (x - at_x)) ^ 2 + (z - at_z) ^ 2) / (2 * size)
    return away < 1 ? .5 * (1 - away * away) : 0
}
