// SPDX-License-Identifier: MIT
#include "movers.h"

typedef uint8_t __attribute__((may_alias)) u8;
typedef int8_t __attribute__((may_alias)) s8;
typedef uint16_t __attribute__((may_alias)) u16;
typedef int16_t __attribute__((may_alias)) s16;
typedef uint32_t __attribute__((may_alias)) u32;
typedef int32_t __attribute__((may_alias)) s32;
typedef uint64_t __attribute__((may_alias)) u64;

// All lanes in a loop of its own, which is the faster one.
#define EACH(statement)                                                                                                \
    if (lanes == UINT32_MAX)                                                                                           \
        for (int lane = 0; lane < MACHINE_LANES; lane++) statement;                                                    \
    else                                                                                                               \
        for (uint32_t left = lanes; left != 0; left &= left - 1) {                                                     \
            const int lane = __builtin_ctz(left);                                                                      \
            statement;                                                                                                 \
        }

#define MEMORY(type) ((type *)(void *)(at + offset[lane]))

#define LOAD(wide, type)                                                                                               \
    static void load_##wide##_##type(void *row, uint32_t lanes, uint8_t *at, const int32_t *offset)                    \
    {                                                                                                                  \
        wide *const to = row;                                                                                          \
        EACH(to[lane] = (wide)*MEMORY(type))                                                                           \
    }
#define STORE(wide, type)                                                                                              \
    static void store_##wide##_##type(void *row, uint32_t lanes, uint8_t *at, const int32_t *offset)                   \
    {                                                                                                                  \
        const wide *const from = row;                                                                                  \
        EACH(*MEMORY(type) = (type)from[lane])                                                                         \
    }
// Each an access of the host of its own, which others see whole.
#define STRONG(type)                                                                                                   \
    static void acquire_##type(void *row, uint32_t lanes, uint8_t *at, const int32_t *offset)                          \
    {                                                                                                                  \
        type *const to = row;                                                                                          \
        EACH(to[lane] = __atomic_load_n(MEMORY(type), __ATOMIC_ACQUIRE))                                               \
    }                                                                                                                  \
    static void release_##type(void *row, uint32_t lanes, uint8_t *at, const int32_t *offset)                          \
    {                                                                                                                  \
        const type *const from = row;                                                                                  \
        EACH(__atomic_store_n(MEMORY(type), from[lane], __ATOMIC_RELEASE))                                             \
    }

LOAD(u16, u8)
LOAD(u16, s8)
LOAD(u16, u16)
LOAD(u32, u8)
LOAD(u32, s8)
LOAD(u32, u16)
LOAD(u32, s16)
LOAD(u32, u32)
LOAD(u64, u8)
LOAD(u64, s8)
LOAD(u64, u16)
LOAD(u64, s16)
LOAD(u64, u32)
LOAD(u64, s32)
LOAD(u64, u64)
STORE(u16, u8)
STORE(u16, u16)
STORE(u32, u8)
STORE(u32, u16)
STORE(u32, u32)
STORE(u64, u8)
STORE(u64, u16)
STORE(u64, u32)
STORE(u64, u64)
STRONG(u16)
STRONG(u32)
STRONG(u64)

// By the register's file, what is moved (1, 2, 4, 8 bytes), and whether its sign goes on.
enum { SIZES = 4 };
static machine_mover *const loads[PTX_FILES + 1][SIZES][2] = {
    [PTX_FILE_16] = {{load_u16_u8, load_u16_s8}, {load_u16_u16, load_u16_u16}},
    [PTX_FILE_32] = {{load_u32_u8, load_u32_s8}, {load_u32_u16, load_u32_s16}, {load_u32_u32, load_u32_u32}},
    [PTX_FILE_64] = {{load_u64_u8, load_u64_s8},
                     {load_u64_u16, load_u64_s16},
                     {load_u64_u32, load_u64_s32},
                     {load_u64_u64, load_u64_u64}}};
static machine_mover *const stores[PTX_FILES + 1][SIZES] = {
    [PTX_FILE_16] = {store_u16_u8, store_u16_u16},
    [PTX_FILE_32] = {store_u32_u8, store_u32_u16, store_u32_u32},
    [PTX_FILE_64] = {store_u64_u8, store_u64_u16, store_u64_u32, store_u64_u64}};
static machine_mover *const strong[PTX_FILES + 1][2] = {[PTX_FILE_16] = {acquire_u16, release_u16},
                                                        [PTX_FILE_32] = {acquire_u32, release_u32},
                                                        [PTX_FILE_64] = {acquire_u64, release_u64}};

machine_mover *machine_mover_of(const struct machine_transfer *transfer)
{
    const uint32_t file = transfer->data->file;
    const int writes = transfer->use == MEMORY_WRITES;
    for (uint32_t i = 1; i < transfer->parts; i++)
        if (transfer->data[i].file != file) return NULL;
    if (transfer->bytes > 8) return NULL;
    if (transfer->is_strong) return transfer->is_plain && transfer->parts == 1 ? strong[file][writes] : NULL;
    const int size = __builtin_ctz(transfer->bytes);
    return writes ? stores[file][size] : loads[file][size][transfer->is_signed != 0];
}
