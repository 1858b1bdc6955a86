// SPDX-License-Identifier: MIT
// The kernels of cluster.cu on the stand-in GPU: launches that are checked and answered by the model, from what the
// driver is told and what the kernels are compiled with, and programs as a loop over the model.
#include <string.h>

#include "cluster_job.h"
#include "cluster_step.h"
#include "standin.h"

enum { SYSTEM_BYTES = 1024, WITHOUT_OUTPUT = 0 };
#define WINDOW_START (UINT64_C(0x7f00) << 32)

// As kernels/cluster.cu has them.
static const struct {
    const char *function;
    uint32_t cluster[3], threads, max_cluster, static_bytes;
} compiled[] = {
    {"cluster_launch", {0, 0, 0}, 1024, 0, 0},     {"cluster_launch_static", {0, 0, 0}, 1024, 0, 4096},
    {"cluster_launch_2", {2, 1, 1}, 1024, 0, 0},   {"cluster_launch_1x2x2", {1, 2, 2}, 1024, 0, 0},
    {"cluster_launch_16", {16, 1, 1}, 1024, 0, 0}, {"cluster_launch_max4", {0, 0, 0}, 128, 4, 0},
};
enum { COMPILED = sizeof compiled / sizeof compiled[0] };

// What was set for each of them, and the launch that runs.
static struct {
    uint32_t allowed_bytes;
    int non_portable;
} attributes[COMPILED];
static struct cluster_launch launched;

int standin_is_launch(const char *function)
{
    return strncmp(function, "cluster_launch", strlen("cluster_launch")) == 0;
}

static int index_of(const char *function)
{
    int i = 0;
    while (i + 1 < COMPILED && strcmp(compiled[i].function, function) != 0) i++;
    return i;
}

enum rule standin_attribute(const char *function, enum cuda_function_attribute attribute, int value)
{
    const int i = index_of(function);
    if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) attributes[i].non_portable = value;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return RULE_OK;
    if ((uint32_t)value > LAUNCH_MAX_SHARED_BYTES - compiled[i].static_bytes) return RULE_LAUNCH_SHARED_ALLOWED;
    attributes[i].allowed_bytes = (uint32_t)value;
    return RULE_OK;
}

enum rule standin_launch(const char *function, const struct cuda_launch_config *config)
{
    const int i = index_of(function);
    launched = (struct cluster_launch){.grid = {config->grid_x, config->grid_y, config->grid_z},
                                       .block = {config->block_x, config->block_y, config->block_z},
                                       .has_cluster = config->attribute_count > 0,
                                       .non_portable = attributes[i].non_portable,
                                       .shared_bytes = config->shared_bytes,
                                       .allows_shared = 1,
                                       .allowed_shared_bytes = attributes[i].allowed_bytes,
                                       .compiled_threads = compiled[i].threads,
                                       .compiled_max_cluster = compiled[i].max_cluster,
                                       .static_shared_bytes = compiled[i].static_bytes};
    memcpy(launched.compiled_cluster, compiled[i].cluster, sizeof launched.compiled_cluster);
    if (launched.has_cluster) {
        launched.cluster[0] = config->attributes[0].value.cluster.x;
        launched.cluster[1] = config->attributes[0].value.cluster.y;
        launched.cluster[2] = config->attributes[0].value.cluster.z;
    }
    return cluster_launch_check(&launched, NULL);
}

// One CTA; special registers and addresses are the model's, the window begins at an address of our own.
static void answer(const struct cluster_question *question, const uint32_t ctaid[3], struct cluster_answers *answers)
{
    struct cluster_registers registers = cluster_registers(&launched, ctaid);
    uint64_t generic = WINDOW_START + question->offset, mapa = cluster_mapa_generic(generic, question->rank);
    *answers = (struct cluster_answers){.cluster_ctarank = registers.cluster_ctarank,
                                        .cluster_nctarank = registers.cluster_nctarank,
                                        .is_explicit_cluster = registers.is_explicit_cluster,
                                        .mapa = cluster_mapa(question->address, question->rank),
                                        .address_rank = cluster_address_rank(question->address),
                                        .generic_rank = cluster_generic_rank(generic),
                                        .generic_mapa = mapa - WINDOW_START};
    answers->own = cluster_mapa(SYSTEM_BYTES + launched.static_shared_bytes, registers.cluster_ctarank);
    answers->is_cta = (uint32_t)cluster_is_shared_cta(question->offset, registers.cluster_ctarank);
    answers->is_cluster = (uint32_t)cluster_is_shared_cluster(question->offset);
    memcpy(answers->ctaid, ctaid, sizeof answers->ctaid);
    memcpy(answers->clusterid, registers.clusterid, sizeof answers->clusterid);
    memcpy(answers->nclusterid, registers.nclusterid, sizeof answers->nclusterid);
    memcpy(answers->cluster_ctaid, registers.cluster_ctaid, sizeof answers->cluster_ctaid);
    memcpy(answers->cluster_nctaid, registers.cluster_nctaid, sizeof answers->cluster_nctaid);
}

enum rule cluster_launches(void **parameters)
{
    struct cluster_question question;
    memcpy(&question, parameters[0], sizeof question);
    if (question.output == WITHOUT_OUTPUT) return RULE_OK;
    struct cluster_answers *answers = (struct cluster_answers *)(uintptr_t)question.output;
    uint32_t ctaid[3];
    for (ctaid[2] = 0; ctaid[2] < launched.grid[2]; ctaid[2]++)
        for (ctaid[1] = 0; ctaid[1] < launched.grid[1]; ctaid[1]++)
            for (ctaid[0] = 0; ctaid[0] < launched.grid[0]; ctaid[0]++) answer(&question, ctaid, answers++);
    return RULE_OK;
}

static enum rule run_program(const struct cluster_job *job, struct cluster_machine *machine, uint8_t *output)
{
    static uint8_t data[CLUSTER_CTAS][CLUSTER_FILLED_BYTES];
    const struct memory stored = {output + job->global, 0, CLUSTER_FILLED_BYTES};
    uint8_t *to = output + job->output;
    enum rule rule = RULE_OK;
    machine->global = &stored;
    meet_trouble(job->seed);
    for (uint32_t rank = 0; rank < machine->ctas; rank++) {
        machine->cta[rank] = (struct cluster_cta){.data = data[rank]};
        for (uint32_t at = 0; at < CLUSTER_FILLED_BYTES; at += 8) {
            uint64_t word = cluster_word(job->seed, rank, at);
            memcpy(data[rank] + at, &word, sizeof word);
        }
    }
    for (uint32_t i = 0; i < job->count && rule == RULE_OK; i++) {
        struct cluster_answer answer;
        rule = cluster_step(machine, &job->step[i], &answer);
        memcpy(to, answer.got, machine->ctas * sizeof answer.got[0]);
        to += machine->ctas * CLUSTER_GOT_BYTES;
    }
    for (uint32_t rank = 0; rank < machine->ctas; rank++, to += CLUSTER_CTA_BYTES) {
        memcpy(to, data[rank], CLUSTER_DATA_BYTES);
        memcpy(to + CLUSTER_DATA_BYTES, machine->cta[rank].word, 8 * CLUSTER_BARRIERS);
    }
    return rule;
}

enum rule cluster_programs(void **parameters)
{
    unsigned long long jobs, output;
    const struct cuda_launch_config *config = standin_config();
    struct cluster_machine machine = {.ctas = 1, .is_cluster = config->attribute_count > 0, .arena = standin_mapped()};
    enum rule rule = RULE_OK;
    if (machine.is_cluster) machine.ctas = config->attributes[0].value.cluster.x;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&output, parameters[1], sizeof output);
    for (uint32_t i = 0; i < config->grid_x / machine.ctas && rule == RULE_OK; i++)
        rule = run_program((const struct cluster_job *)(uintptr_t)jobs + i, &machine, (uint8_t *)(uintptr_t)output);
    return rule;
}
