# A propeller as an OBJ file: awk -f propeller.awk > propeller.obj. Four twisted blades and a hub, each a closed surface
# of its own; they cross where they meet. The axis is y, the tips are at radius 1, and it lifts what it turns in when it
# goes against the clock as seen from above.
BEGIN {
    pi = atan2(0, -1)
    blades = 4; sections = 14; around = 24; sides = 40
    for (b = 0; b < blades; b++)
        blade(2 * pi * b / blades)
    hub()
}

function point(x, y, z) {
    printf "v %.5f %.5f %.5f\n", x, y, z
    return ++points
}

# A ring of points to the next: quads that face away from the axis they go round.
function join(first, second, count,    n, next_n) {
    for (n = 0; n < count; n++) {
        next_n = (n + 1) % count
        printf "f %d %d %d %d\n", first + n, first + next_n, second + next_n, second + n
    }
}

function close_ring(first, count, middle, is_end,    n, next_n) {
    for (n = 0; n < count; n++) {
        next_n = (n + 1) % count
        if (is_end)
            printf "f %d %d %d\n", middle, first + n, first + next_n
        else
            printf "f %d %d %d\n", middle, first + next_n, first + n
    }
}

# Sections from the hub to the tip: a lens that is long in the chord, steep near the hub and flat at the tip.
function blade(turn,    s, n, r, share, chord, pitch, thick, a, u, w, x, y, z, first, before, middle) {
    for (s = 0; s <= sections; s++) {
        share = s / sections
        r = 0.10 + 0.90 * share
        chord = 0.30 * sqrt(sin(pi * (0.10 + 0.86 * share)))
        pitch = atan2(0.42, 0.25 + r * 1.15)
        thick = 0.05 - 0.032 * share
        first = points + 1
        for (n = 0; n < around; n++) {
            a = 2 * pi * n / around
            u = 0.5 * chord * cos(a) - 0.10 * chord * share
            w = 0.5 * thick * sin(a) + 0.035 * (1 - cos(a) * cos(a))
            # Round the axis, along it, and out.
            x = u * cos(pitch) + w * sin(pitch)
            y = u * sin(pitch) - w * cos(pitch)
            z = r
            point(z * cos(turn) - x * sin(turn), y, z * sin(turn) + x * cos(turn))
        }
        if (s > 0)
            join(before, first, around)
        before = first
        if (s == 0 || s == sections) {
            middle = point(z * cos(turn), 0, z * sin(turn))
            close_ring(first, around, middle, s == sections)
        }
    }
}

# A turned profile: a round nose above, a narrower tail below.
function hub(    s, n, count, share, r, y, a, first, before, middle) {
    count = 16
    for (s = 0; s <= count; s++) {
        share = s / count
        r = 0.17 * sqrt(sin(pi * (0.03 + 0.94 * share))) * (1 - 0.25 * share)
        y = 0.24 - 0.46 * share
        first = points + 1
        for (n = 0; n < sides; n++) {
            a = 2 * pi * n / sides
            point(r * cos(a), y, r * sin(a))
        }
        if (s > 0)
            join(before, first, sides)
        before = first
        if (s == 0 || s == count) {
            middle = point(0, y, 0)
            close_ring(first, sides, middle, s == count)
        }
    }
}
