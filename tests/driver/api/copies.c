// SPDX-License-Identifier: MIT
// Copies and fills.
#include "api.h"

static unsigned long long address_of(const void *pointer)
{
    return (unsigned long long)(uintptr_t)pointer;
}

SECTION(copies)
{
    unsigned char host[64], back[64];
    struct CUstream_st *gone;
    api_ready();
    unsigned long long at = api_memory(4096, 0);
    for (int i = 0; i < 64; i++) host[i] = (unsigned char)i;
    WORKS(cuMemcpyHtoD_v2(at, host, 64));
    WORKS(cuMemcpyDtoD_v2(at + 64, at, 64));
    WORKS(cuMemcpyPeer(at + 128, NULL, at + 64, NULL, 64));
    WORKS(cuMemcpyPeerAsync(at + 192, NULL, at + 128, NULL, 64, NULL));
    WORKS(cuMemcpy(at + 256, at + 192, 64));
    WORKS(cuMemcpyAsync(address_of(back), at + 256, 64, NULL));
    REQUIRE(memcmp(host, back, 64) == 0);
    WORKS(cuMemcpyHtoD_v2(at, host, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(at + 4090, host, 7));
    SAYS("the destination of 7 bytes at");
    REFUSES(ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(back, at + 4090, 7));
    SAYS("the source of 7 bytes at");
    REFUSES(ERROR_INVALID_VALUE, cuMemcpyDtoD_v2(address_of(back), at, 8));
    SAYS("is not an address of the device");
    REFUSES(ERROR_INVALID_VALUE, cuMemcpy(0, at, 8));
    REFUSES(ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(at, (const void *)(UINTPTR_MAX - 8), 64));
    SAYS("would end past the last address");
    WORKS(cuStreamCreate(&gone, 0));
    WORKS(cuStreamDestroy_v2(gone));
    REFUSES(ERROR_INVALID_HANDLE, cuMemcpyHtoDAsync_v2(at, host, 8, gone));
}

static void refuse_boxes(struct CUDA_MEMCPY3D_st *box, struct CUDA_MEMCPY2D_st *rows)
{
    rows->srcPitch = 11; // a row from byte 4 on does not fit
    REFUSES(ERROR_INVALID_VALUE, cuMemcpy2D_v2(rows));
    REFUSES(ERROR_INVALID_VALUE, cuMemcpy2D_v2(NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemcpy3D_v2(NULL));
    box->dstMemoryType = MEMORY_OF_ARRAY; // of no array
    REFUSES(ERROR_INVALID_VALUE, cuMemcpy3D_v2(box));
    box->dstMemoryType = 9;
    REFUSES(ERROR_INVALID_VALUE, cuMemcpy3D_v2(box));
    box->srcMemoryType = MEMORY_OF_ARRAY;
    REFUSES(ERROR_INVALID_VALUE, cuMemcpy3D_v2(box));
}

// Rows of 8 bytes in the middle of a pitched field, to the device and back to another pitch.
SECTION(box_copies)
{
    enum { ROWS = 3, SLICES = 2, WIDTH = 8, PITCH = 32, HEIGHT = 5 };
    unsigned char host[SLICES][ROWS][WIDTH], back[SLICES][ROWS][16];
    api_ready();
    unsigned long long at = api_memory(SLICES * HEIGHT * PITCH + 64, 0xee);
    for (int i = 0; i < SLICES * ROWS * WIDTH; i++)
        host[i / WIDTH / ROWS][i / WIDTH % ROWS][i % WIDTH] = (unsigned char)(i + 1);
    struct CUDA_MEMCPY3D_st box = {.srcMemoryType = MEMORY_OF_HOST,
                                   .srcHost = host,
                                   .srcPitch = WIDTH,
                                   .srcHeight = ROWS,
                                   .dstMemoryType = MEMORY_OF_DEVICE,
                                   .dstDevice = at,
                                   .dstXInBytes = 4,
                                   .dstY = 1,
                                   .dstPitch = PITCH,
                                   .dstHeight = HEIGHT,
                                   .WidthInBytes = WIDTH,
                                   .Height = ROWS,
                                   .Depth = SLICES};
    WORKS(cuMemcpy3D_v2(&box));
    for (int z = 0; z < SLICES; z++)
        for (int y = 0; y < ROWS; y++)
            REQUIRE(api_byte(at + (uint64_t)((z * HEIGHT + y + 1) * PITCH + 4)) == host[z][y][0] &&
                    api_byte(at + (uint64_t)((z * HEIGHT + y + 1) * PITCH + 12)) == 0xee);
    const struct CUDA_MEMCPY3D_st out = {.srcMemoryType = MEMORY_UNIFIED,
                                         .srcDevice = at,
                                         .srcXInBytes = 4,
                                         .srcY = 1,
                                         .srcPitch = PITCH,
                                         .srcHeight = HEIGHT,
                                         .dstMemoryType = MEMORY_OF_HOST,
                                         .dstHost = back,
                                         .dstPitch = 16,
                                         .dstHeight = ROWS,
                                         .WidthInBytes = WIDTH,
                                         .Height = ROWS,
                                         .Depth = SLICES};
    WORKS(cuMemcpy3DAsync_v2(&out, NULL));
    for (int z = 0; z < SLICES; z++)
        for (int y = 0; y < ROWS; y++) REQUIRE(memcmp(back[z][y], host[z][y], WIDTH) == 0);
    struct CUDA_MEMCPY2D_st rows = {.srcMemoryType = MEMORY_OF_DEVICE,
                                    .srcDevice = at,
                                    .srcXInBytes = 4,
                                    .srcY = 2,
                                    .srcPitch = PITCH,
                                    .dstMemoryType = MEMORY_OF_HOST,
                                    .dstHost = back,
                                    .WidthInBytes = WIDTH,
                                    .Height = 2};
    WORKS(cuMemcpy2D_v2(&rows));
    REQUIRE(memcmp(back, host[0][1], 2 * WIDTH) == 0);
    WORKS(cuMemcpy2DUnaligned_v2(&rows));
    refuse_boxes(&box, &rows);
}

// A box whose sizes do not fit into 64 bits, in each of its directions.
SECTION(box_sizes)
{
    static const size_t huge = (size_t)1 << 63;
    unsigned char host[64] = {0};
    api_ready();
    const unsigned long long at = api_memory(4096, 0);
    const struct CUDA_MEMCPY3D_st good = {.srcMemoryType = MEMORY_OF_HOST,
                                          .srcHost = host,
                                          .srcPitch = 8,
                                          .dstMemoryType = MEMORY_OF_DEVICE,
                                          .dstDevice = at,
                                          .dstPitch = 8,
                                          .WidthInBytes = 8,
                                          .Height = 2,
                                          .Depth = 2};
    WORKS(cuMemcpy3D_v2(&good));
    const struct {
        size_t offset, value;
    } wrong[] = {{offsetof(struct CUDA_MEMCPY3D_st, srcPitch), huge},
                 {offsetof(struct CUDA_MEMCPY3D_st, srcHeight), huge},
                 {offsetof(struct CUDA_MEMCPY3D_st, srcY), huge},
                 {offsetof(struct CUDA_MEMCPY3D_st, srcZ), huge},
                 {offsetof(struct CUDA_MEMCPY3D_st, dstPitch), huge},
                 {offsetof(struct CUDA_MEMCPY3D_st, dstHeight), huge},
                 {offsetof(struct CUDA_MEMCPY3D_st, dstY), huge},
                 {offsetof(struct CUDA_MEMCPY3D_st, dstZ), huge},
                 {offsetof(struct CUDA_MEMCPY3D_st, srcXInBytes), huge},
                 {offsetof(struct CUDA_MEMCPY3D_st, Height), huge},
                 {offsetof(struct CUDA_MEMCPY3D_st, dstXInBytes), SIZE_MAX},
                 {offsetof(struct CUDA_MEMCPY3D_st, Depth), huge}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct CUDA_MEMCPY3D_st box = good;
        memcpy((char *)&box + wrong[i].offset, &wrong[i].value, sizeof(size_t));
        REFUSES(ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    }
}

SECTION(fills)
{
    unsigned char row[12];
    api_ready();
    const unsigned long long at = api_memory(4096, 0xee);
    WORKS(cuMemsetD16_v2(at, 0x0102, 2));
    WORKS(cuMemsetD32_v2(at + 4, 0x03040506, 1));
    WORKS(cuMemsetD8_v2(at + 8, 7, 3));
    WORKS(cuMemcpyDtoH_v2(row, at, sizeof row));
    REQUIRE(memcmp(row, "\x02\x01\x02\x01\x06\x05\x04\x03\x07\x07\x07\xee", sizeof row) == 0);
    WORKS(cuMemsetD2D8_v2(at, 16, 1, 4, 2));
    WORKS(cuMemsetD2D16_v2(at + 4, 16, 0x0202, 1, 2));
    WORKS(cuMemsetD2D32_v2(at + 8, 16, 0x03030303, 1, 2));
    WORKS(cuMemcpyDtoH_v2(row, at + 16, sizeof row));
    REQUIRE(memcmp(row, "\1\1\1\1\2\2\xee\xee\3\3\3\3", sizeof row) == 0);
    WORKS(cuMemsetD2D8Async(at, 0, 9, 4, 1, NULL));
    WORKS(cuMemsetD2D16Async(at, 0, 9, 4, 1, NULL));
    WORKS(cuMemsetD2D32Async(at, 0, 9, 4, 1, NULL));
    WORKS(cuMemsetD16Async(at, 9, 0, NULL));
    WORKS(cuMemsetD2D8_v2(at, 16, 1, 4, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemsetD16_v2(at + 1, 0, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemsetD32_v2(at + 2, 0, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemsetD2D8_v2(at, 3, 0, 4, 2));
    REFUSES(ERROR_INVALID_VALUE, cuMemsetD8_v2(at, 0, 4097));
    SAYS("goes past the end of its allocation, which has 4096 bytes");
    REFUSES(ERROR_INVALID_VALUE, cuMemsetD8_v2(at, 0, SIZE_MAX));
    REFUSES(ERROR_INVALID_VALUE, cuMemsetD2D32_v2(at, (size_t)1 << 63, 0, 1, 3));
    REFUSES(ERROR_INVALID_VALUE, cuMemsetD8_v2(64, 0, 1));
}
