// SPDX-License-Identifier: MIT
// Lists of registers for inline assembly, which has no loops: LIST_c is the text of c operands from %7 on, REGS_c those
// operands, COUNT_d_n how many registers a thread has of D.
#ifndef TMAREF_WGMMA_REGISTERS_H
#define TMAREF_WGMMA_REGISTERS_H

// clang-format off
#define LIST_2 "%7, %8"
#define LIST_4 LIST_2 ", %9, %10"
#define LIST_6 LIST_4 ", %11, %12"
#define LIST_8 LIST_4 ", %11, %12, %13, %14"
#define LIST_12 LIST_8 ", %15, %16, %17, %18"
#define LIST_16 LIST_12 ", %19, %20, %21, %22"
#define LIST_20 LIST_16 ", %23, %24, %25, %26"
#define LIST_24 LIST_20 ", %27, %28, %29, %30"
#define LIST_28 LIST_24 ", %31, %32, %33, %34"
#define LIST_32 LIST_28 ", %35, %36, %37, %38"
#define LIST_36 LIST_32 ", %39, %40, %41, %42"
#define LIST_40 LIST_36 ", %43, %44, %45, %46"
#define LIST_44 LIST_40 ", %47, %48, %49, %50"
#define LIST_48 LIST_44 ", %51, %52, %53, %54"
#define LIST_52 LIST_48 ", %55, %56, %57, %58"
#define LIST_56 LIST_52 ", %59, %60, %61, %62"
#define LIST_60 LIST_56 ", %63, %64, %65, %66"
#define LIST_64 LIST_60 ", %67, %68, %69, %70"
#define LIST_68 LIST_64 ", %71, %72, %73, %74"
#define LIST_72 LIST_68 ", %75, %76, %77, %78"
#define LIST_76 LIST_72 ", %79, %80, %81, %82"
#define LIST_80 LIST_76 ", %83, %84, %85, %86"
#define LIST_84 LIST_80 ", %87, %88, %89, %90"
#define LIST_88 LIST_84 ", %91, %92, %93, %94"
#define LIST_92 LIST_88 ", %95, %96, %97, %98"
#define LIST_96 LIST_92 ", %99, %100, %101, %102"
#define LIST_100 LIST_96 ", %103, %104, %105, %106"
#define LIST_104 LIST_100 ", %107, %108, %109, %110"
#define LIST_108 LIST_104 ", %111, %112, %113, %114"
#define LIST_112 LIST_108 ", %115, %116, %117, %118"
#define LIST_116 LIST_112 ", %119, %120, %121, %122"
#define LIST_120 LIST_116 ", %123, %124, %125, %126"
#define LIST_124 LIST_120 ", %127, %128, %129, %130"
#define LIST_128 LIST_124 ", %131, %132, %133, %134"
#define REGS_2 "+r"(d[0]), "+r"(d[1])
#define REGS_4 REGS_2, "+r"(d[2]), "+r"(d[3])
#define REGS_6 REGS_4, "+r"(d[4]), "+r"(d[5])
#define REGS_8 REGS_4, "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
#define REGS_12 REGS_8, "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11])
#define REGS_16 REGS_12, "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15])
#define REGS_20 REGS_16, "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19])
#define REGS_24 REGS_20, "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23])
#define REGS_28 REGS_24, "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27])
#define REGS_32 REGS_28, "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31])
#define REGS_36 REGS_32, "+r"(d[32]), "+r"(d[33]), "+r"(d[34]), "+r"(d[35])
#define REGS_40 REGS_36, "+r"(d[36]), "+r"(d[37]), "+r"(d[38]), "+r"(d[39])
#define REGS_44 REGS_40, "+r"(d[40]), "+r"(d[41]), "+r"(d[42]), "+r"(d[43])
#define REGS_48 REGS_44, "+r"(d[44]), "+r"(d[45]), "+r"(d[46]), "+r"(d[47])
#define REGS_52 REGS_48, "+r"(d[48]), "+r"(d[49]), "+r"(d[50]), "+r"(d[51])
#define REGS_56 REGS_52, "+r"(d[52]), "+r"(d[53]), "+r"(d[54]), "+r"(d[55])
#define REGS_60 REGS_56, "+r"(d[56]), "+r"(d[57]), "+r"(d[58]), "+r"(d[59])
#define REGS_64 REGS_60, "+r"(d[60]), "+r"(d[61]), "+r"(d[62]), "+r"(d[63])
#define REGS_68 REGS_64, "+r"(d[64]), "+r"(d[65]), "+r"(d[66]), "+r"(d[67])
#define REGS_72 REGS_68, "+r"(d[68]), "+r"(d[69]), "+r"(d[70]), "+r"(d[71])
#define REGS_76 REGS_72, "+r"(d[72]), "+r"(d[73]), "+r"(d[74]), "+r"(d[75])
#define REGS_80 REGS_76, "+r"(d[76]), "+r"(d[77]), "+r"(d[78]), "+r"(d[79])
#define REGS_84 REGS_80, "+r"(d[80]), "+r"(d[81]), "+r"(d[82]), "+r"(d[83])
#define REGS_88 REGS_84, "+r"(d[84]), "+r"(d[85]), "+r"(d[86]), "+r"(d[87])
#define REGS_92 REGS_88, "+r"(d[88]), "+r"(d[89]), "+r"(d[90]), "+r"(d[91])
#define REGS_96 REGS_92, "+r"(d[92]), "+r"(d[93]), "+r"(d[94]), "+r"(d[95])
#define REGS_100 REGS_96, "+r"(d[96]), "+r"(d[97]), "+r"(d[98]), "+r"(d[99])
#define REGS_104 REGS_100, "+r"(d[100]), "+r"(d[101]), "+r"(d[102]), "+r"(d[103])
#define REGS_108 REGS_104, "+r"(d[104]), "+r"(d[105]), "+r"(d[106]), "+r"(d[107])
#define REGS_112 REGS_108, "+r"(d[108]), "+r"(d[109]), "+r"(d[110]), "+r"(d[111])
#define REGS_116 REGS_112, "+r"(d[112]), "+r"(d[113]), "+r"(d[114]), "+r"(d[115])
#define REGS_120 REGS_116, "+r"(d[116]), "+r"(d[117]), "+r"(d[118]), "+r"(d[119])
#define REGS_124 REGS_120, "+r"(d[120]), "+r"(d[121]), "+r"(d[122]), "+r"(d[123])
#define REGS_128 REGS_124, "+r"(d[124]), "+r"(d[125]), "+r"(d[126]), "+r"(d[127])

// Registers of D: N/4 of f16, N/2 of f32 and s32.
#define COUNT_F16_8 2
#define COUNT_F16_16 4
#define COUNT_F16_24 6
#define COUNT_F16_32 8
#define COUNT_F16_64 16
#define COUNT_F16_96 24
#define COUNT_F16_128 32
#define COUNT_F16_192 48
#define COUNT_F16_256 64
#define COUNT_F32_8 4
#define COUNT_F32_16 8
#define COUNT_F32_24 12
#define COUNT_F32_32 16
#define COUNT_F32_40 20
#define COUNT_F32_48 24
#define COUNT_F32_56 28
#define COUNT_F32_64 32
#define COUNT_F32_72 36
#define COUNT_F32_80 40
#define COUNT_F32_88 44
#define COUNT_F32_96 48
#define COUNT_F32_104 52
#define COUNT_F32_112 56
#define COUNT_F32_120 60
#define COUNT_F32_128 64
#define COUNT_F32_136 68
#define COUNT_F32_144 72
#define COUNT_F32_152 76
#define COUNT_F32_160 80
#define COUNT_F32_168 84
#define COUNT_F32_176 88
#define COUNT_F32_184 92
#define COUNT_F32_192 96
#define COUNT_F32_200 100
#define COUNT_F32_208 104
#define COUNT_F32_216 108
#define COUNT_F32_224 112
#define COUNT_F32_232 116
#define COUNT_F32_240 120
#define COUNT_F32_248 124
#define COUNT_F32_256 128
#define COUNT_S32_8 4
#define COUNT_S32_16 8
#define COUNT_S32_24 12
#define COUNT_S32_32 16
#define COUNT_S32_48 24
#define COUNT_S32_64 32
#define COUNT_S32_80 40
#define COUNT_S32_96 48
#define COUNT_S32_112 56
#define COUNT_S32_128 64
#define COUNT_S32_144 72
#define COUNT_S32_160 80
#define COUNT_S32_176 88
#define COUNT_S32_192 96
#define COUNT_S32_208 104
#define COUNT_S32_224 112
#define COUNT_S32_240 120
#define COUNT_S32_256 128
// clang-format on

#endif
