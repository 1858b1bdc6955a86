// SPDX-License-Identifier: MIT
#include "kernel.h"

#include <string.h>

const char kernel_head[] = ".version 9.0\n.target sm_90a\n.address_size 64\n";

static bool is_constant(const struct instance *instance, int slot)
{
    const struct registers *registers = &instance->registers;
    return slot < registers->rules && registers->slots == registers->rules &&
           (registers->rule[slot].kind == PTX_RULE_CONSTANT || registers->rule[slot].kind == PTX_RULE_SELECTOR);
}

static char file_of(const struct registers *registers, int slot)
{
    int bits = registers->bits[slot];
    return registers->is_byte[slot] ? 'c'
           : bits == 1              ? 'p'
           : bits <= 16             ? 'h'
           : bits == 32             ? 'r'
           : bits == 64             ? 'd'
                                    : 'q';
}

static void load(const char *into, int word, FILE *to)
{
    fprintf(to, "mad.lo.u64 %%a2, %%a5, %d, %%a0;\nld.global.u64 %s, [%%a2];\n", word, into);
}

static void store(const char *from, int word, FILE *to)
{
    fprintf(to, "mad.lo.u64 %%a2, %%a5, %d, %%a1;\nst.global.u64 [%%a2], %s;\n", word, from);
}

static int load_operand(int bits, int slot, int word, FILE *to)
{
    load("%a3", word, to);
    if (bits == 1)
        fprintf(to, "setp.ne.u64 %%p%d, %%a3, 0;\n", slot);
    else if (bits <= 16)
        fprintf(to, "cvt.u16.u64 %%h%d, %%a3;\n", slot);
    else if (bits == 32)
        fprintf(to, "cvt.u32.u64 %%r%d, %%a3;\n", slot);
    else if (bits == 64)
        fprintf(to, "mov.b64 %%d%d, %%a3;\n", slot);
    if (bits != 128) return 1;
    load("%a4", word + 1, to);
    fprintf(to, "mov.b128 %%q%d, {%%a3, %%a4};\n", slot);
    return 2;
}

static void set_before(int bits, int slot, FILE *to)
{
    if (bits == 1)
        fprintf(to, "setp.ne.u64 %%p%d, %%a5, %%a5;\n", slot);
    else if (bits <= 16)
        fprintf(to, "mov.b16 %%h%d, 0x5a5a;\n", slot);
    else if (bits == 32)
        fprintf(to, "mov.b32 %%r%d, 0x5a5a5a5a;\n", slot);
    else if (bits == 64)
        fprintf(to, "mov.b64 %%d%d, 0x5a5a5a5a5a5a5a5a;\n", slot);
}

static int store_result(int bits, int slot, int word, FILE *to)
{
    if (bits == 1)
        fprintf(to, "selp.u64 %%a3, 1, 0, %%p%d;\n", slot);
    else if (bits <= 16)
        fprintf(to, "cvt.u64.u16 %%a3, %%h%d;\n", slot);
    else if (bits == 32)
        fprintf(to, "cvt.u64.u32 %%a3, %%r%d;\n", slot);
    else if (bits == 64)
        fprintf(to, "mov.b64 %%a3, %%d%d;\n", slot);
    else
        fprintf(to, "mov.b128 {%%a3, %%a4}, %%q%d;\n", slot);
    store("%a3", word, to);
    if (bits == 128) store("%a4", word + 1, to);
    return bits == 128 ? 2 : 1;
}

static void print_operand(const struct instance *instance, int slot, FILE *to)
{
    if (is_constant(instance, slot))
        fprintf(to, "%u", instance->constant);
    else
        fprintf(to, "%%%c%d", file_of(&instance->registers, slot), slot);
}

// What is written in front of operand `rule`, or behind it.
static void print_selectors(const struct instance *instance, int rule, bool is_behind, FILE *to)
{
    const struct registers *registers = &instance->registers;
    char text[VALUES_SELECTOR_BYTES];
    for (int i = rule + 1; i < registers->rules && registers->rule[i].kind == PTX_RULE_SELECTOR; i++) {
        instance_selector(instance, i, text);
        if (is_behind != (registers->rule[i].selector == PTX_SELECTOR_MINUS)) fprintf(to, "%s", text);
    }
}

static void print_instruction(const struct instance *instance, FILE *to)
{
    const struct registers *registers = &instance->registers;
    int slot = 0;
    fprintf(to, "%s", instance->spelling);
    for (int i = 0; i < registers->rules; i++) {
        const struct ptx_operand_rule *rule = &registers->rule[i];
        if (rule->kind == PTX_RULE_SELECTOR) {
            slot++;
            continue;
        }
        fprintf(to, i == 0 ? " " : rule->is_joined ? "|" : ", ");
        print_selectors(instance, i, false, to);
        if (!rule->may_pack && rule->vector == 0) {
            print_operand(instance, slot++, to);
            print_selectors(instance, i, true, to);
            continue;
        }
        fprintf(to, "{");
        for (int part = 0; part < registers_parts(registers, rule); part++) {
            fprintf(to, part > 0 ? ", " : "");
            print_operand(instance, slot++, to);
        }
        fprintf(to, "}");
    }
    fprintf(to, ";\n");
}

// The carry flag is set, and read, by instructions of its own.
static void set_carry(const struct instance *instance, FILE *to)
{
    if (instance->is_difference)
        fprintf(to, "cvt.u32.u64 %%b0, %%a6;\nsub.cc.u32 %%b1, 0, %%b0;\n");
    else
        fprintf(to, "cvt.u32.u64 %%b0, %%a6;\nadd.cc.u32 %%b1, %%b0, 0xffffffff;\n");
}

static void get_carry(const struct instance *instance, FILE *to)
{
    if (instance->is_difference)
        fprintf(to, "subc.u32 %%b2, 0, 0;\nneg.s32 %%b2, %%b2;\n");
    else
        fprintf(to, "addc.u32 %%b2, 0, 0;\n");
}

static void print_head(const char *name, FILE *to)
{
    fprintf(
        to,
        ".visible .entry %s(.param .u64 in, .param .u64 out, .param .u64 tuples) {\n"
        ".reg .pred %%p<24>; .reg .b8 %%c<24>; .reg .b16 %%h<24>; .reg .b32 %%r<24>; .reg .b64 %%d<24>; .reg .b128 "
        "%%q<24>;\n"
        ".reg .b64 %%a<8>; .reg .b32 %%b<8>; .reg .pred %%off;\n"
        "ld.param.u64 %%a0, [in];\nld.param.u64 %%a1, [out];\nld.param.u64 %%a5, [tuples];\nshl.b64 %%a5, %%a5, 3;\n"
        "mov.u32 %%b0, %%ctaid.x;\nmov.u32 %%b1, %%ntid.x;\nmov.u32 %%b2, %%tid.x;\n"
        "mad.lo.u32 %%b0, %%b0, %%b1, %%b2;\nmul.wide.u32 %%a2, %%b0, 8;\n"
        "add.u64 %%a0, %%a0, %%a2;\nadd.u64 %%a1, %%a1, %%a2;\n",
        name);
}

void kernel_print(const struct instance *instance, const char *name, FILE *to)
{
    const struct registers *registers = &instance->registers;
    int word = 0;
    print_head(name, to);
    for (int slot = 0; slot < registers->slots; slot++) {
        if (registers->is_written[slot])
            set_before(registers->bits[slot], slot, to);
        else if (!is_constant(instance, slot))
            word += load_operand(registers->bits[slot], slot, word, to);
        if (registers->is_byte[slot]) fprintf(to, "cvt.u8.u16 %%c%d, %%h%d;\n", slot, slot);
    }
    if (instance->has_carry) load("%a6", word++, to);
    if (instance->is_meeting) {
        load("%a3", word++, to);
        fprintf(to, "setp.eq.u64 %%off, %%a3, 0;\n@%%off bra AFTER;\n");
    }
    if (instance->has_carry) set_carry(instance, to);
    print_instruction(instance, to);
    if (instance->has_carry) get_carry(instance, to);
    if (instance->is_meeting) fprintf(to, "AFTER:\n");
    word = 0;
    for (int slot = 0; slot < registers->slots; slot++)
        if (registers->is_byte[slot]) fprintf(to, "cvt.u16.u8 %%h%d, %%c%d;\n", slot, slot);
    for (int slot = 0; slot < registers->slots; slot++)
        if (registers->is_written[slot]) word += store_result(registers->bits[slot], slot, word, to);
    if (instance->has_carry) fprintf(to, "and.b32 %%b2, %%b2, 1;\ncvt.u64.u32 %%a3, %%b2;\n"), store("%a3", word, to);
    fprintf(to, "ret;\n}\n");
}

int kernel_operands(const struct instance *instance, uint64_t *in)
{
    const struct registers *registers = &instance->registers;
    int words = 0, tuples = instance->tuples;
    for (int slot = 0; slot <= registers->slots; slot++) {
        if (slot == registers->slots ? !instance->has_carry
                                     : registers->is_written[slot] || is_constant(instance, slot))
            continue;
        for (int word = 0; word < 1 + (slot < registers->slots && registers->bits[slot] == 128); word++, words++)
            for (int tuple = 0; tuple < tuples; tuple++)
                in[(size_t)words * (size_t)tuples + (size_t)tuple] = instance_operand(instance, slot, word, tuple);
    }
    if (!instance->is_meeting) return words;
    for (int tuple = 0; tuple < tuples; tuple++)
        in[(size_t)words * (size_t)tuples + (size_t)tuple] = instance_lanes(instance, tuple / 32) >> tuple % 32 & 1;
    return words + 1;
}
