// SPDX-License-Identifier: MIT
// The kernel matrix.cu of the stand-in GPU: its jobs as a loop over the model, from the bytes of struct matrix_job
// alone.
#include "matrix.h"

#include <string.h>

#include "matrix_job.h"
#include "standin.h"

static const struct form {
    int is_store, count, is_trans;
} forms[MATRIX_FORM_COUNT] = {
#define FORM(id, name, is_store, count, is_trans) {is_store, count, is_trans},
    MATRIX_FORMS(FORM)
#undef FORM
};

static enum rule run_job(const struct matrix_job *job, uint8_t *output)
{
    const struct form *form = &forms[job->form];
    uint32_t registers[MATRIX_REGISTERS][MATRIX_LANES];
    uint8_t *bytes = output + sizeof registers;
    const struct memory shared = {bytes, MATRIX_SHARED_START, MATRIX_SHARED_BYTES};
    meet_trouble(job->seed);
    for (uint32_t at = 0; at < MATRIX_SHARED_BYTES; at += 4) {
        uint32_t word = matrix_word(job->seed, MATRIX_SHARED_START + at);
        memcpy(bytes + at, &word, sizeof word);
    }
    for (uint32_t i = 0; i < MATRIX_REGISTERS * MATRIX_LANES; i++)
        registers[i / MATRIX_LANES][i % MATRIX_LANES] = matrix_register(job->seed, i % MATRIX_LANES, i / MATRIX_LANES);
    enum rule rule = form->is_store ? matrix_store(&shared, job->address, form->count, form->is_trans, registers)
                                    : matrix_load(&shared, job->address, form->count, form->is_trans, registers);
    memcpy(output, registers, sizeof registers);
    return rule;
}

enum rule matrix_jobs(void **parameters)
{
    unsigned long long jobs, output;
    int count;
    enum rule rule = RULE_OK;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    memcpy(&output, parameters[2], sizeof output);
    for (int i = 0; i < count && rule == RULE_OK; i++) {
        const struct matrix_job *job = (const struct matrix_job *)(uintptr_t)jobs + i;
        rule = run_job(job, (uint8_t *)(uintptr_t)output + job->output);
    }
    return rule;
}
