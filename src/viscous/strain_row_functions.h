// Included by strain_rows.h alone, once for each NUMBER. (No guard: that is meant.)

// The values behind those of a row, by one cell along an axis.
static inline const NUMBER *NAME(high_row)(const BwViscousLevel *level, const NUMBER *values, int32_t t,
                                           int axis, int j, int k, NUMBER shifted[8])
{
    const NUMBER *tile = values + (int64_t)t * level->cells;
    const NUMBER *beside = values + (int64_t)bw_viscous_beside(level, t, axis, 1) * level->cells;
    if (axis == 1)
        return j + 1 < level->extent[1] ? tile + 8 * (j + 1) + 64 * k : beside + 64 * k;
    if (axis == 2)
        return k + 1 < level->extent[2] ? tile + 8 * j + 64 * (k + 1) : beside + 8 * j;
    const NUMBER *row = tile + 8 * j + 64 * k;
    for (int i = 0; i < 7; i++)
        shifted[i] = row[i + 1];
    shifted[7] = (NUMBER)0;
    shifted[level->extent[0] - 1] = beside[8 * j + 64 * k];
    return shifted;
}

// Those before them.
static inline const NUMBER *NAME(low_row)(const BwViscousLevel *level, const NUMBER *values, int32_t t,
                                          int axis, int j, int k, NUMBER shifted[8])
{
    const NUMBER *tile = values + (int64_t)t * level->cells;
    const NUMBER *beside = values + (int64_t)bw_viscous_beside(level, t, axis, -1) * level->cells;
    if (axis == 1)
        return j > 0 ? tile + 8 * (j - 1) + 64 * k : beside + 8 * (level->extent[1] - 1) + 64 * k;
    if (axis == 2)
        return k > 0 ? tile + 8 * j + 64 * (k - 1) : beside + 8 * j + 64 * (level->extent[2] - 1);
    const NUMBER *row = tile + 8 * j + 64 * k;
    for (int i = 1; i < 8; i++)
        shifted[i] = row[i - 1];
    shifted[0] = beside[8 * j + 64 * k + level->extent[0] - 1];
    return shifted;
}

// Forces of the lines of one row.
static inline void NAME(strain_row)(const BwViscousLevel *level, const int dimension, NUMBER *const u[3],
                                    NUMBER *const force[3][3], int32_t t, int j, int k)
{
    int64_t first = (int64_t)t * level->cells + 8 * j + 64 * k;
    NUMBER change[3][3][8];
    for (int a = 0; a < dimension; a++)
        for (int b = 0; b < dimension; b++) {
            NUMBER shifted[8];
            const NUMBER *low = NAME(low_row)(level, u[a], t, b, j, k, shifted);
            for (int i = 0; i < 8; i++)
                change[a][b][i] = u[a][first + i] - low[i];
        }
    for (int a = 0; a < dimension; a++)
        for (int i = 0; i < 8; i++)
            force[a][a][first + i] = (NUMBER)level->normal[a][first + i] * change[a][a][i];
    for (int a = 0; a < dimension; a++)
        for (int b = a + 1; b < dimension; b++) {
            const float *own = level->shear[a][b] + first, *other = level->shear[b][a] + first;
            for (int i = 0; i < 8; i++) {
                NUMBER strain = (NUMBER)own[i] * change[a][b][i] + (NUMBER)other[i] * change[b][a][i];
                force[a][b][first + i] = (NUMBER)own[i] * strain;
                force[b][a][first + i] = (NUMBER)other[i] * strain;
            }
        }
}

static inline void NAME(strain_tile)(const BwViscousLevel *level, NUMBER *const u[3],
                                     NUMBER *const force[3][3], int32_t t)
{
    const BwTileBox *box = &level->box[t];
    for (int k = box->low[2]; k < box->high[2]; k++)
        for (int j = box->low[1]; j < box->high[1]; j++) {
            if (level->dimension == 3)
                NAME(strain_row)(level, 3, u, force, t, j, k);
            else
                NAME(strain_row)(level, 2, u, force, t, j, k);
        }
}

// The matrix times u on one row of a component, from the forces; not masked.
static inline void NAME(product_row)(const BwViscousLevel *level, const NUMBER *u, NUMBER *const force[3],
                                     int a, int32_t t, int j, int k, NUMBER product[8])
{
    int64_t first = (int64_t)t * level->cells + 8 * j + 64 * k;
    for (int i = 0; i < 8; i++)
        product[i] = (NUMBER)level->shift[a][first + i] * u[first + i];
    for (int b = 0; b < level->dimension; b++) {
        NUMBER shifted[8];
        const NUMBER *own = force[b] + first, *high = NAME(high_row)(level, force[b], t, b, j, k, shifted);
        for (int i = 0; i < 8; i++)
            product[i] += own[i] - high[i];
    }
}
