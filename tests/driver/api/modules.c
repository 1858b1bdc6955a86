// SPDX-License-Identifier: MIT
// Modules and libraries: from PTX, from fat binaries as nvcc packs them, from files.
#define _GNU_SOURCE 1
#include "api.h"

#include <lz4.h>
#include <unistd.h>
#include <zstd.h>

SECTION(modules)
{
    struct CUmod_st *module;
    struct CUfunc_st *put, *again, *list[4];
    unsigned long long at;
    size_t bytes;
    unsigned count;
    uint32_t mode;
    api_ready();
    module = api_module(ptx_put);
    WORKS(cuModuleGetFunctionCount(&count, module));
    REQUIRE(count == 2);
    REFUSES(ERROR_INVALID_VALUE, cuModuleGetFunctionCount(NULL, module));
    REFUSES(ERROR_INVALID_HANDLE, cuModuleGetFunctionCount(&count, NULL));
    WORKS(cuModuleGetFunction(&put, module, "put"));
    WORKS(cuModuleGetFunction(&again, module, "put"));
    REQUIRE(put == again);
    REFUSES(ERROR_NOT_FOUND, cuModuleGetFunction(&put, module, "pu"));
    REFUSES(ERROR_INVALID_VALUE, cuModuleGetFunction(NULL, module, "put"));
    REFUSES(ERROR_INVALID_VALUE, cuModuleGetFunction(&put, module, NULL));
    REFUSES(ERROR_INVALID_HANDLE, cuModuleGetFunction(&put, NULL, "put"));
    WORKS(cuModuleEnumerateFunctions(list, 4, module));
    REQUIRE(list[0] == again && list[1] != again);
    WORKS(cuModuleEnumerateFunctions(list, 1, module));
    REFUSES(ERROR_INVALID_VALUE, cuModuleEnumerateFunctions(NULL, 4, module));
    REFUSES(ERROR_INVALID_HANDLE, cuModuleEnumerateFunctions(list, 4, NULL));
    WORKS(cuModuleGetGlobal_v2(&at, &bytes, module, "counter"));
    REQUIRE(bytes == 4 && api_word(at) == 5);
    WORKS(cuModuleGetGlobal_v2(NULL, &bytes, module, "counter"));
    REFUSES(ERROR_NOT_FOUND, cuModuleGetGlobal_v2(&at, &bytes, module, "nobody"));
    REFUSES(ERROR_INVALID_VALUE, cuModuleGetGlobal_v2(&at, &bytes, module, NULL));
    REFUSES(ERROR_INVALID_HANDLE, cuModuleGetGlobal_v2(&at, &bytes, NULL, "counter"));
    WORKS(cuModuleGetLoadingMode(&mode));
    REQUIRE(mode == 2);
    REFUSES(ERROR_INVALID_VALUE, cuModuleGetLoadingMode(NULL));
    WORKS(cuModuleUnload(module));
    REFUSES(ERROR_INVALID_HANDLE, cuModuleUnload(module));
    REFUSES(ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(&count, at, 4));
    REFUSES(ERROR_INVALID_VALUE, cuModuleLoadData(&module, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuModuleLoadData(NULL, PTX_HEAD));
}

// What is wrong with PTX is said with its line, on standard error and in the program's log.
SECTION(bad_modules)
{
    enum { WALL_TIME = 2, INFO, INFO_BYTES, LOG, LOG_BYTES };
    struct CUmod_st *module;
    struct CUfunc_st *function;
    char log[256] = "untouched", small[8];
    float wall = 0;
    uint32_t option[] = {LOG, LOG_BYTES, WALL_TIME};
    void *value[] = {log, (void *)sizeof log, &wall};
    static const char wrong[] = PTX_HEAD ".visible .entry k()\n{\nret;\n}\n.global .u33 x;\n";
    api_ready();
    REFUSES(ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, wrong, 3, option, value));
    SAYS("PTX line 8, column");
    REQUIRE(strncmp(log, "line 8, column ", 15) == 0 && (size_t)value[1] == strlen(log));
    value[0] = small;
    value[1] = (void *)sizeof small;
    REFUSES(ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, wrong, 2, option, value));
    REQUIRE(strcmp(small, "line 8,") == 0 && (size_t)value[1] == 7);
    value[1] = (void *)sizeof small;
    WORKS(cuModuleLoadDataEx(&module, PTX_HEAD ".visible .entry k()\n{\nret;\n}\n", 2, option, value));
    REQUIRE(small[0] == '\0' && value[1] == NULL);
    REFUSES(ERROR_INVALID_VALUE, cuModuleLoadDataEx(&module, wrong, 1, NULL, value));
    REFUSES(ERROR_INVALID_VALUE, cuModuleLoadDataEx(&module, wrong, 1, option, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuModuleLoadDataEx(&module, wrong, 1000, option, value));
    REFUSES(ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, wrong, 1, option + 1, value + 1)); // room, but no log

    // There is nothing to inform of.
    char info[16] = "untouched", full[16] = "untouched";
    uint32_t of_info[] = {INFO_BYTES, INFO};
    void *info_value[] = {(void *)sizeof info, info}, *no_room[] = {NULL, full};
    WORKS(cuModuleLoadDataEx(&module, PTX_HEAD, 2, of_info, info_value));
    REQUIRE(info[0] == '\0' && info_value[0] == NULL);
    WORKS(cuModuleLoadDataEx(&module, PTX_HEAD, 2, of_info, no_room));
    REQUIRE(strcmp(full, "untouched") == 0);

    // What is wrong in a body is said when the kernel is asked for; the module's others are good.
    module =
        api_module(".visible .entry good()\n{\nret;\n}\n.visible .entry bad()\n{\nno.such.instruction;\nret;\n}\n");
    WORKS(cuModuleGetFunction(&function, module, "good"));
    REFUSES(ERROR_INVALID_PTX, cuModuleGetFunction(&function, module, "bad"));
    SAYS("bad, PTX line 10, column");
    struct CUfunc_st *list[2];
    REFUSES(ERROR_INVALID_PTX, cuModuleEnumerateFunctions(list, 2, module));
    static const char machine_code[64] = "\x7f"
                                         "ELF";
    REFUSES(ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, machine_code));
    SAYS("the image is machine code (a cubin)");
}

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

// --- Libraries and files ---------------------------------------------------------------------------------------------

static void show_library_calls(struct CUlib_st *library)
{
    struct CUkern_st *kernel, *list[2];
    struct CUfunc_st *function;
    struct CUmod_st *module;
    struct CUlib_st *of;
    const char *name;
    unsigned long long at;
    size_t bytes, offset;
    unsigned count;
    int value;
    WORKS(cuLibraryGetKernel(&kernel, library, "put"));
    REFUSES(ERROR_NOT_FOUND, cuLibraryGetKernel(&kernel, library, "nobody"));
    WORKS(cuLibraryGetKernelCount(&count, library));
    REQUIRE(count == 2);
    WORKS(cuLibraryEnumerateKernels(list, 2, library));
    REQUIRE(list[1] == kernel); // the last one comes first
    WORKS(cuLibraryGetGlobal(&at, &bytes, library, "counter"));
    REQUIRE(bytes == 4 && api_word(at) == 5);
    WORKS(cuLibraryGetModule(&module, library));
    REFUSES(ERROR_INVALID_VALUE, cuLibraryGetModule(NULL, library));
    REFUSES(ERROR_INVALID_HANDLE, cuLibraryGetModule(&module, NULL));
    WORKS(cuKernelGetFunction(&function, kernel));
    REFUSES(ERROR_INVALID_VALUE, cuKernelGetFunction(NULL, kernel));
    REFUSES(ERROR_INVALID_HANDLE, cuKernelGetFunction(&function, NULL));
    WORKS(cuKernelGetLibrary(&of, kernel));
    REQUIRE(of == library);
    REFUSES(ERROR_INVALID_VALUE, cuKernelGetLibrary(NULL, kernel));
    REFUSES(ERROR_INVALID_HANDLE, cuKernelGetLibrary(&of, NULL));
    WORKS(cuKernelGetName(&name, kernel));
    REQUIRE(strcmp(name, "put") == 0);
    WORKS(cuKernelGetParamInfo(kernel, 1, &offset, &bytes));
    REQUIRE(offset == 8 && bytes == 4);
    WORKS(cuKernelGetParamCount(kernel, &bytes));
    REQUIRE(bytes == 2);
    WORKS(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, kernel, 0));
    WORKS(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, kernel, 0));
    REQUIRE(value == 50);
    REFUSES(ERROR_INVALID_DEVICE, cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 50, kernel, 1));
    REFUSES(ERROR_INVALID_DEVICE, cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 1));
}

// The log of a library's file is written like that of a module.
static void show_log_of_file(char *path)
{
    enum { INFO = 3, INFO_BYTES, LOG, LOG_BYTES };
    struct CUlib_st *library;
    char log[64] = "untouched", info[64] = "untouched";
    uint32_t option[] = {INFO, INFO_BYTES, LOG, LOG_BYTES};
    void *value[] = {info, (void *)sizeof info, log, (void *)sizeof log};
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL && fputs("rubbish\n", file) >= 0 && fclose(file) == 0);
    WORKS(cuLibraryLoadFromFile(&library, path, option, value, 4, NULL, NULL, 0)); // its calls say what is wrong
    SAYS("cuLibraryLoadFromFile: PTX line 1");
    unsigned count = 7;
    WORKS(cuLibraryGetKernelCount(&count, library));
    REQUIRE(count == 0);
    struct CUkern_st *kernel;
    REFUSES(ERROR_INVALID_IMAGE, cuLibraryGetKernel(&kernel, library, "put"));
    REFUSES(ERROR_INVALID_IMAGE, cuLibraryEnumerateKernels(&kernel, 1, library));
    WORKS(cuLibraryUnload(library));
    REQUIRE(strncmp(log, "line 1, column ", 15) == 0 && (size_t)value[3] == strlen(log));
    REQUIRE(info[0] == '\0' && value[1] == NULL);
    REFUSES(ERROR_INVALID_VALUE, cuLibraryLoadFromFile(&library, path, NULL, value, 4, NULL, NULL, 0));
    value[3] = (void *)sizeof log;
    remove(path);
    REFUSES(ERROR_FILE_NOT_FOUND, cuLibraryLoadFromFile(&library, path, option, value, 4, NULL, NULL, 0));
    SAYS("cuLibraryLoadFromFile: /tmp/");
    REQUIRE(log[0] == '\0' && value[3] == NULL);
}

// What cannot be read is said in the words of the system.
static void show_bad_files(char *path)
{
    struct CUmod_st *module;
    REFUSES(ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/"));
    SAYS("/: Is a directory");
    int ends[2];
    char of_pipe[64];
    REQUIRE(pipe(ends) == 0 && snprintf(of_pipe, sizeof of_pipe, "/proc/self/fd/%d", ends[0]) > 0);
    REFUSES(ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, of_pipe));
    SAYS("Illegal seek"); // a pipe
    REQUIRE(close(ends[0]) == 0 && close(ends[1]) == 0);
    strcpy(path + strlen(path) - 6, "XXXXXX");
    const int made = mkstemp(path);
    REQUIRE(made >= 0 && ftruncate(made, (off_t)1 << 30) == 0 && close(made) == 0);
    REFUSES(ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, path));
    SAYS("File too large");
    remove(path);
}

SECTION(libraries)
{
    struct CUlib_st *library;
    struct CUmod_st *module;
    unsigned long long at;
    char *text, path[] = "/tmp/tmaref-api-XXXXXX";
    api_ready();
    REQUIRE(asprintf(&text, "%s%s.visible .global .attribute(.managed) .align 4 .u32 shared = 6;\n", PTX_HEAD,
                     ptx_put) > 0);
    WORKS(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    show_library_calls(library);
    WORKS(cuLibraryGetManaged(&at, NULL, library, "shared"));
    REQUIRE(*(uint32_t *)(uintptr_t)at == 6); // the host reads it where it is
    WORKS(cuLibraryUnload(library));
    REFUSES(ERROR_INVALID_HANDLE, cuLibraryUnload(library));

    const int made = mkstemp(path);
    REQUIRE(made >= 0 && write(made, text, strlen(text)) == (ssize_t)strlen(text) && close(made) == 0);
    WORKS(cuModuleLoad(&module, path));
    WORKS(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuModuleLoad(&module, NULL));
    remove(path);
    REFUSES(ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, path));
    SAYS("No such file or directory");
    show_bad_files(path);
    show_log_of_file(path);
    free(text);
}
