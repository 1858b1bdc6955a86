// SPDX-License-Identifier: MIT
// The PTX machine against plain C on one core, in the same run: a loop of arithmetic with all lanes and with half of
// them, without and with the host's vectors, and coalesced copies against memcpy. And several threads of the host
// against one, which only a machine with idle cores can tell. Argument: --json.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "pair.h"
#include "plain_c.h"

enum {
    ROUNDS = 15,
    THREADS = 256,
    BLOCKS = 4,
    OF_ITERATION = 13,
    COPY_BLOCKS = 64,
    MANY_BLOCKS = 256,
    MOST_THREADS = 16
};
#define COPY_BYTES ((size_t)64 << 20)
#define COPY_ALIGN ((size_t)256) // as cudaMalloc does

#define HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"

// Each thread: 2000 times thirteen instructions, of which ten compute. `guard` is the threads that take part.
#define ALU(guard)                                                                                                     \
    HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<4>;\n"            \
         ".reg .f32 %f<4>;\nld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"                 \
         "mad.lo.u32 %r2, %r1, 256, %r0;\n" guard "mov.u32 %r3, %r2;\nmov.u32 %r4, 1;\nmov.u32 %r5, 2;\n"              \
         "mov.f32 %f0, 0f3F800000;\nmov.f32 %f1, 0f3F7FFFF0;\nmov.f32 %f2, 0f3A000000;\nmov.u32 %r9, 0;\n"             \
         "L: mad.lo.u32 %r3, %r3, 1664525, 1013904223;\nxor.b32 %r4, %r4, %r3;\nshr.u32 %r6, %r4, 7;\n"                \
         "add.u32 %r5, %r5, %r6;\nshl.b32 %r7, %r5, 3;\nxor.b32 %r4, %r4, %r7;\nmul.rn.f32 %f0, %f0, "                 \
         "%f1;\nadd.rn.f32 %f0, %f0, %f2;\n"                                                                           \
         "and.b32 %r8, %r3, 255;\nsub.u32 %r5, %r5, %r8;\n"                                                            \
         "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, 2000;\n@%p1 bra L;\n"                                            \
         "mov.b32 %r10, %f0;\nxor.b32 %r4, %r4, %r10;\nadd.u32 %r4, %r4, %r5;\n"                                       \
         "mul.wide.u32 %rd1, %r2, 4;\nadd.u64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], %r4;\nret;\n}\n"

// Each CTA copies a megabyte, 16 bytes a thread at a time.
#define COPY                                                                                                           \
    HEAD ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n.reg .pred %p<2>;\n"                                 \
         ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd0, [from];\nld.param.u64 %rd1, [to];\n"                 \
         "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd3, %r0, 16;\nmul.wide.u32 %rd4, %r1, "         \
         "1048576;\n"                                                                                                  \
         "add.u64 %rd3, %rd3, %rd4;\nadd.u64 %rd0, %rd0, %rd3;\nadd.u64 %rd1, %rd1, %rd3;\nmov.u32 %r2, 0;\n"          \
         "L: ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd0];\nst.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};\n"         \
         "add.u64 %rd0, %rd0, 4096;\nadd.u64 %rd1, %rd1, 4096;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p0, %r2, 256;\n"    \
         "@%p0 bra L;\nret;\n}\n"

struct bench {
    struct machine_module *alu, *half, *uneven, *copy;
    uint8_t *from, *to;
    uint32_t wanted[THREADS * BLOCKS], out[THREADS * BLOCKS], many[THREADS * MANY_BLOCKS];
    uint32_t step; // 2: every other thread
};

static struct machine_module *open_module(const char *text)
{
    struct ptx_errors errors;
    struct machine_module *module = machine_module_open(text, strlen(text), &errors);
    if (module != NULL) return module;
    fprintf(stderr, "%s\n", errors.item[0].message);
    exit(1);
}

static void run_on(uint32_t host_threads, struct machine_module *module, uint32_t blocks, const void *parameters,
                   const struct region *region, uint32_t regions)
{
    struct machine_outcome outcome;
    const struct global_memory global = {region, regions};
    const struct machine_launch launch = {.module = module,
                                          .kernel = machine_module_kernel(module, "k"),
                                          .grid = {blocks, 1, 1},
                                          .block = {THREADS, 1, 1},
                                          .parameters = parameters,
                                          .global = &global,
                                          .schedule = {.threads = host_threads}};
    if (machine_run(&launch, &outcome)) return;
    fprintf(stderr, "%s\n", outcome.message);
    exit(1);
}

static void run(struct machine_module *module, uint32_t blocks, const void *parameters, const struct region *region,
                uint32_t regions)
{
    run_on(1, module, blocks, parameters, region, regions);
}

static struct region region_of(void *bytes, size_t size_bytes)
{
    return (struct region){{bytes, (uint64_t)(uintptr_t)bytes, size_bytes}, 0};
}

static void run_alu(void *context)
{
    struct bench *bench = context;
    const uint64_t out = (uint64_t)(uintptr_t)bench->out;
    const struct region region = region_of(bench->out, sizeof bench->out);
    run(bench->step == 1 ? bench->alu : bench->half, BLOCKS, &out, &region, 1);
}

static void compute_all(struct bench *bench, const struct plain_side *side)
{
    for (uint32_t thread = 0; thread < THREADS * BLOCKS; thread += PLAIN_WIDE * bench->step)
        side->arithmetic(thread, bench->step, bench->wanted + thread);
}

static void compute_scalar(void *context)
{
    compute_all(context, &plain_scalar);
}

static void compute_vectors(void *context)
{
    compute_all(context, &plain_vectors);
}

static void run_copy(void *context)
{
    struct bench *bench = context;
    const uint64_t from = (uint64_t)(uintptr_t)bench->from, to = (uint64_t)(uintptr_t)bench->to;
    const uint64_t parameters[2] = {from, to};
    struct region region[2] = {region_of(bench->from, COPY_BYTES), region_of(bench->to, COPY_BYTES)};
    if (from > to) {
        struct region first = region[0];
        region[0] = region[1];
        region[1] = first;
    }
    run(bench->copy, COPY_BLOCKS, parameters, region, 2);
}

static void copy(void *context)
{
    struct bench *bench = context;
    memcpy(bench->to, bench->from, COPY_BYTES);
    __asm__ volatile("" : : "r"(bench->to) : "memory");
}

static void expect(bool is_right, const char *what)
{
    if (is_right) return;
    fprintf(stderr, "%s: wrong results\n", what);
    exit(1);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct times {
    double wall, cpu;
};

// Of some runs the least, on the wall and of all cores together.
static struct times least_of(struct bench *bench, uint32_t host_threads, void (*work)(struct bench *, uint32_t))
{
    struct times least = {1e9, 1e9};
    for (int i = 0; i < ROUNDS; i++) {
        const double wall_start = seconds_of(CLOCK_MONOTONIC), start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        work(bench, host_threads);
        const double wall = seconds_of(CLOCK_MONOTONIC) - wall_start;
        const double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        if (wall < least.wall) least.wall = wall;
        if (cpu < least.cpu) least.cpu = cpu;
    }
    return least;
}

static void run_many_of(struct bench *bench, struct machine_module *module, uint32_t host_threads)
{
    const uint64_t out = (uint64_t)(uintptr_t)bench->many;
    const struct region region = region_of(bench->many, sizeof bench->many);
    run_on(host_threads, module, MANY_BLOCKS, &out, &region, 1);
}

static void run_many(struct bench *bench, uint32_t host_threads)
{
    run_many_of(bench, bench->alu, host_threads);
}

// Of 256 clusters the first eight have all of the work.
static void run_uneven(struct bench *bench, uint32_t host_threads)
{
    run_many_of(bench, bench->uneven, host_threads);
}

struct c_thread {
    pthread_t thread;
    const struct plain_side *side;
    uint32_t *out, first, step;
};

static void *compute_share(void *context)
{
    const struct c_thread *mine = context;
    for (uint32_t i = PLAIN_WIDE * mine->first; i < THREADS * MANY_BLOCKS; i += PLAIN_WIDE * mine->step)
        mine->side->arithmetic(i, 1, mine->out + i);
    return NULL;
}

// What the host itself gives: threads of C that share nothing, an equal part each.
static void compute_many(struct bench *bench, uint32_t host_threads, const struct plain_side *side)
{
    struct c_thread each[MOST_THREADS];
    for (uint32_t i = 0; i < host_threads; i++) {
        each[i] = (struct c_thread){.side = side, .out = bench->many, .first = i, .step = host_threads};
        if (pthread_create(&each[i].thread, NULL, compute_share, &each[i]) != 0) exit(1);
    }
    for (uint32_t i = 0; i < host_threads; i++) pthread_join(each[i].thread, NULL);
}

static void compute_plainly(struct bench *bench, uint32_t host_threads)
{
    compute_many(bench, host_threads, &plain_scalar);
}

static void compute_widely(struct bench *bench, uint32_t host_threads)
{
    compute_many(bench, host_threads, &plain_vectors);
}

// As many as there are processors, which should be idle.
static void measure_threads(struct bench *bench)
{
    void (*const work[])(struct bench *, uint32_t) = {run_many, run_uneven, compute_plainly, compute_widely};
    static const char *const name[] = {"the machine", "8 long of 256", "scalar C", "C by vectors"};
    for (int i = 0; i < 4; i++) {
        const struct times one = least_of(bench, 1, work[i]);
        for (uint32_t threads = 2; threads <= MOST_THREADS && threads <= sysconf(_SC_NPROCESSORS_ONLN); threads *= 2) {
            const struct times many = least_of(bench, threads, work[i]);
            pair_tell_scaling(name[i], threads, one.wall / many.wall, many.cpu / one.cpu);
        }
        expect(i < 2 || memcmp(bench->many, bench->wanted, sizeof bench->wanted) == 0, name[i]);
    }
}

// The aims are 1.0, 0.3 and 0.3 times; what fails is a machine far slower than it was when this was written
// (docs/machine.md).
static bool measure(struct bench *bench)
{
    const double operations = (double)THREADS * BLOCKS * PLAIN_ITERATIONS * OF_ITERATION;
    struct pair lanes = {.what = "arithmetic, all lanes",
                         .ours = {"machine", run_alu},
                         .theirs = {{"scalar C", compute_scalar}, {"C by vectors", compute_vectors}},
                         .context = bench,
                         .unit = "instructions",
                         .units = operations,
                         .instructions = operations,
                         .rounds = ROUNDS};
    const struct pair copies = {.what = "coalesced copies",
                                .ours = {"machine", run_copy},
                                .theirs = {{"memcpy", copy}},
                                .context = bench,
                                .unit = "bytes",
                                .units = (double)COPY_BYTES,
                                .bytes = 2.0 * (double)COPY_BYTES,
                                .rounds = ROUNDS};
    bench->step = 1;
    double all = pair_measure(&lanes);
    expect(memcmp(bench->wanted, bench->out, sizeof bench->out) == 0, "all lanes");
    bench->step = 2;
    lanes.what = "arithmetic, half of the lanes";
    lanes.units = lanes.instructions = operations / 2;
    double half = pair_measure(&lanes);
    expect(memcmp(bench->wanted, bench->out, sizeof bench->out) == 0, "half of the lanes");
    double moved = pair_measure(&copies);
    expect(memcmp(bench->from, bench->to, COPY_BYTES) == 0, "copies");
    measure_threads(bench);
    return all >= 0.15 && half >= 0.05 && moved >= 0.04;
}

int main(int argc, char **argv)
{
    pair_open(&argc, argv);
    struct bench *bench = calloc(1, sizeof *bench);
    if (bench == NULL) return 1;
    bench->alu = open_module(ALU(""));
    bench->half = open_module(ALU("and.b32 %r11, %r0, 1;\nsetp.ne.u32 %p2, %r11, 0;\n@%p2 exit;\n"));
    bench->uneven = open_module(ALU("setp.ge.u32 %p2, %r1, 8;\n@%p2 exit;\n"));
    bench->copy = open_module(COPY);
    bench->from = aligned_alloc(COPY_ALIGN, COPY_BYTES);
    bench->to = aligned_alloc(COPY_ALIGN, COPY_BYTES);
    if (bench->from == NULL || bench->to == NULL) return 1;
    for (size_t i = 0; i < COPY_BYTES; i++) bench->from[i] = (uint8_t)(i * 7 + (i >> 12));
    bool is_fast = measure(bench);
    pair_close();
    if (!is_fast) fprintf(stderr, "far slower than it was: 0.9, 0.35 and 0.3 times\n");
    machine_module_close(bench->alu);
    machine_module_close(bench->half);
    machine_module_close(bench->uneven);
    machine_module_close(bench->copy);
    free(bench->from);
    free(bench->to);
    free(bench);
    return !is_fast;
}
