# A valley as a height map: awk -f valley.awk > valley.pgm. White is .9 m high, a column 1/53 m wide. The bed of a river winds
# from left to right, from pool to pool over two ledges; stones stand in it, and the near bank is low.
BEGIN {
    width = 224; height = 84; white = 9999; metres = .9
    printf "P2\n%d %d\n%d\n", width, height, white
    for (j = 0; j < height; j++) {
        line = ""
        for (i = 0; i < width; i++) {
            y = ground(i / 53, j / 53) / metres
            line = line int(white * (y < 0 ? 0 : y > 1 ? 1 : y) + .5) " "
        }
        print line
    }
}

function smooth(x) {
    return x <= 0 ? 0 : x >= 1 ? 1 : x * x * (3 - 2 * x)
}

# Metres above black, at x and z metres from the upper left corner.
function ground(x, z,    across, side, bank, y, rough) {
    across = z - .8 - .13 * sin(1.7 * x - .6) * smooth(x / .8)
    y = bed(x + .12 * sin(5 * z))
    side = across < 0 ? -across : across
    bank = smooth((side - .34 - .05 * sin(2.6 * x + 1)) / .4)
    rough = .018 * sin(9 * x + 3 * sin(5 * z)) * sin(8 * z + 2 * sin(4 * x)) + .008 * sin(23 * x + 17 * z) * sin(19 * z - 11 * x)
    y += bank * (across < 0 ? .42 : .2) + rough * (.4 + bank)
    y += stone(x, z, .72, .66, .11, .22) + stone(x, z, 1.02, 1.0, .1, .2) + stone(x, z, 1.42, .62, .16, .3)
    y += stone(x, z, 2.05, .98, .13, .24) + stone(x, z, 2.42, .74, .1, .2) + stone(x, z, 2.78, 1.0, .17, .26)
    y += stone(x, z, 3.35, .62, .12, .2) + stone(x, z, 3.6, .86, .09, .16)
    return y
}

# Along the river: a step down at each ledge, and a pool below it.
function bed(x) {
    return .37 - .16 * smooth((x - 1.15) / .16) - .16 * smooth((x - 2.55) / .16) - pool(x, 1.62) - pool(x, 3)
}

function pool(x, at) {
    return .05 * exp(-((x - at) / .28) ^ 2)
}

# Flat on top, round at the rim, not quite a circle.
function stone(x, z, at_x, at_z, size, high,    away) {
    away = sqrt((x - at_x) ^ 2 + 1.6 * (z - at_z) ^ 2 + .5 * (x - at_x) * (z - at_z)) / (1.5 * size)
    return high * (1 - smooth(away))
}
