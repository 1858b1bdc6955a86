// SPDX-License-Identifier: MIT
// Runs every target over its committed corpus: fuzz_replay CORPUS_DIR, which holds a folder for each target. Or one
// target over files: fuzz_replay --target NAME FILE... Needs no fuzzer; a failure ends the process.
#include <dirent.h>
#include <string.h>

#include "files.h"
#include "fuzz.h"

static const struct {
    const char *name;
    void (*run)(const uint8_t *bytes, size_t size_bytes);
} targets[] = {
#define X(name) {#name, fuzz_##name},
    FUZZ_TARGETS(X)
#undef X
};
enum { TARGETS = sizeof targets / sizeof targets[0], MAX_BYTES = 1 << 24, PATH_BYTES = 8192 };

static bool run_file(int target, const char *path)
{
    struct text why;
    size_t size_bytes;
    char *bytes = read_file(path, MAX_BYTES, &size_bytes, &why);
    if (bytes == NULL) {
        fprintf(stderr, "fuzz_replay: %s\n", why.at);
        return false;
    }
    fprintf(stderr, "%s\n", path);       // the last line names the input that failed
    uint8_t *exact = malloc(size_bytes); // no byte more, so that a sanitizer sees who reads past the end
    if (exact != NULL && size_bytes > 0) memcpy(exact, bytes, size_bytes);
    targets[target].run(exact, size_bytes);
    free(exact);
    free(bytes);
    return true;
}

// How many files of a folder were run; -1 if one cannot be read.
static int run_folder(int target, const char *folder)
{
    struct dirent **entries;
    int found = scandir(folder, &entries, NULL, alphasort), count = 0;
    for (int i = 0; i < found; i++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%.255s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && count >= 0) count = run_file(target, path) ? count + 1 : -1;
        free(entries[i]);
    }
    if (found >= 0) free(entries);
    return count;
}

static int run_corpus(const char *corpus)
{
    for (int i = 0; i < TARGETS; i++) {
        char folder[PATH_BYTES / 2];
        snprintf(folder, sizeof folder, "%s/%s", corpus, targets[i].name);
        int count = run_folder(i, folder);
        printf("%s: %d inputs\n", targets[i].name, count);
        if (count <= 0) return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2) return run_corpus(argv[1]);
    for (int i = 0; argc > 3 && strcmp(argv[1], "--target") == 0 && i < TARGETS; i++) {
        if (strcmp(targets[i].name, argv[2]) != 0) continue;
        for (int file = 3; file < argc; file++)
            if (!run_file(i, argv[file])) return 2;
        return 0;
    }
    fprintf(stderr, "usage: fuzz_replay CORPUS_DIR, or fuzz_replay --target NAME FILE...\n");
    return 2;
}
