// SPDX-License-Identifier: MIT
#include "sanitize_layout.h"

#include <stdlib.h>
#include <string.h>

#include "descriptor.h"
#include "each.h"
#include "operation_part.h"
#include "sanitize_table.h"
#include "swizzle_names.h"

enum { LINE_BYTES = 128, LINES = (1 << 18) / LINE_BYTES, SWIZZLES = SWIZZLE_128B + 1, FEWEST_LANES = 8 };

// copy: 1 and the swizzle of the tensor load that laid the line; 0: threads have, or nobody. against: bit s says that
// the addresses of the lanes that wrote it are regular, and would not be if it were laid with swizzle s.
struct line {
    uint8_t copy, against, warp, lane;
    uint32_t line;
};

struct cta {
    struct sanitize_item item;
    struct line line[LINES];
};

// What the instruction of now accesses: of each lane the first byte, in their order.
struct lanes {
    uint32_t count, writes;
    uint64_t address[MACHINE_LANES];
    struct event_origin who;
};

struct sanitize_layouts {
    void *context;
    void (*found)(void *context, struct sanitize_finding *finding);
    struct sanitize_table ctas;
    struct lanes now;
};

static void free_nothing(struct sanitize_item *item)
{
    (void)item;
}

static struct cta *cta_of(struct sanitize_layouts *layouts, uint64_t number)
{
    return sanitize_table_make(sanitize_table_find(&layouts->ctas, number, 0), number, 0, sizeof(struct cta));
}

static struct line *line_at(struct cta *cta, uint64_t address)
{
    return address / LINE_BYTES < LINES ? &cta->line[address / LINE_BYTES] : NULL;
}

// By which chunk of 16 bytes the swizzle moves those of the line at `address`.
static uint64_t moved(uint32_t swizzle, uint64_t address)
{
    static const uint64_t mask[SWIZZLES] = {0, 0x10, 0x30, 0x70};
    return address >> 3 & mask[swizzle];
}

// --- The lanes of a warp ---------------------------------------------------------------------------------------------

// Do the addresses rise by one step, or by two: within groups of lanes, and from one group to the next? Where they lie
// without the swizzle.
static bool is_regular(const struct lanes *lanes, uint32_t swizzle)
{
    uint64_t at[MACHINE_LANES];
    uint32_t group = 1;
    for (uint32_t i = 0; i < lanes->count; i++) at[i] = lanes->address[i] ^ moved(swizzle, lanes->address[i]);
    while (group < lanes->count && at[group] - at[group - 1] == at[1] - at[0]) group++;
    for (uint32_t i = group; i < lanes->count; i++)
        if (at[i] - at[i - group] != at[group] - at[0]) return false;
    return true;
}

// Bit s: the lanes access the lines as if there were no swizzle s.
static uint8_t against(const struct lanes *lanes)
{
    uint8_t swizzles = 0;
    if (lanes->count < FEWEST_LANES || !is_regular(lanes, SWIZZLE_NONE)) return 0;
    for (uint32_t swizzle = SWIZZLE_32B; swizzle < SWIZZLES; swizzle++)
        if (!is_regular(lanes, swizzle)) swizzles |= (uint8_t)(1u << swizzle);
    return swizzles;
}

// --- Who reads it otherwise ------------------------------------------------------------------------------------------

static struct sanitize_side side_of(const struct event_origin *who)
{
    return (struct sanitize_side){.line = who->line,
                                  .rank = who->rank,
                                  .warp = who->warp,
                                  .lane = who->lanes != 0 ? (uint32_t)__builtin_ctz(who->lanes) : 0,
                                  .cta = who->cta};
}

static void tell(const struct sanitize_layouts *layouts, enum sanitize_kind kind, const struct sanitize_side *reader,
                 const struct line *line, uint64_t address)
{
    struct sanitize_finding finding = {.kind = kind,
                                       .space = SPACE_SHARED,
                                       .cta = reader->cta,
                                       .address = address,
                                       .bytes = LINE_BYTES,
                                       .older = *reader,
                                       .newer = *reader};
    finding.older.line = line->line;
    finding.older.warp = line->warp;
    finding.older.lane = line->lane;
    finding.older.is_product = false;
    finding.older.is_operation = line->copy != 0;
    finding.older.flags = SHADOW_WRITES | (line->copy != 0 ? SHADOW_ASYNC : 0);
    finding.newer.flags = reader->is_operation || reader->is_product ? SHADOW_ASYNC : 0;
    layouts->found(layouts->context, &finding);
}

bool sanitize_layouts_product(struct sanitize_layouts *layouts, const struct flight_product *product)
{
    struct sanitize_side reader = side_of(&product->head.teller.origin);
    struct cta *cta = cta_of(layouts, reader.cta);
    reader.is_product = true;
    reader.warp = reader.warp / FLIGHT_WARPS * FLIGHT_WARPS;
    for (int operand = product->wgmma.a_in_registers ? 1 : 0; cta != NULL && operand < 2; operand++) {
        const struct wgmma_descriptor descriptor = wgmma_descriptor_unpack(product->descriptor[operand]);
        const struct line *line = line_at(cta, descriptor.start_bytes);
        const uint32_t swizzle = swizzle_of_wgmma(descriptor.swizzle);
        if (line != NULL && line->copy != 0 && line->copy != swizzle + 1)
            tell(layouts, SANITIZE_LAYOUT, &reader, line, descriptor.start_bytes);
    }
    return cta != NULL;
}

static bool is_tensor(const struct operation *operation)
{
    return operation->kind <= OPERATION_TENSOR_REDUCE && operation->map.interleave == INTERLEAVE_NONE;
}

// One line tells of the store: the first that its swizzle moves otherwise than it was laid.
static void check_store(const struct sanitize_layouts *layouts, struct cta *cta, struct flight *flight)
{
    const uint32_t swizzle = flight->operation.map.swizzle;
    const uint64_t begin = operation_place(flight->operation.shared), end = begin + flight_reach_bytes(flight);
    struct sanitize_side reader = side_of(&flight->teller.origin);
    reader.is_operation = true;
    for (uint64_t at = begin / LINE_BYTES * LINE_BYTES; at < end; at += LINE_BYTES) {
        const struct line *line = line_at(cta, at);
        if (line == NULL) return;
        const bool differs = line->copy != 0 && moved(line->copy - 1u, at) != moved(swizzle, at);
        if (!differs && !(line->against >> swizzle & 1)) continue;
        tell(layouts, differs ? SANITIZE_LAYOUT : SANITIZE_LINEAR, &reader, line, at);
        return;
    }
}

static void lay(struct cta *cta, const struct flight *flight)
{
    const struct operation *operation = &flight->operation;
    const struct event_origin *who = &flight->teller.origin;
    const struct line line = {.copy = (uint8_t)(operation->map.swizzle + 1),
                              .warp = (uint8_t)who->warp,
                              .lane = (uint8_t)side_of(who).lane,
                              .line = who->line};
    const uint64_t begin = operation_place(operation->shared);
    for (uint64_t at = begin; at < begin + flight->all_bytes; at += LINE_BYTES)
        if (line_at(cta, at) != NULL) *line_at(cta, at) = line;
}

bool sanitize_layouts_issue(struct sanitize_layouts *layouts, const struct flight *flight,
                            const struct machine_cluster *cluster)
{
    if (!is_tensor(&flight->operation)) return true;
    if (flight->operation.kind != OPERATION_TENSOR_LOAD) {
        struct cta *cta = cta_of(layouts, flight->teller.origin.cta);
        struct flight own = *flight;
        if (cta != NULL) check_store(layouts, cta, &own);
        return cta != NULL;
    }
    for (EACH_BIT(rank, flight->targets)) {
        struct cta *cta = rank < cluster->ctas ? cta_of(layouts, cluster->cta[rank].number) : NULL;
        if (cta == NULL) return false;
        lay(cta, flight);
    }
    return true;
}

// --- Threads and other copies ----------------------------------------------------------------------------------------

void sanitize_layouts_forget(struct sanitize_layouts *layouts, uint64_t number, uint64_t address, uint64_t bytes)
{
    struct cta *cta = (struct cta *)*sanitize_table_find(&layouts->ctas, number, 0);
    for (uint64_t at = address; cta != NULL && at < address + bytes; at += LINE_BYTES - at % LINE_BYTES)
        if (line_at(cta, at) != NULL) line_at(cta, at)->copy = line_at(cta, at)->against = 0;
}

void sanitize_layouts_hear(struct sanitize_layouts *layouts, const struct event *event)
{
    const struct access *access = &event->access;
    const struct event_origin *who = event->origin;
    struct lanes *now = &layouts->now;
    if (event->kind == EVENT_RUN && event->run == RUN_CTA_EXIT)
        sanitize_table_drop(sanitize_table_find(&layouts->ctas, who->cta, 0), free_nothing);
    if (event->kind != EVENT_ACCESS || access->space != SPACE_SHARED || who->operation != 0 || who->lanes == 0 ||
        access->rank != who->rank || access->order != ORDER_WEAK || access->proxy != PROXY_GENERIC)
        return;
    if (now->count > 0 && ((now->who.lanes & who->lanes) || now->writes != (access->kind != ACCESS_READ))) return;
    const uint64_t step = access->each < access->bytes ? access->each : 0; // from lane to lane
    const uint32_t lanes = (now->count > 0 ? now->who.lanes : 0) | who->lanes;
    uint64_t at = access->address;
    for (uint32_t left = who->lanes; left != 0 && now->count < MACHINE_LANES; left &= left - 1, at += step)
        now->address[now->count++] = at;
    now->writes = access->kind != ACCESS_READ;
    now->who = *who;
    now->who.lanes = lanes;
}

static void write_lines(struct cta *cta, const struct lanes *now, uint8_t swizzles)
{
    for (uint32_t i = 0; i < now->count; i++) {
        struct line *line = line_at(cta, now->address[i]);
        if (line == NULL) continue;
        *line = (struct line){.against = swizzles, .warp = (uint8_t)now->who.warp, .line = now->who.line};
        line->lane = (uint8_t)__builtin_ctz(now->who.lanes);
    }
}

static void read_lines(const struct sanitize_layouts *layouts, struct cta *cta, const struct lanes *now,
                       uint8_t swizzles)
{
    const struct sanitize_side reader = side_of(&now->who);
    for (uint32_t i = 0; i < now->count; i++) {
        const struct line *line = line_at(cta, now->address[i]);
        if (line == NULL || line->copy == 0 || !(swizzles >> (line->copy - 1) & 1)) continue;
        tell(layouts, SANITIZE_LINEAR, &reader, line, now->address[i]);
        return;
    }
}

bool sanitize_layouts_settle(struct sanitize_layouts *layouts)
{
    struct lanes *now = &layouts->now;
    if (now->count == 0) return true;
    const uint8_t swizzles = against(now);
    struct cta *cta = now->writes ? cta_of(layouts, now->who.cta)
                                  : (struct cta *)*sanitize_table_find(&layouts->ctas, now->who.cta, 0);
    if (cta != NULL && now->writes) write_lines(cta, now, swizzles);
    if (cta != NULL && !now->writes && swizzles != 0) read_lines(layouts, cta, now, swizzles);
    const bool is_short = cta == NULL && now->writes;
    now->count = 0;
    return !is_short;
}

// --- Open and close --------------------------------------------------------------------------------------------------

struct sanitize_layouts *sanitize_layouts_open(void *context,
                                               void (*found)(void *context, struct sanitize_finding *finding))
{
    struct sanitize_layouts *layouts = calloc(1, sizeof *layouts);
    if (layouts != NULL) *layouts = (struct sanitize_layouts){.context = context, .found = found};
    return layouts;
}

void sanitize_layouts_close(struct sanitize_layouts *layouts)
{
    sanitize_table_clear(&layouts->ctas, free_nothing);
    free(layouts);
}
