// SPDX-License-Identifier: MIT
// The strides of a descriptor are read off the layout at the elements where they count; that all others lie where the
// descriptor reads them is asked of wgmma's own function of addresses.
#include "cute_box.h"
#include "cute_operand.h"
#include "refuse.h"

enum { GROUP_ROWS = 8, MOST_ROWS = 256, STEP_BYTES = 32, UNIT_BYTES = 16, MN_BYTES = 2 };

struct question {
    const struct cute_layout *layout;
    uint32_t bytes;
};

// Byte offsets of an element (row, k), without the swizzle and with it.
static uint64_t plain_bytes(const struct question *q, int row, int k)
{
    uint64_t coord[CUTE_MAX_LEAVES] = {(uint64_t)row, (uint64_t)k};
    return cute_plain_at(q->layout, coord) * q->bytes;
}

static uint64_t place_bytes(const struct question *q, int row, int k)
{
    uint64_t coord[CUTE_MAX_LEAVES] = {(uint64_t)row, (uint64_t)k};
    return cute_index_at(q->layout, coord) * q->bytes;
}

static uint32_t apart(const struct question *q, int row, int k)
{
    return (uint32_t)(plain_bytes(q, row, k) - plain_bytes(q, 0, 0));
}

// --- The strides -----------------------------------------------------------------------------------------------------

// As CuTe sets them: 0 where there is nothing to step to, 16 bytes where the hardware does not look.
static void find_strides(const struct question *q, struct cute_operand *operand)
{
    struct wgmma_descriptor *d = &operand->descriptor;
    int unit = (int)(UNIT_BYTES / q->bytes), span_rows = (int)(wgmma_span_bytes(d) / q->bytes);
    uint32_t next_group = operand->rows > GROUP_ROWS ? apart(q, GROUP_ROWS, 0) : 0;
    d->start_bytes = apart(q, 0, 0);
    if (!operand->is_mn_major) {
        d->stride_bytes = next_group;
        d->leading_bytes = d->swizzle == WGMMA_SWIZZLE_NONE ? apart(q, 0, unit) : UNIT_BYTES;
    } else if (d->swizzle == WGMMA_SWIZZLE_NONE) {
        d->stride_bytes = next_group;
        d->leading_bytes = apart(q, 0, GROUP_ROWS);
    } else {
        d->stride_bytes = apart(q, 0, GROUP_ROWS);
        d->leading_bytes = operand->rows > span_rows ? apart(q, span_rows, 0) : 0;
    }
}

// --- Every element ---------------------------------------------------------------------------------------------------

static int check_step(const struct question *q, const struct cute_operand *operand, int step, struct cute_error *error)
{
    struct wgmma_descriptor d = operand->descriptor;
    d.start_bytes = cute_operand_start(q->layout, operand, q->bytes, step);
    d = wgmma_descriptor_unpack(wgmma_descriptor_pack(&d));
    for (int row = 0; row < operand->rows; row++)
        for (int k = 0; k < operand->k_elems; k++) {
            uint64_t is = place_bytes(q, row, step * operand->k_elems + k);
            uint32_t read = operand->is_mn_major ? wgmma_address_mn_major(&d, row, k)
                                                 : wgmma_address_k_major(&d, row, k * (int)q->bytes);
            if (is != read)
                return cute_refuse(
                    error, -1,
                    "no descriptor reads it: row %d, k %d lies at byte %llu, and with leading offset %u and "
                    "stride offset %u it is read at %u",
                    row, step * operand->k_elems + k, (unsigned long long)is, d.leading_bytes, d.stride_bytes, read);
        }
    return 1;
}

// Which way it runs, and how large it is.
static int check_form(const struct question *q, struct cute_operand *operand, struct cute_error *error)
{
    if (q->bytes != 1 && q->bytes != 2 && q->bytes != 4)
        return cute_refuse(error, -1, "wgmma has no elements of %u bytes", q->bytes);
    if (!cute_check_bits(q->layout, q->bytes, error)) return 0;
    if (cute_rank(q->layout) < 2) return cute_refuse(error, -1, "an operand has two modes, rows of M or N and K");
    uint64_t rows = cute_mode_size(q->layout, 0), k = cute_mode_size(q->layout, 1);
    const uint64_t places = SM_SHARED_BYTES / q->bytes;
    if (cute_size(q->layout) > places || q->layout->offset + cute_cosize(q->layout) > places)
        return cute_refuse(error, -1, "it does not fit into shared memory");
    operand->k_elems = (int)(STEP_BYTES / q->bytes);
    if (rows % GROUP_ROWS != 0)
        return cute_refuse(error, -1, "%llu rows: an operand has a multiple of 8", (unsigned long long)rows);
    if (k % (uint64_t)operand->k_elems != 0)
        return cute_refuse(error, -1, "a depth of %llu: an instruction takes %d", (unsigned long long)k,
                           operand->k_elems);
    operand->rows = rows < MOST_ROWS ? (int)rows : MOST_ROWS;
    operand->steps = (int)(k / (uint64_t)operand->k_elems);
    operand->is_mn_major = apart(q, 1, 0) == q->bytes;
    if (operand->is_mn_major && q->bytes != MN_BYTES)
        return cute_refuse(error, -1, "rows run through memory first (MN-major), which only operands of 16 bits may");
    return 1;
}

int cute_operand_of(const struct cute_layout *layout, uint32_t bytes, struct cute_operand *operand,
                    struct cute_error *error)
{
    const struct question question = {layout, bytes};
    enum tensormap_swizzle swizzle;
    *operand = (struct cute_operand){0};
    if (!check_form(&question, operand, error) || !cute_swizzle_mode(layout, bytes, &swizzle, error)) return 0;
    operand->descriptor.swizzle = swizzle == SWIZZLE_NONE ? WGMMA_SWIZZLE_NONE : (enum wgmma_swizzle)(4 - (int)swizzle);
    find_strides(&question, operand);
    for (int step = 0; step < operand->steps; step++)
        if (!check_step(&question, operand, step, error)) return 0;
    return 1;
}

uint32_t cute_operand_start(const struct cute_layout *layout, const struct cute_operand *operand, uint32_t bytes,
                            int step)
{
    const struct question question = {layout, bytes};
    return (uint32_t)plain_bytes(&question, 0, step * operand->k_elems);
}

const char *cute_operand_atom(const struct cute_operand *operand)
{
    static const char *const names[2][4] = {
        {"Layout_K_INTER_Atom", "Layout_K_SW128_Atom", "Layout_K_SW64_Atom", "Layout_K_SW32_Atom"},
        {"Layout_MN_INTER_Atom", "Layout_MN_SW128_Atom", "Layout_MN_SW64_Atom", "Layout_MN_SW32_Atom"},
    };
    return names[operand->is_mn_major][operand->descriptor.swizzle];
}
