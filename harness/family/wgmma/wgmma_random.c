// SPDX-License-Identifier: MIT
// Random wgmma: every compiled instruction (wide ones less often: they cost the most), every swizzle and majorness,
// legal metadata and illegal,
// compact layouts and odd ones, starts anywhere in the pattern, and now and then an operand that is not all there.
#include "descriptor.h"
#include "wgmma_case.h"

enum { ATOM_ROWS = 8, PIECE_BYTES = 16 };

// One of `first` .. `end` - 1.
static uint32_t pick_instance(struct random *random, uint32_t first, uint32_t end)
{
    for (;;) {
        uint32_t instance = first + (uint32_t)random_below(random, end - first);
        int n = wgmma_instance_row(instance)->wgmma.n;
        if (n <= 32 || random_chance(random, n <= 96 ? 30 : 12)) return instance;
    }
}

// Strides as kernels have them: pieces of 8 rows, side by side along K or along M and N.
static void compact_strides(struct random *random, struct wgmma_descriptor *d, int rows, bool is_transposed)
{
    uint32_t span = d->swizzle == WGMMA_SWIZZLE_NONE ? PIECE_BYTES : 256u >> d->swizzle, atom = ATOM_ROWS * span;
    uint32_t across = (uint32_t)rows * 2 / span; // atoms along M or N where they hold so many 16-bit elements
    if (across == 0) across = 1;
    bool is_k_first = random_chance(random, 50), is_plain = d->swizzle == WGMMA_SWIZZLE_NONE;
    uint32_t of_rows = is_k_first ? 2 * atom : atom, of_k = is_k_first ? atom : across * atom;
    if (is_transposed && !is_plain) {
        d->leading_bytes = of_rows;
        d->stride_bytes = of_k;
    } else if (is_plain) {
        d->stride_bytes = of_rows;
        d->leading_bytes = is_k_first ? atom : (uint32_t)rows / ATOM_ROWS * atom;
    } else {
        d->stride_bytes = atom;
        d->leading_bytes = PIECE_BYTES * (uint32_t)random_below(random, 1 << 14);
    }
}

static uint32_t reach_end(const struct wgmma *w, int operand, const struct wgmma_descriptor *d)
{
    uint32_t first, end;
    wgmma_reach(w, operand, wgmma_descriptor_pack(d), &first, &end);
    return end;
}

// Makes strides smaller until the operand fits when it starts at the start of shared memory.
static void shrink(const struct wgmma *w, int operand, struct wgmma_descriptor *d)
{
    d->start_bytes = WGMMA_SHARED_START;
    while (reach_end(w, operand, d) > WGMMA_SHARED_END) {
        d->leading_bytes = d->leading_bytes / 2 / PIECE_BYTES * PIECE_BYTES;
        d->stride_bytes = d->stride_bytes / 2 / PIECE_BYTES * PIECE_BYTES;
    }
}

static uint32_t pick_start(struct random *random, uint32_t room_bytes)
{
    uint64_t kind = random_below(random, 10);
    uint32_t align = kind < 5 ? 1024 : kind < 7 ? 128 : 16, places = room_bytes / align + 1;
    if (random_chance(random, 5)) return WGMMA_SHARED_START + room_bytes / PIECE_BYTES * PIECE_BYTES;
    return WGMMA_SHARED_START + align * (uint32_t)random_below(random, places);
}

static uint64_t pick_descriptor(struct random *random, const struct wgmma *w, int operand)
{
    int rows = operand == 0 ? WGMMA_M : w->n;
    struct wgmma_descriptor d = {.swizzle = (enum wgmma_swizzle)random_below(random, 4)};
    compact_strides(random, &d, rows, w->is_transposed[operand]);
    bool is_deep = w->is_sparse && operand == 1 && !w->is_transposed[1] && d.swizzle == WGMMA_SWIZZLE_32B;
    if (is_deep && random_chance(random, 50)) d.leading_bytes = (uint32_t)rows * 32; // the second 32 bytes of K
    if (random_chance(random, 25)) d.stride_bytes = PIECE_BYTES * (uint32_t)random_below(random, 65);
    if (random_chance(random, 25)) d.leading_bytes = PIECE_BYTES * (uint32_t)random_below(random, 65);
    shrink(w, operand, &d);
    if (random_chance(random, 30)) d.base_offset = (uint32_t)random_below(random, 8);
    d.start_bytes = pick_start(random, WGMMA_SHARED_END - reach_end(w, operand, &d));
    while (reach_end(w, operand, &d) > WGMMA_SHARED_END) d.start_bytes -= PIECE_BYTES; // by the XOR
    uint64_t ignored = random_chance(random, 15) ? random_u64(random) & WGMMA_DESCRIPTOR_IGNORED : 0;
    return wgmma_descriptor_pack(&d) | ignored;
}

// How much further the next steps start: along K inside an atom, to the next one, or not at all.
static uint32_t pick_advance(struct random *random, const struct wgmma *w, int operand, uint64_t descriptor)
{
    static const uint32_t advances[] = {0, 32, 32, 64, 256, 1024, 4096};
    uint32_t advance = random_pick(random, advances);
    for (uint32_t step = 1; step < WGMMA_MAX_STEPS; step++) {
        struct wgmma_descriptor d = wgmma_descriptor_unpack(wgmma_advance(descriptor, step * advance));
        if (reach_end(w, operand, &d) > WGMMA_SHARED_END) return 0;
    }
    return advance;
}

// Moves an operand over the end of shared memory: most often by less than the 8 rows of which the first must not.
static void overrun(struct random *random, struct wgmma_case *c, const struct wgmma *w)
{
    int operand = w->a_in_registers || random_chance(random, 50);
    struct wgmma_descriptor d = wgmma_descriptor_unpack(c->descriptor[operand]);
    uint32_t past = PIECE_BYTES * (uint32_t)random_below(random, ATOM_ROWS * wgmma_span_bytes(&d) / PIECE_BYTES);
    uint32_t all = reach_end(w, operand, &d) - d.start_bytes;
    d.start_bytes = random_chance(random, 10) ? 0x3fff0 : WGMMA_SHARED_END + past - all;
    while (reach_end(w, operand, &d) <= WGMMA_SHARED_END) d.start_bytes += PIECE_BYTES;
    c->descriptor[operand] = wgmma_descriptor_pack(&d);
    c->advance_bytes[operand] = 0;
}

static void generate(struct random *random, uint32_t first, uint32_t end, struct wgmma_case *c)
{
    *c = (struct wgmma_case){.instance = pick_instance(random, first, end), .steps = 1};
    c->seed = (uint32_t)random_u64(random);
    const struct wgmma *w = &wgmma_instance_row(c->instance)->wgmma;
    if (random_chance(random, 30)) c->steps = (uint32_t)random_range(random, 2, WGMMA_MAX_STEPS);
    for (uint32_t step = 0; step < c->steps; step++) c->scale_d |= (uint32_t)random_chance(random, 80) << step;
    for (int i = w->a_in_registers ? 1 : 0; i < 2; i++) {
        c->descriptor[i] = pick_descriptor(random, w, i);
        c->advance_bytes[i] = c->steps > 1 ? pick_advance(random, w, i, c->descriptor[i]) : 0;
    }
    if (random_below(random, 1000) < 12) overrun(random, c, w);
}

void wgmma_generate(struct random *random, void *test_case)
{
    generate(random, 0, WGMMA_INSTANCE_COUNT, test_case);
}

void wgmma_sparse_generate(struct random *random, void *test_case)
{
    struct wgmma_case *c = test_case;
    generate(random, WGMMA_INSTANCE_COUNT, WGMMA_SPARSE_INSTANCE_END, c);
    if (random_chance(random, 40)) c->metadata = (uint32_t)random_range(random, 1, WGMMA_METADATA_STYLES - 1);
}
