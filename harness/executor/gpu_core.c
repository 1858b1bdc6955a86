// SPDX-License-Identifier: MIT
#include "gpu_core.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "executor.h"
#include "files.h"

// What is left out of the dump: all but the tables of SMs, CTAs, warps and lanes. The process is not to be aborted.
#define LEAVE_OUT                                                                                                      \
    "skip_nonrelocated_elf_images,skip_global_memory,skip_shared_memory,skip_local_memory,skip_constbank_memory,"      \
    "skip_abort"
#define MOST_BYTES ((size_t)1 << 30)

enum { LANE_TABLE = 15 };                                                      // section type, from SHT_LOUSER on
enum { BLOCK_IN_CTA_ROW = 8, PLACE_IN_WARP_ROW = 24, EXCEPTION_IN_LANE = 32 }; // offsets in bytes

void gpu_core_ask(const char *path)
{
    setenv("CUDA_ENABLE_COREDUMP_ON_EXCEPTION", "1", 1);
    setenv("CUDA_ENABLE_LIGHTWEIGHT_COREDUMP", "1", 1);
    setenv("CUDA_COREDUMP_GENERATION_FLAGS", LEAVE_OUT, 1);
    setenv("CUDA_COREDUMP_FILE", path, 1);
}

struct core {
    const char *bytes;
    size_t size_bytes;
    uint64_t sections_at, sections;
};

static int read_at(const struct core *core, uint64_t at, void *to, size_t size_bytes)
{
    if (at > core->size_bytes || size_bytes > core->size_bytes - at) return 0;
    memcpy(to, core->bytes + at, size_bytes);
    return 1;
}

static int read_section(const struct core *core, uint64_t index, Elf64_Shdr *section)
{
    return index < core->sections &&
           read_at(core, core->sections_at + index * sizeof *section, section, sizeof *section);
}

// Above 65,279 sections the first one's size is their number.
static int read_header(struct core *core)
{
    Elf64_Ehdr header;
    Elf64_Shdr first;
    if (!read_at(core, 0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
    if (header.e_shentsize != sizeof first || !read_at(core, header.e_shoff, &first, sizeof first)) return 0;
    core->sections_at = header.e_shoff;
    core->sections = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
    return 1;
}

// The warp that a lane table belongs to: its section names a row of the warps' table, that one a row of the CTAs', and
// that one the SM.
static int read_warp(const struct core *core, const Elf64_Shdr *lanes, struct gpu_core_warp *warp)
{
    Elf64_Shdr warps, ctas;
    if (!read_section(core, lanes->sh_link, &warps) || !read_section(core, warps.sh_link, &ctas)) return 0;
    warp->sm = ctas.sh_info;
    return read_at(core, ctas.sh_offset + warps.sh_info * ctas.sh_entsize + BLOCK_IN_CTA_ROW, &warp->block,
                   sizeof warp->block) &&
           read_at(core, warps.sh_offset + lanes->sh_info * warps.sh_entsize + PLACE_IN_WARP_ROW, &warp->has_place,
                   sizeof warp->has_place);
}

// The first exception of a lane, 0 if there is none.
static uint32_t exception_of(const struct core *core, const Elf64_Shdr *lanes)
{
    uint32_t exception = 0;
    for (uint64_t at = 0; exception == 0 && lanes->sh_entsize > 0 && at < lanes->sh_size; at += lanes->sh_entsize)
        if (!read_at(core, lanes->sh_offset + at + EXCEPTION_IN_LANE, &exception, sizeof exception)) return 0;
    return exception;
}

int gpu_core_read(const char *path, void (*tell)(void *to, const struct gpu_core_warp *warp), void *to)
{
    struct core core = {0};
    struct text why;
    char *bytes = read_file(path, MOST_BYTES, &core.size_bytes, &why);
    core.bytes = bytes;
    int ok = bytes != NULL && read_header(&core);
    for (uint64_t i = 0; ok && i < core.sections; i++) {
        Elf64_Shdr lanes;
        struct gpu_core_warp warp;
        if (!read_section(&core, i, &lanes) || lanes.sh_type != SHT_LOUSER + LANE_TABLE) continue;
        warp.exception = exception_of(&core, &lanes);
        if (read_warp(&core, &lanes, &warp)) tell(to, &warp);
    }
    free(bytes);
    return ok;
}

int gpu_core_error(uint32_t exception, int *other)
{
    static const struct {
        int error, other;
    } errors[] = {
        [1] = {700, 0},   // lane: illegal address
        [4] = {715, 719}, // warp: illegal instruction
        [5] = {700, 719}, // warp: out of range address
        [6] = {716, 0},   // warp: misaligned address
        [7] = {717, 0},   // warp: invalid address space
        [8] = {718, 0},   // warp: invalid program counter
        [11] = {716, 0},  // lane: misaligned address
        [14] = {700, 0},  // warp: illegal address
        [17] = {719, 0},  // cluster: out of range address
        [18] = {719, 0},  // cluster: block not present
    };
    *other = 0;
    if (exception >= sizeof errors / sizeof errors[0]) return 0;
    *other = errors[exception].other;
    return errors[exception].error;
}

// --- Whose faults a dump tells of ------------------------------------------------------------------------------------

enum { SMS = 1024, NO_JOB = -1, SEVERAL = -2 };

// The job that each SM had: an exception without a place may be of any warp on its SM.
struct reading {
    const struct gpu *gpu;
    int count, job_of_sm[SMS];
    struct result *results;
};

// The job of a CTA, or NO_JOB.
static int job_of(const struct gpu *gpu, uint32_t block)
{
    uint32_t job = block / gpu->launched.ctas;
    return job < (uint32_t)gpu->launched.jobs ? gpu->launched.first_job + (int)job : NO_JOB;
}

static void note_sm(void *to, const struct gpu_core_warp *warp)
{
    struct reading *reading = to;
    if (warp->sm >= SMS) return;
    int *known = &reading->job_of_sm[warp->sm], job = job_of(reading->gpu, warp->block);
    *known = *known == NO_JOB || *known == job ? job : SEVERAL;
}

// Two kinds of exception in the CTAs of one case: which of them the driver would have reported is not known.
static void blame(struct result *result, uint32_t exception)
{
    int other, error = gpu_core_error(exception, &other);
    if (result->status == 0) {
        result->status = error;
        result->or_status = other;
    }
    if (result->status != error || error == 0) result->status = -1;
}

static void note_exception(void *to, const struct gpu_core_warp *warp)
{
    struct reading *reading = to;
    int job = job_of(reading->gpu, warp->block);
    int is_sure = warp->has_place || (warp->sm < SMS && reading->job_of_sm[warp->sm] == job);
    if (warp->exception == 0 || job == NO_JOB || job >= GPU_MOST_JOBS || !is_sure) return;
    int i = reading->gpu->case_of_job[job];
    if (i < reading->count) blame(&reading->results[i], warp->exception);
}

int gpu_told(const struct gpu *gpu, int count, struct result *results)
{
    static struct reading reading;
    int told = 0;
    reading = (struct reading){.gpu = gpu, .count = count, .results = results};
    for (int i = 0; i < SMS; i++) reading.job_of_sm[i] = NO_JOB;
    for (int i = 0; i < count; i++) results[i] = result_at(results[i].first_bytes);
    if (gpu->launched.jobs > 0 && gpu_core_read(gpu->core, note_sm, &reading))
        gpu_core_read(gpu->core, note_exception, &reading);
    for (int i = 0; i < count; i++) {
        if (results[i].status < 0) results[i].status = results[i].or_status = 0;
        told += results[i].status != 0;
    }
    return told;
}
