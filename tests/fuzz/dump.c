// SPDX-License-Identifier: MIT
// Target `dump`: the bytes are what people give to `tmaref decode`: digits, words, raw bytes.
#include <string.h>

#include "fuzz.h"
#include "map_bytes.h"

void fuzz_dump(const uint8_t *bytes, size_t size_bytes)
{
    struct tensormap_image image, again;
    struct text why = {""};
    char *text = malloc(size_bytes + 1), digits[2 * TENSORMAP_BYTES + 1];
    memcpy(text, bytes, size_bytes);
    text[size_bytes] = '\0';
    int ok = map_bytes_parse(text, size_bytes, "the input", &image, &why);
    fuzz_require(ok == (why.at[0] == '\0'));
    if (ok) { // the same bytes, as plain digits
        for (int i = 0; i < TENSORMAP_BYTES; i++)
            snprintf(digits + 2 * i, 3, "%02x", (unsigned)(image.word[i / 8] >> i % 8 * 8) & 0xff);
        fuzz_require(map_bytes_parse(digits, strlen(digits), "digits", &again, &why));
        fuzz_require(memcmp(&image, &again, sizeof image) == 0);
    }
    free(text);
}
