// SPDX-License-Identifier: MIT
// The kernel bulk.cu of the stand-in GPU: its jobs as a loop over the model, from the bytes of struct bulk_job alone.
#include <string.h>

#include "bulk.h"
#include "bulk_job.h"
#include "mbarrier.h"
#include "standin.h"

// The shared memories of the issuer and of the other CTA.
static _Alignas(16) uint8_t ctas[2][BULK_SHARED_BYTES];

static void fill(uint8_t *bytes, uint32_t size_bytes, const struct bulk_job *job, uint32_t salt)
{
    for (uint32_t at = 0; at < size_bytes; at += 8) {
        uint64_t word = bulk_word(job->seed, job->content, salt, at);
        memcpy(bytes + at, &word, sizeof word);
    }
}

static enum rule issue(const struct bulk_job *job, const struct bulk *bulk, uint32_t *transaction_bytes)
{
    meet_trouble(job->seed);
    if (job->operation == BULK_COPY) return bulk_copy(bulk, transaction_bytes);
    const struct bulk_reduction *row = bulk_reduction((enum bulk_reduction_id)job->operation);
    return bulk_reduce(bulk, row->op, row->dtype, transaction_bytes);
}

static enum rule run_job(const struct bulk_job *job, uint8_t *output)
{
    const enum bulk_form form = (enum bulk_form)job->form;
    uint8_t registers[16], *target = ctas[job->rank];
    uint8_t *window = bulk_is_to_global(form) ? output + job->output : target + (job->window - BULK_SHARED_START);
    uint32_t window_bytes = job->window_end - job->window, transaction_bytes = 0;
    uint64_t word = mbarrier_init(1);
    struct memory source = {ctas[0], BULK_SHARED_START, BULK_SHARED_BYTES};
    struct memory destination = {target, BULK_SHARED_START, BULK_SHARED_BYTES};
    if (bulk_is_from_global(form)) source = *standin_mapped();
    if (form == BULK_REGISTERS_TO_OTHER) source = (struct memory){registers, 0, sizeof registers};
    if (bulk_is_to_global(form)) destination = (struct memory){window, (uint64_t)(uintptr_t)window, window_bytes};
    if (job->source_end > job->source)
        fill(ctas[0] + (job->source - BULK_SHARED_START), job->source_end - job->source, job, BULK_SALT_SOURCE);
    fill(registers, sizeof registers, job, BULK_SALT_SOURCE);
    fill(window, window_bytes, job, BULK_SALT_DESTINATION);

    struct bulk bulk = {form, &source, &destination, job->from, job->to, job->size_bytes};
    struct mbarrier_transaction arrive = {.arrivals = 1, .expect_bytes = job->expect_bytes};
    enum rule rule = bulk_is_to_global(form) ? RULE_OK : mbarrier_transact(&word, &arrive);
    if (rule == RULE_OK) rule = issue(job, &bulk, &transaction_bytes);
    if (rule != RULE_OK || bulk_is_to_global(form)) return rule;
    if (transaction_bytes > 0)
        mbarrier_transact_remote(&word, &(struct mbarrier_transaction){.complete_bytes = transaction_bytes});
    memcpy(output + job->output - 8, &word, 8);
    memcpy(output + job->output, window, window_bytes);
    return rule;
}

enum rule bulk_jobs(void **parameters)
{
    unsigned long long jobs, output;
    int count;
    enum rule rule = RULE_OK;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    memcpy(&output, parameters[2], sizeof output);
    for (int i = 0; i < count && rule == RULE_OK; i++)
        rule = run_job((const struct bulk_job *)(uintptr_t)jobs + i, (uint8_t *)(uintptr_t)output);
    return rule;
}
