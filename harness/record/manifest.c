// SPDX-License-Identifier: MIT
#include "manifest.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include "files.h"
#include "gpu.h"

#define MANIFEST_TITLE "# trace\tfamily\tcases\trecorded on\ttoolkit\tkernel digest\tdate\tseed\n"
enum { MANIFEST_MAX_BYTES = 1 << 20, LINE_MAX_BYTES = 1024 };

// Copies the lines of an old manifest that speak of other traces.
static void keep_others(const char *old, const char *name, char *to)
{
    size_t length = strlen(name);
    for (const char *line = old; *line != '\0';) {
        size_t line_bytes = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        bool keep = line[0] != '#' && (strncmp(line, name, length) != 0 || line[length] != '\t');
        if (keep) strncat(to, line, line_bytes);
        line += line_bytes;
        if (keep && line[-1] != '\n') strcat(to, "\n");
    }
}

static int update(const char *path, const struct trace_header *header, struct text *why)
{
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    char manifest[4096];
    size_t old_bytes = 0;
    snprintf(manifest, sizeof manifest, "%.*sMANIFEST", (int)(name - path), path);
    bool is_there = access(manifest, F_OK) == 0;
    char *old = is_there ? read_file(manifest, MANIFEST_MAX_BYTES, &old_bytes, why) : NULL;
    if (is_there && old == NULL) return 0; // rather than lose its lines
    char *text = calloc(1, old_bytes + sizeof MANIFEST_TITLE + LINE_MAX_BYTES);
    if (text == NULL) {
        text_set(why, "not enough memory");
        free(old);
        return 0;
    }
    strcpy(text, MANIFEST_TITLE);
    if (old != NULL) keep_others(old, name, text);
    size_t used = strlen(text);
    snprintf(text + used, LINE_MAX_BYTES, "%s\t%s\t%" PRIu64 "\t%s\t%s\t%s\t%s\t%" PRIu64 "\n", name,
             header->family->name, header->cases, header->device, header->toolkit, header->kernel, header->date,
             header->seed);
    int ok = save_file(manifest, text, strlen(text), why);
    free(text);
    free(old);
    return ok;
}

// Several commands may record into one folder at a time: each waits for the folder before it rewrites the MANIFEST.
int manifest_update(const char *path, const struct trace_header *header, struct text *why)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s.", slash == NULL ? 0 : (int)(slash + 1 - path), path);
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0) flock(lock, LOCK_EX);
    int ok = update(path, header, why);
    if (lock >= 0) close(lock);
    return ok;
}

// --- Kernels ---------------------------------------------------------------------------------------------------------

#define CUBIN_MAX_BYTES ((size_t)64 << 20)

static bool add_cubin(XXH3_state_t *state, const char *name, struct text *why)
{
    char path[4096];
    size_t size_bytes;
    gpu_kernel_path(name, path, sizeof path);
    char *bytes = read_file(path, CUBIN_MAX_BYTES, &size_bytes, why);
    if (bytes == NULL) return false;
    XXH3_64bits_update(state, bytes, size_bytes);
    free(bytes);
    return true;
}

bool kernel_digest(const struct family *family, char digest[KERNEL_DIGEST_BYTES], struct text *why)
{
    const char *names = family->kernels;
    digest[0] = '\0';
    if (names == NULL) return true;
    XXH3_state_t *state = XXH3_createState();
    bool ok = state != NULL && XXH3_64bits_reset(state) == XXH_OK;
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
