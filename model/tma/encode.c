// SPDX-License-Identifier: MIT
// The driver's four tensor-map calls: which arguments an H200's driver accepts, and the map it makes of them. Each
// check below is one MAP_ or REPLACE_ row of rules.def. The bit layout is in bits.h.
#include <stddef.h>
#include <string.h>

#include "tensormap.h"

enum { DRIVER_DATA_TYPES = 16, DRIVER_SWIZZLES = 7, RANK_HUGE = 1 << 16 };
#define ADDRESS_LIMIT ((uint64_t)1 << 57)
#define STRIDE_LIMIT  ((uint64_t)1 << 40)
#define DIM_LIMIT     ((uint64_t)1 << 32)

// The arguments of any of the encode calls. Tiled: box is boxDim. im2col: lower, upper, channels, pixels. Whoever makes
// one names every member: clearing the struct first would cost as much as the checks.
struct request {
    enum tensormap_mode mode;
    int is_wide; // the wide call: corners for the width alone
    uint32_t data_type, rank;
    uint64_t address;
    const uint64_t *dim, *strides;
    const uint32_t *box, *estride;
    const int *lower, *upper;
    uint32_t channels, pixels;
    uint32_t interleave, wide_mode, swizzle, l2_promotion, oob_fill;
};

// Collects what is broken; `first` is the first refusal.
struct check {
    struct findings *findings;
    enum rule first;
};

static void broken(struct check *check, struct finding finding)
{
    if (check->first == RULE_OK && !rule_is_warning(finding.rule)) check->first = finding.rule;
    finding_add(check->findings, finding);
}

static void broken_u64(struct check *check, enum rule rule, const char *argument, int index, uint64_t value,
                       uint64_t limit, uint64_t nearest)
{
    broken(check, (struct finding){rule, argument, index, 0, value, limit, nearest});
}

static void broken_i64(struct check *check, enum rule rule, const char *argument, int index, int64_t value,
                       int64_t limit, int64_t nearest)
{
    broken(check, (struct finding){rule, argument, index, 1, (uint64_t)value, (uint64_t)limit, (uint64_t)nearest});
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

// `value` is a multiple of `multiple`; both are powers of two. What is proposed instead is a multiple of `align`, the
// strictest rule for this value, and below `limit`.
static inline void check_multiple(struct check *check, enum rule rule, const char *argument, int index, uint64_t value,
                                  uint64_t multiple, uint64_t align, uint64_t limit)
{
    if ((value & (multiple - 1)) == 0) return;
    uint64_t up = round_down(value, align) + align;
    broken_u64(check, rule, argument, index, value, multiple, up < limit ? up : round_down(limit - 1, align));
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
    if (rank <= RANK_HUGE) check_range(check, RULE_MAP_RANK, "tensorRank", -1, rank, 1, TENSORMAP_MAX_RANK);
    if (rank < 1 || rank >= 3) return;
    if (request->mode == TENSORMAP_IM2COL) broken_u64(check, RULE_MAP_RANK_IM2COL, "tensorRank", -1, rank, 3, 3);
    if (request->interleave != INTERLEAVE_NONE)
        broken_u64(check, RULE_MAP_RANK_INTERLEAVE, "tensorRank", -1, rank, 3, 3);
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
    int takes_nan = type >= DTYPE_COUNT || dtype_row((enum dtype)type)->is_float;
    if (request->oob_fill > OOB_FILL_NAN_REQUEST_ZERO_FMA)
        broken_u64(check, RULE_MAP_OOB_FILL, "oobFill", -1, request->oob_fill, OOB_FILL_NAN_REQUEST_ZERO_FMA,
                   takes_nan ? OOB_FILL_NAN_REQUEST_ZERO_FMA : OOB_FILL_ZERO);
    if (request->oob_fill == OOB_FILL_NAN_REQUEST_ZERO_FMA && !takes_nan)
        broken_u64(check, RULE_MAP_OOB_FILL_INTEGER, "oobFill", -1, 1, OOB_FILL_ZERO, OOB_FILL_ZERO);
}

static void check_address(struct check *check, const struct request *request)
{
    check_multiple(check, RULE_MAP_ADDRESS_ALIGN, "globalAddress", -1, request->address, 16, alignment(request),
                   ADDRESS_LIMIT);
    if (request->interleave == INTERLEAVE_32B && request->address % 16 == 0)
        check_multiple(check, RULE_MAP_ADDRESS_ALIGN_32, "globalAddress", -1, request->address, 32, 32, ADDRESS_LIMIT);
    if (request->address >= ADDRESS_LIMIT)
        broken_u64(check, RULE_MAP_ADDRESS_LIMIT, "globalAddress", -1, request->address, ADDRESS_LIMIT - 1,
                   round_down(ADDRESS_LIMIT - 1, 32));
}

static void check_strides(struct check *check, const struct request *request)
{
    for (int i = 0; i + 1 < (int)request->rank; i++) {
        uint64_t stride = request->strides[i];
        check_multiple(check, RULE_MAP_STRIDE_ALIGN, "globalStrides", i, stride, 16, alignment(request), STRIDE_LIMIT);
        if (request->interleave == INTERLEAVE_32B && stride % 16 == 0)
            check_multiple(check, RULE_MAP_STRIDE_ALIGN_32, "globalStrides", i, stride, 32, 32, STRIDE_LIMIT);
        if (stride >= STRIDE_LIMIT)
            broken_u64(check, RULE_MAP_STRIDE_LIMIT, "globalStrides", i, stride, STRIDE_LIMIT - 1, STRIDE_LIMIT - 32);
    }
}

// The least inner box: as many elements as make 16 bytes.
static uint32_t inner_step(const struct request *request)
{
    return request->data_type < DTYPE_COUNT ? 16 / dtype_row((enum dtype)request->data_type)->size_bytes : 1;
}

static void check_dims(struct check *check, const struct request *request)
{
    for (int i = 0; i < (int)request->rank; i++) {
        if (request->dim != NULL) check_range(check, RULE_MAP_DIM, "globalDim", i, request->dim[i], 1, DIM_LIMIT);
        if (request->estride != NULL)
            check_range(check, RULE_MAP_ELEMENT_STRIDE, "elementStrides", i, request->estride[i], 1,
                        TENSORMAP_MAX_ESTRIDE);
        if (request->box == NULL) continue;
        if (request->box[i] == 0)
            broken_u64(check, RULE_MAP_BOX_DIM, "boxDim", i, 0, 1, i == 0 ? inner_step(request) : 1);
        check_range(check, RULE_MAP_BOX_DIM, "boxDim", i, request->box[i], 0, TENSORMAP_MAX_BOX);
    }
    if (request->mode == TENSORMAP_TILED) return;
    if (request->channels == 0) broken_u64(check, RULE_MAP_CHANNELS, "channelsPerPixel", -1, 0, 1, inner_step(request));
    if (request->pixels == 0) broken_u64(check, RULE_MAP_PIXELS, "pixelsPerColumn", -1, 0, 1, 1);
}

// The bytes the driver counts for a box: element strides divide with floor, dimension 0 included.
static uint64_t box_bytes(const struct request *request)
{
    uint64_t bytes = dtype_row((enum dtype)request->data_type)->size_bytes;
    if (request->mode == TENSORMAP_IM2COL) return bytes * request->channels * request->pixels;
    for (int i = 0; i < (int)request->rank; i++)
        bytes *= request->estride[i] == 1 ? request->box[i] : request->box[i] / request->estride[i];
    return bytes;
}

// Checks of the inner row and the whole box; what is counted is legal here. Returns the bytes of the box.
static uint64_t check_box_bytes(struct check *check, const struct request *request)
{
    uint32_t element = dtype_row((enum dtype)request->data_type)->size_bytes;
    int is_tiled = request->mode == TENSORMAP_TILED, index = is_tiled ? 0 : -1;
    const char *argument = is_tiled ? "boxDim" : "channelsPerPixel";
    uint64_t count = is_tiled ? request->box[0] : request->channels, inner = count * element,
             bytes = box_bytes(request);
    if (inner % 16 != 0)
        check_multiple(check, RULE_MAP_INNER_BYTES, argument, index, count, 16 / element, 16 / element,
                       TENSORMAP_MAX_BOX + 1);
    uint32_t span =
        request->swizzle <= SWIZZLE_128B ? tensormap_span_bytes((enum tensormap_swizzle)request->swizzle) : 0;
    if (request->interleave == INTERLEAVE_NONE && span != 0 && inner > span)
        broken_u64(check, RULE_MAP_SWIZZLE_SPAN, argument, index, count, span / element, span / element);
    if (bytes > TENSORMAP_MAX_BOX_BYTES)
        broken_u64(check, RULE_MAP_BOX_BYTES, "bytes of the box", -1, bytes, TENSORMAP_MAX_BOX_BYTES,
                   TENSORMAP_MAX_BOX_BYTES);
    return bytes;
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

// The driver adds dimension and upper corner in 32 bits, wrapping, so that huge dimensions behave oddly. The wide call
// has corners for the width alone: elsewhere the dimension is to blame.
static void check_corner_empty(struct check *check, const struct request *request)
{
    int first_spatial = request->interleave == INTERLEAVE_NONE;
    int64_t limit = corner_limit((int)request->rank);
    for (int i = 0; i < (int)request->rank - 2; i++) {
        uint64_t dim = request->dim[i + first_spatial];
        int32_t end = (int32_t)((uint32_t)dim + (uint32_t)request->upper[i]);
        int64_t nearest = clamp((int64_t)request->lower[i] - (int32_t)dim + 1, -limit, limit - 1);
        if (end > request->lower[i]) continue;
        if (request->is_wide && i > 0)
            broken_u64(check, RULE_MAP_CORNER_EMPTY, "globalDim", i + first_spatial, dim, INT32_MAX, INT32_MAX);
        else
            broken_i64(check, RULE_MAP_CORNER_EMPTY, upper_corner(request), request->is_wide ? -1 : i,
                       request->upper[i], request->lower[i], nearest);
    }
}

// What only im2col has, in the driver's order: the corners are read once all else has passed.
static void check_im2col(struct check *check, const struct request *request)
{
    if (request->lower == NULL) broken_u64(check, RULE_MAP_NULL_CORNER, "pixelBoxLowerCorner", -1, 0, 0, 0);
    if (request->upper == NULL) broken_u64(check, RULE_MAP_NULL_CORNER, "pixelBoxUpperCorner", -1, 0, 0, 0);
    if (request->channels > TENSORMAP_MAX_BOX)
        broken_u64(check, RULE_MAP_CHANNELS, "channelsPerPixel", -1, request->channels, TENSORMAP_MAX_BOX,
                   TENSORMAP_MAX_BOX);
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
    for (int i = 0; i + 1 < (int)request->rank; i++) {
        unsigned __int128 extent = (unsigned __int128)step * request->dim[i];
        uint64_t nearest = extent > STRIDE_LIMIT - 32 ? STRIDE_LIMIT - 32 : ((uint64_t)extent + 15) / 16 * 16;
        step = request->strides[i];
        if (step < extent) broken_u64(check, RULE_MAP_STRIDE_ORDER, "globalStrides", i, step, nearest, nearest);
    }
}

// What the documents forbid and an H200 accepts. Only for arguments that are accepted.
static void warn(struct check *check, const struct tensormap_image *image, const struct request *request)
{
    if ((uintptr_t)image % 64 != 0)
        broken_u64(check, RULE_MAP_OBJECT_ALIGN, "tensorMap", -1, (uintptr_t)image, 64,
                   round_down((uintptr_t)image, 64) + 64);
    if (request->interleave == INTERLEAVE_32B && request->swizzle != SWIZZLE_32B)
        broken_u64(check, RULE_MAP_INTERLEAVE_32B_SWIZZLE, "swizzle", -1, request->swizzle, SWIZZLE_32B, SWIZZLE_32B);
    if (request->interleave == INTERLEAVE_NONE && request->estride[0] != 1)
        broken_u64(check, RULE_MAP_INNER_STRIDE, "elementStrides", 0, request->estride[0], 1, 1);
    if (request->is_wide) broken_u64(check, RULE_MAP_WIDE_SM90, "compute capability", -1, 90, 100, 100);
    if (request->is_wide && request->swizzle < SWIZZLE_64B)
        broken_u64(check, RULE_MAP_WIDE_SWIZZLE, "swizzle", -1, request->swizzle, SWIZZLE_64B, SWIZZLE_64B);
    warn_stride_order(check, request);
}

// The fields that packing reads; entries past the rank stay unset.
static void make_map(const struct request *request, uint64_t bytes, struct tensormap *map)
{
    map->mode = request->mode;
    map->rank = (int)request->rank;
    map->dtype = (enum dtype)request->data_type;
    map->interleave = (enum tensormap_interleave)request->interleave;
    map->swizzle = (enum tensormap_swizzle)request->swizzle;
    map->l2_promotion = (enum tensormap_l2_promotion)request->l2_promotion;
    map->oob_fill = (enum tensormap_oob_fill)request->oob_fill;
    map->address = request->address;
    map->pixels = request->pixels;
    map->box_bytes = (uint32_t)bytes;
    map->pattern_bytes = tensormap_pattern_bytes(map->swizzle);
    map->box[0] = request->channels;
    for (int i = 0; i < map->rank; i++) {
        map->dim[i] = request->dim[i];
        map->estride[i] = request->estride[i];
        if (i > 0) map->stride[i] = request->strides[i - 1];
        if (map->mode == TENSORMAP_TILED) map->box[i] = request->box[i];
    }
    for (int i = 0; map->mode == TENSORMAP_IM2COL && i < map->rank - 2; i++) {
        map->lower[i] = request->lower[i];
        map->upper[i] = request->upper[i];
    }
}

// All checks of one encode call, then the map. `check` may hold findings already.
static enum rule encode(struct check *check, struct tensormap_image *image, const struct request *request)
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
    int counted = request->data_type < DTYPE_COUNT && request->rank >= 1 && request->rank <= TENSORMAP_MAX_RANK &&
                  request->estride != NULL && (request->mode == TENSORMAP_IM2COL || request->box != NULL);
    for (int i = 0; counted && request->mode == TENSORMAP_TILED && i < (int)request->rank; i++)
        counted = request->estride[i] != 0;
    uint64_t bytes = counted ? check_box_bytes(check, request) : 0;
    if (check->first != RULE_OK) return check->first;

    if (check->findings != NULL) warn(check, image, request);
    struct tensormap map;
    struct tensormap_image packed;
    make_map(request, bytes, &map);
    tensormap_pack(&map, &packed);
    memcpy((void *)image, &packed, sizeof packed); // the driver takes a map at any address
    return RULE_OK;
}

enum rule tensormap_encode_tiled(struct tensormap_image *image, uint32_t data_type, uint32_t rank, uint64_t address,
                                 const uint64_t *global_dim, const uint64_t *global_strides, const uint32_t *box_dim,
                                 const uint32_t *element_strides, uint32_t interleave, uint32_t swizzle,
                                 uint32_t l2_promotion, uint32_t oob_fill, struct findings *findings)
{
    struct check check = {findings, RULE_OK};
    return encode(&check, image,
                  &(struct request){.mode = TENSORMAP_TILED,
                                    .is_wide = 0,
                                    .data_type = data_type,
                                    .rank = rank,
                                    .address = address,
                                    .dim = global_dim,
                                    .strides = global_strides,
                                    .box = box_dim,
                                    .estride = element_strides,
                                    .lower = NULL,
                                    .upper = NULL,
                                    .channels = 0,
                                    .pixels = 0,
                                    .interleave = interleave,
                                    .wide_mode = 0,
                                    .swizzle = swizzle,
                                    .l2_promotion = l2_promotion,
                                    .oob_fill = oob_fill});
}

enum rule tensormap_encode_im2col(struct tensormap_image *image, uint32_t data_type, uint32_t rank, uint64_t address,
                                  const uint64_t *global_dim, const uint64_t *global_strides,
                                  const int *pixel_box_lower_corner, const int *pixel_box_upper_corner,
                                  uint32_t channels_per_pixel, uint32_t pixels_per_column,
                                  const uint32_t *element_strides, uint32_t interleave, uint32_t swizzle,
                                  uint32_t l2_promotion, uint32_t oob_fill, struct findings *findings)
{
    struct check check = {findings, RULE_OK};
    return encode(&check, image,
                  &(struct request){.mode = TENSORMAP_IM2COL,
                                    .is_wide = 0,
                                    .data_type = data_type,
                                    .rank = rank,
                                    .address = address,
                                    .dim = global_dim,
                                    .strides = global_strides,
                                    .box = NULL,
                                    .estride = element_strides,
                                    .lower = pixel_box_lower_corner,
                                    .upper = pixel_box_upper_corner,
                                    .channels = channels_per_pixel,
                                    .pixels = pixels_per_column,
                                    .interleave = interleave,
                                    .wide_mode = 0,
                                    .swizzle = swizzle,
                                    .l2_promotion = l2_promotion,
                                    .oob_fill = oob_fill});
}

enum rule tensormap_encode_im2col_wide(struct tensormap_image *image, uint32_t data_type, uint32_t rank,
                                       uint64_t address, const uint64_t *global_dim, const uint64_t *global_strides,
                                       int pixel_box_lower_corner_width, int pixel_box_upper_corner_width,
                                       uint32_t channels_per_pixel, uint32_t pixels_per_column,
                                       const uint32_t *element_strides, uint32_t interleave, uint32_t mode,
                                       uint32_t swizzle, uint32_t l2_promotion, uint32_t oob_fill,
                                       struct findings *findings)
{
    struct check check = {findings, RULE_OK};
    const int lower[3] = {pixel_box_lower_corner_width}, upper[3] = {pixel_box_upper_corner_width};
    return encode(&check, image,
                  &(struct request){.mode = TENSORMAP_IM2COL,
                                    .is_wide = 1,
                                    .data_type = data_type,
                                    .rank = rank,
                                    .address = address,
                                    .dim = global_dim,
                                    .strides = global_strides,
                                    .box = NULL,
                                    .estride = element_strides,
                                    .lower = lower,
                                    .upper = upper,
                                    .channels = channels_per_pixel,
                                    .pixels = pixels_per_column,
                                    .interleave = interleave,
                                    .wide_mode = mode,
                                    .swizzle = swizzle,
                                    .l2_promotion = l2_promotion,
                                    .oob_fill = oob_fill});
}

enum rule tensormap_replace_address(struct tensormap_image *image, uint64_t address, struct findings *findings)
{
    struct check check = {findings, RULE_OK};
    if (address == 0) broken_u64(&check, RULE_REPLACE_ADDRESS_NULL, "globalAddress", -1, 0, 16, 16);
    check_multiple(&check, RULE_REPLACE_ADDRESS_ALIGN, "globalAddress", -1, address, 16, 16, ADDRESS_LIMIT);
    if (address >= ADDRESS_LIMIT)
        broken_u64(&check, RULE_REPLACE_ADDRESS_LIMIT, "globalAddress", -1, address, ADDRESS_LIMIT - 1,
                   round_down(ADDRESS_LIMIT - 1, 32));
    if (image == NULL) broken_u64(&check, RULE_REPLACE_NULL_MAP, "tensorMap", -1, 0, 0, 0);
    if (check.first != RULE_OK) return check.first;

    struct tensormap_image packed;
    struct tensormap map;
    memcpy(&packed, (void *)image, sizeof packed);
    if (address % 32 != 0 && tensormap_decode(&packed, &map, NULL) == RULE_OK && map.interleave == INTERLEAVE_32B)
        check_multiple(&check, RULE_REPLACE_ADDRESS_ALIGN_32, "globalAddress", -1, address, 32, 32, ADDRESS_LIMIT);
    packed.word[0] = (packed.word[0] & ~(ADDRESS_LIMIT - 1)) | address;
    memcpy((void *)image, &packed, sizeof packed);
    return RULE_OK;
}
