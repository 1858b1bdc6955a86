// SPDX-License-Identifier: MIT
// Holds the ALU against a GPU, on every instruction that its rows spell:
//
//   alu_rows gpu I N     instances I, I + N, ... on the GPU; prints of each a line: key, tuples, digest of the GPU's
//                        results, how many tuples differ from the model; behind '!', tuples that differ
//   alu_rows model       the same lines from the model
//   alu_rows check FILE  compares the model with lines of `gpu`; exit status 1 if a digest differs
//   alu_rows ptx I N     prints the kernels
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "kernel.h"

enum { AT_ONCE = 32, SHOWN = 6, MOST = INSTANCE_MOST_WORDS };

struct run {
    const char *mode;
    long next, first, step;
    struct device *device;
    struct instance batch[AT_ONCE];
    int held;
    FILE *recorded;
    long compared, different;
};

static uint64_t *in, *out, *expected;

static void *room(void)
{
    void *words = calloc((size_t)INSTANCE_MOST_TUPLES * 12, 8);
    if (words == NULL) abort();
    return words;
}

static int before(struct instance *instance)
{
    int words = 0;
    for (int slot = 0; slot < instance->registers.slots; slot++)
        if (instance->registers.is_written[slot]) words += 1 + (instance->registers.bits[slot] == 128);
    return words + instance->has_carry;
}

static void show(const struct instance *instance, int words, int tuple)
{
    const struct registers *registers = &instance->registers;
    size_t tuples = (size_t)instance->tuples, t = (size_t)tuple;
    printf("! %s [%d] lanes %08x:", instance->key, tuple, instance_lanes(instance, tuple / 32));
    for (int slot = 0; slot < registers->slots + instance->has_carry; slot++)
        if (slot == registers->slots || !registers->is_written[slot])
            printf(" %llx", (unsigned long long)instance_operand(instance, slot, 0, tuple));
    printf(" gpu");
    for (int w = 0; w < words; w++) printf(" %llx", (unsigned long long)out[(size_t)w * tuples + t]);
    printf(" model");
    for (int w = 0; w < words; w++) printf(" %llx", (unsigned long long)expected[(size_t)w * tuples + t]);
    printf("\n");
}

static int differs(const struct instance *instance, int words, int tuple)
{
    for (int w = 0; w < words; w++) {
        size_t at = (size_t)w * (size_t)instance->tuples + (size_t)tuple;
        if (out[at] != expected[at]) return 1;
    }
    return 0;
}

// Results of lanes that did not execute are set as the model has them: the compiler may keep anything there.
static void settle(const struct instance *instance, int words)
{
    for (int tuple = 0; tuple < instance->tuples; tuple++) {
        if (instance_lanes(instance, tuple / 32) >> tuple % 32 & 1) continue;
        for (int w = 0; w < words; w++) {
            size_t at = (size_t)w * (size_t)instance->tuples + (size_t)tuple;
            out[at] = expected[at];
        }
    }
}

static void report(struct instance *instance, int words)
{
    int different = 0;
    settle(instance, words);
    for (int tuple = 0; tuple < instance->tuples; tuple++)
        if (differs(instance, words, tuple) && different++ < SHOWN) show(instance, words, tuple);
    printf("%s\t%d\t%016llx\t%d\n", instance->key, instance->tuples,
           (unsigned long long)instance_digest(out, (size_t)words * (size_t)instance->tuples), different);
}

static void run_one(struct run *run, void *module, struct instance *instance, const char *name)
{
    int in_words = kernel_operands(instance, in), words = before(instance);
    size_t tuples = (size_t)instance->tuples;
    int error = device_run(run->device, module, name, instance->tuples, in, (size_t)in_words * tuples, out,
                           (size_t)words * tuples);
    if (error != 0) {
        printf("# %s: CUDA error %d\n", instance->key, error);
        fflush(stdout);
        exit(1);
    }
    instance_compute(instance, alu_find(&instance->registers.choice), expected);
    report(instance, words);
}

static void run_range(struct run *run, int from, int count)
{
    char *text, log[2000], name[16];
    size_t bytes;
    FILE *ptx = open_memstream(&text, &bytes);
    fputs(kernel_head, ptx);
    for (int i = from; i < from + count; i++)
        snprintf(name, sizeof name, "k%d", i), kernel_print(&run->batch[i], name, ptx);
    fclose(ptx);
    void *module = device_module(run->device, text, log, sizeof log);
    free(text);
    if (module == NULL && count > 1) {
        for (int i = from; i < from + count; i++) run_range(run, i, 1);
        return;
    }
    if (module == NULL) {
        printf("# refused: %s: %.*s\n", run->batch[from].key, (int)strcspn(log, "\n"), log);
        return;
    }
    for (int i = from; i < from + count; i++)
        snprintf(name, sizeof name, "k%d", i), run_one(run, module, &run->batch[i], name);
    device_module_close(run->device, module);
    fflush(stdout);
}

static void run_batch(struct run *run)
{
    if (run->held > 0) run_range(run, 0, run->held);
    run->held = 0;
}

static void compute(struct run *run, struct instance *instance)
{
    int words = instance_compute(instance, alu_find(&instance->registers.choice), expected);
    (void)run;
    printf("%s\t%d\t%016llx\t0\n", instance->key, instance->tuples,
           (unsigned long long)instance_digest(expected, (size_t)words * (size_t)instance->tuples));
}

static void tell(void *to, struct instance *instance)
{
    struct run *run = to;
    char name[24];
    if (run->next++ % run->step != run->first) return;
    if (strcmp(run->mode, "model") == 0) {
        compute(run, instance);
    } else if (strcmp(run->mode, "ptx") == 0) {
        snprintf(name, sizeof name, "k%ld", run->next);
        printf("// %s\n", instance->key);
        kernel_print(instance, name, stdout);
    } else {
        run->batch[run->held++] = *instance;
        if (run->held == AT_ONCE) run_batch(run);
    }
}

int main(int argc, char **argv)
{
    static struct run run = {.mode = "", .step = 1};
    if (argc > 1) run.mode = argv[1];
    if (argc > 3) run.first = atol(argv[2]), run.step = atol(argv[3]);
    in = room(), out = room(), expected = room();
    if (strcmp(run.mode, "gpu") == 0 && (run.device = device_open()) == NULL) {
        fprintf(stderr, "alu_rows: no GPU\n");
        return 2;
    }
    if (strcmp(run.mode, "ptx") == 0) fputs(kernel_head, stdout);
    instance_each(tell, &run);
    run_batch(&run);
    return 0;
}
