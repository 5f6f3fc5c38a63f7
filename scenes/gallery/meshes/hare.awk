# A sitting hare, one unit high, as ellipsoids that run into each other, cut off at the floor:
#     awk -f hare.awk > hare.obj
# The surface is found cell by cell (surface nets, Gibson 1998): a point in each cell that it passes, the mean of where it crosses the
# cell's edges, and a face across each edge that it crosses.
function part(x, y, z, a, b, c, lean) { N++; X[N] = x; Y[N] = y; Z[N] = z; A[N] = a; B[N] = b; C[N] = c; L[N] = lean }
function pair(x, y, z, a, b, c, lean) { part(x, y, z, a, b, c, lean); part(x, y, -z, a, b, c, lean) }
function field(x, y, z,    n, u, v, w, r, sum) { # about the distance, above 0 outside
    for (n = 1; n <= N; n++) {
        v = y - Y[n]; u = x - X[n] + L[n] * v; w = z - Z[n]
        r = sqrt((u / A[n]) ^ 2 + (v / B[n]) ^ 2 + (w / C[n]) ^ 2)
        sum += exp(-(r - 1) * (A[n] < C[n] ? A[n] : C[n]) / 0.025)
    }
    r = -0.025 * log(sum + 1e-300)
    return r > 0.004 - y ? r : 0.004 - y
}
function at(i, j, k) { return F[i, j, k] }
function cross_edge(i, j, k, di, dj, dk,    a, b, t) {
    a = at(i, j, k); b = at(i + di, j + dj, k + dk)
    if ((a < 0) == (b < 0)) return
    t = a / (a - b); PX += i + t * di; PY += j + t * dj; PZ += k + t * dk; M++
}
function face(flip, a, b, c, d) { print "f", flip ? a " " d " " c " " b : a " " b " " c " " d }
BEGIN {
    part(-0.08, 0.28, 0, 0.29, 0.27, 0.21, 0); part(0.13, 0.31, 0, 0.16, 0.24, 0.15, 0)        # body, breast
    part(0.23, 0.58, 0, 0.16, 0.14, 0.13, 0); part(0.36, 0.54, 0, 0.09, 0.08, 0.08, 0)         # head, nose
    pair(0.12, 0.80, 0.075, 0.07, 0.20, 0.05, 0.25)                                            # ears
    pair(-0.10, 0.13, 0.17, 0.20, 0.14, 0.09, 0); pair(0.24, 0.07, 0.10, 0.11, 0.08, 0.065, 0) # legs
    part(-0.38, 0.20, 0, 0.09, 0.09, 0.09, 0)                                                  # tail
    H = 0.032; I = 32; J = 34; K = 20; OX = -0.52; OY = -0.03; OZ = -0.32
    for (i = 0; i <= I; i++) for (j = 0; j <= J; j++) for (k = 0; k <= K; k++)
        F[i, j, k] = field(OX + H * i, OY + H * j, OZ + H * k)
    for (i = 0; i < I; i++) for (j = 0; j < J; j++) for (k = 0; k < K; k++) {
        PX = PY = PZ = M = 0
        for (a = 0; a < 2; a++) for (b = 0; b < 2; b++) {
            cross_edge(i, j + a, k + b, 1, 0, 0); cross_edge(i + a, j, k + b, 0, 1, 0); cross_edge(i + a, j + b, k, 0, 0, 1)
        }
        if (M == 0) continue
        V[i, j, k] = ++P
        printf "v %.4f %.4f %.4f\n", OX + H * PX / M, OY + H * PY / M, OZ + H * PZ / M
    }
    for (i = 1; i < I; i++) for (j = 1; j < J; j++) for (k = 1; k < K; k++) {
        s = at(i, j, k) < 0
        if (s != (at(i + 1, j, k) < 0)) face(!s, V[i, j - 1, k - 1], V[i, j, k - 1], V[i, j, k], V[i, j - 1, k])
        if (s != (at(i, j + 1, k) < 0)) face(!s, V[i - 1, j, k - 1], V[i - 1, j, k], V[i, j, k], V[i, j, k - 1])
        if (s != (at(i, j, k + 1) < 0)) face(!s, V[i - 1, j - 1, k], V[i, j - 1, k], V[i, j, k], V[i - 1, j, k])
    }
}
