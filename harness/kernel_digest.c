// SPDX-License-Identifier: MIT
#include "kernel_digest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "gpu.h"
#include "read_file.h"

#define CUBIN_MAX_BYTES ((size_t)64 << 20)

static int add_cubin(XXH3_state_t *state, const char *name, struct text *why)
{
    char path[4096];
    size_t size_bytes;
    gpu_kernel_path(name, path, sizeof path);
    char *bytes = read_file(path, CUBIN_MAX_BYTES, &size_bytes, why);
    if (bytes == NULL) return 0;
    XXH3_64bits_update(state, bytes, size_bytes);
    free(bytes);
    return 1;
}

int kernel_digest(const struct family *family, char digest[KERNEL_DIGEST_BYTES], struct text *why)
{
    const char *names = family->kernels;
    digest[0] = '\0';
    if (names == NULL) return 1;
    XXH3_state_t *state = XXH3_createState();
    int ok = state != NULL && XXH3_64bits_reset(state) == XXH_OK;
    for (size_t length; ok && *names != '\0'; names += length + strspn(names + length, " ")) {
        char cubin[64];
        length = strcspn(names, " ");
        snprintf(cubin, sizeof cubin, "%.*s.cubin", (int)length, names);
        ok = add_cubin(state, cubin, why);
    }
    if (ok) snprintf(digest, KERNEL_DIGEST_BYTES, "%016" PRIx64, XXH3_64bits_digest(state));
    XXH3_freeState(state);
    return ok;
}

void kernel_toolkit(char *text, size_t text_bytes)
{
    char path[4096];
    FILE *file = gpu_kernel_path("toolkit.txt", path, sizeof path) ? fopen(path, "r") : NULL;
    text[0] = '\0';
    if (file == NULL) return;
    if (fgets(text, (int)text_bytes, file) != NULL) text[strcspn(text, "\n")] = '\0';
    fclose(file);
}
