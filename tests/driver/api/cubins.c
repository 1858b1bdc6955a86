// SPDX-License-Identifier: MIT
// Cubins that have in them what they were made of, as programs hand them on.
#include "cubin.h"

#include <elf.h>

#include "api.h"

static const char uses[] = PTX_HEAD ".extern .global .align 4 .u32 far;\n"
                                    ".visible .entry get(.param .u64 to)\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
                                    "ld.param.u64 %rd1, [to];\nld.global.u32 %r1, [far];\nst.global.u32 [%rd1], %r1;\n"
                                    "ret;\n}\n";
static const char has[] = PTX_HEAD ".visible .global .align 4 .u32 far = 29;\n";
enum { ABI_OF_CUDA_12 = 7, ABI_OF_CUDA_13 = 8, ABI_AT = 8 };

static Elf64_Ehdr head_of(uint32_t flags, unsigned char abi)
{
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 0x33, abi},
                       .e_machine = EM_CUDA,
                       .e_flags = flags};
    return head;
}

// The cubins of the test, until it ends.
static struct {
    void *cubin[256];
    size_t count;
} made;

static void *made_of(uint32_t flags, const struct cubin_input *input, unsigned inputs, size_t *bytes)
{
    const Elf64_Ehdr head = head_of(flags, ABI_OF_CUDA_13);
    void *whole = cubin_with(&head, sizeof head, input, inputs, bytes);
    REQUIRE(whole != NULL && made.count < sizeof made.cubin / sizeof made.cubin[0]);
    return made.cubin[made.count++] = whole;
}

static struct cubin_input input_of(uint32_t kind, const char *text)
{
    return (struct cubin_input){kind, "input", text, strlen(text)};
}

static void run(const void *image)
{
    struct CUmod_st *module;
    struct CUfunc_st *get;
    unsigned long long to = api_memory(4, 0);
    void *parameters[] = {&to};
    WORKS(cuModuleLoadData(&module, image));
    WORKS(cuModuleGetFunction(&get, module, "get"));
    WORKS(cuLaunchKernel(get, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    REQUIRE(api_word(to) == 29);
    WORKS(cuModuleUnload(module));
}

static void refuse(int error, const void *image, const char *why)
{
    struct CUmod_st *module;
    api_expect(__FILE__, __LINE__, why, (int)cuModuleLoadData(&module, image), error);
    SAYS(why);
}

SECTION(cubins)
{
    size_t bytes, part_bytes;
    const struct cubin_input text = input_of(INPUT_PTX, has);
    api_ready();

    // A cubin among the inputs has inputs of its own.
    void *part = made_of(0x6005a04, &text, 1, &part_bytes);
    const struct cubin_input two[] = {input_of(INPUT_PTX, uses), {INPUT_CUBIN, "part", part, part_bytes}};
    void *whole = made_of(0x6005a04, two, 2, &bytes);
    run(whole);
    refuse(CUDA_ERROR_INVALID_PTX, made_of(0x6005a04, (struct cubin_input[]){text, text}, 2, &bytes), "far");
    refuse(CUDA_ERROR_NOT_SUPPORTED, made_of(0x6005a04, (struct cubin_input[]){input_of(INPUT_NVVM, "lto")}, 1, &bytes),
           "the input is NVVM code (LTO-IR)");
    refuse(CUDA_ERROR_INVALID_VALUE, made_of(0x6005a04, (struct cubin_input[]){input_of(77, "none")}, 1, &bytes), NULL);
}

// Cubins within cubins, as many as are read, and one more.
SECTION(deep_cubins)
{
    enum { DEEPEST = 64 };
    const uint32_t kinds[] = {INPUT_PTX, INPUT_CUBIN};
    struct CUmod_st *module;
    api_ready();
    for (int k = 0; k < 2; k++) {
        struct cubin_input within = input_of(INPUT_PTX, has);
        for (int depth = 0; depth < DEEPEST; depth++) {
            within.data = made_of(0x6005a04, &within, 1, &within.bytes);
            within.kind = kinds[k];
        }
        WORKS(cuModuleLoadData(&module, within.data));
        refuse(CUDA_ERROR_INVALID_IMAGE, made_of(0x6005a04, &within, 1, &within.bytes),
               "more than 64 cubins lie within each other");
        WORKS(cuModuleLoadData(&module, within.data)); // it counts anew
    }
}

// For which GPU it is stands in the flags, since CUDA 13 in other bits.
SECTION(cubin_gpus)
{
    size_t bytes;
    const struct cubin_input text = input_of(INPUT_PTX, has);
    struct CUmod_st *module;
    api_ready();
    char *older = made_of(0x5a055a, &text, 1, &bytes);
    refuse(CUDA_ERROR_NO_BINARY_FOR_GPU, older, "the cubin is for sm_5: an H200 loads those for sm_90 and sm_90a");
    older[ABI_AT] = ABI_OF_CUDA_12;
    WORKS(cuModuleLoadData(&module, older));
    refuse(CUDA_ERROR_NO_BINARY_FOR_GPU, made_of(0x6006402, &text, 1, &bytes), "the cubin is for sm_100:");
    refuse(CUDA_ERROR_NO_BINARY_FOR_GPU, made_of(0, &text, 1, &bytes),
           "an ELF file whose header names no GPU: it is damaged");
}

// What does not lie in the file is not there.
SECTION(damaged_cubins)
{
    static const char path[] = "damaged.cubin";
    size_t bytes;
    const struct cubin_input text = input_of(INPUT_PTX, has);
    struct CUmod_st *module;
    api_ready();
    char *whole = made_of(0x6005a04, &text, 1, &bytes);
    for (size_t left = 1; left <= bytes; left++) {
        FILE *file = fopen(path, "wb");
        REQUIRE(file != NULL && fwrite(whole, 1, left, file) == left && fclose(file) == 0);
        const enum cuda_result error = cuModuleLoad(&module, path);
        REQUIRE(error == (left == bytes ? CUDA_SUCCESS
                          : left < 4    ? CUDA_ERROR_INVALID_IMAGE
                                        : CUDA_ERROR_NO_BINARY_FOR_GPU));
    }
    remove(path);
    SAYS("without the PTX that it was made of");
    memset(strstr(whole + sizeof(Elf64_Ehdr), "inputs"), 'x', 6);
    refuse(CUDA_ERROR_NO_BINARY_FOR_GPU, whole, "the image is machine code (a cubin)");
    REQUIRE(cubin_with("no cubin", 8, &text, 1, &bytes) == NULL);
}
