// SPDX-License-Identifier: MIT
// Hand-chosen bulk operations. `from` and `to` count from the start of their memories.
#include <string.h>

#include "slow_store.h"

enum { COPY = -1 };

struct vector {
    const char *why;
    enum bulk_form form;
    int op; // or COPY
    enum dtype dtype;
    int64_t from, to;
    uint32_t size_bytes;
    uint32_t destination_bytes; // or 0: all
};

#define G2S BULK_GLOBAL_TO_SHARED
#define G2O BULK_GLOBAL_TO_OTHER
#define S2G BULK_SHARED_TO_GLOBAL
#define S2S BULK_SHARED_TO_OWN
#define S2O BULK_SHARED_TO_OTHER
#define R2O BULK_REGISTERS_TO_OTHER

// A `why` that begins with a number must give that fault, one with "refused" be refused.
// clang-format off
static const struct vector vectors[] = {
    {"64 bytes to shared memory", G2S, COPY, 0, 48, 80, 64, 0},
    {"40 bytes are 32, and count as 32", G2O, COPY, 0, 48, 80, 40, 0},
    {"47 bytes are 32", S2S, COPY, 0, 48, 8192, 47, 0},
    {"15 bytes are none, and look at no address", G2S, COPY, 0, 3, 80, 15, 0},
    {"2^20 bytes are none", S2O, COPY, 0, 0, 0, 1 << 20, 0},
    {"2^20 + 16 bytes are 16", S2O, COPY, 0, 0, 0, (1 << 20) + 16, 0},
    {"32768 bytes, all of shared memory", S2G, COPY, 0, 0, 0, 32768, 0},
    {"700: 65536 + 16 bytes are not 16", S2G, COPY, 0, 0, 0, 65536 + 16, 0},
    {"what goes to global memory is not counted", S2G, COPY, 0, 16, 96, 80, 0},
    {"st.async of 4 bytes at 4", R2O, COPY, 0, 0, 4, 4, 0},
    {"st.async of 8 bytes at 24", R2O, COPY, 0, 0, 24, 8, 0},
    {"st.async of 16 bytes", R2O, COPY, 0, 0, 32, 16, 0},
    {"716: st.async of 8 bytes at 4", R2O, COPY, 0, 0, 4, 8, 0},
    {"716: st.async of 16 bytes at 8", R2O, COPY, 0, 0, 8, 16, 0},
    {"red.async add.u64", R2O, REDUCE_ADD, DTYPE_UINT64, 0, 8, 8, 0},

    {"add f32 in global memory", S2G, REDUCE_ADD, DTYPE_FLOAT32, 0, 256, 4096, 0},
    {"add f64", S2G, REDUCE_ADD, DTYPE_FLOAT64, 0, 256, 4096, 0},
    {"add f16", S2G, REDUCE_ADD, DTYPE_FLOAT16, 0, 256, 4096, 0},
    {"add bf16", S2G, REDUCE_ADD, DTYPE_BFLOAT16, 0, 256, 4096, 0},
    {"min f16", S2G, REDUCE_MIN, DTYPE_FLOAT16, 0, 256, 4096, 0},
    {"max s64", S2G, REDUCE_MAX, DTYPE_INT64, 0, 256, 4096, 0},
    {"xor b64", S2G, REDUCE_XOR, DTYPE_UINT64, 0, 256, 4096, 0},
    {"add s32 to another CTA", S2O, REDUCE_ADD, DTYPE_INT32, 0, 256, 4096, 0},
    {"add u64 to another CTA", S2O, REDUCE_ADD, DTYPE_UINT64, 0, 256, 4096, 0},
    {"dec u32 to its own CTA", S2S, REDUCE_DEC, DTYPE_UINT32, 0, 8192, 4096, 0},
    {"refused: add s64", S2G, REDUCE_ADD, DTYPE_INT64, 0, 0, 64, 0},
    {"refused: min f32", S2G, REDUCE_MIN, DTYPE_FLOAT32, 0, 0, 64, 0},
    {"refused: inc s32", S2G, REDUCE_INC, DTYPE_INT32, 0, 0, 64, 0},
    {"refused: add f32 to another CTA", S2O, REDUCE_ADD, DTYPE_FLOAT32, 0, 0, 64, 0},
    {"refused: and b64 to another CTA", S2O, REDUCE_AND, DTYPE_UINT64, 0, 0, 64, 0},
    {"refused: min s64 by red.async", R2O, REDUCE_MIN, DTYPE_INT64, 0, 0, 8, 0},
    {"refused: a reduction from global memory", G2S, REDUCE_ADD, DTYPE_UINT32, 0, 0, 64, 0},

    {"716: the source at 8", G2S, COPY, 0, 8, 0, 64, 0},
    {"716: the destination at 8", S2G, COPY, 0, 0, 8, 64, 0},
    {"716: the source at 4", S2O, REDUCE_ADD, DTYPE_UINT32, 4, 0, 64, 0},
    {"716 before 700", G2S, COPY, 0, 65536 - 8, 0, 64, 0},
    {"716 before 719", S2O, COPY, 0, 8, 32768, 64, 0},
    {"700: the source ends 16 bytes early", G2S, COPY, 0, 65536 - 48, 0, 64, 0},
    {"700: the destination begins at the end", S2G, COPY, 0, 0, 65536, 16, 0},
    {"719: past its own CTA's memory", S2S, COPY, 0, 0, 32768 - 16, 64, 0},
    {"700: shared memory is read past its end", S2G, COPY, 0, 32768 - 32, 0, 64, 0},
    {"700: past its own memory from global memory", G2S, COPY, 0, 0, 32768 - 32, 64, 0},
    {"719: past the other CTA's memory", S2O, COPY, 0, 0, 32768 - 16, 64, 0},
    {"719: past the other CTA's smaller memory", G2O, COPY, 0, 0, 4096 - 16, 64, 4096},
    {"719: st.async past it", R2O, COPY, 0, 0, 32768, 16, 0},
    {"719: the last bytes of the SM", S2O, COPY, 0, 0, 228 * 1024 - 1024 - 16, 16, 0},
    {"719: past the 227 KiB of a block", S2O, COPY, 0, 0, 227 * 1024 - 1024, 16, 0},
    {"700: past the shared memory of the SM", S2O, COPY, 0, 0, 228 * 1024 - 1024, 16, 0},
    {"700: from below the end of the SM's shared memory to past it", S2O, COPY, 0, 0, 228 * 1024 - 1024 - 256, 336, 0},
    {"700: the source ends after the other CTA's memory does", G2O, COPY, 0, 65536 - 32, 32768 - 16, 64, 0},
    {"700: the source is unmapped, and so is the destination", G2O, COPY, 0, 65536, 32768, 16, 0},
};
// clang-format on

const char *slow_bulk_vector(int i, struct slow_bulk *bulk)
{
    if (i >= (int)(sizeof vectors / sizeof vectors[0])) return NULL;
    const struct vector *from = &vectors[i];
    bool is_from_global = from->form == G2S || from->form == G2O, is_to_global = from->form == S2G;
    memset(bulk, 0, sizeof *bulk);
    bulk->form = from->form;
    bulk->is_reduction = from->op != COPY;
    bulk->op = (enum reduce_op)(from->op == COPY ? 0 : from->op);
    bulk->dtype = from->dtype;
    bulk->size_bytes = from->size_bytes;
    bulk->source_base = is_from_global ? SLOW_GMEM_BASE : from->form == R2O ? 0 : SLOW_SMEM_BASE;
    bulk->source_bytes = is_from_global ? SLOW_GMEM_BYTES : from->form == R2O ? 16 : SLOW_SMEM_BYTES;
    bulk->destination_base = is_to_global ? SLOW_GMEM_BASE : SLOW_SMEM_BASE;
    bulk->destination_bytes = is_to_global ? SLOW_GMEM_BYTES : SLOW_SMEM_BYTES;
    if (from->destination_bytes != 0) bulk->destination_bytes = from->destination_bytes;
    bulk->from = bulk->source_base + (uint64_t)from->from;
    bulk->to = bulk->destination_base + (uint64_t)from->to;
    return from->why;
}
