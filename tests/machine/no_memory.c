// SPDX-License-Identifier: MIT
// A module that is opened, and its kernel launched, when memory runs out: the n-th allocation fails, for each n. The
// launch does without and is right, or says that there is no memory; what looks on is whole, or says that it is not.
// All works again with memory. usage: no_memory FOLDER
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_memory.h"
#include "look.h"
#include "machine.h"

enum {
    THREADS = 128,
    CTAS = 2,
    DEPTH = 3,
    PIECES = 70,
    STRING = 400,
    LINE = 501,
    TILE_AT = 8 * THREADS * CTAS,
    WORDS = TILE_AT + 256
};

// Calls, by name and by address; a branch by a number; strings that printf() gathers; a heap of many pieces; a stack;
// copies of each kind, with barriers; products.
static const char head[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
    ".const .align 4 .u32 seven = 7;\n.global .align 1 .b8 format[8] = {37, 53, 48, 48, 115, 10, 0, 0};\n"
    ".shared .align 1024 .b8 tile[4096];\n.shared .align 8 .b64 bar;\n.extern .shared .align 16 .b8 more[];\n"
    ".func (.reg .b32 %o) down(.reg .b32 %i)\n{\n.reg .pred %p;\n.reg .b32 %t;\n.local .b8 room[64];\n"
    "setp.eq.u32 %p, %i, 0;\nmov.u32 %o, 0;\n@%p ret;\nsub.u32 %t, %i, 1;\ncall (%t), down, (%t);\n"
    "add.u32 %o, %t, 1;\nret;\n}\n.global .align 1 .b8 word[400] = {";
static const char body[] =
    "};\n.visible .entry k(.param .u64 from, .param .u64 to)\n{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n"
    ".reg .b64 %rd<32>;\n.reg .f32 %f<8>;\n.local .align 8 .b8 args[16];\n"
    "ld.param.u64 %rd0, [from];\nld.param.u64 %rd1, [to];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"
    "mad.lo.u32 %r2, %r1, 128, %r0;\nmul.wide.u32 %rd2, %r2, 32;\nadd.u64 %rd2, %rd1, %rd2;\n"
    // 0: a call by name; 4: one by address; 8: a target of a list
    "call (%r3), down, (3);\nst.global.u32 [%rd2], %r3;\nmov.u64 %rd3, down;\n"
    "P: .callprototype (.reg .b32 _) _ (.reg .b32 _);\ncall (%r3), %rd3, (2), P;\nst.global.u32 [%rd2+4], %r3;\n"
    "and.b32 %r4, %r0, 1;\nT: .branchtargets A, B;\nbrx.idx %r4, T;\nA: ld.const.u32 %r5, [seven];\nbra C;\n"
    "B: mov.u32 %r5, 8;\nC: st.global.u32 [%rd2+8], %r5;\n"
    // A tile, and a store of what is there
    "setp.ne.u32 %p0, %r0, 0;\nmov.u32 %r6, tile;\nmov.u32 %r7, bar;\n@%p0 bra made;\n"
    "mbarrier.init.shared.b64 [%r7], 1;\nmbarrier.arrive.expect_tx.shared.b64 _, [%r7], 4096;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd0], 4096, [%r7];\n"
    "made:\nbar.sync 0;\nW:\nmbarrier.try_wait.parity.shared.b64 %p1, [%r7], 0;\n@!%p1 bra W;\n"
    "add.u64 %rd4, %rd1, 8192;\n"
    "@!%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd4], [%r6], 1024;\n@!%p0 cp.async.bulk.commit_group;\n"
    "@!%p0 cp.async.bulk.wait_group.read 0;\n@!%p0 cp.async.bulk.wait_group 0;\n"
    "cp.async.ca.shared.global [more], [%rd0], 4;\ncp.async.mbarrier.arrive.shared.b64 [%r7];\n"
    "cp.async.wait_all;\n"
    // 12: a product
    "shr.u32 %r8, %r6, 4;\ncvt.u64.u32 %rd5, %r8;\nadd.u64 %rd6, %rd5, 0x1000080000;\nadd.u64 %rd7, %rd6, 128;\n"
    "mov.f32 %f1, 0f00000000;\nmov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\nmov.f32 %f4, %f1;\n"
    "setp.ne.u32 %p3, 1, 0;\nwgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd6, %rd7, %p3, 1, 1, 0, 0;\n"
    "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nst.global.f32 [%rd2+12], %f1;\n"
    // 16: the stack; 20, of the first thread: how many pieces the heap gave; a long line
    "alloca.u64 %rd8, 7000;\nst.local.u32 [%rd8+6996], %r0;\nld.local.u32 %r9, [%rd8+6996];\n"
    "st.global.u32 [%rd2+16], %r9;\n@%p0 ret;\nsetp.ne.u32 %p6, %r1, 0;\n@%p6 bra last;\nmov.u32 %r10, 0;\nmov.u32 "
    "%r11, 0;\n"
    "L: {\n.param .b64 n;\n.param .b64 p;\nst.param.b64 [n], 16;\ncall (p), malloc, (n);\nld.param.b64 %rd9, [p];\n}\n"
    "setp.ne.u64 %p4, %rd9, 0;\n@%p4 add.u32 %r11, %r11, 1;\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p5, %r10, 70;\n"
    "@%p5 bra L;\nst.global.u32 [%rd2+20], %r11;\n"
    "last: mov.u64 %rd10, args;\nmov.u64 %rd11, word;\nst.local.u64 [%rd10], %rd11;\ncvta.local.u64 %rd10, %rd10;\n"
    "mov.u64 %rd12, format;\n{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %rd12;\n"
    "st.param.b64 [a], %rd10;\ncall (r), vprintf, (f, a);\nld.param.b32 %r12, [r];\n}\nst.global.u32 [%rd2+24], %r12;\n"
    "ret;\n}\n";

static _Alignas(1024) uint32_t memory[2][WORDS];
static char text[1 << 13], printed[1 << 12], folder[512];
static struct machine_outcome outcome;

static void keep_text(void *context, const char *from, size_t bytes)
{
    (void)context;
    if (strlen(printed) + bytes < sizeof printed) strncat(printed, from, bytes);
}

static void write_text(void)
{
    char *at = text + sprintf(text, "%s", head);
    for (int i = 0; i < STRING; i++) at += sprintf(at, "%s%d", i == 0 ? "" : ", ", i + 1 < STRING ? 'x' : 0);
    sprintf(at, "%s", body);
}

// --- One run ---------------------------------------------------------------------------------------------------------

// How one ended: RIGHT, or it said why not.
enum end { RIGHT, SAID, WRONG };

static enum end end_of_launch(void)
{
    if (outcome.kind == MACHINE_NO_MEMORY) return SAID;
    if (outcome.kind == MACHINE_REFUSED) return strstr(outcome.message, "memory") != NULL ? SAID : WRONG;
    if (outcome.kind != MACHINE_DONE) return WRONG;
    for (uint32_t t = 0; t < THREADS * CTAS; t++) {
        const uint32_t *row = &memory[1][8 * t];
        const float product = 16; // of ones
        if (row[0] != DEPTH || row[1] != 2 || row[2] != 7 + t % 2 || row[4] != t % THREADS) return WRONG;
        if (memcmp(&row[3], &product, sizeof product) != 0) return WRONG;
        if (t == 0 && row[5] != PIECES) return memory_has_failed ? SAID : WRONG; // malloc() returned 0
    }
    if (memcmp(memory[0], memory[1] + TILE_AT, 1024) != 0) return WRONG;
    if (strlen(printed) == (size_t)CTAS * LINE) return RIGHT;
    return strstr(printed, "[cut]") != NULL ? SAID : WRONG;
}

static enum end run(enum machine_policy policy, struct look *look)
{
    const uint64_t parameters[] = {(uint64_t)(uintptr_t)memory[0], (uint64_t)(uintptr_t)memory[1]};
    const struct region region = {{(uint8_t *)memory, parameters[0], sizeof memory}, 0};
    const struct global_memory global = {&region, 1};
    struct ptx_errors errors;
    enum end end = SAID;
    struct machine_heap *heap = machine_heap_open(1 << 16);
    struct machine_module *module = machine_module_open(text, strlen(text), &errors);
    if (module == NULL && errors.count > 0 && strstr(errors.item[0].message, "memory") == NULL) end = WRONG;
    memset(memory[1], 0, sizeof memory[1]);
    if (module != NULL) {
        struct machine_launch launch = {.module = module,
                                        .kernel = machine_module_kernel(module, "k"),
                                        .grid = {CTAS, 1, 1},
                                        .block = {THREADS, 1, 1},
                                        .cluster = {2, 1, 1},
                                        .dynamic_shared_bytes = 16,
                                        .parameters = parameters,
                                        .global = &global,
                                        .schedule = {policy, 1, look == NULL ? 2 : 1},
                                        .print = keep_text,
                                        .heap = heap};
        end = RIGHT;
        for (int i = 0; i < (look == NULL ? 1 : 2) && end == RIGHT; i++) {
            printed[0] = '\0';
            struct machine_launch once = launch; // which look_begin() changes
            struct look_launch *under_way = look_begin(look, &once, "k");
            machine_run(&once, &outcome);
            look_end(under_way);
            end = end_of_launch();
        }
    }
    machine_module_close(module);
    machine_heap_close(heap);
    return end;
}

// --- What looks on ---------------------------------------------------------------------------------------------------

enum { FILES = 3, MOST_BYTES = 1 << 22 };
static const char *const files[FILES] = {"stats", "trace", "coverage"};
static char path[FILES][600], *now[FILES], *whole[FILES];

static void read_files(char *const to[FILES])
{
    for (int i = 0; i < FILES; i++) {
        FILE *file = fopen(path[i], "r");
        size_t bytes = file == NULL ? 0 : fread(to[i], 1, MOST_BYTES - 1, file);
        to[i][bytes] = '\0';
        if (file != NULL) fclose(file);
    }
}

// Files as those of a run with memory, or somebody says that they are not.
static enum end run_seen(enum machine_policy policy)
{
    const struct look_options options = {.stats = true,
                                         .lines.is_json = true,
                                         .break_at = "k:32",
                                         .cta = "",
                                         .thread = "",
                                         .dump = "shared,barriers,warp",
                                         .trace = path[1],
                                         .coverage = path[2],
                                         .run = ""};
    char why[1024];
    for (int i = 0; i < FILES; i++) unlink(path[i]);
    if (freopen(path[0], "w", stderr) == NULL) return WRONG;
    struct look *look = look_open(&options, why, sizeof why);
    enum end end = look == NULL ? strstr(why, "memory") != NULL ? SAID : WRONG : run(policy, look);
    if (look != NULL && !look_close(look, why, sizeof why)) fprintf(stderr, "%s\n", why);
    fflush(stderr);
    return end;
}

static bool are_whole(void)
{
    read_files(now);
    for (int i = 0; i < FILES; i++) {
        size_t same = 0;
        while (now[i][same] == whole[i][same] && now[i][same] != '\0') same++;
        if (now[i][same] == whole[i][same]) continue;
        snprintf(outcome.message, sizeof outcome.message, "%s, byte %zu: %.60s", files[i], same, now[i] + same);
        return false;
    }
    return true;
}

// --- The walk --------------------------------------------------------------------------------------------------------

static void require(bool is_true, const char *what, enum machine_policy policy, long n)
{
    if (is_true) return;
    printf("%s, schedule %d, allocation %ld fails: %s: %s\n", what, (int)policy, n, machine_kind_name(outcome.kind),
           outcome.message);
    fflush(stdout);
    _exit(EXIT_FAILURE);
}

static enum end run_with(long left, enum machine_policy policy, bool is_seen)
{
    memory_left = left;
    memory_has_failed = false;
    outcome = (struct machine_outcome){0};
    enum end end = is_seen ? run_seen(policy) : run(policy, NULL);
    memory_left = -1;
    return end;
}

static long walk(enum machine_policy policy, bool is_seen)
{
    require(run_with(-1, policy, is_seen) == RIGHT, "with memory", policy, -1);
    if (is_seen) read_files(whole);
    require(run_with(-1, policy, is_seen) == RIGHT && (!is_seen || are_whole()), "the same once more", policy, -1);
    const long held = __atomic_load_n(&memory_pieces, __ATOMIC_RELAXED);
    require(run_with(-1, policy, is_seen) == RIGHT, "with memory, a third time", policy, -1);
    require(__atomic_load_n(&memory_pieces, __ATOMIC_RELAXED) == held, "a run keeps pieces of memory", policy, -1);
    for (long n = 0;; n++) {
        enum end end = run_with(n, policy, is_seen);
        require(end != WRONG, "without memory", policy, n);
        if (!memory_has_failed) return n;
        if (is_seen && end == RIGHT && !are_whole())
            require(strstr(now[0], "memory") != NULL, "nobody says that it is not whole", policy, n);
        if (n % 16 == 0) require(run_with(-1, policy, is_seen) == RIGHT, "with memory again", policy, n);
    }
}

int main(int argc, char **argv)
{
    long walked = 0;
    if (argc != 2) return EXIT_FAILURE;
    snprintf(folder, sizeof folder, "%s", argv[1]);
    for (int i = 0; i < FILES; i++) {
        snprintf(path[i], sizeof path[i], "%s/no_memory.%s", folder, files[i]);
        now[i] = malloc(MOST_BYTES);
        whole[i] = malloc(MOST_BYTES);
        if (now[i] == NULL || whole[i] == NULL) return EXIT_FAILURE;
    }
    for (uint32_t i = 0; i < WORDS; i++) memory[0][i] = 0x3f803f80; // ones of bf16
    write_text();
    walked = walk(MACHINE_DEFAULT, false) + walk(MACHINE_DEFAULT, true);
    walked += walk(MACHINE_LATE, false); // a store that cannot be put aside is made at once: the timeline is another
    printf("%ld allocations failed\n", walked);
    return EXIT_SUCCESS;
}
