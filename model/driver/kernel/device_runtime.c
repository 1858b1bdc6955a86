// SPDX-License-Identifier: MIT
// cudaCGGetIntrinsicHandle() and cudaCGSynchronize() of cooperative groups, which Numba calls; CUDA C++ has them inline
// since CUDA 11. The handle is the address of the grid's workspace, 0 where the launch is not cooperative. In its
// second word each CTA counts itself, the first one so much that the highest bit turns when all have come.
#include "device_runtime.h"

static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".weak .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)\n"
                           "{\n"
                           ".reg .b32 %low, %high;\n"
                           ".reg .b64 %address;\n"
                           "mov.u32 %high, %envreg1;\n"
                           "mov.u32 %low, %envreg2;\n"
                           "mov.b64 %address, {%low, %high};\n"
                           "st.param.b64 [handle], %address;\n"
                           "ret;\n"
                           "}\n"
                           ".weak .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)\n"
                           "{\n"
                           ".reg .pred %is_none, %is_other, %is_first, %waits;\n"
                           ".reg .b32 %x, %y, %z, %sum, %ctas, %count, %before, %now, %turned;\n"
                           ".reg .b64 %address;\n"
                           "ld.param.b64 %address, [handle];\n"
                           "setp.eq.u64 %is_none, %address, 0;\n"
                           "@%is_none trap;\n"
                           "barrier.sync 0;\n"
                           "mov.u32 %x, %tid.x;\n"
                           "mov.u32 %y, %tid.y;\n"
                           "mov.u32 %z, %tid.z;\n"
                           "add.u32 %sum, %x, %y;\n"
                           "add.u32 %sum, %sum, %z;\n"
                           "setp.ne.u32 %is_other, %sum, 0;\n"
                           "@%is_other bra together;\n"
                           "mov.u32 %x, %nctaid.x;\n"
                           "mov.u32 %y, %nctaid.y;\n"
                           "mov.u32 %z, %nctaid.z;\n"
                           "mul.lo.u32 %ctas, %x, %y;\n"
                           "mul.lo.u32 %ctas, %ctas, %z;\n"
                           "mov.u32 %x, %ctaid.x;\n"
                           "mov.u32 %y, %ctaid.y;\n"
                           "mov.u32 %z, %ctaid.z;\n"
                           "add.u32 %sum, %x, %y;\n"
                           "add.u32 %sum, %sum, %z;\n"
                           "setp.eq.u32 %is_first, %sum, 0;\n"
                           "sub.u32 %count, 0x80000001, %ctas;\n"
                           "selp.u32 %count, %count, 1, %is_first;\n"
                           "atom.add.acq_rel.gpu.u32 %before, [%address + 4], %count;\n"
                           "again:\n"
                           "ld.acquire.gpu.u32 %now, [%address + 4];\n"
                           "xor.b32 %turned, %before, %now;\n"
                           "setp.ge.s32 %waits, %turned, 0;\n"
                           "@%waits bra again;\n"
                           "together:\n"
                           "barrier.sync 0;\n"
                           "st.param.b32 [error], 0;\n"
                           "ret;\n"
                           "}\n";

static const char name[] = "the device runtime";

bool device_runtime_add(struct units *units)
{
    return units_has(units, name) || units_add(units, name, text, sizeof text - 1);
}
