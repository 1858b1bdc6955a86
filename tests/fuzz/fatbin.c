// SPDX-License-Identifier: MIT
// Target `fatbin`: any bytes as a fat binary, as a file that says its own size and may be cut off. What comes out of it
// is text that ends in 0, and no byte past the input is read.
#include "fatbin.h"
#include "fuzz.h"

enum { HEADER_BYTES = 16 };

void fuzz_fatbin(const uint8_t *bytes, size_t size_bytes)
{
    struct fatbin_contents contents;
    char *text;
    size_t text_bytes;
    if (size_bytes < HEADER_BYTES) return;
    const size_t said_bytes = fatbin_bytes(bytes, size_bytes);
    fuzz_require(said_bytes <= size_bytes && (said_bytes == 0 || fatbin_is(bytes)));
    const enum fatbin_result result = fatbin_ptx(bytes, said_bytes, &text, &text_bytes, &contents);
    fuzz_require((result == FATBIN_OK) == (text != NULL));
    fuzz_require(result == FATBIN_OK || fatbin_advice(result)[0] != '\0');
    if (text == NULL) return;
    fuzz_require(strlen(text) <= text_bytes || text[text_bytes] == '\0');
    free(text);
}
