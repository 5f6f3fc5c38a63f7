// 4x4 matrices, columns first, as OpenGL takes them.
#pragma once

#include <billow/vec.h>
#include <string.h>

typedef struct Matrix {
    float m[16];
} Matrix;

static inline Matrix matrix_identity(void)
{
    return (Matrix){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

static inline Matrix matrix_mul(const Matrix *a, const Matrix *b)
{
    Matrix c;
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            float sum = 0.0f;
            for (int k = 0; k < 4; k++)
                sum += a->m[4 * k + row] * b->m[4 * column + k];
            c.m[4 * column + row] = sum;
        }
    return c;
}

// Of a rigid thing: turns and moves.
static inline Matrix matrix_of_pose(BwPose pose)
{
    BwVec3 x = bw_quat_rotate(pose.rotation, bw_vec3(1, 0, 0));
    BwVec3 y = bw_quat_rotate(pose.rotation, bw_vec3(0, 1, 0));
    BwVec3 z = bw_quat_rotate(pose.rotation, bw_vec3(0, 0, 1));
    BwVec3 p = pose.position;
    return (Matrix){{x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0, p.x, p.y, p.z, 1}};
}
