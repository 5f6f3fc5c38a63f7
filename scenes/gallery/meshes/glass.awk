# A drinking glass as an OBJ file, in metres: awk -f glass.awk > glass.obj. A closed surface of revolution about y: up its
# outside, over the rim, down its inside. The foot stands on y = 0; the wall is 7 mm thick, the floor 10 mm.
BEGIN {
    pi = atan2(0, -1)
    sides = 64
    count = split("0 0 .042 0 .046 .004 .060 .15 .056 .152 .052 .15 .0395 .014 .036 .010 0 .010", profile, " ") / 2
    for (n = 1; n <= count; n++)
        ring(profile[2 * n - 1], profile[2 * n])
    for (n = 1; n < count; n++)
        for (s = 0; s < sides; s++)
            quad(n, n + 1, s, (s + 1) % sides)
}

function ring(radius, height,    s) {
    first[++rings] = points + 1
    wide[rings] = radius > 0 ? sides : 1
    for (s = 0; s < wide[rings]; s++) {
        printf "v %.6f %.6f %.6f\n", radius * cos(2 * pi * s / sides), height, radius * sin(2 * pi * s / sides)
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
