// SPDX-License-Identifier: MIT
// Target `core`: the bytes are a core dump of a GPU, as it is or packed by zstd. Whatever opens is reported of, in
// words and as JSON.
#include <string.h>

#include "core_tell.h"
#include "fuzz.h"
#include "unpack.h"

enum { MOST_BYTES = 1 << 24 };

static void report(const struct core_dump *dump)
{
    struct core_state state = {0};
    struct core_groups groups = {0};
    struct core_maps maps = {0};
    struct core_barriers barriers = {0};
    struct text why;
    char *text = NULL;
    size_t text_bytes;
    FILE *out = open_memstream(&text, &text_bytes);
    if (core_state_open(&state, dump, &why) && core_groups_open(&groups, &state) && core_maps_open(&maps, dump) &&
        core_barriers_open(&barriers, &state)) {
        const struct core_report told = {dump, &state, &groups, &maps, &barriers};
        core_tell(out, &told, true);
        json_t *json = core_json(&told);
        fuzz_require(json != NULL);
        json_decref(json);
    }
    fclose(out);
    free(text);
    core_barriers_close(&barriers);
    core_maps_close(&maps);
    core_groups_close(&groups);
    core_state_close(&state);
}

void fuzz_core(const uint8_t *bytes, size_t size_bytes)
{
    struct core_dump dump;
    struct text why = {""};
    char *unpacked = NULL;
    if (unpack_is_zstd((const char *)bytes, size_bytes)) {
        unpacked = unpack_zstd((const char *)bytes, size_bytes, MOST_BYTES, &size_bytes, &why);
        if (unpacked == NULL) return;
        bytes = (const uint8_t *)unpacked;
    }
    const int ok = core_open(&dump, bytes, size_bytes, &why);
    fuzz_require(ok == (why.at[0] == '\0'));
    if (ok) report(&dump);
    core_close(&dump);
    free(unpacked);
}
