// SPDX-License-Identifier: MIT
// Target `operate`: mbarrier instructions of any lanes on any words at any addresses of a cluster, and what lands
// there. The check says what happens; no byte changes that no lane names; a ledger changes nothing but warnings.
#include <stdbool.h>

#include "fuzz.h"
#include "mbarrier_operate.h"

enum { CTAS = 2, BASE = 1024, MOST_BYTES = 256, PAGES = 4, MOST_STEPS = 32, LANES_READ = 6 };

static struct ledger pages[PAGES];

static void see_event(void *context, const struct event *event)
{
    (void)context;
    fuzz_require(event->kind == EVENT_BARRIER && event->barrier.address % 8 == 0 && event->barrier.rank < CTAS);
    fuzz_require(event->origin->lanes != 0);
}

// Offsets are near the memories' ends; one in eight has any upper bits.
static uint32_t take_address(struct fuzz_input *input)
{
    uint32_t kind = (uint32_t)fuzz_take(input, 1), offset = BASE + (uint32_t)fuzz_take(input, 1);
    if (kind % 8 == 7) offset ^= (uint32_t)fuzz_take(input, 4) << 8;
    if (kind % 8 < 5) offset -= offset % 8;
    return offset | (kind % 2) << 24;
}

static struct mbarrier_instruction take_instruction(struct fuzz_input *input)
{
    struct mbarrier_instruction in = {.opcode = (uint32_t)fuzz_take(input, 1) % (MBARRIER_OPS + 1)};
    uint32_t where = (uint32_t)fuzz_take(input, 1);
    in.space = (enum mbarrier_space)(where & 1);
    in.rank = where >> 1 & 1;
    in.lanes = (uint32_t)fuzz_take(input, 4);
    for (int lane = 0; lane < MBARRIER_LANES; lane++) {
        int like = lane % LANES_READ;
        in.address[lane] = lane < LANES_READ ? take_address(input) : in.address[like];
        in.operand[lane] = lane < LANES_READ ? fuzz_take(input, 3) : in.operand[like];
        if (in.space == MBARRIER_SHARED_CTA && where & 4) in.address[lane] &= 0xffffff;
    }
    return in;
}

// Generic addresses, one or two of them anywhere, make an instruction that names the same bytes.
static void set_generic(const struct cluster_memory *cluster, struct mbarrier_instruction in, uint64_t high)
{
    uint64_t offset[MBARRIER_LANES];
    struct findings findings;
    if (in.opcode == MBARRIER_OP_PENDING_COUNT) return;
    for (int lane = 0; lane < MBARRIER_LANES; lane++) offset[lane] = in.address[lane] | (lane < 2 ? high << 32 : 0);
    enum rule rule = mbarrier_set_generic(cluster, &in, offset, &findings);
    fuzz_require(rule == findings_first_broken(&findings));
    fuzz_require(rule == RULE_OK || high != 0);
    for (int lane = 0; lane < MBARRIER_LANES; lane++)
        if (in.lanes >> lane & 1) fuzz_require((in.address[lane] & 0xffffff) == (offset[lane] & 0xffffff));
}

// Does a lane name the byte at `offset` of some CTA?
static bool is_named(const struct mbarrier_instruction *in, uint32_t offset)
{
    for (int lane = 0; lane < MBARRIER_LANES; lane++)
        if ((in->lanes >> lane & 1) && (in->address[lane] & 0xffffff) == offset - offset % 8) return true;
    return false;
}

static void step(struct fuzz_input *input, struct cluster_memory *cluster, struct ledger_book *book)
{
    const struct observer observer = {NULL, see_event};
    const struct mbarrier_instruction in = take_instruction(input);
    const struct teller teller = {&observer, {.rank = in.rank, .lanes = in.lanes}};
    const struct mbarrier_unit with = {cluster, book}, without = {cluster, NULL};
    set_generic(cluster, in, in.operand[0]);
    uint8_t before[CTAS][MOST_BYTES], after[CTAS][MOST_BYTES];
    struct mbarrier_answer answers[2];
    struct findings findings, other;
    for (int i = 0; i < CTAS; i++) memcpy(before[i], cluster->cta[i].bytes, cluster->cta[i].size_bytes);
    enum rule rule = mbarrier_operate(&without, &in, NULL, &answers[0], &other);
    for (int i = 0; i < CTAS; i++) memcpy(after[i], cluster->cta[i].bytes, cluster->cta[i].size_bytes);
    for (int i = 0; i < CTAS; i++) memcpy(cluster->cta[i].bytes, before[i], cluster->cta[i].size_bytes);
    fuzz_require(mbarrier_operate(&with, &in, &teller, &answers[1], &findings) == rule);
    fuzz_require(memcmp(&answers[0], &answers[1], sizeof answers[0]) == 0 && other.count <= findings.count);
    fuzz_require(findings.count > FINDINGS_MAX || findings_first_broken(&findings) == rule);
    for (uint32_t i = 0; i < CTAS; i++) {
        fuzz_require(memcmp(after[i], cluster->cta[i].bytes, cluster->cta[i].size_bytes) == 0);
        for (uint32_t at = 0; at < cluster->cta[i].size_bytes; at++)
            fuzz_require(before[i][at] == after[i][at] || is_named(&in, BASE + at));
    }
}

static void land(struct fuzz_input *input, const struct cluster_memory *cluster, struct ledger_book *book)
{
    const struct mbarrier_unit unit = {cluster, book};
    const uint32_t address = take_address(input);
    const struct mbarrier_transaction end = {fuzz_take(input, 3), fuzz_take(input, 3), fuzz_take(input, 3), 0};
    mbarrier_land(&unit, address >> 24, address & 0xffffff, &end, NULL, NULL);
}

void fuzz_operate(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    struct memory memory[CTAS];
    struct ledger_book book;
    memory[0] = (struct memory){malloc(MOST_BYTES), BASE, 8 + 8 * (fuzz_take(&input, 1) % (MOST_BYTES / 8))};
    memory[1] = (struct memory){malloc(MOST_BYTES), BASE, memory[0].size_bytes};
    for (uint64_t at = 0; at < CTAS * memory[0].size_bytes; at++)
        memory[at / memory[0].size_bytes].bytes[at % memory[0].size_bytes] = (uint8_t)fuzz_take(&input, at % 8 < 2);
    const uint32_t flags = (uint32_t)fuzz_take(&input, 1);
    struct cluster_memory cluster = {memory, CTAS, 1, flags & 2};
    ledger_book_start(&book, pages, 1 + flags % PAGES);
    for (int i = 0; i < MOST_STEPS && input.left > 0; i++) {
        if (fuzz_take(&input, 1) % 4 == 0)
            land(&input, &cluster, &book);
        else
            step(&input, &cluster, &book);
    }
    for (int i = 0; i < CTAS; i++) free(memory[i].bytes);
}
