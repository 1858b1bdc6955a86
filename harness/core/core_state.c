// SPDX-License-Identifier: MIT
// The pc of a warp that waits for an mbarrier is the instruction behind the SYNCS that tests it, since the warp stands
// where the answer is used; at bar.sync it is the one behind, at barrier.cluster.wait the wait itself (22 dumps of an
// H200). ptxas moves retry loops behind the end of the kernel, where lines may be another's: such a loop is only
// entered by a branch behind the first try, which is at home.
#include "core_state.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "core_root.h"

enum { LONGEST_RETRY = 16, LONGEST_POLL = 32, LONGEST_TRY = 32, MOST_NEAR = 64 };

const struct core_cta *core_strand_cta(const struct core_state *state, const struct core_strand *strand)
{
    return &state->dump->cta[state->dump->warp[strand->warp].cta];
}

const struct core_kernel *core_kernel_of(const struct core_state *state, const struct core_cta *cta)
{
    return cta->grid < state->kernels && state->kernel[cta->grid].function != NULL ? &state->kernel[cta->grid] : NULL;
}

uint32_t core_strand_warp(const struct core_state *state, const struct core_strand *strand)
{
    const struct core_cta *cta = core_strand_cta(state, strand);
    const struct core_lane *lane = &state->dump->warp[strand->warp].lane[__builtin_ctz(strand->lanes)];
    if (cta->grid >= state->dump->grids) return strand->warp - cta->warp;
    const uint32_t *block = state->dump->grid[cta->grid].block;
    return (lane->thread[0] + block[0] * (lane->thread[1] + block[1] * lane->thread[2])) / CORE_LANES;
}

uint32_t core_cta_rank(const struct core_cta *cta)
{
    uint32_t in[3];
    for (int i = 0; i < 3; i++) in[i] = cta->block[i] - cta->cluster[i] * cta->cluster_dim[i];
    return in[0] + cta->cluster_dim[0] * (in[1] + cta->cluster_dim[1] * in[2]);
}

// --- Where it waits --------------------------------------------------------------------------------------------------

struct loop {
    uint64_t first, last; // instructions; first > last: there is none
};

// The shortest loop around an instruction of at most `most` instructions: from the target of a branch behind it to that
// branch.
static struct loop loop_around(const struct core_function *function, uint64_t offset, uint64_t most)
{
    struct loop best = {1, 0};
    for (uint64_t at = offset; at < offset + most * SASS_BYTES; at += SASS_BYTES) {
        const struct sass sass = sass_at(&function->code, at);
        if (sass.kind != SASS_BRANCH || sass.target > offset || at - sass.target > most * SASS_BYTES) continue;
        if (best.first > best.last || at - sass.target < best.last - best.first) best = (struct loop){sass.target, at};
    }
    return best;
}

static bool find_in(const struct core_function *function, struct loop loop, enum sass_kind kind, uint64_t *site)
{
    for (uint64_t at = loop.first; at <= loop.last; at += SASS_BYTES)
        if (sass_at(&function->code, at).kind == kind) {
            *site = at;
            return true;
        }
    return false;
}

static bool is_same_wait(const struct sass *one, const struct sass *other)
{
    return one->kind == other->kind && one->at == other->at && one->uniform == other->uniform &&
           one->offset == other->offset;
}

// The first try before the branch at `from`: the same wait, a little before it.
static bool first_try(const struct core_function *function, uint64_t from, const struct sass *wait, uint64_t *home)
{
    for (uint64_t at = from; at >= SASS_BYTES && from - at < LONGEST_TRY * SASS_BYTES;) {
        at -= SASS_BYTES;
        const struct sass sass = sass_at(&function->code, at);
        if (sass.kind == SASS_WAIT) {
            *home = at;
            return is_same_wait(&sass, wait);
        }
    }
    return false;
}

// Where the source has the wait at `site`: the first try, if `site` is in a retry loop that was moved away from it.
static uint64_t home_of(const struct core_function *function, uint64_t site)
{
    const struct loop loop = loop_around(function, site, LONGEST_RETRY);
    const struct sass wait = sass_at(&function->code, site);
    uint64_t home = site;
    if (loop.first > loop.last) return site;
    for (uint64_t at = 0; at + SASS_BYTES <= function->code.bytes; at += SASS_BYTES) {
        const struct sass sass = sass_at(&function->code, at);
        if (sass.kind != SASS_BRANCH || (at >= loop.first && at <= loop.last)) continue;
        if (sass.target >= loop.first && sass.target <= site && first_try(function, at, &wait, &home)) return home;
    }
    return site;
}

// The instruction of the kind that a thread at `offset` has just done, or is at.
static bool is_at(const struct core_function *function, uint64_t offset, enum sass_kind kind, uint64_t *site)
{
    for (uint64_t back = SASS_BYTES; back <= SASS_BYTES; back -= SASS_BYTES) {
        *site = offset - back;
        if (offset >= back && sass_at(&function->code, *site).kind == kind) return true;
    }
    return false;
}

// That of a loop that does nothing but try it again.
static bool tries_again(const struct core_function *function, uint64_t offset, enum sass_kind kind, uint64_t most,
                        uint64_t *site)
{
    const struct loop loop = loop_around(function, offset, most);
    return loop.first <= loop.last && find_in(function, loop, kind, site);
}

// --- What it waits for -----------------------------------------------------------------------------------------------

static uint32_t cta_of_rank(const struct core_state *state, const struct core_cta *cta, uint32_t rank)
{
    const struct core_dump *dump = state->dump;
    const bool is_cluster = cta->cluster_dim[0] * cta->cluster_dim[1] * cta->cluster_dim[2] > 1;
    if (!is_cluster) return rank == 0 ? (uint32_t)(cta - dump->cta) : UINT32_MAX;
    for (uint32_t i = 0; i < dump->ctas; i++)
        if (dump->cta[i].grid_id == cta->grid_id && core_cta_rank(&dump->cta[i]) == rank &&
            memcmp(dump->cta[i].cluster, cta->cluster, sizeof cta->cluster) == 0)
            return i;
    return UINT32_MAX;
}

// The address of the barrier and the parity, of a lane.
static bool operands_of(const struct core_warp *warp, uint32_t lane, const struct sass *sass, uint32_t *address,
                        uint32_t *parity)
{
    enum { PARITY_BIT = 31 };
    uint32_t base, uniform, value;
    if (!core_register(&warp->lane[lane], sass->at, &base) || !core_uniform(warp, sass->uniform, &uniform) ||
        !core_register(&warp->lane[lane], sass->value, &value))
        return false;
    *address = base + uniform + (uint32_t)sass->offset;
    *parity = value >> PARITY_BIT;
    return true;
}

static void find_barrier(const struct core_state *state, struct core_strand *strand)
{
    enum { RANK_SHIFT = 24, OFFSET_MASK = (1 << RANK_SHIFT) - 1 };
    const struct core_warp *warp = &state->dump->warp[strand->warp];
    const struct sass sass = sass_at(&strand->function->code, strand->site);
    uint32_t address;
    strand->barrier_cta = UINT32_MAX;
    strand->has_address = operands_of(warp, (uint32_t)__builtin_ctz(strand->lanes), &sass, &address, &strand->parity);
    if (!strand->has_address) return;
    strand->address = address & OFFSET_MASK;
    const struct core_kernel *kernel = core_kernel_of(state, core_strand_cta(state, strand));
    strand->variable = UINT64_MAX;
    if (kernel != NULL) {
        core_code_kernel(kernel->code, kernel->function->name);
        strand->variable = core_code_shared_start(kernel->code, strand->address);
    }
    strand->barrier_cta = cta_of_rank(state, core_strand_cta(state, strand), address >> RANK_SHIFT);
    if (strand->barrier_cta == UINT32_MAX) return;
    const uint8_t *word =
        core_bytes_at(&state->dump->cta[strand->barrier_cta].shared, strand->address, sizeof strand->word);
    strand->has_word = word != NULL;
    if (word != NULL) memcpy(&strand->word, word, sizeof strand->word);
}

static void find_named(const struct core_state *state, struct core_strand *strand)
{
    const struct sass sass = sass_at(&strand->function->code, strand->site);
    const struct core_lane *lane = &state->dump->warp[strand->warp].lane[__builtin_ctz(strand->lanes)];
    strand->named = sass.kind == SASS_BARRIER ? sass.number : SASS_ANY_NUMBER;
    strand->count = sass.count;
    if (sass.kind == SASS_BARRIER_REGISTER && !core_register(lane, sass.value, &strand->named))
        strand->named = SASS_ANY_NUMBER;
}

static void find_polled(const struct core_state *state, struct core_strand *strand)
{
    const struct sass sass = sass_at(&strand->function->code, strand->site);
    const struct core_lane *lane = &state->dump->warp[strand->warp].lane[__builtin_ctz(strand->lanes)];
    uint32_t low, high;
    if (!core_register(lane, sass.at, &low) || !core_register(lane, sass.at + 1u, &high)) return;
    strand->has_address = true;
    strand->memory = ((uint64_t)high << 32 | low) + (uint64_t)(int64_t)sass.offset;
    const uint8_t *value = core_global(state->dump, strand->memory, sizeof strand->value);
    strand->has_value = value != NULL;
    if (value != NULL) memcpy(&strand->value, value, sizeof strand->value);
}

static enum core_doing doing_of(const struct core_state *state, const struct core_strand *strand, uint64_t *site)
{
    static const struct {
        enum sass_kind kind;
        enum core_doing doing;
    } waits[] = {{SASS_WAIT, CORE_WAITS_MBARRIER},
                 {SASS_BARRIER, CORE_WAITS_NAMED},
                 {SASS_BARRIER_REGISTER, CORE_WAITS_NAMED},
                 {SASS_BARRIER_UNKNOWN, CORE_WAITS_NAMED},
                 {SASS_GRID, CORE_WAITS_GRID},
                 {SASS_CLUSTER_WAIT, CORE_WAITS_CLUSTER}};
    const struct core_function *function = strand->function;
    const uint64_t offset = strand->offset;
    const bool is_part = strand->lanes != state->dump->warp[strand->warp].valid;
    if (is_part && sass_at(&function->code, offset).kind == SASS_WARPSYNC) {
        *site = offset;
        return CORE_WAITS_WARP;
    }
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++)
        if (is_at(function, offset, waits[i].kind, site)) return waits[i].doing;
    if (tries_again(function, offset, SASS_WAIT, LONGEST_RETRY, site)) return CORE_WAITS_MBARRIER;
    if (tries_again(function, offset, SASS_REGISTERS, LONGEST_RETRY, site)) return CORE_WAITS_REGISTERS;
    if (tries_again(function, offset, SASS_LOAD, LONGEST_POLL, site)) return CORE_POLLS;
    *site = offset;
    return CORE_RUNS;
}

static void find_wait(const struct core_state *state, struct core_strand *strand)
{
    strand->doing = doing_of(state, strand, &strand->site);
    if (strand->doing == CORE_WAITS_MBARRIER) find_barrier(state, strand);
    if (strand->doing == CORE_WAITS_NAMED) find_named(state, strand);
    if (strand->doing == CORE_POLLS) find_polled(state, strand);
}

// --- Faults ----------------------------------------------------------------------------------------------------------

// An exception of another CTA has no place: the last operation before the pc that may reach one.
static uint64_t remote_before(const struct core_function *function, uint64_t offset)
{
    for (uint64_t at = offset; at >= SASS_BYTES && offset - at < MOST_NEAR * SASS_BYTES;) {
        at -= SASS_BYTES;
        const enum sass_kind kind = sass_at(&function->code, at).kind;
        if (kind == SASS_ARRIVE || kind == SASS_BULK_LOAD || kind == SASS_TENSOR_LOAD) return at;
    }
    return offset;
}

static void find_fault(const struct core_state *state, struct core_strand *strand)
{
    enum { CLUSTER_RANGE = 17, CLUSTER_NOT_PRESENT = 18 };
    const struct core_warp *warp = &state->dump->warp[strand->warp];
    const struct core_lane *lane = &warp->lane[__builtin_ctz(strand->lanes)];
    const struct sass before =
        strand->offset >= SASS_BYTES ? sass_at(&strand->function->code, strand->offset - SASS_BYTES) : (struct sass){0};
    const bool is_trap = before.kind == SASS_TRAP && (warp->active & strand->lanes) != 0;
    if (lane->exception == 0 && !is_trap) return;
    if (is_trap) strand->lanes &= warp->active;
    strand->doing = CORE_FAULTED;
    strand->exception = lane->exception;
    strand->site = is_trap ? strand->offset - SASS_BYTES : strand->offset;
    if (warp->has_error_pc && warp->error_pc - lane->pc + strand->offset < strand->function->code.bytes)
        strand->site = warp->error_pc - lane->pc + strand->offset;
    else if (lane->exception == CLUSTER_RANGE || lane->exception == CLUSTER_NOT_PRESENT)
        strand->site = remote_before(strand->function, strand->offset);
}

// --- All of them -----------------------------------------------------------------------------------------------------

static const struct core_function *function_at(const struct core_state *state, uint64_t pc, struct core_code **code)
{
    for (uint32_t i = 0; i < state->codes; i++) {
        const struct core_function *function = core_code_function(&state->code[i], pc);
        if (function != NULL && function->address != 0) {
            *code = &state->code[i];
            return function;
        }
    }
    return NULL;
}

// Does a row of the table of lines begin at the instruction? One without a row has the line of whatever stands before
// it.
static bool has_line(const struct core_code *code, const struct core_function *function, uint64_t offset)
{
    return line_table_begins(&code->lines, function->section, function->start + offset);
}

static bool is_wait_of_ptx(const struct core_code *code, const struct core_function *function, uint64_t offset)
{
    struct machine_where where;
    return has_line(code, function, offset) && core_code_place(code, function, offset, &where) &&
           memmem(where.instruction.at, where.instruction.length, "_wait", 5) != NULL;
}

// The instruction whose line is the wait's: ptxas gives a row to the first try, to the loop that tries again, or to
// both, and the PTX says which of two is a wait.
static uint64_t line_of(const struct core_code *code, const struct core_strand *strand)
{
    const struct core_function *function = strand->function;
    if (is_wait_of_ptx(code, function, strand->home)) return strand->home;
    if (is_wait_of_ptx(code, function, strand->site)) return strand->site;
    return !has_line(code, function, strand->home) && has_line(code, function, strand->site) ? strand->site
                                                                                             : strand->home;
}

// Many warps are at one instruction: a strand before this one may have looked its place up.
static bool take_place(const struct core_state *state, struct core_strand *strand)
{
    enum { MOST_BACK = 256 };
    for (uint32_t i = state->strands; i > 0 && state->strands - i < MOST_BACK; i--) {
        const struct core_strand *before = &state->strand[i - 1];
        if (before->function != strand->function || before->site != strand->site || before->home != strand->home ||
            before->doing != strand->doing)
            continue;
        strand->line = before->line;
        strand->where = before->where;
        return true;
    }
    return false;
}

static void fill_strand(const struct core_state *state, struct core_strand *strand)
{
    const struct core_lane *lane = &state->dump->warp[strand->warp].lane[__builtin_ctz(strand->lanes)];
    struct core_code *code = NULL;
    strand->function = function_at(state, lane->pc, &code);
    if (strand->function == NULL) return;
    strand->offset = strand->site = lane->pc - strand->function->address;
    find_fault(state, strand);
    if (strand->doing != CORE_FAULTED) find_wait(state, strand);
    strand->home = strand->doing == CORE_WAITS_MBARRIER ? home_of(strand->function, strand->site) : strand->site;
    if (take_place(state, strand)) return;
    strand->line = line_of(code, strand);
    core_code_place(code, strand->function, strand->line, &strand->where);
    // Lines of the PTX are those of the neighbours at times.
    if (strand->doing == CORE_WAITS_MBARRIER &&
        memmem(strand->where.instruction.at, strand->where.instruction.length, "_wait", 5) == NULL) {
        strand->where.instruction.length = 0;
        strand->where.ptx_line = 0;
    }
}

// Lanes of one pc; of those that executed trap only they. Of lanes that wait for different barriers the lowest speaks.
static bool add_strands(struct core_state *state, uint32_t index)
{
    const struct core_warp *warp = &state->dump->warp[index];
    for (uint32_t left = warp->valid; left != 0;) {
        struct core_strand strand = {.warp = index};
        const uint64_t pc = warp->lane[__builtin_ctz(left)].pc;
        for (uint32_t lane = 0; lane < CORE_LANES; lane++)
            if ((left >> lane & 1) != 0 && warp->lane[lane].pc == pc) strand.lanes |= UINT32_C(1) << lane;
        fill_strand(state, &strand);
        left &= ~strand.lanes;
        if (!ARRAY_ADD(state->strand, state->strands, strand)) return false;
    }
    return true;
}

// A grid's kernel is the function that it entered.
static bool find_kernels(struct core_state *state)
{
    state->kernel = calloc(state->dump->grids + 1, sizeof *state->kernel);
    if (state->kernel == NULL) return false;
    for (uint32_t i = 0; i < state->dump->grids; i++) {
        struct core_kernel *kernel = &state->kernel[state->kernels++];
        kernel->grid = &state->dump->grid[i];
        kernel->function = function_at(state, kernel->grid->entry, &kernel->code);
        if (kernel->function == NULL) continue;
        core_code_kernel(kernel->code, kernel->function->name);
        if (!core_sites_open(&kernel->sites, kernel->code, kernel->function)) return false;
    }
    return true;
}

static bool find_codes(struct core_state *state)
{
    struct text ignored;
    state->code = calloc(state->dump->images + 1, sizeof *state->code);
    if (state->code == NULL) return false;
    for (uint32_t i = 0; i < state->dump->images; i++) {
        struct core_code *code = &state->code[state->codes];
        if (core_code_open(code, &state->dump->image[i].bytes, &ignored))
            state->codes++;
        else
            core_code_close(code);
    }
    return true;
}

int core_state_open(struct core_state *state, const struct core_dump *dump, struct text *why)
{
    *state = (struct core_state){.dump = dump};
    bool ok = find_codes(state) && find_kernels(state);
    for (uint32_t i = 0; ok && i < dump->warps; i++) ok = add_strands(state, i);
    return ok && core_root_find(state) ? 1 : text_fail(why, "no memory for its %u warps", dump->warps);
}

void core_state_close(struct core_state *state)
{
    for (uint32_t i = 0; i < state->kernels; i++) core_sites_close(&state->kernel[i].sites);
    for (uint32_t i = 0; i < state->codes; i++) core_code_close(&state->code[i]);
    free(state->kernel);
    free(state->code);
    free(state->strand);
    *state = (struct core_state){0};
}
