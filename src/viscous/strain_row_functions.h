// Included by strain_rows.h alone, once for each NUMBER. (No guard: that is meant.)

// Eight cells along x, as one vector.
typedef NUMBER NAME(Row) __attribute__((vector_size(BW_TILE * sizeof(NUMBER))));
typedef INTEGER NAME(Bits) __attribute__((vector_size(BW_TILE * sizeof(NUMBER))));

static inline NAME(Row) NAME(load_row)(const NUMBER *from)
{
    NAME(Row) row;
    memcpy(&row, from, sizeof row);
    return row;
}

static inline void NAME(store_row)(NUMBER *to, NAME(Row) row)
{
    memcpy(to, &row, sizeof row);
}

// Weights and masses, which are floats for both.
static inline NAME(Row) NAME(load_weights)(const float *from)
{
    BwFloatRow row;
    memcpy(&row, from, sizeof row);
    return __builtin_convertvector(row, NAME(Row));
}

// What is where a condition holds, 0 elsewhere.
static inline NAME(Row) NAME(keep)(NAME(Row) row, BwRowBits condition)
{
    return (NAME(Row))((NAME(Bits))row & __builtin_convertvector(condition, NAME(Bits)));
}

// The values behind those of a row, by one cell along an axis.
static inline NAME(Row)
    NAME(high_row)(const BwViscousLevel *level, const NUMBER *values, int32_t t, int axis, int j, int k)
{
    const NUMBER *tile = values + (int64_t)t * level->cells;
    const NUMBER *beside = values + (int64_t)bw_viscous_beside(level, t, axis, 1) * level->cells;
    if (axis == 1)
        return NAME(load_row)(j + 1 < level->extent[1] ? tile + 8 * (j + 1) + 64 * k : beside + 64 * k);
    if (axis == 2)
        return NAME(load_row)(k + 1 < level->extent[2] ? tile + 8 * j + 64 * (k + 1) : beside + 8 * j);
    NAME(Row)
    own = NAME(load_row)(tile + 8 * j + 64 * k), next = NAME(load_row)(beside + 8 * j + 64 * k),
    high = __builtin_shufflevector(own, next, 1, 2, 3, 4, 5, 6, 7, 8);
    if (level->extent[0] < BW_TILE)
        high[level->extent[0] - 1] = next[0];
    return high;
}

// Those before them.
static inline NAME(Row)
    NAME(low_row)(const BwViscousLevel *level, const NUMBER *values, int32_t t, int axis, int j, int k)
{
    const NUMBER *tile = values + (int64_t)t * level->cells;
    const NUMBER *beside = values + (int64_t)bw_viscous_beside(level, t, axis, -1) * level->cells;
    if (axis == 1)
        return NAME(load_row)(j > 0 ? tile + 8 * (j - 1) + 64 * k
                                    : beside + 8 * (level->extent[1] - 1) + 64 * k);
    if (axis == 2)
        return NAME(load_row)(k > 0 ? tile + 8 * j + 64 * (k - 1)
                                    : beside + 8 * j + 64 * (level->extent[2] - 1));
    NAME(Row)
    own = NAME(load_row)(tile + 8 * j + 64 * k), last = NAME(load_row)(beside + 8 * j + 64 * k),
    low = __builtin_shufflevector(last, own, 7, 8, 9, 10, 11, 12, 13, 14);
    if (level->extent[0] < BW_TILE)
        low[0] = last[level->extent[0] - 1];
    return low;
}

// Forces of the lines of one row.
static inline void NAME(strain_row)(const BwViscousLevel *level, const int dimension, NUMBER *const u[3],
                                    NUMBER *const force[3][3], int32_t t, int j, int k)
{
    int64_t first = (int64_t)t * level->cells + 8 * j + 64 * k;
    NAME(Row) change[3][3];
    for (int a = 0; a < dimension; a++)
        for (int b = 0; b < dimension; b++)
            change[a][b] = NAME(load_row)(u[a] + first) - NAME(low_row)(level, u[a], t, b, j, k);
    for (int a = 0; a < dimension; a++)
        NAME(store_row)(force[a][a] + first, NAME(load_weights)(level->normal[a] + first) * change[a][a]);
    for (int a = 0; a < dimension; a++)
        for (int b = a + 1; b < dimension; b++) {
            NAME(Row)
            own = NAME(load_weights)(level->shear[a][b] + first),
            other = NAME(load_weights)(level->shear[b][a] + first),
            strain = own * change[a][b] + other * change[b][a];
            NAME(store_row)(force[a][b] + first, own * strain);
            NAME(store_row)(force[b][a] + first, other * strain);
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
static inline NAME(Row) NAME(product_row)(const BwViscousLevel *level, const NUMBER *u,
                                          NUMBER *const force[3], int a, int32_t t, int j, int k)
{
    int64_t first = (int64_t)t * level->cells + 8 * j + 64 * k;
    NAME(Row) product = NAME(load_weights)(level->shift[a] + first) * NAME(load_row)(u + first);
    for (int b = 0; b < level->dimension; b++)
        product += NAME(load_row)(force[b] + first) - NAME(high_row)(level, force[b], t, b, j, k);
    return product;
}
