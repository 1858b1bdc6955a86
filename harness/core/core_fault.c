// SPDX-License-Identifier: MIT
// What the instruction of a fault was about, out of registers. A warp has gone on by some instructions when it stops: a
// register that one of them may have written is not believed.
#include <inttypes.h>
#include <string.h>

#include "core_tell.h"

enum { SHARED_ALIGN = 128, WINDOW = 1 << 24 };

struct reading {
    const struct core_report *report;
    const struct core_strand *strand;
    const struct core_warp *warp;
};

// Has no instruction behind the fault's, up to where the warp stands, written the register? The destination is bits 16
// to 23, and up to `most` registers.
static bool is_intact(const struct reading *reading, uint32_t number, uint32_t most)
{
    const struct core_strand *strand = reading->strand;
    if (strand->offset <= strand->site) return false;
    for (uint64_t at = strand->site + SASS_BYTES; at < strand->offset; at += SASS_BYTES) {
        const struct sass sass = sass_at(&strand->function->code, at);
        if (number >= sass.data && number < (uint32_t)sass.data + most) return false;
        const bool goes_back = sass.kind == SASS_BRANCH && sass.is_guarded && sass.target <= strand->site;
        if (sass.kind == SASS_JUMP || (sass.kind == SASS_BRANCH && !goes_back))
            return false; // it may have come from elsewhere
    }
    return true;
}

static bool uniform(const struct reading *reading, uint32_t number, uint32_t *value)
{
    enum { MOST_UNIFORM = 2 };
    return is_intact(reading, number, MOST_UNIFORM) && core_uniform(reading->warp, number, value);
}

static bool uniform_address(const struct reading *reading, uint32_t number, uint64_t *address)
{
    uint32_t low, high;
    if (!uniform(reading, number, &low) || !uniform(reading, number + 1, &high)) return false;
    *address = (uint64_t)high << 32 | low;
    return true;
}

static void append(struct text *text, const struct text *more)
{
    const size_t used = strlen(text->at);
    if (more->at[0] == '\0' || used + strlen(more->at) + 3 > sizeof text->at) return;
    strcpy(text->at + used, used > 0 ? "; " : "");
    strcat(text->at, more->at);
}

// "its barrier is full = 0x800", and the same of a buffer.
static struct text shared_text(const struct reading *reading, const char *what, uint32_t address)
{
    struct core_strand there = *reading->strand;
    struct text text;
    there.address = address % WINDOW;
    const struct text name = core_barrier_name(reading->report, &there);
    if (strncmp(name.at, "at ", 3) == 0)
        text_set(&text, "%s 0x%x", what, address % WINDOW);
    else
        text_set(&text, "%s %.200s = 0x%x", what, name.at, address % WINDOW);
    return text;
}

// --- Copies ----------------------------------------------------------------------------------------------------------

static void add_target(const struct reading *reading, const struct sass *sass, struct text *text)
{
    uint32_t to, barrier;
    struct text more;
    if (uniform(reading, sass->value, &to)) {
        more = shared_text(reading, "it writes shared memory", to);
        append(text, &more);
        if (sass->kind == SASS_TENSOR_LOAD && to % SHARED_ALIGN != 0) {
            text_set(&more, "that is no multiple of %d: declare the buffer __align__(%d)", SHARED_ALIGN, SHARED_ALIGN);
            append(text, &more);
        }
    }
    if (uniform(reading, sass->value + 1u, &barrier)) {
        more = shared_text(reading, "its mbarrier is", barrier);
        append(text, &more);
    }
}

static void add_map(const struct reading *reading, const struct sass *sass, struct text *text)
{
    uint64_t address;
    struct text more;
    struct core_map map = {0};
    struct findings findings = {0};
    if (!uniform_address(reading, sass->at, &address)) return;
    const uint8_t *bytes = core_global(reading->report->dump, address, TENSORMAP_BYTES);
    if (bytes == NULL) {
        text_set(&more, "its tensor map at 0x%" PRIx64 " is not in the dump", address);
        append(text, &more);
        return;
    }
    memcpy(&map.image, bytes, sizeof map.image);
    const enum rule rule = tensormap_decode(&map.image, &map.map, &findings);
    text_set(&more, "its tensor map at 0x%" PRIx64 ": %.300s", address, core_map_text(&map).at);
    append(text, &more);
    if (rule != RULE_OK) {
        text_set(&more, "no encoder makes such a map (%s)", rule_row(rule)->id);
        append(text, &more);
    }
}

// The rank that the PTX has: cp.async.bulk.tensor.2d. 0 if it is not known.
static int rank_of(const struct core_strand *strand)
{
    static const char before[] = ".tensor.";
    const char *at = memmem(strand->where.instruction.at, strand->where.instruction.length, before, sizeof before - 1);
    const char *rank = at != NULL ? at + sizeof before - 1 : NULL;
    return rank != NULL && rank < strand->where.instruction.at + strand->where.instruction.length && rank[0] >= '1' &&
                   rank[0] <= '5'
               ? rank[0] - '0'
               : 0;
}

// What the maps of the dump say, where it is not known which one the instruction had.
static void add_maps(const struct reading *reading, struct text *text)
{
    const struct core_maps *maps = reading->report->maps;
    const int rank = rank_of(reading->strand);
    struct text more = {""};
    if (maps->maps == 0)
        text_set(&more,
                 "no parameter, no constant and no memory of the dump that a parameter points to is a tensor map "
                 "that the driver would have made");
    else if (maps->maps == 1 && rank != 0 && maps->map[0].map.rank != rank)
        text_set(&more, "the instruction has %d dimensions, the only tensor map of the dump has %d", rank,
                 maps->map[0].map.rank);
    append(text, &more);
}

static void add_source(const struct reading *reading, const struct sass *sass, struct text *text)
{
    uint64_t address;
    struct text more;
    if (!uniform_address(reading, sass->at, &address)) return;
    text_set(&more, "it reads global memory 0x%" PRIx64, address);
    append(text, &more);
}

// --- Barriers --------------------------------------------------------------------------------------------------------

static void add_barrier(const struct reading *reading, const struct sass *sass, struct text *text)
{
    enum { RZ = 255, URZ = 63, MOST_WRITTEN = 4 };
    const struct core_strand *strand = reading->strand;
    const struct core_lane *lane = &reading->warp->lane[__builtin_ctz(strand->lanes)];
    const struct core_cta *cta = core_strand_cta(reading->report->state, strand);
    uint32_t base = 0, added = 0;
    uint64_t word;
    struct text more;
    if (sass->at != RZ && !is_intact(reading, sass->at, MOST_WRITTEN)) return;
    if (!core_register(lane, sass->at, &base)) return;
    if (sass->uniform != URZ && !uniform(reading, sass->uniform, &added)) return;
    const uint32_t address = base + added + (uint32_t)sass->offset;
    more = shared_text(reading, "it arrives at mbarrier", address);
    append(text, &more);
    const uint8_t *at = core_bytes_at(&cta->shared, address % WINDOW, sizeof word);
    if (at == NULL || (address >= WINDOW && address / WINDOW != core_cta_rank(cta))) return;
    memcpy(&word, at, sizeof word);
    const struct mbarrier_fields now = mbarrier_unpack(word);
    text_set(&more, "%u of its %u arrivals %s missing%s", now.pending, now.expected, now.pending == 1 ? "is" : "are",
             now.error ? ", and its error bit is set" : "");
    append(text, &more);
}

// --- The mistake -----------------------------------------------------------------------------------------------------

enum exception {
    ILLEGAL_INSTRUCTION = 4,
    OUT_OF_RANGE = 5,
    MISALIGNED = 6,
    ILLEGAL_ADDRESS = 14,
    CLUSTER_RANGE = 17,
    NOT_PRESENT = 18
};

static const struct {
    enum sass_kind kind;
    uint32_t exception;
    const char *likely;
} causes[] = {
    {SASS_TENSOR_LOAD, MISALIGNED,
     "the shared address of a tensor copy must be a multiple of 128, that of its mbarrier of 8, and the tensor map of "
     "64. Declare the buffer __align__(128)."},
    {SASS_TENSOR_LOAD, ILLEGAL_INSTRUCTION,
     "the tensor map is no map (zeros, freed, never encoded), it is of another rank or mode than the instruction, or "
     "coordinate 0 times the size of an element is no multiple of 16."},
    {SASS_TENSOR_LOAD, OUT_OF_RANGE, "the box does not fit into the shared memory of the CTA."},
    {SASS_TENSOR_LOAD, ILLEGAL_ADDRESS, "the tensor, or its map, is in memory that is not allocated, or was freed."},
    {SASS_BULK_LOAD, ILLEGAL_ADDRESS, "the source is not allocated, or was freed. Check its end, not only its start."},
    {SASS_TENSOR_STORE, MISALIGNED,
     "the shared address of a tensor copy must be a multiple of 128, and the tensor map of 64. Declare the buffer "
     "__align__(128)."},
    {SASS_TENSOR_STORE, ILLEGAL_INSTRUCTION,
     "the tensor map is no map (zeros, freed, never encoded), it is of another rank or mode than the instruction, a "
     "coordinate is negative, or coordinate 0 times the size of an element is no multiple of 16."},
    {SASS_TENSOR_STORE, ILLEGAL_ADDRESS, "the tensor, or its map, is in memory that is not allocated, or was freed."},
    {SASS_BULK_STORE, ILLEGAL_ADDRESS,
     "the destination is not allocated, or was freed. Check its end, not only its start."},
    {SASS_BULK_STORE, MISALIGNED, "addresses of a bulk copy must be multiples of 16."},
    {SASS_BULK_LOAD, MISALIGNED, "addresses of a bulk copy must be multiples of 16, and that of its mbarrier of 8."},
    {SASS_ARRIVE, ILLEGAL_INSTRUCTION,
     "more arrivals came than were missing, or bytes beyond the limit of 1048575: those of all lanes of a warp count "
     "together. The wait before it may be missing, or may have had the parity of another phase."},
    {SASS_WAIT, ILLEGAL_INSTRUCTION,
     "the mbarrier has its error bit set: an arrival of another CTA, or a copy, broke a limit before."},
    {SASS_LOCAL, OUT_OF_RANGE,
     "the stack is full: is there a recursion without an end? cuCtxSetLimit(CU_LIMIT_STACK_SIZE) makes it larger."},
};

struct text core_fault_likely(const struct core_strand *strand)
{
    const struct sass sass = sass_at(&strand->function->code, strand->site);
    struct text text = {""};
    if (strand->exception == CLUSTER_RANGE || strand->exception == NOT_PRESENT)
        text_set(&text, "the CTA of the cluster that it addresses has exited, or its address is past the end of that "
                        "CTA's shared memory. End the kernel with barrier.cluster in all CTAs. Such a fault has no "
                        "place: the line is that of the last operation before it that may reach another CTA.");
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        if (causes[i].kind == sass.kind && causes[i].exception == strand->exception)
            text_set(&text, "%s", causes[i].likely);
    return text;
}

struct text core_fault_text(const struct core_report *report, const struct core_strand *strand)
{
    const struct reading reading = {report, strand, &report->dump->warp[strand->warp]};
    const struct sass sass = sass_at(&strand->function->code, strand->site);
    const struct core_sm *sm = &report->dump->sm[core_strand_cta(report->state, strand)->sm];
    struct text text = {""}, more;
    if (sass.kind == SASS_TENSOR_LOAD || sass.kind == SASS_BULK_LOAD) add_target(&reading, &sass, &text);
    if (sass.kind == SASS_TENSOR_LOAD) add_map(&reading, &sass, &text);
    if (sass.kind == SASS_TENSOR_LOAD) add_maps(&reading, &text);
    if (sass.kind == SASS_BULK_LOAD) add_source(&reading, &sass, &text);
    if (sass.kind == SASS_ARRIVE) add_barrier(&reading, &sass, &text);
    if (sm->has_target) {
        text_set(&more, "the CTA that it addressed is (%u,%u,%u)", sm->target[0], sm->target[1], sm->target[2]);
        append(&text, &more);
    }
    return text;
}
