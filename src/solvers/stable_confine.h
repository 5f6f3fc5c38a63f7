// Vorticity confinement: a force that turns eddies faster where numerical diffusion has slowed them (Fedkiw,
// Stam and Jensen 2001). f = epsilon h (N x omega), N the unit vector towards stronger vorticity. With
// central differences h cancels out. The force is added to the sources.
#pragma once

// Twice h times the slope of x along an axis at cell c, walls seen as mirrors.
BOX_INLINE Wide slope(const Num *x, ptrdiff_t c, const BwStable *box, int sides, int axis, int sign)
{
    ptrdiff_t step = box->stride[axis];
    return (Wide)neighbour(x, c, step, sides, 2 * axis + 1, sign) -
           neighbour(x, c, -step, sides, 2 * axis, sign);
}

// h times the vorticity at cell c. A 2-D flow turns about z alone.
static void vorticity(const RowJob *job, ptrdiff_t c, int sides, Num omega[3])
{
    const BwStable *box = job->box;
    const Num *u = box->field[0], *v = box->field[1], *w = box->field[2];
    omega[2] = num_half(slope(v, c, box, sides, 0, 1) - slope(u, c, box, sides, 1, 1));
    if (box->dimension == 2)
        return;
    omega[0] = num_half(slope(w, c, box, sides, 1, 1) - slope(v, c, box, sides, 2, 1));
    omega[1] = num_half(slope(u, c, box, sides, 2, 1) - slope(w, c, box, sides, 0, 1));
}

static void vorticity_size_row(const RowJob *job, ptrdiff_t first, int64_t q)
{
    (void)q;
    for (ptrdiff_t c = first; c < first + job->box->size[0]; c++) {
        Num omega[3] = {0, 0, 0};
        vorticity(job, c, job->sides != NULL ? job->sides[c] : 0, omega);
        job->out[0][c] = num_length(omega);
    }
}

static void confine_row(const RowJob *job, ptrdiff_t first, int64_t q)
{
    (void)q;
    const BwStable *box = job->box;
    for (ptrdiff_t c = first; c < first + box->size[0]; c++) {
        int sides = job->sides != NULL ? job->sides[c] : 0;
        Num omega[3] = {0, 0, 0}, n[3] = {0, 0, 0};
        vorticity(job, c, sides, omega);
        for (int axis = 0; axis < box->dimension; axis++)
            n[axis] = num_half(slope(job->in[0], c, box, sides, axis, 1));
        num_normalize(n);
        for (int axis = 0; axis < box->dimension; axis++) {
            int a = (axis + 1) % 3, b = (axis + 2) % 3;
            Wide force = num_product(n[a], omega[b]) - num_product(n[b], omega[a]);
            job->out[axis][c] = num_narrow(job->out[axis][c] + num_confined(box, force));
        }
    }
}

static void confine_vorticity(BwStable *box)
{
    Num *size = box->spare[0];
    for (int f = 0; f < box->dimension; f++) // the caller may have written to the fields
        fill_ghosts(box, box->field[f], (BoxPart)f);
    RowJob job = {.box = box, .fn = vorticity_size_row, .out = {size}};
    for_rows(&job);
    fill_ghosts(box, size, PART_PRESSURE);
    job = (RowJob){
        .box = box, .fn = confine_row, .out = {box->source[0], box->source[1], box->source[2]}, .in = {size}};
    for_rows(&job);
}
