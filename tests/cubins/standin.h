// SPDX-License-Identifier: MIT
// What both stand-ins share.
#ifndef TMAREF_TESTS_STANDIN_H
#define TMAREF_TESTS_STANDIN_H

#include <elf.h>
#include <string.h>

#define STANDIN_HEAD ".version 8.0\n.target sm_90a\n.address_size 64\n"
#define STANDIN_PART "(.param .b32 result) _Z4parti(.param .b32 of)"
#define STANDIN_FILL(value)                                                                                            \
    ".visible .entry fill(.param .u64 to)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<4>;\nmov.u32 %r1, %tid.x;\n" value       \
    "ld.param.u64 %rd1, [to];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"                                \
    "st.global.u32 [%rd3], %r2;\nret;\n}\n"
#define STANDIN_WHOLE STANDIN_HEAD STANDIN_FILL("mad.lo.s32 %r2, %r1, 3, 1;\n")

struct standin_source {
    const char *name, *ptx, *lto;
};

// The PTX of one source, and the word that stands for its LTO-IR.
static inline const struct standin_source *standin_find(const char *name)
{
    static const struct standin_source sources[] = {
        {"whole.cu", STANDIN_WHOLE, "\xed\x43\x4e\x7fwhole"},
        {"fill.cu",
         STANDIN_HEAD ".extern .func " STANDIN_PART ";\n" STANDIN_FILL(
             "{\n.param .b32 of;\n.param .b32 result;\nst.param.b32 [of], %r1;\ncall (result), _Z4parti, (of);\n"
             "ld.param.b32 %r2, [result];\n}\n"),
         "\xed\x43\x4e\x7f"
         "fill"},
        {"part.cu",
         STANDIN_HEAD ".visible .func " STANDIN_PART "\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [of];\n"
                      "mad.lo.s32 %r2, %r1, 3, 1;\nst.param.b32 [result], %r2;\nret;\n}\n",
         "\xed\x43\x4e\x7fpart"},
    };
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (strcmp(sources[i].name, name) == 0) return &sources[i];
    return NULL;
}

// As CUDA 13 writes cubins, but with no section that has anything in it.
struct standin_cubin {
    Elf64_Ehdr head;
    Elf64_Shdr section;
};

static inline void standin_cubin(struct standin_cubin *cubin, unsigned gpu)
{
    *cubin = (struct standin_cubin){
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 0x41, 8},
                 .e_machine = EM_CUDA,
                 .e_flags = gpu << 8,
                 .e_shoff = sizeof cubin->head,
                 .e_shnum = 1,
                 .e_shentsize = sizeof cubin->section}};
}

#endif
