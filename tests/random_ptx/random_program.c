// SPDX-License-Identifier: MIT
#include "random_program.h"

#include <stdarg.h>
#include <string.h>

#include "../alu/values.h"

enum { PREDICATES = 6, HALVES = 8, SINGLES = 12, DOUBLES = 10, QUADS = 2, FUNCTIONS = 3, MOST_DEPTH = 3 };

static const struct {
    char file;
    int count;
} files[PROGRAM_FILES] = {{'p', PREDICATES}, {'h', HALVES}, {'r', SINGLES}, {'d', DOUBLES}, {'q', QUADS}};

// What the words of the input are hard on, in turn.
static const enum ptx_type input_types[] = {PTX_TYPE_f16,   PTX_TYPE_bf16,   PTX_TYPE_f32, PTX_TYPE_f64,
                                            PTX_TYPE_f16x2, PTX_TYPE_bf16x2, PTX_TYPE_s16, PTX_TYPE_s32,
                                            PTX_TYPE_s16x2, PTX_TYPE_s64};
enum { INPUT_TYPES = sizeof input_types / sizeof *input_types };

uint64_t program_input(uint64_t seed, int word, int thread)
{
    uint64_t kind = value_mix(seed * 1000003 + (uint64_t)word * 4096 + (uint64_t)thread);
    if (word == 0) return 0; // out of the compiler's sight
    return value_of_type(input_types[word % INPUT_TYPES], kind >> 20, value_mix(kind));
}

int program_below(struct program *program, int bound)
{
    return (int)random_below(&program->random, (uint64_t)bound);
}

int program_chance(struct program *program, int percent)
{
    return random_chance(&program->random, (unsigned)percent);
}

void program_say(struct program *program, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(program->to, format, list);
    va_end(list);
}

char program_file(int bits)
{
    return bits == 1 ? 'p' : bits <= 16 ? 'h' : bits == 32 ? 'r' : bits == 64 ? 'd' : 'q';
}

int program_register(struct program *program, char file, int but)
{
    int i = 0;
    while (files[i].file != file) i++;
    int number = program_below(program, files[i].count - (but >= 0));
    return but >= 0 && number >= but ? number + 1 : number;
}

bool program_has_whole_warps(const struct program *program)
{
    return program->depth == 0 && program->function < 0 && program->block % 32 == 0;
}

static int threads(const struct program *program)
{
    return program->block * program->ctas;
}

// --- Steps -----------------------------------------------------------------------------------------------------------

void program_begin_step(struct program *program, const char *what)
{
    program->writes = 0;
    program->words = 0;
    program_say(program, "// step %d %s\n", program->steps, what);
}

void program_wrote(struct program *program, char file, int number)
{
    struct program_written written = {file, number};
    if (program->writes < 16) program->written[program->writes++] = written;
}

// The result is changed by a zero that the compiler does not know. With optimisation it cannot make one instruction of
// two then. Without, ptxas forgets that a float instruction wrote the register, and does not convert what a shift by it
// or a narrower store of it takes.
static void veil(struct program *program, char file, int number)
{
    static const char *const text[] = {"xor.pred %%p%d, %%p%d, %%zp;\n", "xor.b16 %%h%d, %%h%d, %%zh;\n",
                                       "xor.b32 %%r%d, %%r%d, %%zr;\n", "xor.b64 %%d%d, %%d%d, %%zd;\n"};
    for (int i = 0; i < 4; i++)
        if (files[i].file == file) program_say(program, text[i], number, number);
}

// A value as 64 bits in %A1; of 128 bits the high half is in %A2.
static void widen(struct program *program, char file, int number)
{
    if (file == 'p')
        program_say(program, "selp.u64 %%A1, 1, 0, %%p%d;\n", number);
    else if (file == 'h')
        program_say(program, "cvt.u64.u16 %%A1, %%h%d;\n", number);
    else if (file == 'r' || file == 'B')
        program_say(program, "cvt.u64.u32 %%A1, %%%c%d;\n", file, number);
    else if (file == 'd' || file == 'A')
        program_say(program, "mov.b64 %%A1, %%%c%d;\n", file, number);
    else
        program_say(program, "mov.b128 {%%A1, %%A2}, %%q%d;\n", number);
}

// What is logged at a place that a thread comes to once is the values themselves, each in a word of its own.
static void log_value(struct program *program, char file, int number)
{
    int at = program->steps++ * threads(program) * 8;
    if (file == 'r' || file == 'B')
        program_say(program, "st.global.u32 [%%log+%d], %%%c%d;\n", at, file, number);
    else if (file == 'd' || file == 'A')
        program_say(program, "st.global.u64 [%%log+%d], %%%c%d;\n", at, file, number);
    else if (file == 'h')
        program_say(program, "st.global.u16 [%%log+%d], %%h%d;\n", at, number);
    else
        widen(program, file, number), program_say(program, "st.global.u64 [%%log+%d], %%A1;\n", at);
    if (file == 'q') program_say(program, "st.global.u64 [%%log+%d], %%A2;\n", program->steps++ * threads(program) * 8);
}

// Others are added up to a hash.
static void log_all(struct program *program)
{
    int at = program->steps++ * threads(program) * 8;
    static const char multiply[] = "mad.lo.u64 %A0, %A0, 0x9E3779B97F4A7C15, %A1;\n";
    program_say(program, "ld.global.u64 %%A0, [%%log+%d];\n", at);
    for (int i = 0; i < program->writes; i++) {
        widen(program, program->written[i].file, program->written[i].number);
        program_say(program, "%s", multiply);
        if (program->written[i].file == 'q') program_say(program, "mov.b64 %%A1, %%A2;\n%s", multiply);
    }
    program_say(program, "st.global.u64 [%%log+%d], %%A0;\n", at);
}

void program_end_step(struct program *program)
{
    bool is_once = program->function < 0 && program->loops == 0;
    program->instances++;
    for (int i = 0; i < program->writes; i++) veil(program, program->written[i].file, program->written[i].number);
    for (int i = 0; i < program->writes && is_once; i++)
        log_value(program, program->written[i].file, program->written[i].number);
    if (program->writes > 0 && !is_once) log_all(program);
}

static int word_for(struct program *program, enum ptx_type type, char file)
{
    static const enum ptx_type plain[] = {PTX_TYPE_s16, PTX_TYPE_s16, PTX_TYPE_s32, PTX_TYPE_s64, PTX_TYPE_s64};
    enum ptx_type wanted = type == PTX_TYPE_tf32 ? PTX_TYPE_f32 : type == PTX_TYPE_u16x2 ? PTX_TYPE_s16x2 : type;
    int turn = 0, i = 0;
    while (turn < INPUT_TYPES && input_types[turn] != wanted) turn++;
    while (files[i].file != file) i++;
    if (turn == INPUT_TYPES)
        for (turn = 0; input_types[turn] != plain[i]; turn++) continue;
    return turn + INPUT_TYPES * (1 + program_below(program, PROGRAM_INPUTS / INPUT_TYPES - 1));
}

// Another word for each operand of a step: the compiler knows what the larger of two equal numbers is, but for a NaN.
static int fresh_word(struct program *program, enum ptx_type type, char file)
{
    int word = word_for(program, type, file);
    for (int tries = 0; tries < 20 && program->words >> word & 1; tries++) word = word_for(program, type, file);
    program->words |= (uint64_t)1 << word;
    return word;
}

// Each width by a load of its own: of the low half of a 64-bit register ptxas takes wrong bits for some atomics.
static void load_input(struct program *program, char file, int number, int word)
{
    int at = word * threads(program) * 8;
    if (file == 'p')
        program_say(program, "ld.global.u32 %%B0, [%%in+%d];\nand.b32 %%B0, %%B0, 1;\nsetp.ne.u32 %%p%d, %%B0, 0;\n",
                    at, number);
    else if (file == 'h')
        program_say(program, "ld.global.u16 %%h%d, [%%in+%d];\n", number, at);
    else if (file == 'r')
        program_say(program, "ld.global.u32 %%r%d, [%%in+%d];\n", number, at);
    else if (file == 'd')
        program_say(program, "ld.global.u64 %%d%d, [%%in+%d];\n", number, at);
    else
        program_say(program,
                    "ld.global.u64 %%A0, [%%in+%d];\nld.global.u64 %%A1, [%%in+%d];\nmov.b128 %%q%d, {%%A0, %%A1};\n",
                    at, (word + 1) % PROGRAM_INPUTS * threads(program) * 8, number);
}

void program_refresh(struct program *program, enum ptx_type type, char file, int number)
{
    load_input(program, file, number, fresh_word(program, type, file));
}

// --- Branches, loops, calls ------------------------------------------------------------------------------------------

static void block(struct program *program, int steps);

// The arms' lanes are %m of one depth more; behind the branch they are together again. In the arms the compiler does
// not know the predicate: ptxas crashes where it knows the guard of an instruction that it makes a call of.
static void branch(struct program *program, int steps)
{
    int label = program->labels++, at = program->depth, predicate = program_register(program, 'p', -1);
    program_refresh(program, PTX_TYPE_s32, 'p', predicate);
    program_say(program,
                "vote.sync.ballot.b32 %%mt%d, %%p%d, %%m%d;\nnot.b32 %%me%d, %%mt%d;\nand.b32 %%me%d, %%me%d, %%m%d;\n"
                "@!%%p%d bra ELSE%d;\nmov.b32 %%m%d, %%mt%d;\n",
                at, predicate, at, at, at, at, at, at, predicate, label, at + 1, at);
    program->depth++;
    veil(program, 'p', predicate);
    block(program, steps / 2);
    program_say(program, "bra JOIN%d;\nELSE%d:\nmov.b32 %%m%d, %%me%d;\n", label, label, at + 1, at);
    veil(program, 'p', predicate);
    block(program, steps / 2);
    program->depth--;
    program_say(program, "JOIN%d:\nbar.warp.sync %%m%d;\n", label, at);
}

// Each lane goes round one to four times.
static void loop(struct program *program, int steps)
{
    int label = program->labels++, at = program->depth, count = program_register(program, 'r', -1);
    program_say(program, "and.b32 %%n%d, %%r%d, 3;\nmov.b32 %%m%d, %%m%d;\nLOOP%d:\n", at, count, at + 1, at, label);
    program->depth++, program->loops++;
    block(program, steps);
    program->depth--, program->loops--;
    program_say(program,
                "setp.ne.u32 %%go%d, %%n%d, 0;\nsub.u32 %%n%d, %%n%d, 1;\n"
                "vote.sync.ballot.b32 %%m%d, %%go%d, %%m%d;\n@%%go%d bra LOOP%d;\nbar.warp.sync %%m%d;\n",
                at, at, at, at, at + 1, at, at + 1, at, label, at);
}

// A jump by number: the lanes of one number go together.
static void jump(struct program *program, int steps)
{
    int label = program->labels++, at = program->depth, index = program_register(program, 'r', -1);
    program_say(program,
                "and.b32 %%B0, %%r%d, 3;\nmin.u32 %%B0, %%B0, 2;\nmatch.any.sync.b32 %%m%d, %%B0, %%m%d;\n"
                "TO%d: .branchtargets ARM%d_0, ARM%d_1, ARM%d_2;\nbrx.idx %%B0, TO%d;\n",
                index, at + 1, at, label, label, label, label, label);
    program->depth++;
    for (int arm = 0; arm < 3; arm++) {
        program_say(program, "ARM%d_%d:\n", label, arm);
        block(program, steps / 3);
        program_say(program, "bra JOIN%d;\n", label);
    }
    program->depth--;
    program_say(program, "JOIN%d:\nbar.warp.sync %%m%d;\n", label, at);
}

// f(a, b, c[16], the lanes that call, and where log, input and own memory are) gives 16 bytes.
static const char signature[] =
    "(.param .align 16 .b8 ret[16]) f%d (.param .b32 a, .param .b64 b, .param .align 16 .b8 "
    "c[16], .param .b32 mask, .param .b64 log, .param .b64 in, .param .b64 own)";

static void call(struct program *program)
{
    int callee = program->function + 1 + program_below(program, FUNCTIONS - 1 - program->function);
    int a = program_register(program, 'r', -1), b = program_register(program, 'd', -1);
    int q = program_register(program, 'q', -1), label = program->labels++;
    bool is_indirect = program_chance(program, 25);
    program_begin_step(program, "CALL");
    program_say(program,
                "{\n.param .b32 ca; .param .b64 cb; .param .align 16 .b8 cc[16]; .param .b32 cm; .param .b64 cl;\n"
                ".param .b64 ci; .param .b64 co; .param .align 16 .b8 cr[16];\n");
    program_say(program,
                "st.param.b32 [ca], %%r%d;\nst.param.b64 [cb], %%d%d;\nmov.b128 {%%A1, %%A2}, %%q%d;\n"
                "st.param.v2.b64 [cc], {%%A1, %%A2};\nst.param.b32 [cm], %%m%d;\nst.param.b64 [cl], %%log;\n"
                "st.param.b64 [ci], %%in;\nst.param.b64 [co], %%own;\n",
                a, b, q, program->depth);
    if (is_indirect) {
        program_say(program, "mov.u64 %%A3, f%d;\nPROTO%d: .callprototype ", callee, label);
        program_say(program, "(.param .align 16 .b8 _[16]) _ (.param .b32 _, .param .b64 _, .param .align 16 .b8 "
                             "_[16], .param .b32 _, .param .b64 _, .param .b64 _, .param .b64 _);\n");
        program_say(program, "call (cr), %%A3, (ca, cb, cc, cm, cl, ci, co), PROTO%d;\n", label);
    } else {
        program_say(program, "call (cr), f%d, (ca, cb, cc, cm, cl, ci, co);\n", callee);
    }
    program_say(program, "ld.param.v2.b64 {%%A1, %%A2}, [cr];\nmov.b128 %%q%d, {%%A1, %%A2};\n}\n", q);
    program_say(program, "bar.warp.sync %%m%d;\n", program->depth);
    program_wrote(program, 'q', q);
    program_end_step(program);
}

static void step_control(struct program *program, int steps)
{
    int what = program_below(program, 4);
    if (what == 3 && program->function < FUNCTIONS - 1)
        call(program);
    else if (program->depth == MOST_DEPTH)
        step_value(program);
    else if (what == 0)
        branch(program, steps);
    else if (what == 1)
        jump(program, steps);
    else
        loop(program, steps / 2);
}

static void step(struct program *program, int steps)
{
    int what = program_below(program, 100);
    if (what < 48)
        step_value(program);
    else if (what < 51)
        step_quiet(program);
    else if (what < 54)
        step_async(program);
    else if (what < 56 && program_has_whole_warps(program))
        step_bulk(program);
    else if (what < 59 && program_has_whole_warps(program))
        step_matrix(program);
    else if (what < 61 && program_has_whole_warps(program))
        step_wmma(program);
    else if (what < 76)
        step_memory(program);
    else if (what < 84)
        step_meeting(program);
    else if (what < 87)
        step_address(program);
    else if (what < 90 && program->function < 0)
        step_contended(program);
    else if (what < 93 && program->function < 0 && program->depth == 0)
        step_barrier(program);
    else if (steps >= 4)
        step_control(program, steps / 2 < 24 ? steps / 2 : 24);
    else
        step_value(program);
}

static void block(struct program *program, int steps)
{
    int end = program->steps + steps;
    while (program->steps < end && program->steps < PROGRAM_MOST_STEPS - 48 && program->instances < program->limit)
        step(program, end - program->steps);
}

// --- The whole -------------------------------------------------------------------------------------------------------

static void print_registers(struct program *program)
{
    program_say(
        program,
        ".reg .pred %%p<%d>; .reg .b16 %%h<%d>; .reg .b32 %%r<%d>; .reg .b64 %%d<%d>; .reg .b128 %%q<%d>;\n"
        ".reg .pred %%zp, %%go<%d>, %%P<4>; .reg .b8 %%C<2>; .reg .b16 %%zh; .reg .b32 %%zr, %%B<16>; .reg .b64 %%zd, "
        "%%A<16>;\n"
        ".reg .b32 %%m<%d>, %%mt<%d>, %%me<%d>, %%n<%d>, %%thread; .reg .b64 %%log, %%in, %%own, %%cta, %%pol;\n"
        ".reg .b64 %%sh, %%gsh, %%lo, %%glo, %%shc, %%exc, %%bar, %%gbar, %%blk, %%row;\n"
        ".local .align 16 .b8 lm[%d];\n",
        PREDICATES, HALVES, SINGLES, DOUBLES, QUADS, MOST_DEPTH + 1, MOST_DEPTH + 2, MOST_DEPTH + 2, MOST_DEPTH + 2,
        MOST_DEPTH + 2, PROGRAM_OWN_BYTES);
}

// ptxas 13.0 keeps values that all lanes have in uniform registers, and overwrites them: in the first arm of a branch,
// so that the lanes of the second find another value; in a loop that some lanes have left; and where it asks
// isspacep.const. So addresses that a thread number is no part of are computed before the first step, and are hidden.
static void hide(struct program *program, const char *address)
{
    program_say(program, "xor.b64 %%%s, %%%s, %%zd;\n", address, address);
}

// The address of a thread's own part of an array; with 0 bytes for each, of the array.
static void print_own(struct program *program, const char *into, const char *array, int bytes)
{
    program_say(program, "mov.u64 %%%s, %s;\nmul.wide.u32 %%A0, %%thread, %d;\nadd.u64 %%%s, %%%s, %%A0;\n", into,
                array, bytes, into, into);
    hide(program, into);
}

// What body of a function needs before its first step, once log, in, own and m0 are there.
static void print_start(struct program *program)
{
    program_say(program, "ld.global.u64 %%zd, [%%in];\ncvt.u32.u64 %%zr, %%zd;\ncvt.u16.u64 %%zh, %%zd;\n"
                         "setp.ne.u64 %%zp, %%zd, 0;\ncreatepolicy.fractional.L2::evict_first.b64 %%pol, 1.0;\n"
                         "mov.u32 %%thread, %%tid.x;\n");
    hide(program, "pol");
    print_own(program, "sh", "sm", PROGRAM_SHARED_BYTES), print_own(program, "bar", "bars", 8);
    print_own(program, "blk", "bulk", 16), print_own(program, "row", "rows", 16);
    print_own(program, "shc", "scta", 0), print_own(program, "exc", "exchange", 0), print_own(program, "lo", "lm", 0);
    program_say(program, "cvta.shared.u64 %%gsh, %%sh;\ncvta.shared.u64 %%gbar, %%bar;\n"
                         "cvta.local.u64 %%glo, %%lo;\n");
    for (int at = 0; at < PROGRAM_OWN_BYTES; at += 16)
        program_say(program, "st.local.v2.u64 [lm+%d], {%%zd, %%zd};\n", at);
    for (int file = 0; file < PROGRAM_FILES; file++)
        for (int number = 0; number < files[file].count; number++)
            load_input(program, files[file].file, number, 1 + program_below(program, PROGRAM_INPUTS - 1));
}

static void print_module(struct program *program)
{
    program_say(program, "// %d CTAs of %d threads, level %d of optimisation\n", program->ctas, program->block,
                program->level);
    program_say(program,
                ".version 9.0\n.target sm_90a\n.address_size 64\n"
                ".shared .align 16 .b8 sm[%d];\n.shared .align 16 .b8 scta[%d];\n.shared .align 16 .b32 exchange[%d];\n"
                ".shared .align 16 .b8 bulk[%d];\n.shared .align 16 .b8 rows[%d];\n.shared .align 8 .b64 bars[%d];\n"
                ".const .align 16 .b32 ctab[128] = {",
                program->block * PROGRAM_SHARED_BYTES, PROGRAM_CTA_BYTES / 2, program->block, program->block * 16,
                program->block * 16, program->block);
    for (int i = 0; i < 128; i++) program_say(program, "%s%u", i ? ", " : "", (uint32_t)random_u64(&program->random));
    program_say(program, "};\n");
    for (int i = 0; i < FUNCTIONS; i++)
        program_say(program, ".func "), program_say(program, signature, i), program_say(program, ";\n");
}

static void print_function(struct program *program, int function)
{
    program->function = function;
    program_say(program, ".func "), program_say(program, signature, function), program_say(program, "\n{\n");
    print_registers(program);
    program_say(program, "ld.param.b64 %%log, [log];\nld.param.b64 %%in, [in];\nld.param.b64 %%own, [own];\n"
                         "ld.param.b32 %%m0, [mask];\n");
    print_start(program);
    program_say(program, "ld.param.b32 %%r0, [a];\nld.param.b64 %%d0, [b];\nld.param.v2.b64 {%%A1, %%A2}, [c];\n"
                         "mov.b128 %%q0, {%%A1, %%A2};\n");
    block(program, 8 + program_below(program, 8));
    program_say(program,
                "mov.b128 {%%A1, %%A2}, %%q%d;\nxor.b64 %%A1, %%A1, %%d%d;\n"
                "st.param.v2.b64 [ret], {%%A1, %%A2};\nret;\n}\n",
                program_register(program, 'q', -1), program_register(program, 'd', -1));
}

// Shared words are cleared before the first step, and copied to global memory behind the last.
static void print_shared(struct program *program, bool is_end)
{
    int label = program->labels++;
    program_say(program, "bar.sync 0;\nmul.wide.u32 %%A2, %%thread, 8;\nSHARED%d:\nadd.u64 %%A3, %%A2, %%shc;\n",
                label);
    if (is_end)
        program_say(program,
                    "ld.shared.u64 %%A0, [%%A3];\nadd.u64 %%A4, %%A2, %%cta;\nst.global.u64 [%%A4+%d], %%A0;\n",
                    PROGRAM_CTA_BYTES / 2);
    else
        program_say(program, "st.shared.u64 [%%A3], %%zd;\n");
    program_say(program, "add.u64 %%A2, %%A2, %d;\nsetp.lt.u64 %%P0, %%A2, %d;\n@%%P0 bra SHARED%d;\nbar.sync 0;\n",
                program->block * 8, PROGRAM_CTA_BYTES / 2, label);
}

// A thread's own shared memory is cleared before the first step; behind the last that and its local memory are logged.
static void clear_own(struct program *program)
{
    for (int at = 0; at < PROGRAM_SHARED_BYTES; at += 16)
        program_say(program, "st.shared.v2.u64 [%%sh+%d], {%%zd, %%zd};\n", at);
}

static void log_own(struct program *program, const char *what, const char *load, int words)
{
    program_begin_step(program, what);
    for (int i = 0; i < words; i++) {
        program_say(program, load, 4 + i, i * 8);
        program_wrote(program, 'A', 4 + i);
    }
    program_end_step(program);
}

static void print_kernel(struct program *program)
{
    program->function = -1;
    program_say(program,
                ".visible .entry kernel(.param .u64 input, .param .u64 logs, .param .u64 memory, .param .align 16 "
                ".b8 blob[64])\n");
    if (program->cluster) program_say(program, ".explicitcluster .reqnctapercluster %d, 1, 1\n", program->cluster);
    program_say(program, "{\n");
    print_registers(program);
    program_say(
        program,
        "ld.param.u64 %%in, [input];\nld.param.u64 %%log, [logs];\nld.param.u64 %%own, [memory];\n"
        "mov.u32 %%B0, %%ctaid.x;\nmov.u32 %%B1, %%ntid.x;\nmov.u32 %%B2, %%tid.x;\n"
        "mul.wide.u32 %%A3, %%B0, %d;\nadd.u64 %%cta, %%own, %%A3;\nadd.u64 %%own, %%own, %d;\n"
        "and.b32 %%B3, %%B2, -32;\nsub.u32 %%B3, %%B1, %%B3;\nmin.u32 %%B3, %%B3, 32;\nsub.u32 %%B3, 32, %%B3;\n"
        "mov.b32 %%m0, -1;\nshr.u32 %%m0, %%m0, %%B3;\n"
        "mad.lo.u32 %%B0, %%B0, %%B1, %%B2;\nmul.wide.u32 %%A2, %%B0, 8;\nadd.u64 %%in, %%in, %%A2;\n"
        "add.u64 %%log, %%log, %%A2;\nmul.wide.u32 %%A2, %%B0, %d;\nadd.u64 %%own, %%own, %%A2;\n",
        PROGRAM_CTA_BYTES, program->ctas * PROGRAM_CTA_BYTES, PROGRAM_OWN_BYTES);
    print_start(program);
    hide(program, "cta");
    program->kernel_step = program->steps;
    clear_own(program);
    print_shared(program, false);
    block(program, 100 + program_below(program, 100));
    log_own(program, "own shared memory at the end", "ld.shared.u64 %%A%d, [%%sh+%d];\n", PROGRAM_SHARED_BYTES / 8);
    print_shared(program, true);
    program_say(program, "@%%p%d exit;\n", program_register(program, 'p', -1));
    log_own(program, "own local memory at the end, of those that have not left", "ld.local.u64 %%A%d, [lm+%d];\n",
            PROGRAM_OWN_BYTES / 16);
    program_say(program, "ret;\n}\n");
}

void program_print(struct program *program, uint64_t seed, int limit, FILE *to)
{
    static const int blocks[] = {32, 64, 96, 128, 40, 100};
    *program = (struct program){.random = random_for(seed, 11), .to = to, .limit = limit};
    program->block = random_pick(&program->random, blocks);
    program->ctas = 1 + program_below(program, 3);
    program->cluster = program_chance(program, 50) ? program->ctas : 0;
    program->level = program_chance(program, 50) ? 4 : 0;
    print_module(program);
    for (int function = FUNCTIONS - 1; function >= 0; function--) print_function(program, function);
    print_kernel(program);
}
