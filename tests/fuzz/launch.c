// SPDX-License-Identifier: MIT
// Target `launch`: four bytes of shape, then any bytes as PTX. If it reads, its first kernel runs: it ends within its
// limit of instructions or says why not, in its own memory and no more than it may take.
#include "fuzz.h"
#include "machine.h"

enum { OUT_BYTES = 4096, MOST_PARAMETER_BYTES = 4096, MOST_THREADS = 96 };

static int first_kernel(const struct machine_module *module)
{
    const struct ptx_program *program = machine_module_program(module);
    for (uint32_t i = 0; i < program->functions; i++)
        if (program->function[i].is_entry) return (int)i;
    return -1;
}

// Every parameter is the address of the output, or the second half of one.
static void fill(uint64_t *parameters, uint32_t bytes, uint64_t address)
{
    for (uint32_t i = 0; i < (bytes + 7) / 8; i++) parameters[i] = address;
}

static void run(struct machine_module *module, int kernel, const struct machine_kernel_facts *facts, uint32_t shape)
{
    static uint64_t parameters[MOST_PARAMETER_BYTES / 8];
    uint8_t *out = aligned_alloc(64, OUT_BYTES);
    fuzz_require(out != NULL);
    memset(out, 0, OUT_BYTES);
    const struct region region = {{out, (uint64_t)(uintptr_t)out, OUT_BYTES}, 0};
    const struct global_memory global = {&region, 1};
    struct machine_launch launch = {.module = module,
                                    .kernel = kernel,
                                    .grid = {1 + shape % 4, 1, 1},
                                    .block = {1 + shape / 4 % MOST_THREADS, 1, 1},
                                    .cluster = {shape / 1024 % 2 * (1 + shape % 4), 1, 1},
                                    .dynamic_shared_bytes = shape / 2048 % 4 * 1024,
                                    .parameters = parameters,
                                    .global = &global,
                                    .schedule = {(enum machine_policy)(shape / 8192 % 4), shape, 1},
                                    .limits = {.instructions = 20000, .seconds = 5}};
    struct machine_outcome outcome;
    for (int i = 0; i < 3; i++)
        if (facts->reqntid[i] > 0 && facts->reqntid[i] <= MOST_THREADS) launch.block[i] = facts->reqntid[i];
    fill(parameters, facts->parameter_bytes, (uint64_t)(uintptr_t)out);
    machine_run(&launch, &outcome);
    fuzz_require(outcome.kind == MACHINE_DONE || outcome.message[0] != '\0');
    free(out);
}

void fuzz_launch(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    struct machine_kernel_facts facts;
    struct ptx_errors errors;
    uint32_t shape = (uint32_t)fuzz_take(&input, 4);
    struct machine_module *module = machine_module_open((const char *)input.bytes, input.left, &errors);
    if (module == NULL) return;
    int kernel = first_kernel(module);
    if (kernel >= 0 && machine_module_facts(module, kernel, &facts, &errors) &&
        facts.parameter_bytes <= MOST_PARAMETER_BYTES)
        run(module, kernel, &facts, shape);
    machine_module_close(module);
}
