# A drinking glass as an OBJ file, in metres: awk -f glass.awk > glass.obj. A closed surface of revolution about y: up its
# outside, over the round rim, down its inside. It stands on y = 0; the wall is 5 mm thick, the floor 12 mm.
BEGIN {
    pi = atan2(0, -1)
    sides = 96
    ring(0, 0)
    arc(.041, .005, .005, -90, 0, 4)        # the foot
    ring(.0478, .05); ring(.0514, .1)
    arc(.0525, .15, .0025, 0, 180, 6)       # the rim
    ring(.0446, .1); ring(.041, .05)
    arc(.028, .022, .010, 0, -90, 5)        # where wall and floor meet inside
    ring(0, .012)
    for (n = 1; n < rings; n++)
        for (s = 0; s < sides; s++)
            quad(n, n + 1, s, (s + 1) % sides)
}

# Rings along an arc about (radius, height), from one angle to another, degrees; 0 points outwards, 90 up.
function arc(radius, height, size, from, to, steps,    n, angle) {
    for (n = 0; n <= steps; n++) {
        angle = pi / 180 * (from + (to - from) * n / steps)
        ring(radius + size * cos(angle), height + size * sin(angle))
    }
}

function ring(radius, height,    s) {
    first[++rings] = points + 1
    wide[rings] = radius > 0 ? sides : 1
    for (s = 0; s < wide[rings]; s++) {
        printf "v %.5f %.5f %.5f\n", radius * cos(2 * pi * s / sides), height, radius * sin(2 * pi * s / sides)
        points++
    }
}

# Between two rings; one that is a point leaves a triangle.
function quad(a, b, s, t) {
    if (wide[a] > 1)
        printf "f %d %d %d\n", first[a] + s, first[b] + (wide[b] > 1 ? s : 0), first[a] + t
    if (wide[b] > 1)
        printf "f %d %d %d\n", first[a] + (wide[a] > 1 ? t : 0), first[b] + s, first[b] + t
}
