// SPDX-License-Identifier: MIT
// A section names its parent by sh_link, the section of the parent's table, and sh_info, the row in it. Tables are read
// level by level, so that a parent is known before its children.
#include "core_dump.h"

#include <stdlib.h>
#include <string.h>

enum { EM_CUDA_GPU = 190 };

enum section {
    MANAGED = 1,
    GLOBAL = 2,
    SHARED = 4,
    REGISTERS = 5,
    IMAGE = 7,
    FRAMES = 8,
    DEVICES = 9,
    CONTEXTS = 10,
    SMS = 11,
    GRIDS = 12,
    CTAS = 13,
    WARPS = 14,
    LANES = 15,
    MODULES = 16,
    PARAMS = 18,
    UNIFORMS = 19,
    BANKS = 21,
    META = 22,
};

struct row {
    const uint8_t *at;
    uint64_t bytes;
};

// What reading needs beside the dump: of each section of a table, the number of its first row in the dump's array.
struct reading {
    struct core_dump *dump;
    uint32_t *first;
    uint64_t *module; // handles, in the order of the modules' tables
    uint32_t modules;
    struct text *why;
};

static uint32_t word(struct row row, uint64_t at)
{
    uint32_t value = 0;
    if (at + sizeof value <= row.bytes) memcpy(&value, row.at + at, sizeof value);
    return value;
}

static uint64_t double_word(struct row row, uint64_t at)
{
    return word(row, at) | (uint64_t)word(row, at + 4) << 32;
}

static void triple(struct row row, uint64_t at, uint32_t to[3])
{
    for (unsigned i = 0; i < 3; i++) to[i] = word(row, at + 4 * i);
}

static struct row row_at(const struct reading *reading, const Elf64_Shdr *section, uint64_t index)
{
    const uint8_t *bytes = elf_bytes(&reading->dump->file, section);
    return (struct row){bytes + index * section->sh_entsize, section->sh_entsize};
}

static uint64_t rows_of(const Elf64_Shdr *section)
{
    return section->sh_entsize < 8 || section->sh_type == SHT_NOBITS ? 0 : section->sh_size / section->sh_entsize;
}

// The number, in the dump's array, of the row that a section hangs on. UINT32_MAX if it names none.
static uint32_t parent_of(const struct reading *reading, const Elf64_Shdr *section, enum section kind)
{
    Elf64_Shdr parent;
    if (!elf_section(&reading->dump->file, section->sh_link, &parent) || section->sh_link == 0 ||
        parent.sh_type != SHT_LOUSER + (uint32_t)kind || section->sh_info >= rows_of(&parent))
        return UINT32_MAX;
    const uint32_t first = reading->first[section->sh_link];
    return first == UINT32_MAX ? UINT32_MAX : first + section->sh_info;
}

// --- Rows ------------------------------------------------------------------------------------------------------------

static const char *string_of(const struct reading *reading, uint64_t offset)
{
    Elf64_Shdr table;
    return elf_find(&reading->dump->file, ".strtab", 0, &table) ? elf_string(&reading->dump->file, &table, offset) : "";
}

static void read_device(struct reading *reading, struct row row, uint32_t index, uint32_t parent)
{
    (void)parent;
    reading->dump->device[index] = (struct core_device){.name = string_of(reading, double_word(row, 0)),
                                                        .sm = string_of(reading, double_word(row, 16)),
                                                        .number = word(row, 24),
                                                        .sms = word(row, 36),
                                                        .major = word(row, 56),
                                                        .minor = word(row, 60)};
}

static void read_sm(struct reading *reading, struct row row, uint32_t index, uint32_t parent)
{
    struct core_sm *sm = &reading->dump->sm[index];
    *sm = (struct core_sm){.device = parent,
                           .number = word(row, 0),
                           .exception = word(row, 8),
                           .has_error_pc = word(row, 12) != 0,
                           .error_pc = double_word(row, 16),
                           .has_target = word(row, 24) != 0};
    triple(row, 28, sm->target);
}

static void read_grid(struct reading *reading, struct row row, uint32_t index, uint32_t parent)
{
    struct core_grid *grid = &reading->dump->grid[index];
    (void)parent;
    *grid = (struct core_grid){.id = double_word(row, 0),
                               .entry = double_word(row, 24),
                               .module = double_word(row, 32),
                               .params_at = double_word(row, 48),
                               .registers = word(row, 68)};
    triple(row, 72, grid->grid);
    triple(row, 84, grid->block);
    triple(row, 104, grid->cluster);
}

static void read_bank(struct reading *reading, struct row row, uint32_t index, uint32_t parent)
{
    reading->dump->bank[index] = (struct core_bank){
        .grid = parent, .address = double_word(row, 0), .bytes = word(row, 8), .number = word(row, 12)};
}

static void read_cta(struct reading *reading, struct row row, uint32_t index, uint32_t parent)
{
    struct core_cta *cta = &reading->dump->cta[index];
    *cta = (struct core_cta){.sm = parent, .grid = UINT32_MAX, .grid_id = double_word(row, 0)};
    triple(row, 8, cta->block);
    triple(row, 24, cta->cluster);
    triple(row, 40, cta->cluster_dim);
    for (uint32_t i = 0; i < reading->dump->grids; i++)
        if (reading->dump->grid[i].id == cta->grid_id) cta->grid = i;
}

static void read_warp(struct reading *reading, struct row row, uint32_t index, uint32_t parent)
{
    struct core_cta *cta = &reading->dump->cta[parent];
    reading->dump->warp[index] = (struct core_warp){.cta = parent,
                                                    .error_pc = double_word(row, 0),
                                                    .valid = word(row, 12),
                                                    .active = word(row, 16),
                                                    .has_error_pc = word(row, 24) != 0,
                                                    .shared_bytes = word(row, 40)};
    if (cta->warps == 0) cta->warp = index;
    cta->warps = index + 1 - cta->warp;
}

// Lanes are no array of their own: a section of them is its warp's.
static void read_lane(struct core_warp *warp, struct row row, uint64_t index)
{
    if (index >= CORE_LANES) return;
    struct core_lane *lane = &warp->lane[index];
    *lane = (struct core_lane){
        .is_there = true, .pc = double_word(row, 0), .offset = double_word(row, 8), .exception = word(row, 32)};
    triple(row, 20, lane->thread);
}

static void read_lanes(struct reading *reading, const Elf64_Shdr *section)
{
    uint32_t warp = parent_of(reading, section, WARPS);
    for (uint64_t i = 0; warp != UINT32_MAX && i < rows_of(section); i++)
        read_lane(&reading->dump->warp[warp], row_at(reading, section, i), i);
}

// --- Tables ----------------------------------------------------------------------------------------------------------

// A kind of table: how long a row is at least, what it hangs on (0: nothing), and where its rows go.
struct table {
    enum section kind, parent;
    uint64_t least_bytes;
    size_t array, count, element;
    void (*read)(struct reading *reading, struct row row, uint32_t index, uint32_t parent);
};

#define INTO(member, members)                                                                                          \
    offsetof(struct core_dump, member), offsetof(struct core_dump, members), sizeof *((struct core_dump *)0)->member

static const struct table tables[] = {
    {DEVICES, 0, 72, INTO(device, devices), read_device}, {SMS, DEVICES, 4, INTO(sm, sms), read_sm},
    {GRIDS, DEVICES, 104, INTO(grid, grids), read_grid},  {BANKS, GRIDS, 16, INTO(bank, banks), read_bank},
    {CTAS, SMS, 20, INTO(cta, ctas), read_cta},           {WARPS, CTAS, 28, INTO(warp, warps), read_warp},
};

static bool is_of(const struct elf *file, uint64_t index, enum section kind, Elf64_Shdr *section)
{
    return elf_section(file, index, section) && section->sh_type == SHT_LOUSER + (uint32_t)kind;
}

// Room for all rows of a kind: a file has fewer rows than bytes.
static int make_array(struct reading *reading, const struct table *table)
{
    uint64_t rows = 0;
    Elf64_Shdr section;
    for (uint64_t i = 1; i < reading->dump->file.sections; i++)
        if (is_of(&reading->dump->file, i, table->kind, &section)) rows += rows_of(&section);
    void *array = rows < UINT32_MAX / 4096 ? calloc(rows + 1, table->element) : NULL;
    if (array == NULL) return text_fail(reading->why, "no memory for its %llu rows", (unsigned long long)rows);
    memcpy((char *)reading->dump + table->array, &array, sizeof array);
    return 1;
}

static int read_table(struct reading *reading, const struct table *table)
{
    const struct elf *file = &reading->dump->file;
    uint32_t *count = (uint32_t *)(void *)((char *)reading->dump + table->count);
    Elf64_Shdr section;
    if (!make_array(reading, table)) return 0;
    for (uint64_t i = 1; i < file->sections; i++) {
        if (!is_of(file, i, table->kind, &section) || rows_of(&section) == 0) continue;
        uint32_t parent = table->parent == 0 ? 0 : parent_of(reading, &section, table->parent);
        if (section.sh_entsize < table->least_bytes || parent == UINT32_MAX)
            return text_fail(reading->why, "its section %s is broken: %s", elf_name(file, &section),
                             parent == UINT32_MAX ? "the table that it belongs to is not there"
                                                  : "its rows are too short");
        reading->first[i] = *count;
        for (uint64_t row = 0; row < rows_of(&section); row++)
            table->read(reading, row_at(reading, &section, row), (*count)++, parent);
    }
    return 1;
}

// --- What hangs on rows ----------------------------------------------------------------------------------------------

static struct core_bytes bytes_of(const struct reading *reading, const Elf64_Shdr *section)
{
    return (struct core_bytes){elf_bytes(&reading->dump->file, section), section->sh_addr, section->sh_size};
}

// The lane that registers or frames are of.
static struct core_lane *lane_of(const struct reading *reading, const Elf64_Shdr *section)
{
    Elf64_Shdr lanes;
    if (section->sh_link == 0 || section->sh_info >= CORE_LANES ||
        !is_of(&reading->dump->file, section->sh_link, LANES, &lanes))
        return NULL;
    uint32_t warp = parent_of(reading, &lanes, WARPS);
    return warp == UINT32_MAX ? NULL : &reading->dump->warp[warp].lane[section->sh_info];
}

static void take_image(struct reading *reading, const Elf64_Shdr *section)
{
    struct core_dump *dump = reading->dump;
    uint32_t module = parent_of(reading, section, MODULES);
    dump->image[dump->images++] = (struct core_image){
        module < reading->modules ? reading->module[module] : 0,
        bytes_of(reading, section),
    };
}

static void take_meta(struct reading *reading, const Elf64_Shdr *section)
{
    if (rows_of(section) == 0) return;
    struct row row = row_at(reading, section, 0);
    reading->dump->driver = word(row, 8);
    for (unsigned i = 0; i < 2; i++) reading->dump->cuda[i] = word(row, 16 + 4 * i);
}

static void take_context(struct reading *reading, const Elf64_Shdr *section)
{
    if (rows_of(section) == 0) return;
    reading->dump->shared_window = double_word(row_at(reading, section, 0), 8);
    reading->dump->local_window = double_word(row_at(reading, section, 0), 16);
}

static void take(struct reading *reading, const Elf64_Shdr *section)
{
    struct core_dump *dump = reading->dump;
    struct core_lane *lane;
    uint32_t parent;
    switch (section->sh_type - SHT_LOUSER) {
    case MANAGED:
    case GLOBAL:
        dump->global[dump->globals++] = bytes_of(reading, section);
        break;
    case IMAGE:
        take_image(reading, section);
        break;
    case SHARED:
        if ((parent = parent_of(reading, section, CTAS)) != UINT32_MAX)
            dump->cta[parent].shared = bytes_of(reading, section);
        break;
    case PARAMS:
        if ((parent = parent_of(reading, section, GRIDS)) != UINT32_MAX)
            dump->grid[parent].params = bytes_of(reading, section);
        break;
    case UNIFORMS:
        if ((parent = parent_of(reading, section, WARPS)) != UINT32_MAX)
            dump->warp[parent].uniforms = bytes_of(reading, section);
        break;
    case REGISTERS:
        if ((lane = lane_of(reading, section)) != NULL) lane->registers = bytes_of(reading, section);
        break;
    case FRAMES:
        if ((lane = lane_of(reading, section)) != NULL) lane->frames = bytes_of(reading, section);
        break;
    case META:
        take_meta(reading, section);
        break;
    case CONTEXTS:
        take_context(reading, section);
        break;
    default:
        break;
    }
}

// Handles of modules, each table's behind the one before.
static int read_modules(struct reading *reading)
{
    const struct elf *file = &reading->dump->file;
    Elf64_Shdr section;
    uint64_t rows = 0;
    for (uint64_t i = 1; i < file->sections; i++)
        if (is_of(file, i, MODULES, &section)) rows += rows_of(&section);
    reading->module = rows < UINT32_MAX / 4096 ? calloc(rows + 1, sizeof *reading->module) : NULL;
    if (reading->module == NULL) return text_fail(reading->why, "no memory for its modules");
    for (uint64_t i = 1; i < file->sections; i++) {
        if (!is_of(file, i, MODULES, &section)) continue;
        reading->first[i] = reading->modules;
        for (uint64_t row = 0; row < rows_of(&section); row++)
            reading->module[reading->modules++] = double_word(row_at(reading, &section, row), 0);
    }
    return 1;
}

static int read_all(struct reading *reading)
{
    struct core_dump *dump = reading->dump;
    Elf64_Shdr section;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (!read_table(reading, &tables[i])) return 0;
    if (dump->devices == 0)
        return text_fail(reading->why, "it has no table of devices, so it is no dump of the driver");
    dump->image = calloc(dump->file.sections, sizeof *dump->image);
    dump->global = calloc(dump->file.sections, sizeof *dump->global);
    if (dump->image == NULL || dump->global == NULL) return text_fail(reading->why, "no memory for its sections");
    if (!read_modules(reading)) return 0;
    for (uint64_t i = 1; i < dump->file.sections; i++)
        if (is_of(&dump->file, i, LANES, &section)) read_lanes(reading, &section);
    for (uint64_t i = 1; i < dump->file.sections; i++)
        if (elf_section(&dump->file, i, &section) && section.sh_type != SHT_NOBITS) take(reading, &section);
    return 1;
}

// A section that is not all there is the sign of a file that was cut, or that is still being written.
static bool is_whole(const struct elf *file, struct text *why)
{
    Elf64_Shdr section;
    for (uint64_t i = 0; i < file->sections; i++)
        if (!elf_section(file, i, &section))
            return text_fail(why, "its section %llu (%s) ends behind the end of the file: it is cut off",
                             (unsigned long long)i, elf_name(file, &section));
    return true;
}

int core_open(struct core_dump *dump, const void *bytes, size_t size_bytes, struct text *why)
{
    *dump = (struct core_dump){0};
    if (!elf_file_open(&dump->file, bytes, size_bytes, why)) return 0;
    if (dump->file.head.e_machine != EM_CUDA_GPU)
        return text_fail(why, "it is %s of a CPU (machine %u), not a dump of a GPU",
                         dump->file.head.e_type == ET_CORE ? "a core dump" : "an ELF file", dump->file.head.e_machine);
    if (dump->file.head.e_type != ET_CORE)
        return text_fail(why, "it is machine code of a GPU (a cubin), not a core dump");
    if (!is_whole(&dump->file, why)) return 0;
    struct reading reading = {.dump = dump, .why = why};
    reading.first = malloc((dump->file.sections + 1) * sizeof *reading.first);
    if (reading.first == NULL) return text_fail(why, "no memory");
    memset(reading.first, 0xff, (dump->file.sections + 1) * sizeof *reading.first);
    int ok = read_all(&reading);
    free(reading.first);
    free(reading.module);
    return ok;
}

void core_close(struct core_dump *dump)
{
    free(dump->device);
    free(dump->sm);
    free(dump->grid);
    free(dump->bank);
    free(dump->cta);
    free(dump->warp);
    free(dump->image);
    free(dump->global);
    *dump = (struct core_dump){0};
}

// --- Questions -------------------------------------------------------------------------------------------------------

static bool word_of(const struct core_bytes *words, uint32_t number, uint32_t *value)
{
    if (words->at == NULL || number >= words->bytes / sizeof *value) return false;
    memcpy(value, words->at + (size_t)number * sizeof *value, sizeof *value);
    return true;
}

bool core_register(const struct core_lane *lane, uint32_t number, uint32_t *value)
{
    enum { ZERO = 255 };
    *value = 0;
    return number == ZERO || word_of(&lane->registers, number, value);
}

bool core_uniform(const struct core_warp *warp, uint32_t number, uint32_t *value)
{
    enum { ZERO = 63 };
    *value = 0;
    return number == ZERO || word_of(&warp->uniforms, number, value);
}

const uint8_t *core_bytes_at(const struct core_bytes *memory, uint64_t address, uint64_t bytes)
{
    uint64_t offset = address - memory->address;
    if (memory->at == NULL || address < memory->address || offset > memory->bytes || bytes > memory->bytes - offset)
        return NULL;
    return memory->at + offset;
}

const uint8_t *core_global(const struct core_dump *dump, uint64_t address, uint64_t bytes)
{
    const uint8_t *at = NULL;
    for (uint32_t i = 0; at == NULL && i < dump->globals; i++) at = core_bytes_at(&dump->global[i], address, bytes);
    return at;
}

static const char *const exception_names[] = {"no exception",
                                              "LANE_ILLEGAL_ADDRESS",
                                              "LANE_USER_STACK_OVERFLOW",
                                              "DEVICE_HARDWARE_STACK_OVERFLOW",
                                              "WARP_ILLEGAL_INSTRUCTION",
                                              "WARP_OUT_OF_RANGE_ADDRESS",
                                              "WARP_MISALIGNED_ADDRESS",
                                              "WARP_INVALID_ADDRESS_SPACE",
                                              "WARP_INVALID_PC",
                                              "WARP_HARDWARE_STACK_OVERFLOW",
                                              "DEVICE_ILLEGAL_ADDRESS",
                                              "LANE_MISALIGNED_ADDRESS",
                                              "WARP_ASSERT",
                                              "LANE_SYSCALL_ERROR",
                                              "WARP_ILLEGAL_ADDRESS",
                                              "LANE_NONMIGRATABLE_ATOMSYS",
                                              "LANE_INVALID_ATOMSYS",
                                              "CLUSTER_OUT_OF_RANGE_ADDRESS",
                                              "CLUSTER_BLOCK_NOT_PRESENT",
                                              "WARP_STACK_CANARY",
                                              "WARP_TMEM_ACCESS_CHECK",
                                              "WARP_TMEM_LEAK",
                                              "WARP_CALL_REQUIRES_NEWER_DRIVER"};

struct text core_exception_name(uint32_t exception)
{
    struct text text;
    if (exception < sizeof exception_names / sizeof exception_names[0])
        text_set(&text, "%s", exception_names[exception]);
    else
        text_set(&text, "exception %u", exception);
    return text;
}
