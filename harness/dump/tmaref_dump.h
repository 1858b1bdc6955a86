// SPDX-License-Identifier: MIT
// A dump of shared memory out of a running kernel, for `tmaref diagnose --dump FILE`. One header, nothing to link:
//   kernel   tmaref_poison() before the load (optional), tmaref_dump() where the bytes are wrong
//   host     allocate TMAREF_DUMP_BYTES(bytes) on the device, copy it back, tmaref_dump_save()
// docs/diagnose.md has an example. Without nvcc the header is the file format alone.
#ifndef TMAREF_DUMP_H
#define TMAREF_DUMP_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TMAREF_DUMP_MAGIC UINT64_C(0x31504d4446454d54) // "TMEFDMP1" in memory

// Bits of `has`. TMAREF_DUMP_CUT: the buffer was too small for all bytes asked for.
enum {
    TMAREF_DUMP_MAP = 1,
    TMAREF_DUMP_BARRIER = 2,
    TMAREF_DUMP_POISONED = 4,
    TMAREF_DUMP_CUT = 8,
    TMAREF_DUMP_EXPECT = 16
};

// What a file begins with; the bytes of shared memory follow. Little-endian.
//   first, bytes   shared address of the first byte, and how many there are
//   destination    shared address that the copy was given
//   dims           of the copy; coord and offset (im2colOffsets) as it was given them
//   word           the barrier's word, true because the barrier was given up for it
//   clock, block   when, and by which CTA
struct tmaref_dump_head {
    uint64_t magic;
    uint32_t head_bytes, has;
    uint32_t first, bytes, destination, dims;
    int32_t coord[5];
    uint16_t offset[4];
    uint32_t barrier;
    uint32_t expect, unused;
    uint64_t word, clock;
    uint32_t block[4];
    uint8_t map[128];
};

#define TMAREF_DUMP_BYTES(shared_bytes) (sizeof(struct tmaref_dump_head) + (shared_bytes))

// The 32-bit word that tmaref_poison() leaves at a shared address (a multiple of 4).
#ifdef __CUDACC__
__host__ __device__
#endif
    static inline uint32_t
    tmaref_poison_word(uint32_t address)
{
    uint32_t x = (address / 4 + 1) * 0x9e3779b1u;
    return x ^ x >> 15;
}

#ifdef __CUDACC__

// The copy as the kernel issued it. What is left 0 is not known: map (a __grid_constant__ parameter or global memory),
// destination, barrier, expect. `give_up_barrier`: nobody uses the barrier any more; its true word is then dumped,
// which a plain load does not see. `poisoned`: tmaref_poison() filled the dumped range before.
struct tmaref_copy {
    const void *map;
    const void *destination;
    uint64_t *barrier;
    uint32_t expect;
    int dims;
    int32_t coord[5];
    uint16_t offset[4];
    bool give_up_barrier, poisoned;
};

// Fills `bytes` bytes of shared memory (multiples of 4) with words of their addresses, so that bytes never written are
// known as such. All threads of the block call it, before the copy is issued.
__device__ static inline void tmaref_poison(void *shared, uint32_t bytes)
{
    uint32_t first = (uint32_t)__cvta_generic_to_shared(shared), threads = blockDim.x * blockDim.y * blockDim.z;
    uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    for (uint32_t at = 4 * thread; at + 4 <= bytes; at += 4 * threads)
        *(volatile uint32_t *)((char *)shared + at) = tmaref_poison_word(first + at);
    asm volatile("fence.proxy.async;" ::: "memory"); // the copy comes after
    __syncthreads();
}

// Writes head and `bytes` bytes of shared memory from `shared` on (multiples of 4) to `buffer`, at most `buffer_bytes`.
// All threads of one block call it. It waits for nothing: what it sees is what a reader at this point would see.
__device__ static inline void tmaref_dump(void *buffer, uint64_t buffer_bytes, const void *shared, uint32_t bytes,
                                          const tmaref_copy &copy)
{
    uint32_t threads = blockDim.x * blockDim.y * blockDim.z;
    uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), room = 0;
    if (buffer_bytes < sizeof(tmaref_dump_head)) return;
    uint64_t left = (buffer_bytes - sizeof(tmaref_dump_head)) / 4 * 4;
    room = left < bytes ? (uint32_t)left : bytes / 4 * 4;
    uint32_t *to = (uint32_t *)((char *)buffer + sizeof(tmaref_dump_head));
    for (uint32_t at = 4 * thread; at < room; at += 4 * threads)
        to[at / 4] = *(const volatile uint32_t *)((const char *)shared + at);
    __syncthreads();
    if (thread != 0) return;
    tmaref_dump_head head = {};
    head.magic = TMAREF_DUMP_MAGIC;
    head.head_bytes = sizeof head;
    head.has = (copy.map ? TMAREF_DUMP_MAP : 0) | (copy.poisoned ? TMAREF_DUMP_POISONED : 0) |
               (room < bytes ? TMAREF_DUMP_CUT : 0) | (copy.expect ? TMAREF_DUMP_EXPECT : 0);
    head.first = (uint32_t)__cvta_generic_to_shared(shared);
    head.bytes = room;
    head.destination = copy.destination ? (uint32_t)__cvta_generic_to_shared(copy.destination) : head.first;
    head.dims = (uint32_t)copy.dims;
    head.expect = copy.expect;
    for (int i = 0; i < 5; i++) head.coord[i] = copy.coord[i];
    for (int i = 0; i < 4; i++) head.offset[i] = copy.offset[i];
    head.clock = (uint64_t)clock64();
    head.block[0] = blockIdx.x, head.block[1] = blockIdx.y, head.block[2] = blockIdx.z;
    for (int i = 0; copy.map && i < 128; i += 4) {
        uint32_t word; // not by a volatile pointer: nvcc 13.0 takes a parameter's address for a generic one there
        asm volatile("ld.u32 %0, [%1];" : "=r"(word) : "l"((const char *)copy.map + i) : "memory");
        memcpy(head.map + i, &word, sizeof word);
    }
    if (copy.barrier) head.barrier = (uint32_t)__cvta_generic_to_shared(copy.barrier);
    if (copy.barrier && copy.give_up_barrier) {
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(head.barrier) : "memory");
        head.word = *(const volatile uint64_t *)copy.barrier;
        head.has |= TMAREF_DUMP_BARRIER;
    }
    memcpy(buffer, &head, sizeof head);
}

// Writes a dump that was copied to the host. Returns 0 if it is none or the file cannot be written.
static inline int tmaref_dump_save(const void *dump, const char *path)
{
    tmaref_dump_head head;
    memcpy(&head, dump, sizeof head);
    FILE *file = head.magic == TMAREF_DUMP_MAGIC ? fopen(path, "wb") : NULL;
    if (file == NULL) return 0;
    int ok = fwrite(dump, 1, sizeof head + head.bytes, file) == sizeof head + head.bytes;
    return fclose(file) == 0 && ok;
}

#endif
#endif
