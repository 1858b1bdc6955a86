// SPDX-License-Identifier: MIT
// A mismatch of the family "async" in words: which operation a wait did not wait for, or whose bytes differ.
#include <inttypes.h>
#include <string.h>

#include "async_case.h"
#include "mbarrier.h"

static void print_op(const struct async_case *c, uint32_t step, FILE *out)
{
    const struct async_op *op = &c->op[step];
    fprintf(out, "ops[%" PRIu32 "] %s", step, async_op_names[op->opcode]);
    if (async_is_group_wait(op->opcode)) fprintf(out, " %" PRIu32, op->number);
    if (op->size_bytes > 0) fprintf(out, " of %" PRIu32 " bytes", op->size_bytes);
    if (c->threads != ASYNC_ONE_THREAD)
        fprintf(out, " by thread %" PRIu32 " (%s)", op->thread, async_thread_names[c->threads]);
}

// Returns 1 if the waits differ.
static int explain_waits(const struct async_case *c, const struct window *expected, const struct window *found,
                         FILE *out)
{
    for (uint32_t step = 0; step < c->count; step++) {
        uint32_t want, got;
        memcpy(&want, expected->bytes + (size_t)4 * step, 4);
        memcpy(&got, found->bytes + (size_t)4 * step, 4);
        if (want == got) continue;
        uint32_t missing = want & ~got & (ASYNC_ANSWER_BIT - 1);
        fprintf(out, "    ");
        print_op(c, step, out);
        if (missing == 0) {
            fprintf(out, ": 0x%05" PRIx32 " expected, 0x%05" PRIx32 " found\n", want, got);
            return 1;
        }
        fprintf(out, ": complete by now should be ");
        print_op(c, (uint32_t)__builtin_ctz(missing), out);
        fprintf(out, ", and is not (promise %s)\n", async_promise_names[c->promise]);
        return 1;
    }
    return 0;
}

static void explain_word(const struct window *expected, const struct window *found, FILE *out)
{
    uint64_t want, got;
    memcpy(&want, expected->bytes, sizeof want);
    memcpy(&got, found->bytes, sizeof got);
    if (want == got) return;
    struct mbarrier_fields a = mbarrier_unpack(want), b = mbarrier_unpack(got);
    fprintf(
        out,
        "    mbarrier: phase %d, pending %u, tx %d, error %d expected; phase %d, pending %u, tx %d, error %d found\n",
        a.phase, a.pending, a.tx, a.error, b.phase, b.pending, b.tx, b.error);
}

// The step whose slot, or whose destination with its guards, holds byte `at` of a window.
static uint32_t step_of(const struct async_case *c, int is_global, uint32_t at)
{
    uint32_t offsets[ASYNC_MAX_OPS], step = 0;
    if (!is_global) return at / ASYNC_SLOT_BYTES;
    async_global_bytes(c, offsets);
    for (uint32_t i = 0; i < c->count; i++)
        if (async_is_bulk(c->op[i].opcode) && at + ASYNC_GUARD_BYTES >= offsets[i]) step = i;
    return step;
}

static void explain_bytes(const struct async_case *c, const struct window *expected, const struct window *found,
                          FILE *out)
{
    uint32_t at = 0, size = expected->size_bytes < found->size_bytes ? expected->size_bytes : found->size_bytes;
    while (at < size && expected->bytes[at] == found->bytes[at]) at++;
    if (at == size) return;
    fprintf(out, "    ");
    print_op(c, step_of(c, strcmp(expected->name, "global") == 0, at), out);
    fprintf(out, ": %s byte 0x%" PRIx64 ": 0x%02x expected, 0x%02x found\n", expected->name, expected->base + at,
            expected->bytes[at], found->bytes[at]);
}

void async_explain(const void *test_case, const struct result *expected, const struct result *found, FILE *out)
{
    const struct async_case *c = test_case;
    explain_word(&expected->window[0], &found->window[0], out);
    if (explain_waits(c, &expected->window[1], &found->window[1], out)) return;
    explain_bytes(c, &expected->window[3], &found->window[3], out);
    explain_bytes(c, &expected->window[4], &found->window[4], out);
}
