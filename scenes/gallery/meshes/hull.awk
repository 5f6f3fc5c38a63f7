# The hull of a boat as an OBJ file: awk -f hull.awk > hull.obj. One long from stern (x = -.5) to bow (x = .5), a closed
# surface: sections from the keel up to the deck, which is flat at y = .12, the stern cut square.
BEGIN {
    sections = 32; along = 12
    for (i = 0; i <= sections; i++)
        section(i / sections)
    for (i = 0; i < sections; i++)
        for (j = 0; j < 2 * along; j++)
            quad(i * wide + j + 1, i * wide + j + 2, (i + 1) * wide + j + 1, (i + 1) * wide + j + 2)
    for (i = 0; i < sections; i++) # the deck
        quad(i * wide + wide, i * wide + 1, (i + 1) * wide + wide, (i + 1) * wide + 1)
    for (j = 1; j < wide - 1; j++) { # the stern, and the edge of the bow
        printf "f %d %d %d\n", 1, j + 2, j + 1
        printf "f %d %d %d\n", sections * wide + 1, sections * wide + j + 1, sections * wide + j + 2
    }
}

# From the left edge of the deck down to the keel and up to the right: half an ellipse, narrow at the bow.
function section(t,    j, half, depth, angle) {
    half = .14 * (1 - t ^ 3) + .002
    depth = .13 * (1 - .6 * t ^ 4)
    wide = 2 * along + 1
    for (j = 0; j < wide; j++) {
        angle = 3.14159265 * j / (2 * along)
        printf "v %.5f %.5f %.5f\n", t - .5 + .06 * t * (1 - sin(angle)), .12 - (.12 + depth) * sin(angle) ^ .8, -half * cos(angle)
    }
}

function quad(a, b, c, d) {
    printf "f %d %d %d\nf %d %d %d\n", a, b, c, b, d, c
}
