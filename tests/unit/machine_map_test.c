// SPDX-License-Identifier: MIT
// The suite `machine_map`: tensor maps that a kernel edits, copies and prefetches.
#include "machine_test.h"
#include "replace.h"

// The map lies at the first multiple of 128 of `out`.
#define MAP "add.u64 %rd0, %rd0, 127;\nand.b64 %rd0, %rd0, -128;\n"

static uint8_t *map_of(struct ran *ran)
{
    uintptr_t at = (uintptr_t)ran->out;
    return (uint8_t *)ran->out + ((at + 127) / 128 * 128 - at);
}

static const struct {
    const char *instruction; // its address and what is behind the value are added
    const char *value;
    struct replace_op op;
} edits[] = {
    {"tensormap.replace.tile.global_address.global.b1024.b64 [%rd0], ",
     "0x7f0012345680",
     {REPLACE_GLOBAL_ADDRESS, 0, 0x7f0012345680}},
    {"tensormap.replace.tile.rank.global.b1024.b32 [%rd0], ", "2", {REPLACE_RANK, 0, 2}},
    {"tensormap.replace.tile.box_dim.b1024.b32 [%rd0], 1, ", "32", {REPLACE_BOX_DIM, 1, 32}},
    {"tensormap.replace.tile.global_dim.global.b1024.b32 [%rd0], 2, ", "1000", {REPLACE_GLOBAL_DIM, 2, 1000}},
    {"tensormap.replace.tile.global_stride.global.b1024.b64 [%rd0], 0, ", "4096", {REPLACE_GLOBAL_STRIDE, 0, 4096}},
    {"tensormap.replace.tile.element_stride.global.b1024.b32 [%rd0], 3, ", "2", {REPLACE_ELEMENT_STRIDE, 3, 2}},
    {"tensormap.replace.tile.elemtype.global.b1024.b32 [%rd0], ", "7", {REPLACE_ELEMTYPE, 0, 7}},
    {"tensormap.replace.tile.interleave_layout.global.b1024.b32 [%rd0], ", "1", {REPLACE_INTERLEAVE_LAYOUT, 0, 1}},
    {"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%rd0], ", "3", {REPLACE_SWIZZLE_MODE, 0, 3}},
    {"tensormap.replace.tile.fill_mode.global.b1024.b32 [%rd0], ", "1", {REPLACE_FILL_MODE, 0, 1}},
};

// A map that is edited in global memory, and in shared memory and copied out, is what the model makes of it.
LOOP_TEST(a_map_is_edited_as_the_model_edits_it, 0, ROWS_OF(edits))
{
    struct tensormap_image expected = {0};
    char text[1200];
    snprintf(text, sizeof text, "%s%s%s;\nret;\n}\n", ENTRY MAP, edits[_i].instruction, edits[_i].value);
    struct ran *ran = run_text(text, (struct launch_of){.block = 1});
    ck_assert_msg(ran->outcome.kind == MACHINE_DONE, "%s: %s", edits[_i].instruction, ran->outcome.message);
    ck_assert_int_eq(tensormap_replace(&expected, &edits[_i].op, NULL), RULE_OK);
    ck_assert_msg(memcmp(map_of(ran), &expected, sizeof expected) == 0, "%s", edits[_i].instruction);
}

TEST(a_map_in_shared_memory_is_copied_by_the_warp)
{
    const struct replace_op rank = {REPLACE_RANK, 0, 3};
    struct tensormap_image expected = {0};
    struct ran *ran = run_text(
        HEAD
        ".shared .align 128 .b8 m[128];\n.visible .entry k(.param .u64 out)\n{\n" REGISTERS MAP
        "mov.u32 %r1, m;\nmov.u32 %r0, %tid.x;\nmad.lo.u32 %r2, %r0, 4, %r1;\nmov.u32 %r3, 0;\n"
        "st.shared.u32 [%r2], %r3;\nbar.warp.sync -1;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra L;\n"
        "tensormap.replace.tile.rank.shared::cta.b1024.b32 [m], 3;\nL: bar.warp.sync -1;\n"
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd0], [%r1], 128;\n"
        "fence.proxy.tensormap::generic.acquire.gpu [%rd0], 128;\nprefetch.tensormap [%rd0];\nret;\n}\n",
        (struct launch_of){.block = 32});
    ck_assert_msg(ran->outcome.kind == MACHINE_DONE, "%s", ran->outcome.message);
    ck_assert_int_eq(tensormap_replace(&expected, &rank, NULL), RULE_OK);
    ck_assert_int_eq(memcmp(map_of(ran), &expected, sizeof expected), 0);
}

static const struct {
    const char *instructions, *why;
} faults[] = {
    {"mov.u64 %rd1, 128;\ntensormap.replace.tile.rank.global.b1024.b32 [%rd1], 3;\n", "nothing is mapped at 128"},
    {"mov.u64 %rd1, 128;\nmov.u32 %r1, m;\n"
     "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], 128;\n",
     "nothing is mapped where the copy goes"},
    {"mov.u64 %rd1, 128;\nprefetch.tensormap [%rd1];\n", "nothing is mapped where the map would be"},
};

LOOP_TEST(a_map_that_cannot_be_edited_or_copied_faults, 0, ROWS_OF(faults))
{
    char text[1200];
    snprintf(text, sizeof text, "%s%sret;\n}\n",
             HEAD ".shared .align 128 .b8 m[128];\n.visible .entry k(.param .u64 out)\n{\n" REGISTERS MAP,
             faults[_i].instructions);
    struct ran *ran = run_text(text, (struct launch_of){.block = 32});
    ck_assert_msg(ran->outcome.kind == MACHINE_FAULTED, "%s: %d %s", faults[_i].why, (int)ran->outcome.kind,
                  ran->outcome.message);
}
