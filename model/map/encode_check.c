// SPDX-License-Identifier: MIT
// Which arguments an H200's driver accepts. Each check below is one MAP_ or REPLACE_ row of rules.def, in the driver's
// order; what a finding proposes is the closest value that mends its own rule. encode_mend.c makes them legal together.
#include "encode_check.h"

#include <stddef.h>

#include "broken.h"
#include "rules/map.h"
#include "rules/replace.h"

enum { DRIVER_DATA_TYPES = 16, DRIVER_SWIZZLES = 7, RANK_HUGE = 1 << 16 };
#define STRIDE_LIMIT ((uint64_t)1 << 40)
#define DIM_LIMIT    ((uint64_t)1 << 32)

static void broken(struct check *check, struct finding finding)
{
    if (check->first == RULE_OK && !rule_is_warning(finding.rule)) check->first = finding.rule;
    finding_add(check->findings, finding);
}

static void broken_u64(struct check *check, enum rule rule, const char *argument, int index, uint64_t value,
                       uint64_t limit, uint64_t nearest)
{
    broken(check, FINDING_AT(rule, argument, index, .value = value, .limit = limit, .nearest = nearest));
}

static void broken_i64(struct check *check, enum rule rule, const char *argument, int index, int64_t value,
                       int64_t limit, int64_t nearest)
{
    broken(check, FINDING_AT(rule, argument, index, .is_signed = 1, .value = (uint64_t)value, .limit = (uint64_t)limit,
                             .nearest = (uint64_t)nearest));
}

static uint64_t round_down(uint64_t value, uint64_t multiple)
{
    return value - value % multiple;
}

// `value` lies in low .. high.
static inline void check_range(struct check *check, enum rule rule, const char *argument, int index, uint64_t value,
                               uint64_t low, uint64_t high)
{
    if (value - low <= high - low) return;
    uint64_t nearest = value < low ? low : high;
    broken_u64(check, rule, argument, index, value, nearest, nearest);
}

// The multiple of `align` (a power of two) in low .. high, both multiples, that is closest to `value`; ties go up.
static uint64_t closest(uint64_t value, uint64_t align, uint64_t low, uint64_t high)
{
    if (value <= low) return low;
    return value >= high ? high : round_down(value + align / 2, align);
}

// What a value is a multiple of, a power of two. `align` is the strictest rule for it, low .. high the legal ones.
struct steps {
    uint64_t multiple, align, low, high;
};

// What is proposed instead of a value is closest() to it.
static inline void check_multiple(struct check *check, enum rule rule, const char *argument, int index, uint64_t value,
                                  struct steps of)
{
    if ((value & (of.multiple - 1)) == 0) return;
    broken_u64(check, rule, argument, index, value, of.multiple, closest(value, of.align, of.low, of.high));
}

// Global memory is aligned to 16 bytes, and to 32 with interleave 32B.
static uint64_t alignment(const struct request *request)
{
    return request->interleave == INTERLEAVE_32B ? 32 : 16;
}

static void check_pointer(struct check *check, const void *pointer, const char *argument)
{
    if (pointer == NULL) broken_u64(check, RULE_MAP_NULL_POINTER, argument, -1, 0, 0, 0);
}

// In the driver's order: it looks for NULL, walks the arrays to the length of the rank, and comes to boxDim later.
static void check_arrays(struct check *check, const struct tensormap_image *image, const struct request *request)
{
    check_pointer(check, image, "tensorMap");
    check_pointer(check, request->dim, "globalDim");
    check_pointer(check, request->strides, "globalStrides");
    check_pointer(check, request->estride, "elementStrides");
    if (request->rank > RANK_HUGE)
        broken_u64(check, RULE_MAP_RANK_HUGE, "tensorRank", -1, request->rank, TENSORMAP_MAX_RANK, TENSORMAP_MAX_RANK);
    if (request->mode == TENSORMAP_TILED) check_pointer(check, request->box, "boxDim");
}

static void check_rank(struct check *check, const struct request *request)
{
    uint32_t rank = request->rank;
    bool is_im2col = request->mode == TENSORMAP_IM2COL, is_interleaved = request->interleave != INTERLEAVE_NONE;
    if (rank < 1) broken_u64(check, RULE_MAP_RANK, "tensorRank", -1, rank, 1, 1);
    if (rank > TENSORMAP_MAX_RANK && rank <= RANK_HUGE)
        broken_u64(check, RULE_MAP_RANK, "tensorRank", -1, rank, TENSORMAP_MAX_RANK, TENSORMAP_MAX_RANK);
    if (rank < 1 || rank >= 3) return;
    if (is_im2col) broken_u64(check, RULE_MAP_RANK_IM2COL, "tensorRank", -1, rank, 3, 3);
    if (is_interleaved && is_im2col) broken_u64(check, RULE_MAP_RANK_INTERLEAVE, "tensorRank", -1, rank, 3, 3);
    if (is_interleaved && !is_im2col) // nothing to make up, as the third dimension would be
        broken_u64(check, RULE_MAP_RANK_INTERLEAVE, "interleave", -1, request->interleave, 0, 0);
}

static void check_enums(struct check *check, const struct request *request)
{
    uint32_t type = request->data_type, swizzle = request->swizzle;
    if (type >= DTYPE_COUNT)
        broken_u64(check, type < DRIVER_DATA_TYPES ? RULE_MAP_DATA_TYPE_PACKED : RULE_MAP_DATA_TYPE, "tensorDataType",
                   -1, type, DTYPE_COUNT - 1, DTYPE_UINT8);
    check_range(check, RULE_MAP_INTERLEAVE, "interleave", -1, request->interleave, 0, INTERLEAVE_32B);
    if (swizzle > SWIZZLE_128B)
        broken_u64(check, swizzle < DRIVER_SWIZZLES ? RULE_MAP_SWIZZLE_ATOM : RULE_MAP_SWIZZLE, "swizzle", -1, swizzle,
                   SWIZZLE_128B, SWIZZLE_128B);
    check_range(check, RULE_MAP_WIDE_MODE, "mode", -1, request->wide_mode, 0, 1);
    check_range(check, RULE_MAP_L2_PROMOTION, "l2Promotion", -1, request->l2_promotion, 0, L2_PROMOTION_L2_256B);
    bool takes_nan = type >= DTYPE_COUNT || dtype_row((enum dtype)type)->is_float;
    if (request->oob_fill > OOB_FILL_NAN_REQUEST_ZERO_FMA)
        broken_u64(check, RULE_MAP_OOB_FILL, "oobFill", -1, request->oob_fill, OOB_FILL_NAN_REQUEST_ZERO_FMA,
                   takes_nan ? OOB_FILL_NAN_REQUEST_ZERO_FMA : OOB_FILL_ZERO);
    if (request->oob_fill == OOB_FILL_NAN_REQUEST_ZERO_FMA && !takes_nan)
        broken_u64(check, RULE_MAP_OOB_FILL_INTEGER, "oobFill", -1, 1, OOB_FILL_ZERO, OOB_FILL_ZERO);
}

static void check_address(struct check *check, const struct request *request)
{
    uint64_t address = request->address, align = alignment(request), last = TENSORMAP_ADDRESS_LIMIT - align;
    check_multiple(check, RULE_MAP_ADDRESS_ALIGN, "globalAddress", -1, address, (struct steps){16, align, 0, last});
    if (align == 32 && address % 16 == 0)
        check_multiple(check, RULE_MAP_ADDRESS_ALIGN_32, "globalAddress", -1, address, (struct steps){32, 32, 0, last});
    if (address >= TENSORMAP_ADDRESS_LIMIT)
        broken_u64(check, RULE_MAP_ADDRESS_LIMIT, "globalAddress", -1, address, TENSORMAP_ADDRESS_LIMIT - 1, last);
}

static void check_strides(struct check *check, const struct request *request)
{
    uint64_t align = alignment(request), last = STRIDE_LIMIT - align;
    for (int i = 0; i + 1 < (int)request->rank; i++) {
        uint64_t stride = request->strides[i];
        check_multiple(check, RULE_MAP_STRIDE_ALIGN, "globalStrides", i, stride, (struct steps){16, align, 0, last});
        if (align == 32 && stride % 16 == 0)
            check_multiple(check, RULE_MAP_STRIDE_ALIGN_32, "globalStrides", i, stride,
                           (struct steps){32, 32, 0, last});
        if (stride >= STRIDE_LIMIT)
            broken_u64(check, RULE_MAP_STRIDE_LIMIT, "globalStrides", i, stride, STRIDE_LIMIT - 1, last);
    }
}

// The least inner box: as many elements as make 16 bytes.
static uint32_t inner_step(const struct request *request)
{
    return request->data_type < DTYPE_COUNT ? 16 / dtype_row((enum dtype)request->data_type)->size_bytes : 1;
}

// Is a row one swizzle span at most?
static bool has_span(const struct request *request)
{
    return request->interleave == INTERLEAVE_NONE && request->swizzle - SWIZZLE_32B <= SWIZZLE_128B - SWIZZLE_32B;
}

// The most elements of an inner box.
static uint32_t inner_limit(const struct request *request)
{
    if (!has_span(request) || request->data_type >= DTYPE_COUNT) return TENSORMAP_MAX_BOX;
    uint32_t span = tensormap_span_bytes((enum tensormap_swizzle)request->swizzle);
    return span / dtype_row((enum dtype)request->data_type)->size_bytes;
}

static inline void check_box_dim(struct check *check, const struct request *request, int i)
{
    uint32_t box = request->box[i];
    if (box == 0) broken_u64(check, RULE_MAP_BOX_DIM, "boxDim", i, 0, 1, i == 0 ? inner_step(request) : 1);
    if (box > TENSORMAP_MAX_BOX)
        broken_u64(check, RULE_MAP_BOX_DIM, "boxDim", i, box, TENSORMAP_MAX_BOX,
                   i == 0 ? inner_limit(request) : TENSORMAP_MAX_BOX);
}

static void check_dims(struct check *check, const struct request *request)
{
    for (int i = 0; i < (int)request->rank; i++) {
        if (request->dim != NULL) check_range(check, RULE_MAP_DIM, "globalDim", i, request->dim[i], 1, DIM_LIMIT);
        if (request->estride != NULL)
            check_range(check, RULE_MAP_ELEMENT_STRIDE, "elementStrides", i, request->estride[i], 1,
                        TENSORMAP_MAX_ESTRIDE);
        if (request->box != NULL) check_box_dim(check, request, i);
    }
    if (request->mode == TENSORMAP_TILED) return;
    if (request->channels == 0) broken_u64(check, RULE_MAP_CHANNELS, "channelsPerPixel", -1, 0, 1, inner_step(request));
    if (request->pixels == 0) broken_u64(check, RULE_MAP_PIXELS, "pixelsPerColumn", -1, 0, 1, 1);
}

// How often dimension i counts in the bytes of the box: element strides divide with floor, dimension 0 included.
static uint64_t counted(const struct request *request, int i)
{
    if (request->mode == TENSORMAP_IM2COL) return i == 0 ? request->channels : request->pixels;
    return request->estride[i] == 1 ? request->box[i] : request->box[i] / request->estride[i];
}

// Factors of the bytes: the dimensions of a tiled box, channels and pixels of im2col.
static int factors(const struct request *request)
{
    return request->mode == TENSORMAP_IM2COL ? 2 : (int)request->rank;
}

static uint64_t box_bytes(const struct request *request)
{
    uint64_t bytes = dtype_row((enum dtype)request->data_type)->size_bytes;
    for (int i = 0; i < factors(request); i++) bytes *= counted(request, i);
    return bytes;
}

// The most elements along factor i with which `bytes`, those of the box, come down to the limit; inner boxes are whole
// pieces of 16 bytes. 0: this factor alone cannot do it. `left` takes the bytes that are then counted.
static uint32_t most_elements(const struct request *request, uint64_t bytes, int i, uint64_t *left)
{
    uint64_t one = bytes / counted(request, i), most = TENSORMAP_MAX_BOX_BYTES / one;
    uint32_t stride = request->mode == TENSORMAP_IM2COL ? 1 : request->estride[i];
    if (most == 0) return 0;
    uint32_t elements = (uint32_t)(most + 1) * stride - 1;
    if (i == 0) elements -= elements % inner_step(request);
    *left = elements / stride * one;
    return *left == 0 ? 0 : elements;
}

// Names the factor that can stay largest; where no one is enough, the outermost, which is to become one step.
static void check_limit(struct check *check, const struct request *request, uint64_t bytes)
{
    bool is_tiled = request->mode == TENSORMAP_TILED;
    int index = 0;
    uint64_t best = 0;
    uint32_t nearest = 0;
    if (bytes <= TENSORMAP_MAX_BOX_BYTES) return;
    for (int i = 0; i < factors(request); i++) {
        uint64_t left = 0;
        uint32_t elements = most_elements(request, bytes, i, &left);
        if (elements > 0 && left >= best) index = i, best = left, nearest = elements;
        if (best == 0 && counted(request, i) > 1) index = i, nearest = is_tiled ? request->estride[i] : 1;
    }
    if (is_tiled)
        broken_u64(check, RULE_MAP_BOX_BYTES, "boxDim", index, request->box[index], nearest, nearest);
    else if (index == 0)
        broken_u64(check, RULE_MAP_BOX_BYTES, "channelsPerPixel", -1, request->channels, nearest, nearest);
    else
        broken_u64(check, RULE_MAP_BOX_BYTES, "pixelsPerColumn", -1, request->pixels, nearest, nearest);
}

// The inner row: whole pieces of 16 bytes, within the swizzle's span.
static void check_inner(struct check *check, const struct request *request)
{
    uint32_t element = dtype_row((enum dtype)request->data_type)->size_bytes, step = 16 / element;
    bool is_tiled = request->mode == TENSORMAP_TILED;
    int index = is_tiled ? 0 : -1;
    const char *argument = is_tiled ? "boxDim" : "channelsPerPixel";
    uint64_t count = is_tiled ? request->box[0] : request->channels, inner = count * element;
    if (inner % 16 != 0)
        check_multiple(check, RULE_MAP_INNER_BYTES, argument, index, count,
                       (struct steps){step, step, step, inner_limit(request)});
    if (has_span(request) && inner > tensormap_span_bytes((enum tensormap_swizzle)request->swizzle))
        broken_u64(check, RULE_MAP_SWIZZLE_SPAN, argument, index, count, inner_limit(request), inner_limit(request));
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

// Corners lie in -limit .. limit - 1.
static int64_t corner_limit(int rank)
{
    return rank == 3 ? 32768 : rank == 4 ? 128 : 16;
}

static const char *lower_corner(const struct request *request)
{
    return request->is_wide ? "pixelBoxLowerCornerWidth" : "pixelBoxLowerCorner";
}

static const char *upper_corner(const struct request *request)
{
    return request->is_wide ? "pixelBoxUpperCornerWidth" : "pixelBoxUpperCorner";
}

static void check_corner_range(struct check *check, const struct request *request, const char *argument,
                               const int *corner)
{
    int64_t limit = corner_limit((int)request->rank);
    for (int i = 0; i < (int)request->rank - 2; i++) {
        int64_t nearest = clamp(corner[i], -limit, limit - 1);
        if (corner[i] != nearest)
            broken_i64(check, RULE_MAP_CORNER_RANGE, argument, request->is_wide ? -1 : i, corner[i], nearest, nearest);
    }
}

// The driver adds dimension and upper corner in 32 bits, wrapping, so that huge dimensions behave odd. Where the true
// sum does not fit, the dimension is to blame; else the corner. The wide call has corners for the width alone.
static void check_corner_empty(struct check *check, const struct request *request)
{
    int first_spatial = request->interleave == INTERLEAVE_NONE;
    int64_t limit = corner_limit((int)request->rank);
    for (int i = 0; i < (int)request->rank - 2; i++) {
        uint64_t dim = request->dim[i + first_spatial];
        int64_t lower = request->lower[i], upper = request->upper[i];
        if (dim < 1 || dim > DIM_LIMIT || lower != clamp(lower, -limit, limit - 1) ||
            upper != clamp(upper, -limit, limit - 1) || (int32_t)((uint32_t)dim + (uint32_t)upper) > lower)
            continue;
        uint64_t most = (uint64_t)(INT32_MAX - upper);
        if (dim > most)
            broken_u64(check, RULE_MAP_CORNER_EMPTY, "globalDim", i + first_spatial, dim, most, most);
        else
            broken_i64(check, RULE_MAP_CORNER_EMPTY, upper_corner(request), request->is_wide ? -1 : i, upper, lower,
                       lower - (int64_t)dim + 1);
    }
}

// What only im2col has, in the driver's order: the corners are read once all else has passed.
static void check_im2col(struct check *check, const struct request *request)
{
    if (request->lower == NULL) broken_u64(check, RULE_MAP_NULL_CORNER, "pixelBoxLowerCorner", -1, 0, 0, 0);
    if (request->upper == NULL) broken_u64(check, RULE_MAP_NULL_CORNER, "pixelBoxUpperCorner", -1, 0, 0, 0);
    if (request->channels > TENSORMAP_MAX_BOX)
        broken_u64(check, RULE_MAP_CHANNELS, "channelsPerPixel", -1, request->channels, TENSORMAP_MAX_BOX,
                   inner_limit(request));
    if (request->pixels > TENSORMAP_MAX_PIXELS)
        broken_u64(check, RULE_MAP_PIXELS, "pixelsPerColumn", -1, request->pixels, TENSORMAP_MAX_PIXELS,
                   TENSORMAP_MAX_PIXELS);
    if (request->rank < 3 || request->rank > TENSORMAP_MAX_RANK) return;
    if (request->lower != NULL) check_corner_range(check, request, lower_corner(request), request->lower);
    if (request->upper != NULL) check_corner_range(check, request, upper_corner(request), request->upper);
    if (request->lower != NULL && request->upper != NULL && request->dim != NULL) check_corner_empty(check, request);
}

// Rows that overlap or run backwards: an H200 does not mind.
static void warn_stride_order(struct check *check, const struct request *request)
{
    uint64_t step = request->interleave == INTERLEAVE_NONE ? dtype_row((enum dtype)request->data_type)->size_bytes
                                                           : 16u * request->interleave;
    uint64_t last = STRIDE_LIMIT - alignment(request);
    for (int i = 0; i + 1 < (int)request->rank; i++) {
        unsigned __int128 extent = (unsigned __int128)step * request->dim[i];
        uint64_t nearest = extent > last ? last : ((uint64_t)extent + 15) / 16 * 16;
        step = request->strides[i];
        if (step < extent) broken_u64(check, RULE_MAP_STRIDE_ORDER, "globalStrides", i, step, nearest, nearest);
    }
}

// Is there an inner row to speak of?
static bool has_inner(const struct request *request)
{
    if (request->data_type >= DTYPE_COUNT || request->rank < 1 || request->rank > TENSORMAP_MAX_RANK) return false;
    return request->mode == TENSORMAP_IM2COL || request->box != NULL;
}

// Does everything that the bytes of a box are counted from have a legal value?
static bool is_counted(const struct request *request)
{
    if (request->mode == TENSORMAP_IM2COL)
        return request->channels - 1 < TENSORMAP_MAX_BOX && request->pixels - 1 < TENSORMAP_MAX_PIXELS;
    if (request->estride == NULL) return false;
    for (int i = 0; i < (int)request->rank; i++)
        if (request->estride[i] - 1 >= TENSORMAP_MAX_ESTRIDE || request->box[i] - 1 >= TENSORMAP_MAX_BOX) return false;
    return true;
}

uint64_t tensormap_check(struct check *check, const struct tensormap_image *image, const struct request *request)
{
    check_arrays(check, image, request);
    check_rank(check, request);
    check_enums(check, request);
    check_address(check, request);
    if (request->rank >= 1 && request->rank <= TENSORMAP_MAX_RANK) {
        if (request->strides != NULL) check_strides(check, request);
        check_dims(check, request);
    }
    if (request->mode == TENSORMAP_IM2COL) check_im2col(check, request);
    if (!has_inner(request)) return 0;
    check_inner(check, request);
    if (!is_counted(request)) return 0;
    uint64_t bytes = box_bytes(request);
    check_limit(check, request, bytes);
    return bytes;
}

// The narrower of the two whose span the row keeps to, if it does to any.
static void warn_wide_swizzle(struct check *check, const struct request *request)
{
    struct request narrow = *request;
    narrow.swizzle = SWIZZLE_64B;
    uint32_t nearest = request->channels > inner_limit(&narrow) ? SWIZZLE_128B : SWIZZLE_64B;
    broken_u64(check, RULE_MAP_WIDE_SWIZZLE, "swizzle", -1, request->swizzle, SWIZZLE_64B, nearest);
}

void tensormap_check_warn(struct check *check, const struct tensormap_image *image, const struct request *request)
{
    if ((uintptr_t)image % 64 != 0)
        broken_u64(check, RULE_MAP_OBJECT_ALIGN, "tensorMap", -1, (uintptr_t)image, 64,
                   closest((uintptr_t)image, 64, 64, round_down(UINTPTR_MAX, 64)));
    if (request->interleave == INTERLEAVE_32B && request->swizzle != SWIZZLE_32B)
        broken_u64(check, RULE_MAP_INTERLEAVE_32B_SWIZZLE, "swizzle", -1, request->swizzle, SWIZZLE_32B, SWIZZLE_32B);
    if (request->interleave == INTERLEAVE_NONE && request->estride[0] != 1)
        broken_u64(check, RULE_MAP_INNER_STRIDE, "elementStrides", 0, request->estride[0], 1, 1);
    if (request->is_wide) broken_u64(check, RULE_MAP_WIDE_SM90, "compute capability", -1, 90, 100, 100);
    if (request->is_wide && request->swizzle < SWIZZLE_64B) warn_wide_swizzle(check, request);
    warn_stride_order(check, request);
}

struct request tensormap_request(const struct tensormap *map)
{
    bool is_tiled = map->mode == TENSORMAP_TILED;
    return (struct request){.mode = map->mode,
                            .is_wide = false,
                            .data_type = map->dtype,
                            .rank = (uint32_t)map->rank,
                            .address = map->address,
                            .dim = map->dim,
                            .strides = map->stride + 1,
                            .box = is_tiled ? map->box : NULL,
                            .estride = map->estride,
                            .lower = is_tiled ? NULL : map->lower,
                            .upper = is_tiled ? NULL : map->upper,
                            .channels = is_tiled ? 0 : map->box[0],
                            .pixels = map->pixels,
                            .interleave = map->interleave,
                            .wide_mode = 0,
                            .swizzle = map->swizzle,
                            .l2_promotion = map->l2_promotion,
                            .oob_fill = map->oob_fill};
}

void tensormap_check_replace(struct check *check, const struct tensormap_image *image, uint64_t address)
{
    uint64_t last = TENSORMAP_ADDRESS_LIMIT - 16;
    if (address == 0) broken_u64(check, RULE_REPLACE_ADDRESS_NULL, "globalAddress", -1, 0, 16, 16);
    check_multiple(check, RULE_REPLACE_ADDRESS_ALIGN, "globalAddress", -1, address, (struct steps){16, 16, 16, last});
    if (address >= TENSORMAP_ADDRESS_LIMIT)
        broken_u64(check, RULE_REPLACE_ADDRESS_LIMIT, "globalAddress", -1, address, TENSORMAP_ADDRESS_LIMIT - 1, last);
    if (image == NULL) broken_u64(check, RULE_REPLACE_NULL_MAP, "tensorMap", -1, 0, 0, 0);
}

void tensormap_check_replace_32(struct check *check, uint64_t address)
{
    check_multiple(check, RULE_REPLACE_ADDRESS_ALIGN_32, "globalAddress", -1, address,
                   (struct steps){32, 32, 32, TENSORMAP_ADDRESS_LIMIT - 32});
}
