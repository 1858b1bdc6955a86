// SPDX-License-Identifier: MIT
// Causes in the map: box, strides, element strides, type, bounds, base, im2col corners.
#include <inttypes.h>

#include "search.h"

enum { BASE_STEPS = 256, STRIDE_STEPS = 64, CORNER_STEPS = 16, ODD_BYTES = 128, BOUND_STEPS = 512 };

void propose_element_stride(struct search *search)
{
    const struct tensormap *meant = &search->base.map;
    struct hypothesis h = search->base;
    for (int i = 0; i < meant->rank; i++) h.map.estride[i] = 1;
    search_try(search, &h, 1, "element strides are ignored");
    for (int i = meant->interleave == INTERLEAVE_NONE; i < meant->rank; i++) // dimension 0 has none without interleave
        for (uint32_t value = 1; value <= TENSORMAP_MAX_ESTRIDE; value++) {
            h = search->base;
            h.map.estride[i] = value;
            if (value == meant->estride[i]) continue;
            search_try(search, &h, value + 1, "elementStrides[%d] is %u, not %u", i, value, meant->estride[i]);
            h.map.box[i] = search_steps(meant, i) * value;
            search_try(search, &h, value + 10, "elementStrides[%d] is %u, not %u, and the box as many steps", i, value,
                       meant->estride[i]);
        }
}

static void try_box(struct search *search, int i, uint32_t value)
{
    struct hypothesis h = search->base;
    uint32_t old = h.map.box[i];
    uint32_t far = value > old ? value - old : old - value;
    h.map.box[i] = value;
    if (far > 0 && far <= search_reach(search, TENSORMAP_MAX_BOX))
        search_try(search, &h, far, "boxDim[%d] is %u, not %u", i, value, old);
}

void propose_box(struct search *search)
{
    const struct tensormap *meant = &search->base.map;
    if (meant->mode == TENSORMAP_IM2COL) {
        for (uint32_t pixels = 1; pixels <= TENSORMAP_MAX_PIXELS; pixels++) {
            struct hypothesis h = search->base;
            h.map.pixels = pixels;
            if (pixels != meant->pixels && (search->built == NULL || pixels <= 2 * meant->pixels))
                search_try(search, &h, pixels, "pixelsPerColumn is %u, not %u", pixels, meant->pixels);
        }
        for (uint32_t channels = 1; channels <= TENSORMAP_MAX_BOX; channels++) try_box(search, 0, channels);
        return;
    }
    for (int i = 0; i < meant->rank; i++) {
        for (int j = i + 1; j < meant->rank; j++) {
            struct hypothesis h = search->base;
            h.map.box[i] = meant->box[j];
            h.map.box[j] = meant->box[i];
            if (h.map.box[i] != h.map.box[j]) search_try(search, &h, 0, "boxDim[%d] and [%d] are swapped", i, j);
        }
        for (uint32_t value = 1; value <= TENSORMAP_MAX_BOX; value++) try_box(search, i, value);
    }
}

static void try_stride(struct search *search, int i, int64_t value, uint32_t distance)
{
    struct hypothesis h = search->base;
    uint64_t old = h.map.stride[i];
    h.map.stride[i] = (uint64_t)value;
    if (value >= 0 && (uint64_t)value != old)
        search_try(search, &h, distance, "globalStrides[%d] is %" PRId64 " bytes, not %" PRIu64, i - 1, value, old);
}

// Strides of a tensor without padding (rows rounded up to `align`), from dimension `first` on.
static void try_packed(struct search *search, int first, uint64_t align, uint32_t distance)
{
    struct hypothesis h = search->base;
    for (int i = first; i < h.map.rank; i++) {
        uint64_t packed = h.map.dim[i - 1] * h.map.stride[i - 1];
        h.map.stride[i] = (packed + align - 1) / align * align;
    }
    if (h.map.stride[first] != search->base.map.stride[first] || first == 1)
        search_try(search, &h, distance,
                   "strides are packed from globalStrides[%d] = %" PRIu64 " on, rows rounded up to %" PRIu64 " bytes",
                   first - 1, h.map.stride[first], align);
}

// One stride scaled, or all from it on.
static void try_scaled(struct search *search, int first, int last, uint64_t by, int divide)
{
    struct hypothesis h = search->base;
    if (by < 2) return;
    for (int i = first; i <= last; i++) h.map.stride[i] = divide ? h.map.stride[i] / by : h.map.stride[i] * by;
    search_try(search, &h, 2, "globalStrides[%d]%s %s %" PRIu64, first - 1, last > first ? " and up" : "",
               divide ? "divided by" : "multiplied by", by);
}

// The stride that the rows found have.
static void try_measured(struct search *search, int i)
{
    int64_t step, by = (int64_t)search->base.map.estride[i];
    search->is_measured = true;
    if (sample_step(search, i, &step) && step % by == 0) try_stride(search, i, step / by, STRIDE_STEPS + 4);
    search->is_measured = false;
}

static void try_swapped(struct search *search, int i)
{
    const struct tensormap *meant = &search->base.map;
    for (int j = i + 1; j < meant->rank; j++) {
        struct hypothesis h = search->base;
        h.map.stride[i] = meant->stride[j];
        h.map.stride[j] = meant->stride[i];
        if (meant->stride[i] != meant->stride[j])
            search_try(search, &h, 1, "globalStrides[%d] and [%d] are swapped", i - 1, j - 1);
    }
}

void propose_stride(struct search *search)
{
    const struct tensormap *meant = &search->base.map;
    uint64_t element = meant->stride[0];
    for (int i = 1; i < meant->rank; i++) {
        int64_t stride = (int64_t)meant->stride[i];
        for (uint64_t align = 1; align <= 512; align = align == 1 ? 16 : align * 2) try_packed(search, i, align, 1);
        for (int64_t k = 1; k <= search_reach(search, STRIDE_STEPS); k++) {
            try_stride(search, i, stride + 16 * k, (uint32_t)k + 3);
            try_stride(search, i, stride - 16 * k, (uint32_t)k + 3);
        }
        try_stride(search, i, meant->box[i - 1] * (int64_t)meant->stride[i - 1], 2);
        try_stride(search, i, 0, 3);
        for (uint64_t by = 2; by <= 16; by *= 2)
            for (int divide = 0; divide < 2; divide++) {
                try_scaled(search, i, i, by, divide);
                if (i + 1 < meant->rank) try_scaled(search, i, meant->rank - 1, by, divide);
            }
        try_scaled(search, i, i, element, 1);
        try_measured(search, i);
        try_swapped(search, i);
    }
}

void propose_fill(struct search *search)
{
    struct hypothesis h = search->base;
    if (search->question->is_store) return;
    h.map.oob_fill = h.map.oob_fill == OOB_FILL_ZERO ? OOB_FILL_NAN_REQUEST_ZERO_FMA : OOB_FILL_ZERO;
    search_try(search, &h, 0, "elements out of bounds are filled with %s",
               h.map.oob_fill == OOB_FILL_ZERO ? "zeros, not NaN" : "NaN, not zeros");
}

static void try_dim(struct search *search, int i, int64_t value, uint32_t distance)
{
    struct hypothesis h = search->base;
    h.map.dim[i] = (uint64_t)value;
    if (value > 0 && h.map.dim[i] != search->base.map.dim[i])
        search_try(search, &h, distance, "globalDim[%d] is %" PRId64 ", not %" PRIu64, i, value,
                   search->base.map.dim[i]);
}

void propose_bounds(struct search *search)
{
    const struct tensormap *meant = &search->base.map;
    for (int i = 0; i < meant->rank; i++) {
        int64_t span = search_span(meant, i), coord = search->base.coord[i];
        for (int64_t value = coord; value <= coord + span + 1 && value <= coord + search_reach(search, BOUND_STEPS);
             value++)
            try_dim(search, i, value, 3 + (uint32_t)(value - coord));
        try_dim(search, i, (int64_t)1 << 31, 2);
        for (int j = i + 1; j < meant->rank; j++) {
            struct hypothesis h = search->base;
            h.map.dim[i] = meant->dim[j];
            h.map.dim[j] = meant->dim[i];
            if (meant->dim[i] != meant->dim[j]) search_try(search, &h, 1, "globalDim[%d] and [%d] are swapped", i, j);
        }
    }
}

// Another type: the strides as they are, or those of a packed tensor of that type.
static void try_type(struct search *search, enum dtype dtype)
{
    struct hypothesis h = search->base;
    const struct tensormap *meant = &search->base.map;
    uint64_t old = dtype_row(meant->dtype)->size_bytes, size = dtype_row(dtype)->size_bytes;
    h.map.dtype = dtype;
    if (meant->interleave == INTERLEAVE_NONE) h.map.stride[0] = size;
    if (size == old && dtype_row(dtype)->is_tf32 == dtype_row(meant->dtype)->is_tf32) return;
    const char *name = dtype_row(dtype)->name;
    search_try(search, &h, (uint32_t)(size > old ? size - old : old - size), "the type is %s (%u bytes), not %s (%u)",
               name, (unsigned)size, dtype_row(meant->dtype)->name, (unsigned)old);
    if (size == old) return;
    for (int i = 1; i < meant->rank; i++) h.map.stride[i] = meant->stride[i] * size / old;
    search_try(search, &h, 9, "the type is %s (%u bytes), not %s (%u), strides accordingly", name, (unsigned)size,
               dtype_row(meant->dtype)->name, (unsigned)old);
}

void propose_element_type(struct search *search)
{
    static const enum dtype types[] = {DTYPE_UINT8, DTYPE_UINT16, DTYPE_FLOAT32, DTYPE_TFLOAT32, DTYPE_UINT64};
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) try_type(search, types[i]);
}

void propose_interleave(struct search *search)
{
    static const char *const names[] = {"none", "16B", "32B"};
    const struct tensormap *meant = &search->base.map;
    for (uint32_t mode = 0; meant->rank >= 3 && mode < 3; mode++) {
        struct hypothesis h = search->base;
        h.map.interleave = (enum tensormap_interleave)mode;
        h.map.stride[0] = mode == 0 ? dtype_row(meant->dtype)->size_bytes : 16 * mode;
        if (mode != meant->interleave)
            search_try(search, &h, mode, "interleave is %s, not %s", names[mode], names[meant->interleave]);
    }
}

static void try_corner(struct search *search, int k, bool is_upper, int32_t value, uint32_t distance)
{
    struct hypothesis h = search->base;
    int32_t *corner = is_upper ? &h.map.upper[k] : &h.map.lower[k], old = *corner;
    *corner = value;
    if (value != old)
        search_try(search, &h, distance, "pixelBox%sCorner[%d] is %d, not %d", is_upper ? "Upper" : "Lower", k, value,
                   old);
}

void propose_im2col_corner(struct search *search)
{
    const struct tensormap *meant = &search->base.map;
    for (int k = 0; meant->mode == TENSORMAP_IM2COL && k < meant->rank - 2; k++)
        for (int is_upper = 0; is_upper < 2; is_upper++) {
            int32_t old = is_upper ? meant->upper[k] : meant->lower[k];
            for (int32_t step = 1; step <= CORNER_STEPS; step++) {
                try_corner(search, k, is_upper, old + step, (uint32_t)step);
                try_corner(search, k, is_upper, old - step, (uint32_t)step);
            }
            try_corner(search, k, is_upper, 0, 1);
            try_corner(search, k, is_upper, -old, 1);
        }
}

// A pointer that is no multiple of 16 no map can have; the tensor may begin there all the same.
static void try_base(struct search *search, int64_t by)
{
    struct hypothesis h = search->base;
    uint64_t begins = h.map.address + (uint64_t)by;
    if (by % 16 == 0)
        h.map.address = begins;
    else
        h.source.base -= (uint64_t)by;
    if (by == 0 || (by % 16 != 0 && search->question->is_store)) return;
    search_try(search, &h, (uint32_t)(by < 0 ? -by : by),
               "the tensor begins %" PRId64 " bytes %s: globalAddress is 0x%" PRIx64 "%s", by < 0 ? -by : by,
               by < 0 ? "earlier" : "later", begins, by % 16 == 0 ? "" : ", which is not a multiple of 16");
}

void propose_global_base(struct search *search)
{
    int64_t element = dtype_row(search->base.map.dtype)->size_bytes;
    uint64_t begin;
    for (int64_t k = 1; k <= search_reach(search, BASE_STEPS); k++) {
        try_base(search, 16 * k);
        try_base(search, -16 * k);
    }
    for (int64_t by = element; by < ODD_BYTES; by += element) {
        if (by % 16 == 0) continue;
        try_base(search, by);
        try_base(search, -by);
    }
    for (int64_t by = 16 * 2 * BASE_STEPS; by <= (int64_t)search->question->source.size_bytes; by *= 2) {
        try_base(search, by);
        try_base(search, -by);
    }
    for (int n = 0; sample_begin(search, n, &begin); n++) try_base(search, (int64_t)(begin - sample_meant(search)));
}
