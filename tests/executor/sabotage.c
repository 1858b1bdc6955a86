// SPDX-License-Identifier: MIT
// A libcuda.so.1 for tests of the gpu executor where there is no GPU: the driver of `tmaref exec` (forward.c), which
// goes wrong where it is told to.
//   SABOTAGE=KIND:NUMBER   at the case that holds NUMBER, the globalAddress of a call or a word of a kernel's job:
//     crash, exit, hang    of the process
//     sticky               the launch fails, and all that comes after it (719)
//     late                 the kernel says that it gave up a wait
//   SABOTAGE=rule:0        of every launch that fails it tells another rule than the driver did
//   SABOTAGE=dump:NUMBER   a launch that fails leaves a core dump, which says exception NUMBER (CUDBGException_t) of each CTA
//   SABOTAGE=wrong:NUMBER  byte NUMBER of all that is copied to the host is another one
//   SABOTAGE=start:NUMBER  cuInit returns that error; startcrash:0: it crashes
//   SABOTAGE_CAPABILITY=80 the device's compute capability
#include <elf.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forward.h"
#include "late.h"

#define MADE(name, since, streams, parameters) enum cuda_result name parameters;
#include "made_calls.def"

// The number, if SABOTAGE is of that kind.
static bool is_wanted(const char *kind, uint64_t *number)
{
    const char *wanted = getenv("SABOTAGE");
    size_t length = strlen(kind);
    if (wanted == NULL || strncmp(wanted, kind, length) != 0 || wanted[length] != ':') return false;
    *number = strtoull(wanted + length + 1, NULL, 10);
    return true;
}

static bool is_number(const char *kind, uint64_t number)
{
    uint64_t wanted;
    return is_wanted(kind, &wanted) && wanted == number;
}

static void end_process(uint64_t number)
{
    if (is_number("crash", number)) raise(SIGSEGV);
    if (is_number("exit", number)) exit(3);
    while (is_number("hang", number)) pause();
}

// --- Start -----------------------------------------------------------------------------------------------------------

enum cuda_result cuInit(unsigned flags)
{
    uint64_t error;
    if (is_number("startcrash", 0)) raise(SIGSEGV);
    return is_wanted("start", &error) ? (enum cuda_result)error : real_cuInit(flags);
}

enum cuda_result cuDeviceGetName(char *name, int name_bytes, int device)
{
    (void)device;
    snprintf(name, (size_t)name_bytes, "Sabotaged");
    return CUDA_SUCCESS;
}

enum cuda_result cuDeviceGetAttribute(int *value, enum cuda_device_attribute attribute, int device)
{
    const char *capability = getenv("SABOTAGE_CAPABILITY");
    enum cuda_result error = real_cuDeviceGetAttribute(value, attribute, device);
    if (capability == NULL) return error;
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) *value = atoi(capability) / 10;
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) *value = atoi(capability) % 10;
    return error;
}

// --- Cases -----------------------------------------------------------------------------------------------------------

// What breaks the device, once it is broken; is the case of the number on the device?
static enum cuda_result broken;
static bool is_there;
static struct CUmod_st *last_module;

static bool holds_number(const void *bytes, size_t size_bytes)
{
    static const char *const kinds[] = {"crash", "exit", "hang", "sticky", "late"};
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && number == 0; i++) is_wanted(kinds[i], &number);
    for (size_t at = 0; number != 0 && at + sizeof(uint32_t) <= size_bytes; at += sizeof(uint32_t))
        if (memcmp((const char *)bytes + at, &(uint32_t){(uint32_t)number}, sizeof(uint32_t)) == 0) return true;
    return false;
}

enum cuda_result cuTensorMapEncodeTiled(struct tensormap_image *map, uint32_t data_type, uint32_t rank, void *address,
                                        const uint64_t *dim, const uint64_t *stride, const uint32_t *box,
                                        const uint32_t *estride, uint32_t interleave, uint32_t swizzle,
                                        uint32_t l2_promotion, uint32_t oob_fill)
{
    end_process((uint64_t)(uintptr_t)address);
    return real_cuTensorMapEncodeTiled(map, data_type, rank, address, dim, stride, box, estride, interleave, swizzle,
                                       l2_promotion, oob_fill);
}

// Jobs come by this copy, most of them: one of less than MOST_JOB_BYTES, for the arena's bytes hold any number.
enum { MOST_JOB_BYTES = 8 << 20 };

enum cuda_result cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes)
{
    if (bytes < MOST_JOB_BYTES) is_there |= holds_number(from, bytes);
    return broken != CUDA_SUCCESS ? broken : real_cuMemcpyHtoD_v2(to, from, bytes);
}

enum cuda_result cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes)
{
    uint64_t at;
    enum cuda_result error = broken != CUDA_SUCCESS ? broken : real_cuMemcpyDtoH_v2(to, from, bytes);
    if (is_wanted("wrong", &at) && at < bytes) ((uint8_t *)to)[at] ^= 1;
    return error;
}

// A core dump of 16 CTAs, each with one warp of one lane on an SM of its own: what gpu_core.h reads of one.
static void write_dump(const char *path, uint32_t exception)
{
    enum { CTAS = 16, LANE_TABLE = 15, ROW_BYTES = 64, SECTIONS = 1 + 3 * CTAS };
    static struct {
        Elf64_Ehdr header;
        Elf64_Shdr section[SECTIONS];
        uint32_t cta[CTAS][ROW_BYTES / 4], warp[CTAS][ROW_BYTES / 4], lane[CTAS][ROW_BYTES / 4];
    } dump;
    memcpy(dump.header.e_ident, (const char[]){ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB}, 6);
    dump.header.e_shoff = offsetof(typeof(dump), section);
    dump.header.e_shentsize = sizeof dump.section[0];
    dump.header.e_shnum = SECTIONS;
    for (uint32_t i = 0; i < CTAS; i++) {
        Elf64_Shdr *cta = &dump.section[1 + i], *warp = cta + CTAS, *lane = warp + CTAS;
        *cta = *warp = *lane = (Elf64_Shdr){.sh_entsize = ROW_BYTES, .sh_size = ROW_BYTES};
        cta->sh_offset = (uint64_t)((char *)dump.cta[i] - (char *)&dump);
        warp->sh_offset = (uint64_t)((char *)dump.warp[i] - (char *)&dump);
        lane->sh_offset = (uint64_t)((char *)dump.lane[i] - (char *)&dump);
        cta->sh_info = i;
        warp->sh_link = 1 + i;
        lane->sh_link = 1 + CTAS + i;
        lane->sh_type = SHT_LOUSER + LANE_TABLE;
        dump.cta[i][2] = i;          // the CTA's number
        dump.warp[i][6] = 1;         // the exception has a place
        dump.lane[i][8] = exception; // of the lane
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL) return;
    fwrite(&dump, sizeof dump, 1, file);
    fclose(file);
}

static void leave_dump(void)
{
    uint64_t exception;
    const char *path = getenv("CUDA_COREDUMP_FILE");
    if (path != NULL && is_wanted("dump", &exception)) write_dump(path, (uint32_t)exception);
}

enum cuda_result cuCtxSynchronize(void)
{
    const enum cuda_result error = broken != CUDA_SUCCESS ? broken : real_cuCtxSynchronize();
    if (error != CUDA_SUCCESS) leave_dump();
    if (error != CUDA_SUCCESS && is_number("rule", 0))
        fprintf(stderr, "{\"rule\": \"MBARRIER_LAYOUT\", \"message\": \"another rule\\nin two lines\"}\n");
    return error;
}

enum cuda_result cuModuleGetFunction(struct CUfunc_st **function, struct CUmod_st *module, const char *name)
{
    last_module = module;
    return real_cuModuleGetFunction(function, module, name);
}

static bool has_parameter(struct CUfunc_st *function, void **parameters)
{
    size_t offset, bytes;
    for (size_t i = 0; real_cuFuncGetParamInfo(function, i, &offset, &bytes) == CUDA_SUCCESS; i++)
        if (holds_number(parameters[i], bytes)) return true;
    return false;
}

// As late.cuh leaves it.
static void say_late(void)
{
    const struct late late = {.waits = 32, .barrier = 1024, .parity = 1};
    unsigned long long address;
    size_t bytes;
    if (real_cuModuleGetGlobal_v2(&address, &bytes, last_module, LATE_SYMBOL) == CUDA_SUCCESS)
        real_cuMemcpyHtoD_v2(address, &late, sizeof late);
}

enum cuda_result cuLaunchKernelEx(const struct cuda_launch_config *config, struct CUfunc_st *function,
                                  void **parameters, void **extra)
{
    uint64_t number = 0;
    bool meets = is_there || has_parameter(function, parameters);
    is_there = false;
    if (meets) {
        if (is_wanted("crash", &number) || is_wanted("exit", &number) || is_wanted("hang", &number))
            end_process(number);
        if (is_wanted("sticky", &number)) broken = CUDA_ERROR_LAUNCH_FAILED;
    }
    if (broken != CUDA_SUCCESS) return CUDA_SUCCESS; // it is told by what waits for the launch
    enum cuda_result error = real_cuLaunchKernelEx(config, function, parameters, extra);
    if (meets && is_wanted("late", &number)) say_late();
    return error;
}
