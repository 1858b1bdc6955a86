// SPDX-License-Identifier: MIT
// Fat binaries, with the fields that nvcc 13.0 fills in: a real driver and a real runtime take them.
#include "api.h"

void api_put(unsigned char *to, uint64_t value, size_t bytes)
{
    memcpy(to, &value, bytes);
}

void api_fatbin_add(struct api_fatbin *fatbin, unsigned kind, uint32_t gpu, uint64_t flags, const void *payload,
                    size_t payload_bytes, size_t text_bytes)
{
    enum { VERSION = 0x0101, PTX_8_0 = 8 << 16, ADDRESSES_OF_64_BITS = 1, FOR_LINUX = 0x10 };
    if (fatbin->used == 0) {
        api_put(fatbin->bytes, 0xba55ed50, 4);
        api_put(fatbin->bytes + 4, 1, 2);
        api_put(fatbin->bytes + 6, HEADER, 2);
        fatbin->used = HEADER;
    }
    unsigned char *at = fatbin->bytes + fatbin->used;
    const size_t padded = (payload_bytes + 7) / 8 * 8;
    REQUIRE(fatbin->used + ENTRY + padded <= API_ROOM);
    api_put(at, kind, 2);
    api_put(at + 2, VERSION, 2);
    api_put(at + 4, ENTRY, 4);
    api_put(at + 8, padded, 8);
    if (flags & (LZ4 | ZSTD)) api_put(at + 16, payload_bytes, 4);
    api_put(at + 20, ENTRY, 4); // where options would begin
    api_put(at + 24, PTX_8_0, 4);
    api_put(at + 28, gpu, 4);
    api_put(at + 40, flags | ADDRESSES_OF_64_BITS | FOR_LINUX, 8);
    if (flags & (LZ4 | ZSTD)) api_put(at + 56, text_bytes, 8);
    memcpy(at + ENTRY, payload, payload_bytes);
    fatbin->used += ENTRY + padded;
    api_put(fatbin->bytes + 8, fatbin->used - HEADER, 8);
}

void *api_image(const char *ptx)
{
    static struct {
        uint32_t magic, version;
        const void *data;
        void *file;
    } wrapper[8];
    static struct api_fatbin fatbin[8];
    static int count;
    REQUIRE(count < 8);
    api_fatbin_add(&fatbin[count], PTX, 90, OF_ARCH, ptx, strlen(ptx) + 1, 0);
    wrapper[count].magic = 0x466243b1;
    wrapper[count].version = 1;
    wrapper[count].data = fatbin[count].bytes;
    return &wrapper[count++];
}
