// SPDX-License-Identifier: MIT
// Target `matrix`: one wgmma with any descriptors, one mma.sync with any registers, one ldmatrix and stmatrix at any
// addresses, one access of a warp to the banks. Shared memory is just as long as it says; what is refused has left D.
#include "matrix.h"

#include <stdbool.h>

#include "bank.h"
#include "fuzz.h"
#include "mma.h"
#include "wgmma.h"

enum { SHARED_BASE = 1024, SHARED_BYTES = 1 << 14, MMA_WORDS = 1024 };

static void take_words(struct fuzz_input *input, uint32_t *words, int count)
{
    uint32_t mix = (uint32_t)fuzz_take(input, 4);
    for (int i = 0; i < count; i++) {
        mix = mix * 1664525 + 1013904223;
        words[i] = input->left > 0 ? (uint32_t)fuzz_take(input, 4) : mix;
    }
}

static struct wgmma take_wgmma(struct fuzz_input *input)
{
    struct wgmma wgmma = {.types = (enum wgmma_types)(fuzz_take(input, 1) % WGMMA_TYPES_COUNT)};
    wgmma.n = (int)(fuzz_take(input, 1) % 33) * 8;
    uint8_t flags = (uint8_t)fuzz_take(input, 1);
    wgmma.a_in_registers = flags & 1;
    wgmma.satfinite = flags >> 1 & 1;
    wgmma.is_sparse = flags >> 2 & 1;
    wgmma.selector = flags >> 3 & 3;
    for (int i = 0; i < 2; i++) {
        wgmma.is_transposed[i] = flags >> (5 + i) & 1;
        wgmma.negate[i] = flags >> 7 & 1;
    }
    return wgmma;
}

static void execute_wgmma(struct fuzz_input *input)
{
    static uint32_t a[WGMMA_THREADS][4], metadata[WGMMA_THREADS], d[WGMMA_THREADS * 128], before[WGMMA_THREADS * 128];
    struct memory shared = fuzz_memory(input, SHARED_BASE, SHARED_BYTES);
    struct wgmma wgmma = take_wgmma(input);
    struct wgmma_operands operands = {.shared = &shared, .scale_d = (int)fuzz_take(input, 1) & 1, .a = a};
    struct findings findings, done;
    operands.metadata = metadata;
    for (int i = 0; i < 2; i++) operands.descriptor[i] = fuzz_take(input, 8);
    take_words(input, metadata, WGMMA_THREADS);
    take_words(input, &a[0][0], 4 * WGMMA_THREADS);
    take_words(input, d, WGMMA_THREADS * 128);
    memcpy(before, d, sizeof d);
    enum rule rule = wgmma_check(&wgmma, &operands, &findings);
    fuzz_require(rule == findings_first_broken(&findings));
    fuzz_require(wgmma_execute(&wgmma, &operands, d, &done) == rule);
    fuzz_require_alike(&findings, &done);
    if (rule != RULE_OK) fuzz_require(memcmp(before, d, sizeof d) == 0);
    free(shared.bytes);
}

static void execute_mma(struct fuzz_input *input)
{
    static uint32_t a[MMA_WORDS], b[MMA_WORDS], d[MMA_WORDS], metadata[MMA_LANES];
    enum mma_form form = (enum mma_form)(fuzz_take(input, 1) % MMA_FORMS);
    int selector = (int)fuzz_take(input, 1);
    take_words(input, a, MMA_WORDS);
    take_words(input, b, MMA_WORDS);
    take_words(input, d, MMA_WORDS);
    take_words(input, metadata, MMA_LANES);
    if (mma_row(form)->is_sparse)
        mma_execute_sparse(form, selector % (number_most_selector(mma_sparsity(form)) + 1), metadata, a, b, d, NULL);
    else
        mma_execute(form, a, b, d, NULL);
}

static void move_matrices(struct fuzz_input *input)
{
    struct memory shared = fuzz_memory(input, SHARED_BASE, SHARED_BYTES);
    uint32_t address[MATRIX_LANES], registers[MATRIX_MAX][MATRIX_LANES] = {{0}};
    int count = 1 << fuzz_take(input, 1) % 3;
    bool is_trans = (int)fuzz_take(input, 1) & 1;
    struct findings findings, done;
    for (int i = 0; i < MATRIX_LANES; i++) address[i] = (uint32_t)fuzz_take(input, 4);
    enum rule rule = matrix_check(&shared, address, count, &findings);
    fuzz_require(rule == findings_first_broken(&findings));
    fuzz_require(matrix_load(&shared, address, count, is_trans, registers, &done) == rule);
    fuzz_require_alike(&findings, &done);
    fuzz_require(matrix_store(&shared, address, count, is_trans, registers, &done) == rule);
    fuzz_require_alike(&findings, &done);
    free(shared.bytes);
}

static void count_banks(struct fuzz_input *input)
{
    uint32_t address[WARP_LANES], bytes = 1u << fuzz_take(input, 1) % 5, active = (uint32_t)fuzz_take(input, 4);
    struct bank_report report;
    for (int i = 0; i < WARP_LANES; i++) address[i] = (uint32_t)fuzz_take(input, 4) / bytes * bytes;
    bank_count((enum bank_access)(fuzz_take(input, 1) & 1), address, active, bytes, &report);
    fuzz_require(report.wavefronts >= report.ideal && report.phases <= BANK_MAX_PHASES);
}

void fuzz_matrix(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    uint8_t what = (uint8_t)fuzz_take(&input, 1);
    if (what % 4 == 0) execute_wgmma(&input);
    if (what % 4 == 1) execute_mma(&input);
    if (what % 4 == 2) move_matrices(&input);
    if (what % 4 == 3) count_banks(&input);
}
