// SPDX-License-Identifier: MIT
// Was every trace recorded by the kernels of this tree? digests MANIFEST KERNEL...: the digest that the MANIFEST names
// for each trace against the cubins that the pinned nvcc built here. Exit status 77, with the reason, where there is no
// such nvcc; KERNEL is what was built, as a developer may build few of them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "manifest.h"

#define PINNED "nvcc 13.0.88" // also in setup.sh
enum { SKIPPED = 77, COLUMNS = 8, MANIFEST_MAX_BYTES = 1 << 20 };
enum { TRACE, FAMILY, CASES, DEVICE, TOOLKIT, KERNEL };

// Cuts a line at its tabs; returns how many columns there are.
static int split(char *line, char *column[COLUMNS])
{
    int count = 0;
    for (char *at = line; at != NULL && count < COLUMNS;) column[count++] = strsep(&at, "\t");
    return count;
}

static bool are_built(const char *names, char **kernels)
{
    for (size_t length; *names != '\0'; names += length + strspn(names + length, " ")) {
        char **kernel = kernels;
        length = strcspn(names, " ");
        while (*kernel != NULL && (strlen(*kernel) != length || memcmp(*kernel, names, length) != 0)) kernel++;
        if (*kernel == NULL) return false;
    }
    return true;
}

// 1: right, 0: wrong and told, -1: not to be told here.
static int check_line(char *line, char **kernels)
{
    char *column[COLUMNS], digest[KERNEL_DIGEST_BYTES];
    struct text why;
    const struct family *family = split(line, column) == COLUMNS ? family_find(column[FAMILY]) : NULL;
    if (family == NULL) {
        printf("%s: a line of the MANIFEST without a family that is there\n", line);
        return 0;
    }
    if (family->kernels != NULL && !are_built(family->kernels, kernels)) return -1;
    const char *toolkit = family->kernels != NULL ? PINNED : "";
    if (!kernel_digest(family, digest, &why)) {
        printf("%s: %s\n", column[TRACE], why.at);
        return 0;
    }
    if (strcmp(digest, column[KERNEL]) == 0 && strcmp(toolkit, column[TOOLKIT]) == 0) return 1;
    printf("%s: recorded by kernel '%s' of '%s', here '%s' of '%s': tmaref record --from records it anew\n",
           column[TRACE], column[KERNEL], column[TOOLKIT], digest, toolkit);
    return 0;
}

// Tells the families that no trace is of; returns how many.
static int without_trace(const char *manifest)
{
    int count = 0;
    for (int i = 0; families[i] != NULL; i++) {
        char column[64];
        snprintf(column, sizeof column, "\t%s\t", families[i]->name);
        if (strstr(manifest, column) != NULL) continue;
        printf("%s: no trace of this family in the MANIFEST\n", families[i]->name);
        count++;
    }
    return count;
}

int main(int argc, char **argv)
{
    char toolkit[64];
    size_t size_bytes;
    struct text why;
    int count[3] = {0}; // not built, wrong, right
    char *text = argc > 1 ? read_file(argv[1], MANIFEST_MAX_BYTES, &size_bytes, &why) : NULL, *rest = text;
    if (text == NULL) {
        printf("%s\n", argc > 1 ? why.at : "usage: digests MANIFEST KERNEL...");
        return 1;
    }
    count[1] = without_trace(text);
    kernel_toolkit(toolkit, sizeof toolkit);
    if (count[1] == 0 && (argc < 3 || strcmp(toolkit, PINNED) != 0)) {
        printf("skipped: the kernels are built by %s here, the digests are of %s\n",
               argc > 2 && toolkit[0] != '\0' ? toolkit : "no nvcc, or without cubins (TMAREF_CUBINS),", PINNED);
        free(text);
        return SKIPPED;
    }
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (*line != '\0' && *line != '#') count[1 + check_line(line, argv + 2)]++;
    printf(
        "%d traces were recorded by the kernels that %s builds here, %d were not, of %d the kernels were not built\n",
        count[2], PINNED, count[1], count[0]);
    free(text);
    return count[1] > 0 || count[2] == 0;
}
