// SPDX-License-Identifier: MIT
#include "unpack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { FIRST_BYTES = 1 << 16 };

// Bytes that grow, with room for a NUL at their end.
struct growing {
    char *bytes;
    size_t size_bytes, capacity, most;
};

static int grow(struct growing *text, struct text *why)
{
    size_t capacity = text->capacity < text->most / 2 ? 2 * text->capacity : text->most;
    if (text->size_bytes == text->most) return text_fail(why, "more than %zu bytes of text", text->most);
    char *bytes = realloc(text->bytes, capacity + 1);
    if (bytes == NULL) return text_fail(why, "not enough memory");
    text->bytes = bytes;
    text->capacity = capacity;
    return 1;
}

// All frames of `from`, one after the other, piece by piece: a frame need not say how long its text is.
static int unpack_all(ZSTD_DStream *stream, ZSTD_inBuffer *from, struct growing *text, struct text *why)
{
    size_t left = 1; // of a frame; 0 at its end
    while (from->pos < from->size || (left != 0 && text->size_bytes == text->capacity)) {
        if (text->size_bytes == text->capacity && !grow(text, why)) return 0;
        ZSTD_outBuffer to = {text->bytes, text->capacity, text->size_bytes};
        left = ZSTD_decompressStream(stream, &to, from);
        text->size_bytes = to.pos;
        if (ZSTD_isError(left)) return text_fail(why, "damaged zstd frame: %s", ZSTD_getErrorName(left));
    }
    if (left != 0) text_set(why, "damaged zstd frame: it ends too early");
    return left == 0;
}

bool unpack_is_zstd(const char *bytes, size_t size_bytes)
{
    static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    return size_bytes >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

char *unpack_zstd(const char *bytes, size_t size_bytes, size_t most_bytes, size_t *unpacked_bytes, struct text *why)
{
    ZSTD_inBuffer from = {bytes, size_bytes, 0};
    ZSTD_DStream *stream = ZSTD_createDStream();
    struct growing text = {.capacity = FIRST_BYTES / 2, .most = most_bytes};
    bool ok = stream != NULL && grow(&text, why);
    if (stream == NULL) text_set(why, "not enough memory");
    ok = ok && unpack_all(stream, &from, &text, why);
    ZSTD_freeDStream(stream);
    if (!ok) {
        free(text.bytes);
        return NULL;
    }
    text.bytes[text.size_bytes] = '\0';
    *unpacked_bytes = text.size_bytes;
    return text.bytes;
}
