// SPDX-License-Identifier: MIT
// Target `machine`: bytes choose the lines of a PTX program, its launch and its schedule. It may fault, hang or meet
// its limit; the machine must stay whole, and touch no memory but what it was given.
#include "machine.h"
#include "fuzz.h"

// A product of matrices costs as much as a hundred other lines: a program that has one gets fewer turns of its loops.
enum { MOST_LINES = 60, TEXT_BYTES = 16384, OUT_BYTES = 4096, MOST_INSTRUCTIONS = 4000, MOST_WITH_PRODUCTS = 400 };

// $r $h $f $d $p: a register of its kind; $l a label of any line; $n a small number; $k any; $a an address that is
// often good.
static const char *const lines[] = {
    "mov.u32 $r, $k;",
    "mov.u32 $r, %tid.x;",
    "mov.u32 $r, %laneid;",
    "mov.u64 $d, %clock64;",
    "add.s32 $r, $r, $r;",
    "sub.u32 $r, $r, $n;",
    "mad.lo.u32 $r, $r, $n, $r;",
    "mul.wide.s32 $d, $r, $r;",
    "shl.b32 $r, $r, $n;",
    "div.u32 $r, $r, $r;",
    "rem.s32 $r, $r, $r;",
    "cvt.u16.u32 $h, $r;",
    "cvt.u32.s8 $r, $r;",
    "cvt.s8.s32 $r, $r;",
    "cvt.rn.f32.u32 $f, $r;",
    "cvt.rzi.s32.f32 $r, $f;",
    "fma.rn.f32 $f, $f, $f, $f;",
    "ex2.approx.f32 $f, $f;",
    "setp.lt.u32 $p, $r, $r;",
    "setp.eq.s32 $p|$p, $r, $n;",
    "and.pred $p, $p, !$p;",
    "selp.b32 $r, $r, $r, $p;",
    "mov.b64 $d, {$r, $r};",
    "mov.b64 {$r, $r}, $d;",
    "bra $l;",
    "@$p bra $l;",
    "@!$p bra $l;",
    "@$p bra.uni $l;",
    "brx.idx $r, T;",
    "call f, ($r);",
    "call ($r), g, ($r, $d);",
    "call ($r), $d, ($r, $d), P;",
    "mov.u64 $d, g;",
    "ret;",
    "@$p exit;",
    "@$p trap;",
    "nanosleep.u32 $r;",
    "ld.global.u32 $r, [$a];",
    "ld.global.v4.u32 {$r, $r, _, $r}, [$a];",
    "st.global.v2.u32 [$a], {$r, $r};",
    "st.u8 [$a], $r;",
    "ld.volatile.s16 $r, [$a];",
    "ld.shared.u32 $r, [s+$n];",
    "st.shared.u64 [$r], $d;",
    "st.shared::cluster.u32 [$r], $r;",
    "ld.local.u32 $r, [$d];",
    "st.local.b32 [v], $r;",
    "ld.param.u64 $d, [out];",
    "atom.global.add.u32 $r, [$a], $r;",
    "atom.shared.cas.b32 $r, [s+4], $r, $r;",
    "red.global.max.s32 [$a], $r;",
    "atom.exch.b64 $d, [$a], $d;",
    "cvta.shared.u64 $d, $d;",
    "cvta.to.local.u64 $d, $d;",
    "isspacep.global $p, $d;",
    "mapa.u64 $d, $d, $r;",
    "alloca.u64 $d, $d;",
    "shfl.sync.bfly.b32 $r, $r, $n, 31, $k;",
    "shfl.sync.idx.b32 $r|$p, $r, $r, $r, $r;",
    "vote.sync.ballot.b32 $r, $p, $r;",
    "match.any.sync.b32 $r, $r, -1;",
    "redux.sync.add.u32 $r, $r, $r;",
    "elect.sync $r|$p, -1;",
    "activemask.b32 $r;",
    "bar.warp.sync $r;",
    "bar.warp.sync -1;",
    "bar.sync 0;",
    "bar.sync $n;",
    "bar.arrive 1, 64;",
    "bar.red.popc.u32 $r, 2, $p;",
    "barrier.cta.sync $r, $r;",
    "barrier.cluster.arrive;",
    "barrier.cluster.wait;",
    "mbarrier.init.shared.b64 [s], $n;",
    "mbarrier.arrive.shared.b64 $d, [s];",
    "mbarrier.try_wait.parity.shared.b64 $p, [s], $n;",
    "mbarrier.expect_tx.relaxed.cta.shared.b64 [s], $n;",
    "cp.async.ca.shared.global [s+16], [$a], 16;",
    "cp.async.commit_group;",
    "cp.async.wait_group 0;",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+64], [$a], 32, [s];",
    "cp.async.bulk.global.shared::cta.bulk_group [$a], [s+64], 32;",
    "cp.async.bulk.commit_group;",
    "cp.async.bulk.wait_group 0;",
    "fence.proxy.async;",
    "membar.gl;",
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {$r, $r}, [s];",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {$f, $f, $f, $f}, {$r, $r}, {$r}, {$f, $f, $f, $f};",
    "setmaxnreg.dec.sync.aligned.u32 40;",
    "griddepcontrol.wait;",
};
enum { LINES = sizeof lines / sizeof lines[0] };

struct text {
    char at[TEXT_BYTES];
    size_t used;
    bool has_product;
};

static void put(struct text *text, const char *piece)
{
    size_t length = strlen(piece);
    if (text->used + length + 1 > sizeof text->at) return;
    memcpy(text->at + text->used, piece, length + 1);
    text->used += length;
}

static void put_number(struct text *text, const char *before, uint64_t number)
{
    char piece[40];
    snprintf(piece, sizeof piece, "%s%llu", before, (unsigned long long)number);
    put(text, piece);
}

static void put_choice(struct text *text, struct fuzz_input *input, char kind, uint32_t count)
{
    uint64_t byte = fuzz_take(input, 1);
    const char *const prefix = kind == 'r' ? "%r" : kind == 'h' ? "%h" : kind == 'f' ? "%f" : kind == 'd' ? "%d" : "%p";
    if (kind == 'l')
        put_number(text, "L", byte % count);
    else if (kind == 'n')
        put_number(text, "", byte % 33);
    else if (kind == 'k')
        put_number(text, "", fuzz_take(input, 4));
    else if (kind == 'a')
        put_number(text, byte % 4 > 0 ? "%o+" : "%d1+", byte % 64 * 4);
    else
        put_number(text, prefix, byte % 6);
}

static void put_line(struct text *text, struct fuzz_input *input, uint32_t count)
{
    const char *const line = lines[fuzz_take(input, 1) % LINES];
    text->has_product |= strncmp(line, "mma.", 4) == 0;
    for (const char *at = line; *at != '\0'; at++) {
        const char one[2] = {*at, '\0'};
        if (*at == '$')
            put_choice(text, input, *++at, count);
        else
            put(text, one);
    }
    put(text, "\n");
}

static void put_program(struct text *text, struct fuzz_input *input)
{
    uint32_t count = 1 + (uint32_t)fuzz_take(input, 1) % MOST_LINES;
    put(text,
        ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 16 .b8 s[256];\n"
        ".func f(.reg .b32 a)\n{\n.reg .pred p;\n.reg .b32 b;\nsetp.lt.s32 p, a, 1;\n@p ret;\nsub.s32 b, a, 1;\n"
        "call f, (b);\n}\n"
        ".func (.param .b32 r) g(.param .b32 a, .param .b64 b)\n{\n.reg .b32 x;\nld.param.b32 x, [a];\n"
        "st.param.b32 [r], x;\nret;\n}\n"
        ".visible .entry k(.param .u64 out)\n{\n.local .align 8 .b8 v[64];\n.reg .pred %p<6>;\n.reg .b16 %h<6>;\n"
        ".reg .b32 %r<6>;\n.reg .f32 %f<6>;\n.reg .b64 %d<6>, %o;\nld.param.u64 %o, [out];\nmov.u32 %r0, %tid.x;\n"
        "mul.wide.u32 %d1, %r0, 4;\nadd.u64 %d1, %o, %d1;\nT: .branchtargets L0, L0;\n"
        "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);\n");
    for (uint32_t i = 0; i < count; i++) {
        put_number(text, "L", i);
        put(text, ": ");
        put_line(text, input, count);
    }
    put(text, "ret;\n}\n");
}

void fuzz_machine(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    struct text *text = calloc(1, sizeof *text);
    uint8_t *out = aligned_alloc(64, OUT_BYTES);
    struct machine_outcome outcome;
    struct ptx_errors errors;
    uint32_t shape = (uint32_t)fuzz_take(&input, 2);
    fuzz_require(text != NULL && out != NULL);
    memset(out, 0, OUT_BYTES);
    put_program(text, &input);
    struct machine_module *module = machine_module_open(text->at, text->used, &errors);
    uint64_t address = (uint64_t)(uintptr_t)out;
    const struct region region = {{out, address, OUT_BYTES}, 0};
    const struct global_memory global = {&region, 1};
    struct machine_launch launch = {
        .module = module,
        .grid = {1 + shape % 4, 1, 1},
        .block = {1 + shape / 4 % 80, 1, 1},
        .cluster = {shape / 320 % 2 * (1 + shape % 4), 1, 1},
        .parameters = &address,
        .global = &global,
        .stack_bytes = 4096,
        .schedule = {(enum machine_policy)(shape / 640 % 4), shape, 1},
        .limits = {.instructions = text->has_product ? MOST_WITH_PRODUCTS : MOST_INSTRUCTIONS}};
    fuzz_require(module != NULL);
    launch.kernel = machine_module_kernel(module, "k");
    machine_run(&launch, &outcome);
    fuzz_require(outcome.kind == MACHINE_DONE || outcome.message[0] != '\0');
    machine_module_close(module);
    free(text);
    free(out);
}
