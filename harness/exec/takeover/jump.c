// SPDX-License-Identifier: MIT
#include "takeover.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Functions are aligned to this; what lies between two of them is never run.
enum { ALIGN = 16 };

// The bytes of which compilers make padding: int3, nop, and the longer nops with their prefixes and operands.
static bool is_padding(const uint8_t *at, size_t bytes)
{
    static const uint8_t used[] = {0x00, 0x0f, 0x1f, 0x2e, 0x40, 0x44, 0x66, 0x80, 0x84, 0x90, 0xcc};
    for (size_t i = 0; i < bytes; i++)
        if (memchr(used, at[i], sizeof used) == NULL) return false;
    return true;
}

static bool has_room(const uint8_t *at, uint64_t bytes, size_t wanted)
{
    if (bytes >= wanted) return true;
    return (uintptr_t)at % ALIGN == 0 && is_padding(at + bytes, wanted - bytes);
}

bool takeover_write(void *at, uint64_t bytes, const void *code, size_t code_bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)at / page * page;
    const size_t length = (uintptr_t)at + code_bytes - first;
    if (!has_room(at, bytes, code_bytes)) return false;
    if (mprotect((void *)first, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    memcpy(at, code, code_bytes);
    mprotect((void *)first, length, PROT_READ | PROT_EXEC);
    return true;
}

// jmp *0(%rip), and behind it the address.
bool takeover_jump(void *at, uint64_t bytes, void *to)
{
    uint8_t jump[TAKEOVER_JUMP_BYTES] = {0xff, 0x25};
    memcpy(jump + 6, &to, sizeof to);
    return takeover_write(at, bytes, jump, sizeof jump);
}
