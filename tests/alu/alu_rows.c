// SPDX-License-Identifier: MIT
// Holds the ALU against a GPU, on every instruction that its rows spell:
//
//   alu_rows gpu I N [SEED [ROWS]]  instances I, I + N, ... on the GPU, or of those whose rows' names begin with ROWS;
//                        prints of each a line: key, tuples, digest of the GPU's results, how many tuples differ from
//                        the model; behind '!', tuples that differ
//   alu_rows model       the same lines from the model
//   alu_rows check FILE [SEED]  compares the model with lines of `gpu`; exit status 1 if a digest differs. A key with
//                        '-' has no recording yet: what is known of it is the machine code of ptxas
//   alu_rows ptx I N     prints the kernels
//   alu_rows sums I N    sums of approximate functions over all arguments, on the GPU; 'differs' where the model's are
//                        others, of every N-th region from I on
//   alu_rows check-sums FILE I N  compares every N-th region from I on of the model with lines of `sums`
#include <stdlib.h>
#include <string.h>

#include "alu_device.h"
#include "array.h"
#include "kernel.h"
#include "sums.h"

enum { AT_ONCE = 32, SHOWN = 12, BLOCK = 256, ROOM_BYTES = 16 << 20 };

// A line of `gpu`; `key` ends at its tab.
struct recorded {
    char line[220];
};

struct run {
    const char *mode, *rows;
    long next, first, step;
    struct device *device;
    struct instance batch[AT_ONCE];
    int held;
    struct recorded *recorded;
    size_t recordings;
    long compared, different, awaited;
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

static bool differs(const struct instance *instance, int words, int tuple)
{
    for (int w = 0; w < words; w++) {
        size_t at = (size_t)w * (size_t)instance->tuples + (size_t)tuple;
        if (out[at] != expected[at]) return true;
    }
    return false;
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

// Kernel `name`, `threads` of it in blocks of 256: `in` to the device, and `out` back.
static int run_on_gpu(struct device *device, void *module, const char *name, int threads, size_t in_words,
                      size_t out_words)
{
    uint64_t count = (uint64_t)threads;
    const struct device_work work = {
        name, threads / BLOCK, BLOCK, {{in, NULL, in_words}, {NULL, out, out_words}}, &count};
    return device_run(device, module, &work);
}

static void run_one(struct run *run, void *module, struct instance *instance, const char *name)
{
    int in_words = kernel_operands(instance, in), words = before(instance);
    size_t tuples = (size_t)instance->tuples;
    int error =
        run_on_gpu(run->device, module, name, instance->tuples, (size_t)in_words * tuples, (size_t)words * tuples);
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
    void *module;
    int error = device_module(run->device, text, DEVICE_BEST, &module, log, sizeof log);
    free(text);
    if (error != 0 && count > 1) {
        for (int i = from; i < from + count; i++) run_range(run, i, 1);
        return;
    }
    if (error != 0) {
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

// --- Against what was recorded ---------------------------------------------------------------------------------------

static int by_key(const void *a, const void *b)
{
    const char *x = a, *y = b;
    size_t n = strcspn(x, "\t"), m = strcspn(y, "\t");
    int order = memcmp(x, y, n < m ? n : m);
    return order != 0 ? order : (n > m) - (n < m);
}

static void read_recorded(struct run *run, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[sizeof run->recorded->line];
    if (file == NULL) fprintf(stderr, "alu_rows: cannot read %s\n", path), exit(2);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '!' || line[0] == '#') continue;
        struct recorded one = {.line = ""};
        memcpy(one.line, line, sizeof line);
        if (!ARRAY_ADD(run->recorded, run->recordings, one)) abort();
    }
    fclose(file);
    qsort(run->recorded, run->recordings, sizeof *run->recorded, by_key);
}

static void check(struct run *run, struct instance *instance)
{
    struct recorded key;
    snprintf(key.line, sizeof key.line, "%s\t", instance->key);
    const struct recorded *found = bsearch(&key, run->recorded, run->recordings, sizeof key, by_key);
    int words = instance_compute(instance, alu_find(&instance->registers.choice), expected), tuples;
    unsigned long long digest;
    if (found != NULL && strcmp(strchr(found->line, '\t'), "\t-\n") == 0) {
        run->awaited++;
        return;
    }
    if (found == NULL || sscanf(strchr(found->line, '\t'), "%d %llx", &tuples, &digest) != 2) {
        printf(
            "not recorded: %s; until a GPU has run it, tests/alu/recorded.tsv gets this line, a tab before -: %s\t-\n",
            instance->key, instance->key);
        run->different++;
        return;
    }
    run->compared += tuples;
    if (digest == instance_digest(expected, (size_t)words * (size_t)instance->tuples)) return;
    printf("differs: %s\n", instance->key);
    run->different++;
}

static void tell(void *to, struct instance *instance)
{
    struct run *run = to;
    char name[24];
    if (strncmp(ptx_form_row(instance->form)->name, run->rows, strlen(run->rows)) != 0) return;
    if (run->next++ % run->step != run->first) return;
    if (strcmp(run->mode, "model") == 0) {
        compute(run, instance);
    } else if (strcmp(run->mode, "check") == 0) {
        check(run, instance);
    } else if (strcmp(run->mode, "ptx") == 0) {
        snprintf(name, sizeof name, "k%ld", run->next);
        printf("// %s\n", instance->key);
        kernel_print(instance, name, stdout);
    } else {
        run->batch[run->held++] = *instance;
        if (run->held == AT_ONCE) run_batch(run);
    }
}

// --- Sums ------------------------------------------------------------------------------------------------------------

static int sums_on_gpu(struct device *device, const char *spelling)
{
    char *text, log[2000];
    size_t bytes;
    FILE *ptx = open_memstream(&text, &bytes);
    fputs(kernel_head, ptx);
    sums_print(spelling, "sums", ptx);
    fclose(ptx);
    void *module;
    int error = device_module(device, text, DEVICE_BEST, &module, log, sizeof log);
    free(text);
    if (error != 0) printf("# refused: %s: %s\n", spelling, log);
    if (error != 0) return error;
    error = run_on_gpu(device, module, "sums", BLOCK * SUMS_REGIONS, 1, SUMS_REGIONS);
    device_module_close(device, module);
    return error;
}

static void print_sums(const char *spelling)
{
    for (int region = 0; region < SUMS_REGIONS; region++) {
        if (region % 16 == 0) printf("%s %d", spelling, region);
        printf(" %016llx%s", (unsigned long long)out[region], region % 16 == 15 ? "\n" : "");
    }
}

static int record_sums(const struct run *run)
{
    int different = 0;
    for (int i = 0; sums_spelling(i) != NULL; i++) {
        if (sums_on_gpu(run->device, sums_spelling(i)) != 0) return 2;
        if (run->first == 0) print_sums(sums_spelling(i));
        for (int region = (int)run->first; region < SUMS_REGIONS; region += (int)run->step) {
            if (sums_of_model(sums_spelling(i), region) == out[region]) continue;
            printf("# differs: %s, region %d\n", sums_spelling(i), region);
            different = 1;
        }
        fflush(stdout);
    }
    printf("# done\n");
    return different;
}

// The sums of a line, of which some are asked for. Returns how many differ.
static int check_line(const char *line, int from, int every, int *compared)
{
    char spelling[64];
    int first, used, different = 0;
    unsigned long long sum;
    if (sscanf(line, "%63s %d%n", spelling, &first, &used) != 2) return 1;
    for (int region = first; sscanf(line += used, "%llx%n", &sum, &used) == 1; region++) {
        if (region % every != from) continue;
        ++*compared;
        if (sums_of_model(spelling, region) == sum) continue;
        printf("differs: %s, region %d\n", spelling, region);
        different++;
    }
    return different;
}

static int check_sums(const char *path, int from, int every)
{
    FILE *file = fopen(path, "r");
    char line[512];
    int different = 0, compared = 0;
    if (file == NULL || every < 1) return 2;
    while (fgets(line, sizeof line, file) != NULL)
        if (line[0] != '#') different += check_line(line, from, every, &compared);
    fclose(file);
    printf("%d sums of %d arguments compared, %d differ\n", compared, 1 << SUMS_REGION_BITS, different);
    return different > 0 || compared == 0;
}

int main(int argc, char **argv)
{
    static struct run run = {.mode = "", .rows = "", .step = 1};
    const char *why = "";
    if (argc > 1) run.mode = argv[1];
    if (argc > 3) run.first = atol(argv[2]), run.step = atol(argv[3]);
    if (strcmp(run.mode, "check-sums") == 0 && argc == 5) return check_sums(argv[2], atoi(argv[3]), atoi(argv[4]));
    in = room(), out = room(), expected = room();
    bool needs_gpu = strcmp(run.mode, "gpu") == 0 || strcmp(run.mode, "sums") == 0;
    if (needs_gpu && (run.device = device_open("libcuda.so.1", (const size_t[DEVICE_BUFFERS]){ROOM_BYTES, ROOM_BYTES},
                                               &why)) == NULL) {
        fprintf(stderr, "alu_rows: no GPU: %s\n", why);
        return 2;
    }
    if (strcmp(run.mode, "check") == 0 && argc > 2) read_recorded(&run, argv[2]), run.first = 0, run.step = 1;
    if (strcmp(run.mode, "ptx") == 0) fputs(kernel_head, stdout);
    if (strcmp(run.mode, "sums") == 0) return record_sums(&run);
    int seed = strcmp(run.mode, "check") == 0 ? 3 : 4;
    if (argc > seed + 1) run.rows = argv[seed + 1];
    instance_each(argc > seed ? strtoull(argv[seed], NULL, 0) : 0, tell, &run);
    run_batch(&run);
    if (strcmp(run.mode, "check") == 0)
        printf("%ld tuples compared, %ld instructions differ; %ld not yet recorded on a GPU\n", run.compared,
               run.different, run.awaited);
    return run.different > 0;
}
