// SPDX-License-Identifier: MIT
// Fourier transforms by their definition, for scripts of cuFFT.
#include <math.h>

#include "calls.h"

// The sum that defines element `to` of an array of three dimensions; real and imaginary parts alternate.
static void define(const double *from, const int *n, const int *to, int sign, double *sum)
{
    sum[0] = sum[1] = 0;
    for (int x = 0; x < n[0]; x++)
        for (int y = 0; y < n[1]; y++)
            for (int z = 0; z < n[2]; z++) {
                const double *value = from + 2 * ((x * n[1] + y) * n[2] + z);
                const double turns = (double)(x * to[0] % n[0]) / n[0] + (double)(y * to[1] % n[1]) / n[1] +
                                     (double)(z * to[2] % n[2]) / n[2];
                const double angle = sign * 2 * acos(-1.0) * turns, c = cos(angle), s = sin(angle);
                sum[0] += value[0] * c - value[1] * s;
                sum[1] += value[0] * s + value[1] * c;
            }
}

double fourier_error(const int *n, const double *from, const double *to, int sign, int count_z)
{
    double worst = 0;
    for (int i = 0; i < n[0] * n[1] * count_z; i++) {
        const int at[3] = {i / count_z / n[1], i / count_z % n[1], i % count_z};
        double sum[2];
        define(from, n, at, sign, sum);
        worst = fmax(worst, hypot(sum[0] - to[2 * i], sum[1] - to[2 * i + 1]));
    }
    return worst;
}
