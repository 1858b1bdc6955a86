// SPDX-License-Identifier: MIT
// What a refused encode call should have been. A copy of the call is mended, one argument after the other in the
// driver's order, each beside those mended before it, until the checks accept it: so what the findings propose is legal
// together, and the one proposal of a call with one finding is legal alone.
#include <stddef.h>
#include <string.h>

#include "encode_mend.h"
#include "rules/map.h"

// More than there are arguments; an argument is mended twice at most.
enum { STEPS_MAX = 64 };

// What entries are that the caller does not have: longer than any corner reaches, aligned for every interleave.
enum { FREE_DIM = 1 << 17, FREE_STRIDE = 32 };

// A call that owns its arrays: the pointers of `request` lead to the members below it.
struct call {
    struct request request;
    uint64_t dim[TENSORMAP_MAX_RANK], strides[TENSORMAP_MAX_RANK - 1];
    uint32_t box[TENSORMAP_MAX_RANK], estride[TENSORMAP_MAX_RANK];
    int lower[TENSORMAP_MAX_RANK - 2], upper[TENSORMAP_MAX_RANK - 2];
};

static void copy_entries(struct call *call, const struct request *from, int i)
{
    bool is_given = (uint32_t)i < from->rank, is_corner = i == 0 && from->is_wide;
    uint32_t free_box = i > 0                           ? 1
                        : from->data_type < DTYPE_COUNT ? 16 / dtype_row((enum dtype)from->data_type)->size_bytes
                                                        : 16;
    call->dim[i] = is_given && from->dim != NULL ? from->dim[i] : FREE_DIM;
    call->box[i] = is_given && from->box != NULL ? from->box[i] : free_box;
    call->estride[i] = is_given && from->estride != NULL ? from->estride[i] : 1;
    if (i < TENSORMAP_MAX_RANK - 1)
        call->strides[i] = (uint32_t)i + 1 < from->rank && from->strides != NULL ? from->strides[i] : FREE_STRIDE;
    if (i >= TENSORMAP_MAX_RANK - 2) return;
    is_corner |= (uint32_t)i + 2 < from->rank;
    call->lower[i] = is_corner && from->lower != NULL ? from->lower[i] : 0;
    call->upper[i] = is_corner && from->upper != NULL ? from->upper[i] : 0;
}

static void copy_call(struct call *call, const struct request *from)
{
    call->request = *from;
    for (int i = 0; i < TENSORMAP_MAX_RANK; i++) copy_entries(call, from, i);
    call->request.dim = call->dim;
    call->request.strides = call->strides;
    call->request.box = from->mode == TENSORMAP_TILED ? call->box : NULL;
    call->request.estride = call->estride;
    call->request.lower = from->mode == TENSORMAP_TILED ? NULL : call->lower;
    call->request.upper = from->mode == TENSORMAP_TILED ? NULL : call->upper;
}

// Where an argument lies in a call; `choices` values from `least` on where it is a choice, none of which is nearer than
// another in meaning, and which decides what other arguments may be.
struct field {
    const char *argument;
    size_t offset, bytes;
    uint32_t least, choices;
};

#define SCALAR(argument, member, least, choices)                                                                       \
    {                                                                                                                  \
        argument, offsetof(struct call, request.member), sizeof((struct request *)NULL)->member, least, choices        \
    }
#define ARRAY(argument, member)                                                                                        \
    {                                                                                                                  \
        argument, offsetof(struct call, member), sizeof((struct call *)NULL)->member[0], 0, 0                          \
    }
static const struct field fields[] = {
    SCALAR("tensorDataType", data_type, 0, DTYPE_COUNT),
    SCALAR("tensorRank", rank, 1, TENSORMAP_MAX_RANK),
    SCALAR("interleave", interleave, 0, INTERLEAVE_32B + 1),
    SCALAR("swizzle", swizzle, 0, SWIZZLE_128B + 1),
    SCALAR("oobFill", oob_fill, 0, OOB_FILL_NAN_REQUEST_ZERO_FMA + 1),
    SCALAR("l2Promotion", l2_promotion, 0, 0),
    SCALAR("mode", wide_mode, 0, 0),
    SCALAR("globalAddress", address, 0, 0),
    SCALAR("channelsPerPixel", channels, 0, 0),
    SCALAR("pixelsPerColumn", pixels, 0, 0),
    ARRAY("globalDim", dim),
    ARRAY("globalStrides", strides),
    ARRAY("boxDim", box),
    ARRAY("elementStrides", estride),
    ARRAY("pixelBoxLowerCorner", lower),
    ARRAY("pixelBoxUpperCorner", upper),
    ARRAY("pixelBoxLowerCornerWidth", lower),
    ARRAY("pixelBoxUpperCornerWidth", upper),
};

// The field of a finding, NULL for a pointer.
static const struct field *field_of(const struct finding *finding)
{
    if (finding->rule == RULE_MAP_NULL_POINTER || finding->rule == RULE_MAP_NULL_CORNER) return NULL;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strcmp(fields[i].argument, finding->argument) == 0) return &fields[i];
    return NULL;
}

static char *place_of(struct call *call, const struct field *field, const struct finding *finding)
{
    return (char *)call + field->offset + (finding->index > 0 ? (size_t)finding->index : 0) * field->bytes;
}

static void put(struct call *call, const struct finding *finding, uint64_t value)
{
    const struct field *field = field_of(finding);
    uint32_t word = (uint32_t)value;
    memcpy(place_of(call, field, finding), field->bytes == 8 ? (const void *)&value : &word, field->bytes);
}

static uint64_t get(struct call *call, const struct finding *finding)
{
    const struct field *field = field_of(finding);
    uint64_t value = 0;
    uint32_t word;
    memcpy(field->bytes == 8 ? (void *)&value : &word, place_of(call, field, finding), field->bytes);
    if (field->bytes == 8) return value;
    return finding->is_signed ? (uint64_t)(int64_t)(int32_t)word : word;
}

static bool is_named(const struct findings *findings, const struct finding *finding)
{
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++)
        if (strcmp(findings->item[i].argument, finding->argument) == 0 && findings->item[i].index == finding->index)
            return true;
    return false;
}

static void check_call(const struct call *call, struct findings *found)
{
    static const struct tensormap_image any;
    struct check check = {found, RULE_OK};
    findings_clear(found);
    tensormap_check(&check, &any, &call->request);
}

// Do the rows of the tensor lie one behind the other, in elements of this type?
static bool is_packed(const struct call *call)
{
    const struct request *request = &call->request;
    uint64_t bytes = dtype_row((enum dtype)request->data_type)->size_bytes;
    return request->rank > 1 && request->interleave == INTERLEAVE_NONE && call->strides[0] % bytes == 0 &&
           call->dim[0] == call->strides[0] / bytes;
}

// Types in the order in which they are proposed: plain ones first, and bytes, as which packed types travel, before all.
static const uint32_t types[DTYPE_COUNT] = {
    DTYPE_UINT8,    DTYPE_UINT16, DTYPE_UINT32, DTYPE_UINT64,      DTYPE_FLOAT16,  DTYPE_FLOAT32,     DTYPE_FLOAT64,
    DTYPE_BFLOAT16, DTYPE_INT32,  DTYPE_INT64,  DTYPE_FLOAT32_FTZ, DTYPE_TFLOAT32, DTYPE_TFLOAT32_FTZ};

// Of the values of a choice the one that leaves the least broken; of several the nearest to what was asked, and of
// types one whose rows lie one behind the other.
static void choose(struct call *call, const struct field *field, const struct finding *finding)
{
    bool is_type = field->offset == offsetof(struct call, request.data_type);
    bool is_above = !is_type && finding->value >= field->least + field->choices;
    int least = INT32_MAX;
    uint32_t best = (uint32_t)finding->nearest;
    struct findings found;
    for (uint32_t i = 0; i < field->choices; i++) {
        uint32_t value = is_type ? types[i] : field->least + (is_above ? field->choices - 1 - i : i);
        put(call, finding, value);
        check_call(call, &found);
        if (is_named(&found, finding)) continue; // no rank of this mode, say
        int cost = 2 * found.count + (is_type && finding->rule == RULE_MAP_DATA_TYPE && !is_packed(call));
        if (cost < least) best = value, least = cost;
    }
    put(call, finding, best);
}

void tensormap_mend(struct findings *findings, const struct request *request)
{
    struct call call;
    struct findings found;
    copy_call(&call, request);
    for (int step = 0; step < STEPS_MAX; step++) {
        check_call(&call, &found);
        if (found.count == 0) break;
        const struct finding *first = &found.item[0];
        const struct field *field = field_of(first);
        if (!is_named(findings, first)) finding_add(findings, *first);
        if (field->choices > 0)
            choose(&call, field, first);
        else
            put(&call, first, first->nearest);
    }
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++)
        if (field_of(&findings->item[i]) != NULL) findings->item[i].nearest = get(&call, &findings->item[i]);
}

static void add_besides(struct findings *findings, const struct finding *warning, const struct request *request)
{
    struct call call;
    struct findings found;
    copy_call(&call, request);
    put(&call, warning, warning->nearest);
    check_call(&call, &found);
    tensormap_mend(&found, &call.request);
    for (int i = 0; i < found.count && i < FINDINGS_MAX; i++) {
        found.item[i].rule = warning->rule;
        finding_add(findings, found.item[i]);
    }
}

void tensormap_mend_warnings(struct findings *findings, const struct request *request)
{
    const struct findings warnings = *findings;
    findings_clear(findings);
    for (int i = 0; i < warnings.count && i < FINDINGS_MAX; i++) {
        const struct finding *warning = &warnings.item[i];
        finding_add(findings, *warning);
        if (warning->rule == RULE_MAP_INNER_STRIDE || warning->rule == RULE_MAP_WIDE_SWIZZLE)
            add_besides(findings, warning, request);
    }
}
