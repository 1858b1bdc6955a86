// SPDX-License-Identifier: MIT
#include "gpu_core.h"

#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
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

static bool read_word(const struct elf *file, const Elf64_Shdr *table, uint64_t row, uint64_t at, uint32_t *word)
{
    const uint64_t offset = row * table->sh_entsize + at;
    if (elf_bytes(file, table) == NULL || offset > table->sh_size || sizeof *word > table->sh_size - offset)
        return false;
    memcpy(word, elf_bytes(file, table) + offset, sizeof *word);
    return true;
}

// The warp that a lane table belongs to: its section names a row of the warps' table, that one a row of the CTAs', and
// that one the SM.
static bool read_warp(const struct elf *file, const Elf64_Shdr *lanes, struct gpu_core_warp *warp)
{
    Elf64_Shdr warps, ctas;
    if (!elf_section(file, lanes->sh_link, &warps) || !elf_section(file, warps.sh_link, &ctas)) return false;
    warp->sm = ctas.sh_info;
    return read_word(file, &ctas, warps.sh_info, BLOCK_IN_CTA_ROW, &warp->block) &&
           read_word(file, &warps, lanes->sh_info, PLACE_IN_WARP_ROW, &warp->has_place);
}

// The first exception of a lane, 0 if there is none.
static uint32_t exception_of(const struct elf *file, const Elf64_Shdr *lanes)
{
    uint32_t exception = 0;
    for (uint64_t row = 0; exception == 0 && read_word(file, lanes, row, EXCEPTION_IN_LANE, &exception); row++)
        if (lanes->sh_entsize == 0) break;
    return exception;
}

bool gpu_core_read(const char *path, void (*tell)(void *to, const struct gpu_core_warp *warp), void *to)
{
    struct elf file;
    struct text why;
    size_t size_bytes = 0;
    char *bytes = read_file(path, MOST_BYTES, &size_bytes, &why);
    bool ok = bytes != NULL && elf_file_open(&file, bytes, size_bytes, &why);
    for (uint64_t i = 0; ok && i < file.sections; i++) {
        Elf64_Shdr lanes;
        struct gpu_core_warp warp;
        if (!elf_section(&file, i, &lanes) || lanes.sh_type != SHT_LOUSER + LANE_TABLE) continue;
        warp.exception = exception_of(&file, &lanes);
        if (read_warp(&file, &lanes, &warp)) tell(to, &warp);
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
    bool is_sure = warp->has_place || (warp->sm < SMS && reading->job_of_sm[warp->sm] == job);
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
