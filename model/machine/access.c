// SPDX-License-Identifier: MIT
// Loads and stores. Lanes side by side in memory are copied as one; all others one by one.
#include <string.h>

#include "handler.h"

enum { MOST_PARTS = 8 };

// The instruction, as its operands and words say it.
struct transfer {
    const struct machine_operand *data, *at;
    uint32_t parts, bytes, whole_bytes; // bytes: of a part
    enum ptx_word space;
    enum memory_use use;
    int is_signed;
};

static int is_store(const struct ptx_choice *choice)
{
    return choice->form >= PTX_FORM_ST && choice->form <= PTX_FORM_ST_MMIO;
}

static struct transfer transfer_of(const struct machine_code *code)
{
    const struct ptx_choice *choice = code->choice;
    const struct ptx_type_row *type = ptx_type_row((enum ptx_type)choice->type[0]);
    int stores = is_store(choice);
    struct transfer transfer = {.data = &code->operand[stores ? 1 : 0],
                                .use = stores ? MEMORY_WRITES : MEMORY_READS,
                                .space = (enum ptx_word)(choice->spaces > 0 ? choice->space[0] : PTX_WORD_NONE),
                                .bytes = type->bits / 8,
                                .is_signed = type->kind == PTX_KIND_SIGNED};
    transfer.parts = transfer.data->parts;
    transfer.at = stores ? &code->operand[0] : &code->operand[transfer.parts];
    transfer.whole_bytes = transfer.bytes * transfer.parts;
    return transfer;
}

// --- One lane --------------------------------------------------------------------------------------------------------

static uint64_t read_value(const uint8_t *at, uint32_t bytes, int is_signed)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes);
    if (!is_signed || bytes >= 8) return value;
    uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    return (value ^ sign) - sign;
}

static void load_lane(const struct machine_strand *strand, const struct transfer *transfer, const uint8_t *at,
                      uint32_t lane)
{
    for (uint32_t i = 0; i < transfer->parts; i++, at += transfer->bytes) {
        const struct machine_operand *to = &transfer->data[i];
        if (transfer->bytes == 16)
            memcpy((struct machine_wide *)machine_slot(strand, to->slot) + lane, at, 16);
        else
            machine_set_value(strand, to, lane, read_value(at, transfer->bytes, transfer->is_signed));
    }
}

static void store_lane(const struct machine_strand *strand, const struct transfer *transfer, uint8_t *at, uint32_t lane)
{
    for (uint32_t i = 0; i < transfer->parts; i++, at += transfer->bytes) {
        const struct machine_operand *from = &transfer->data[i];
        uint64_t value = transfer->bytes == 16 ? 0 : machine_value(strand, from, lane);
        if (transfer->bytes == 16)
            memcpy(at, (struct machine_wide *)machine_slot(strand, from->slot) + lane, 16);
        else
            memcpy(at, &value, transfer->bytes);
    }
}

static enum machine_next each_lane(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                                   const struct transfer *transfer, const uint64_t address[MACHINE_LANES])
{
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        enum rule rule;
        if (!(lanes >> lane & 1)) continue;
        struct machine_place place = machine_place(strand, transfer->space, address[lane]);
        uint8_t *at = machine_at(strand, place, lane, transfer->whole_bytes, transfer->use, &rule);
        if (at == NULL) return machine_fault_at(strand, code, lane, rule, place, transfer->whole_bytes);
        if (transfer->use == MEMORY_WRITES)
            store_lane(strand, transfer, at, lane);
        else
            load_lane(strand, transfer, at, lane);
    }
    return MACHINE_NEXT;
}

// --- Lanes side by side ----------------------------------------------------------------------------------------------

#define SPREAD(name, T)                                                                                                \
    static void load_##name(const struct machine_strand *strand, const struct transfer *transfer, const uint8_t *at)   \
    {                                                                                                                  \
        for (uint32_t i = 0; i < transfer->parts; i++) {                                                               \
            T *to = machine_slot(strand, transfer->data[i].slot);                                                      \
            for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)                                                      \
                memcpy(&to[lane], at + (lane * transfer->parts + i) * sizeof(T), sizeof(T));                           \
        }                                                                                                              \
    }                                                                                                                  \
    static void store_##name(const struct machine_strand *strand, const struct transfer *transfer, uint8_t *at)        \
    {                                                                                                                  \
        for (uint32_t i = 0; i < transfer->parts; i++) {                                                               \
            const T *from = machine_slot(strand, transfer->data[i].slot);                                              \
            for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)                                                      \
                memcpy(at + (lane * transfer->parts + i) * sizeof(T), &from[lane], sizeof(T));                         \
        }                                                                                                              \
    }
SPREAD(16, uint16_t)
SPREAD(32, uint32_t)
SPREAD(64, uint64_t)
SPREAD(128, struct machine_wide)

// All 32 lanes at once, from or to the bytes at `at`.
static void all_lanes(const struct machine_strand *strand, const struct transfer *transfer, uint8_t *at)
{
    typedef void loader(const struct machine_strand *, const struct transfer *, const uint8_t *);
    typedef void storer(const struct machine_strand *, const struct transfer *, uint8_t *);
    static loader *const loaders[PTX_FILES] = {NULL, load_16, load_32, load_64, load_128};
    static storer *const storers[PTX_FILES] = {NULL, store_16, store_32, store_64, store_128};
    void *slot = machine_slot(strand, transfer->data->slot);
    if (transfer->parts > 1 && transfer->use == MEMORY_READS)
        loaders[transfer->data->file](strand, transfer, at);
    else if (transfer->parts > 1)
        storers[transfer->data->file](strand, transfer, at);
    else if (transfer->use == MEMORY_READS)
        memcpy(slot, at, MACHINE_LANES * (size_t)transfer->bytes);
    else
        memcpy(at, slot, MACHINE_LANES * (size_t)transfer->bytes);
}

// Are the registers exactly as wide as what is moved? Then bits are copied as they are.
static int is_plain(const struct transfer *transfer)
{
    static const uint32_t lane_bytes[PTX_FILES + 1] = {0, 2, 4, 8, 16, 0};
    for (uint32_t i = 0; i < transfer->parts; i++)
        if (lane_bytes[transfer->data[i].file] != transfer->bytes) return 0;
    return 1;
}

static int is_row(const uint64_t address[MACHINE_LANES], uint64_t bytes)
{
    uint64_t difference = 0;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) difference |= address[lane] - address[0] - lane * bytes;
    return difference == 0;
}

// Where the 32 pieces that lie side by side are, if they all are in global or in the CTA's own shared memory.
static uint8_t *row_at(const struct machine_strand *strand, const struct transfer *transfer, uint64_t address)
{
    const struct machine_cta *cta = strand->warp->cta;
    struct machine_place place = machine_place(strand, transfer->space, address);
    uint64_t bytes = (uint64_t)transfer->whole_bytes * MACHINE_LANES;
    if (address % transfer->whole_bytes != 0) return NULL;
    if (place.space == PTX_SHARED_CLUSTER && place.address >> SHARED_RANK_SHIFT == cta->rank)
        place = (struct machine_place){PTX_SHARED, place.address % SHARED_WINDOW_BYTES};
    if (place.space == PTX_SHARED) return memory_at(&cta->cluster->memory[cta->rank], place.address, bytes);
    if (place.space != PTX_GLOBAL) return NULL;
    const struct region **hit = &strand->warp->hit[strand->pc % MACHINE_HITS];
    const struct region *region = region_find(&cta->cluster->machine->global, *hit, place.address);
    if (region != NULL) *hit = region;
    return region_at(region, place.address, bytes, transfer->use);
}

// --- The instructions ------------------------------------------------------------------------------------------------

static enum machine_next run_transfer(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct transfer transfer = transfer_of(code);
    uint64_t address[MACHINE_LANES];
    machine_addresses(strand, transfer.at, address);
    if (transfer.use == MEMORY_WRITES) machine_progress(strand);
    if (machine_is_heard(strand))
        machine_tell_access(strand, code, lanes, transfer.use == MEMORY_READS ? ACCESS_READ : ACCESS_WRITE, address,
                            transfer.whole_bytes);
    if (lanes == UINT32_MAX && is_row(address, transfer.whole_bytes) && is_plain(&transfer)) {
        uint8_t *at = row_at(strand, &transfer, address[0]);
        if (at != NULL) {
            all_lanes(strand, &transfer, at);
            return MACHINE_NEXT;
        }
    }
    return each_lane(strand, code, lanes, &transfer, address);
}

machine_handler *machine_access_find(const struct ptx_choice *choice)
{
    int is_load = choice->form >= PTX_FORM_LD && choice->form <= PTX_FORM_LDU;
    return is_load || is_store(choice) ? run_transfer : NULL;
}
