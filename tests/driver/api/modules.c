// SPDX-License-Identifier: MIT
// Fat binaries as nvcc packs them. What modules and libraries answer otherwise is in modules.calls.
#define _GNU_SOURCE 1
#include "api.h"

#include <lz4.h>
#include <unistd.h>
#include <zstd.h>

// --- Fat binaries ----------------------------------------------------------------------------------------------------

// PTX for a later GPU, whose variable `of` says which entry it is. It begins where the module does.
static void add_later(struct api_fatbin *fatbin, const char *gpu, unsigned flags)
{
    char text[API_ROOM];
    const int bytes = sprintf(text,
                              ".version 9.3\n.target sm_%s\n.address_size 64\n.visible .global .align 4 .u32 of = %d;\n"
                              ".visible .entry k()\n{\nret;\n}\n",
                              gpu, atoi(gpu));
    api_fatbin_add(fatbin, PTX, (uint32_t)atoi(gpu), flags, text, (size_t)bytes + 1, 0);
}

// A module whose variable `of` says which entry it is.
static size_t text_of(char text[API_ROOM], int of)
{
    return (size_t)sprintf(text, PTX_HEAD ".visible .global .align 4 .u32 of = %d;\n.visible .entry k()\n{\nret;\n}\n",
                           of);
}

static void add_text(struct api_fatbin *fatbin, int of, uint32_t gpu, uint64_t flags)
{
    char text[API_ROOM], packed[API_ROOM];
    const size_t bytes = text_of(text, of) + 1;
    size_t packed_bytes = bytes;
    if (flags & LZ4)
        packed_bytes = (size_t)LZ4_compress_default(text, packed, (int)bytes, API_ROOM);
    else if (flags & ZSTD)
        packed_bytes = ZSTD_compress(packed, API_ROOM, text, bytes, 3);
    else
        memcpy(packed, text, bytes);
    api_fatbin_add(fatbin, PTX, gpu, flags, packed, packed_bytes, bytes);
}

static uint32_t loaded(const void *image)
{
    struct CUmod_st *module;
    unsigned long long at;
    WORKS(cuModuleLoadFatBinary(&module, image));
    WORKS(cuModuleGetGlobal_v2(&at, NULL, module, "of"));
    const uint32_t of = api_word(at);
    WORKS(cuModuleUnload(module));
    return of;
}

// Wheels carry machine code for every GPU and PTX for the newest one alone. A GPU of ours runs the machine code.
static void show_later_gpus(void)
{
    struct api_fatbin both = {{0}, 0}, alone = {{0}, 0}, special = {{0}, 0};
    struct CUmod_st *module;
    struct CUfunc_st *function;
    int target;
    api_fatbin_add(&both, CUBIN, 80, 0, "cubin", 5, 0);
    api_fatbin_add(&both, CUBIN, 90, 0, "cubin", 5, 0);
    add_later(&both, "120", 0);
    add_later(&both, "100", 0);
    REQUIRE(loaded(both.bytes) == 100);
    WORKS(cuModuleLoadFatBinary(&module, both.bytes));
    WORKS(cuModuleGetFunction(&function, module, "k"));
    WORKS(cuFuncGetAttribute(&target, CU_FUNC_ATTRIBUTE_PTX_VERSION, function));
    REQUIRE(target == 100);
    WORKS(cuModuleUnload(module));
    api_fatbin_add(&alone, CUBIN, 80, 0, "cubin", 5, 0);
    add_later(&alone, "120", 0);
    REFUSES(ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, alone.bytes));
    api_fatbin_add(&special, CUBIN, 90, 0, "cubin", 5, 0);
    add_later(&special, "100", OF_ARCH);
    REFUSES(ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, special.bytes));
    SAYS("the program's PTX is for other GPUs");
}

// What runs is the PTX that fits best: that of sm_90a, else the newest, however it is packed.
static void show_choice(void)
{
    struct api_fatbin plain = {{0}, 0}, packed = {{0}, 0}, lz4 = {{0}, 0}, newest = {{0}, 0};
    api_fatbin_add(&plain, CUBIN, 90, 0, "cubin", 5, 0);
    add_text(&plain, 1, 80, 0);
    add_text(&plain, 2, 90, 0);
    add_text(&plain, 3, 90, OF_ARCH);
    add_text(&plain, 4, 100, OF_ARCH);
    REQUIRE(loaded(plain.bytes) == 3);
    add_text(&packed, 5, 80, LZ4);
    add_text(&packed, 6, 90, ZSTD);
    REQUIRE(loaded(packed.bytes) == 6);
    add_text(&lz4, 7, 75, LZ4);
    REQUIRE(loaded(lz4.bytes) == 7);
    add_text(&newest, 8, 90, 0);
    add_text(&newest, 9, 80, 0);
    add_text(&newest, 10, 120, 0);
    REQUIRE(loaded(newest.bytes) == 8);
    const struct {
        uint32_t magic, version;
        const void *data, *more;
    } wrapper = {0x466243b1, 1, newest.bytes, NULL}, empty = {0x466243b1, 1, NULL, NULL};
    struct CUmod_st *module;
    REQUIRE(loaded(&wrapper) == 8);
    REFUSES(ERROR_INVALID_VALUE, cuModuleLoadData(&module, &empty));
}

static void refuse(struct api_fatbin *fatbin, const char *why)
{
    struct CUmod_st *module;
    REFUSES(ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, fatbin->bytes));
    SAYS(why);
    *fatbin = (struct api_fatbin){{0}, 0};
}

static void show_refusals(void)
{
    static struct api_fatbin fatbin;
    api_fatbin_add(&fatbin, CUBIN, 90, 0, "cubin", 5, 0);
    refuse(&fatbin, "carries machine code and no PTX; compile it with -lineinfo");
    add_text(&fatbin, 1, 100, OF_ARCH);
    refuse(&fatbin, "the program's PTX is for other GPUs");
    add_text(&fatbin, 1, 90, 0);
    fatbin.used = HEADER;
    api_put(fatbin.bytes + 8, 0, 8);
    refuse(&fatbin, "holds no code");
    api_fatbin_add(&fatbin, PTX, 90, ZSTD, "rubbish!", 8, 100);
    refuse(&fatbin, "cannot be unpacked");
    api_fatbin_add(&fatbin, PTX, 90, LZ4, "rubbish!", 8, 100);
    refuse(&fatbin, "cannot be unpacked");
    api_fatbin_add(&fatbin, PTX, 90, ZSTD, "rubbish!", 8, (size_t)1 << 40);
    refuse(&fatbin, "damaged: its sizes do not fit");
    api_fatbin_add(&fatbin, CUBIN, 90, 0, "cubin", 5, 0);
    fatbin.used += 8; // less than an entry's header behind the last
    api_put(fatbin.bytes + 8, fatbin.used - HEADER, 8);
    refuse(&fatbin, "damaged");
    const struct {
        size_t at, value, bytes;
    } wrong[] = {{6, 8, 2},               // a header that is too small
                 {8, (size_t)1 << 40, 8}, // 2^40 bytes
                 {HEADER + 4, 32, 4},     // an entry's header too small, too large,
                 {HEADER + 4, 1 << 20, 4},
                 {HEADER + 8, 1 << 20, 8},   // and a payload that is
                 {HEADER + 16, 1 << 10, 4}}; // or is said to be packed into more than it has
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        add_text(&fatbin, 1, 90, 0);
        api_put(fatbin.bytes + wrong[i].at, wrong[i].value, wrong[i].bytes);
        refuse(&fatbin, "damaged");
    }
}

SECTION(fatbins)
{
    api_ready();
    show_choice();
    show_later_gpus();
    show_refusals();
}
