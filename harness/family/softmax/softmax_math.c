// SPDX-License-Identifier: MIT
// The numbers of kernels/softmax.cu on the CPU, operation by operation in the order that the kernel fixes: binary32,
// rounded to nearest even whatever the caller has set, and a multiply-add is one operation only where fmaf() stands.
#include "softmax_math.h"

#include <math.h>

#include "float_bits.h"
#include "float_environment.h"

// --- Arithmetic: each function is one rounding -----------------------------------------------------------------------

static float add(float a, float b)
{
    return a + b;
}

static float multiply(float a, float b)
{
    return a * b;
}

float softmax_exp2(float x)
{
    static const float coefficient[] = {
#define ROW(value) value,
        SOFTMAX_EXP2_COEFFICIENTS(ROW)
#undef ROW
    };
    if (!(x >= SOFTMAX_EXP2_LEAST)) return 0.0f;
    float shifted = add(x, SOFTMAX_EXP2_ROUND), power = add(shifted, -SOFTMAX_EXP2_ROUND), f = add(x, -power);
    float sum = 0.0f;
    for (size_t i = 0; i < sizeof coefficient / sizeof coefficient[0]; i++) sum = fmaf(sum, f, coefficient[i]);
    return f32_of(bits_of_f32(sum) + (bits_of_f32(shifted) << 23));
}

static float number(uint16_t bf16)
{
    return f32_of((uint32_t)bf16 << 16);
}

static float greater(float a, float b)
{
    return a > b ? a : b;
}

// --- The keys of a part ----------------------------------------------------------------------------------------------

// Each lane has SOFTMAX_LANE_DIMS dimensions; then lanes add in pairs, at half the distance each time.
static float dot(const struct softmax_row *row, const float query[SOFTMAX_MAX_DIMS], const uint16_t *key)
{
    float lane[SOFTMAX_MAX_DIMS / SOFTMAX_LANE_DIMS];
    uint32_t lanes = row->dims / SOFTMAX_LANE_DIMS;
    for (uint32_t i = 0; i < lanes; i++) {
        const float *a = query + i * SOFTMAX_LANE_DIMS;
        const uint16_t *b = key + i * SOFTMAX_LANE_DIMS;
        lane[i] = multiply(a[0], number(b[0]));
        for (uint32_t j = 1; j < SOFTMAX_LANE_DIMS; j++) lane[i] = fmaf(a[j], number(b[j]), lane[i]);
    }
    for (uint32_t distance = lanes / 2; distance > 0; distance /= 2)
        for (uint32_t i = 0; i < distance; i++) lane[i] = add(lane[i], lane[i + distance]);
    return lane[0];
}

static void add_keys(const struct softmax_row *row, const float score[SOFTMAX_BATCH],
                     const uint16_t *const value[SOFTMAX_BATCH], struct softmax_state *state)
{
    float m = state->m;
    for (int i = 0; i < SOFTMAX_BATCH; i++) m = greater(score[i], m);
    float before = softmax_exp2(add(state->m, -m));
    state->m = m;
    state->l = multiply(state->l, before);
    for (uint32_t d = 0; d < row->dims; d++) state->sum[d] = multiply(state->sum[d], before);
    for (int i = 0; i < SOFTMAX_BATCH; i++) {
        float weight = softmax_exp2(add(score[i], -m));
        state->l = add(state->l, weight);
        for (uint32_t d = 0; d < row->dims; d++)
            state->sum[d] = fmaf(weight, value[i] != NULL ? number(value[i][d]) : 0.0f, state->sum[d]);
    }
}

static struct softmax_state merge(const struct softmax_state *states, uint32_t count, uint32_t dims)
{
    struct softmax_state all = {.m = -INFINITY};
    for (uint32_t i = 0; i < count; i++) all.m = greater(states[i].m, all.m);
    for (uint32_t i = 0; i < count; i++) {
        float weight = softmax_exp2(add(states[i].m, -all.m));
        all.l = fmaf(states[i].l, weight, all.l);
        for (uint32_t d = 0; d < dims; d++) all.sum[d] = fmaf(states[i].sum[d], weight, all.sum[d]);
    }
    return all;
}

// The keys from `first` on that each group takes in its next round; those from `end` on are not there.
static void take_keys(const struct softmax_row *row, const float query[SOFTMAX_MAX_DIMS], uint32_t first, uint32_t end,
                      uint32_t groups, struct softmax_state *group)
{
    for (uint32_t g = 0; g < groups; g++) {
        float score[SOFTMAX_BATCH];
        const uint16_t *value[SOFTMAX_BATCH];
        for (uint32_t i = 0; i < SOFTMAX_BATCH; i++) {
            uint32_t k = first + i * groups + g;
            value[i] = k < end ? row->values + (size_t)k * row->dims : NULL;
            score[i] = k < end ? dot(row, query, row->keys + (size_t)k * row->dims) : -INFINITY;
        }
        add_keys(row, score, value, &group[g]);
    }
}

static struct softmax_state take_part(const struct softmax_row *row, uint32_t part)
{
    struct softmax_state group[SOFTMAX_MAX_GROUPS];
    const struct softmax_job job = {.count = row->count, .parts = row->parts};
    const uint32_t groups = row->threads * SOFTMAX_LANE_DIMS / row->dims;
    float query[SOFTMAX_MAX_DIMS];
    uint32_t first, end;
    for (uint32_t d = 0; d < row->dims; d++) query[d] = multiply(number(row->query[d]), row->scale);
    for (uint32_t g = 0; g < groups; g++) group[g] = (struct softmax_state){.m = -INFINITY};
    softmax_keys(&job, part, &first, &end);
    for (; first < end; first += SOFTMAX_BATCH * groups) take_keys(row, query, first, end, groups, group);
    return merge(group, groups, row->dims);
}

struct softmax_state softmax_part(const struct softmax_row *row, uint32_t part)
{
    struct float_environment caller = float_environment_set_default();
    struct softmax_state state = take_part(row, part);
    float_environment_put_back(&caller);
    return state;
}

void softmax_out(const struct softmax_state *states, uint32_t parts, uint32_t dims, float *out)
{
    struct float_environment caller = float_environment_set_default();
    const struct softmax_state all = merge(states, parts, dims);
    for (uint32_t d = 0; d < dims; d++) out[d] = all.sum[d] / all.l;
    float_environment_put_back(&caller);
}
