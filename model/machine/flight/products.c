// SPDX-License-Identifier: MIT
// wgmma: the four warps of a warpgroup issue one product, each its part; it reads its operands and writes D when the
// engine ends it. Fences and groups of each warp.
#include <string.h>

#include "copy_report.h"
#include "flight_item.h"
#include "form_number.h"
#include "number_type.h"
#include "report.h"

enum { OF_D = 0, OF_A = 1, OF_B = 2 };

// --- The instruction -------------------------------------------------------------------------------------------------

static enum wgmma_types types_of(const struct ptx_choice *choice)
{
    const int d = machine_number_format(choice, 0), a = machine_number_format(choice, 1),
              b = machine_number_format(choice, 2);
    enum wgmma_types types = 0;
    for (; types < WGMMA_TYPES_COUNT; types++) {
        const struct wgmma_types_row *row = wgmma_types_row(types);
        if ((int)row->d == d && (int)row->a == a && (int)row->b == b) break;
    }
    return types;
}

// Reads operand after operand, a scalar each, of lane 0 of those that are there.
struct reader {
    const struct machine_strand *strand;
    const struct machine_code *code;
    uint32_t at, lane;
};

static uint64_t next(struct reader *reader)
{
    if (reader->at >= reader->code->operands) return 0;
    return machine_value(reader->strand, &reader->code->operand[reader->at++], reader->lane);
}

static int next_negates(struct reader *reader)
{
    return (int32_t)(uint32_t)next(reader) < 0;
}

// The operands behind D, in the order of the rows: A, B, metadata and selector, scale-d, imm-scale, imm-trans.
static void set_product(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                        struct flight_product *product)
{
    const struct ptx_choice *choice = code->choice;
    struct wgmma *wgmma = &product->wgmma;
    struct reader reader = {strand, code, machine_operand_at(code, OF_A), lane};
    wgmma->types = types_of(choice);
    wgmma->n = choice->shape[1];
    wgmma->satfinite = choice->word[PTX_CLASS_SATFINITE] != 0;
    wgmma->is_sparse = choice->word[PTX_CLASS_SPARSE] != 0;
    wgmma->a_in_registers = code->operand[reader.at].parts == 4;
    product->d_registers = wgmma_d_registers(wgmma->types, wgmma->n);
    if (wgmma->a_in_registers)
        reader.at += 4;
    else
        product->descriptor[0] = next(&reader);
    product->descriptor[1] = next(&reader);
    if (wgmma->is_sparse) {
        reader.at++;
        wgmma->selector = (int)next(&reader);
    }
    product->scale_d = (int)next(&reader);
    if (reader.at >= code->operands) return;
    wgmma->negate[0] = next_negates(&reader);
    wgmma->negate[1] = next_negates(&reader);
    if (reader.at >= code->operands) return;
    if (!wgmma->a_in_registers) wgmma->is_transposed[0] = (int)next(&reader);
    wgmma->is_transposed[1] = (int)next(&reader);
}

// The registers of one warp.
static void join(struct machine_strand *strand, const struct machine_code *code, struct flight_product *product,
                 uint32_t part)
{
    uint32_t a = machine_operand_at(code, OF_A);
    for (int r = 0; r < product->d_registers; r++) {
        product->d[r][part] = machine_lanes(strand, code, (uint32_t)r);
        product->is_apart &= r == 0 || product->d[r][part] > product->d[r - 1][part];
    }
    for (uint32_t r = 0; product->wgmma.a_in_registers && r < 4; r++)
        product->a[part][r] = machine_lanes(strand, code, a + r);
    if (product->wgmma.is_sparse)
        memcpy(product->metadata[part], machine_lanes(strand, code, machine_operand_at(code, OF_B + 1)),
               sizeof product->metadata[part]);
    product->frame[part] = strand->frame;
    product->has[part] = 1;
}

// --- Issue -----------------------------------------------------------------------------------------------------------

// The first product of the warpgroup to which this warp has not come; NULL if it is the first to come to the next.
static struct flight_product *find(const struct machine_warp *first, uint32_t part)
{
    for (struct machine_flight *item = flights_of(first)->first; item != NULL; item = item->next)
        if (item->kind == FLIGHT_PRODUCT && item->warp == first && !((struct flight_product *)item)->has[part])
            return (struct flight_product *)item;
    return NULL;
}

// Is a product under way for which this warp waits until the others have come?
static bool is_held(const struct machine_warp *first, uint32_t part)
{
    for (const struct machine_flight *item = flights_of(first)->first; item != NULL; item = item->next) {
        const struct flight_product *product = (const struct flight_product *)item;
        if (item->kind == FLIGHT_PRODUCT && item->warp == first && product->has[part] && !product->is_released)
            return true;
    }
    return false;
}

static enum rule check(const struct machine_strand *strand, const struct flight_product *product)
{
    static const uint32_t a[WGMMA_THREADS][4], metadata[WGMMA_THREADS];
    const struct machine_cta *cta = strand->warp->cta;
    const struct wgmma_operands operands = {
        .descriptor = {product->descriptor[0], product->descriptor[1]},
        .a = product->wgmma.a_in_registers ? a : NULL,
        .shared = &cta->cluster->memory[cta->rank],
        .scale_d = product->scale_d,
        .metadata = product->wgmma.is_sparse ? metadata : NULL,
    };
    return wgmma_check(&product->wgmma, &operands, NULL);
}

static struct flight_product *start(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                                    struct machine_warp *first)
{
    struct flight_product *product = flight_new(first, FLIGHT_PRODUCT, lanes, sizeof *product);
    if (product == NULL) return NULL;
    *product = (struct flight_product){.head = product->head, .code = code, .is_apart = true};
    product->head.async = ASYNC_WGMMA;
    set_product(strand, code, (uint32_t)__builtin_ctz(lanes), product);
    machine_teller(strand, code, lanes, &product->head.teller);
    product->head.teller.origin.operation = ++flights_of(first)->operations;
    return product;
}

static enum machine_next multiply(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_warp *warp = strand->warp, *first = &warp->cta->warp[warp->index & ~(uint32_t)(FLIGHT_WARPS - 1)];
    uint32_t part = warp->index % FLIGHT_WARPS;
    struct teller room;
    if (!machine_is_converged(strand, lanes)) return MACHINE_WAIT;
    if ((warp->begun & lanes) != 0) {
        if (is_held(first, part)) return MACHINE_WAIT;
        warp->begun &= ~lanes;
        return MACHINE_NEXT;
    }
    struct flight_product *product = find(first, part);
    bool is_new = product == NULL;
    if (is_new) product = start(strand, code, lanes, first);
    if (product == NULL) return machine_stop(strand, code, 0, MACHINE_NO_MEMORY, 0, "not enough memory for a wgmma");
    if (product->code != code)
        return machine_stop(
            strand, code, (uint32_t)__builtin_ctz(lanes), MACHINE_FAULTED, CUDA_LAUNCH_FAILED,
            "The warps of a warpgroup must execute the same wgmma; another warp of it executes another.");
    enum rule rule = is_new ? check(strand, product) : RULE_OK;
    if (rule != RULE_OK) {
        char more[512];
        uint64_t address = wgmma_descriptor_unpack(product->descriptor[1]).start_bytes;
        machine_descriptors_explain(product->descriptor, more, sizeof more);
        flight_free(&product->head);
        return machine_fault(strand, code, (uint32_t)__builtin_ctz(lanes), rule, address, more);
    }
    join(strand, code, product, part);
    const struct teller *teller = machine_teller(strand, code, lanes, &room);
    product->group[part] = async_issue(&flight_warp_of(warp)->products, ASYNC_WGMMA, teller).group;
    machine_progress(strand);
    if (is_new)
        flight_issue(&product->head);
    else
        flight_start(&product->head);
    if (!flight_is_soon(warp) || !is_held(first, part)) return MACHINE_NEXT;
    warp->begun |= lanes;
    return MACHINE_WAIT;
}

// --- Fence and groups ------------------------------------------------------------------------------------------------

static enum machine_next fence(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct teller room;
    const struct event event = {.kind = EVENT_GROUP, .group = {.kind = ASYNC_WGMMA, .step = GROUP_FENCE}};
    if (!machine_is_converged(strand, lanes)) return MACHINE_WAIT;
    if (machine_is_heard(strand)) event_tell(machine_teller(strand, code, lanes, &room), event);
    return MACHINE_NEXT;
}

static enum machine_next commit(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct teller room;
    if (!machine_is_converged(strand, lanes)) return MACHINE_WAIT;
    async_commit(&flight_warp_of(strand->warp)->products, ASYNC_WGMMA, machine_teller(strand, code, lanes, &room));
    return MACHINE_NEXT;
}

static enum machine_next wait_group(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct teller room;
    uint32_t newest = (uint32_t)machine_value(strand, &code->operand[0], (uint32_t)__builtin_ctz(lanes));
    if (!machine_is_converged(strand, lanes)) return MACHINE_WAIT;
    enum machine_next next = flight_wait(strand->warp, lanes, ASYNC_WGMMA, newest, false);
    if (next != MACHINE_NEXT) return next;
    async_wait_group(&flight_warp_of(strand->warp)->products, ASYNC_WGMMA, newest,
                     machine_teller(strand, code, lanes, &room));
    return flight_takes_long(strand->warp);
}

bool machine_products_wait(const struct machine_strand *strand, uint32_t *missing)
{
    const struct machine_warp *warp = strand->warp, *first = &warp->cta->warp[warp->index & ~(FLIGHT_WARPS - 1u)];
    const struct machine_code *code = &strand->frame->function->code[strand->pc];
    if (code->handler != wait_group && code->handler != multiply) return false;
    *missing = 0;
    for (const struct machine_flight *item = flights_of(first)->first; item != NULL; item = item->next) {
        const struct flight_product *product = (const struct flight_product *)item;
        if (item->kind != FLIGHT_PRODUCT || item->warp != first || !product->has[warp->index % FLIGHT_WARPS]) continue;
        for (uint32_t part = 0; part < FLIGHT_WARPS; part++) *missing |= (uint32_t)!product->has[part] << part;
        break;
    }
    return true;
}

machine_handler *machine_products_find(const struct ptx_choice *choice)
{
    switch (choice->form) {
    case PTX_FORM_WGMMA_FENCE:
        return fence;
    case PTX_FORM_WGMMA_COMMIT_GROUP:
        return commit;
    case PTX_FORM_WGMMA_WAIT_GROUP:
        return wait_group;
    default:
        return choice->form >= PTX_FORM_WGMMA_F16 && choice->form <= PTX_FORM_WGMMA_B1_R ? multiply : NULL;
    }
}
