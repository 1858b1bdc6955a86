// SPDX-License-Identifier: MIT
// Which shared libraries a program names (DT_NEEDED of its ELF file), for one that the loader could not start.
#include "exec_needs.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

#define MOST_BYTES ((size_t)1 << 30)

struct image {
    char *bytes; // with a 0 behind them
    size_t size_bytes;
};

// A part of the image, NULL if it is not whole.
static const void *part(const struct image *image, uint64_t offset, uint64_t bytes)
{
    return bytes <= image->size_bytes && offset <= image->size_bytes - bytes ? image->bytes + offset : NULL;
}

static int section_at(const struct image *image, const Elf64_Ehdr *header, uint32_t number, Elf64_Shdr *section)
{
    const void *at =
        number < header->e_shnum ? part(image, header->e_shoff + number * sizeof *section, sizeof *section) : NULL;
    if (at != NULL) memcpy(section, at, sizeof *section);
    return at != NULL;
}

// The section that says what the loader needs, and the one with the names.
static int find_dynamic(const struct image *image, Elf64_Shdr *dynamic, Elf64_Shdr *names)
{
    Elf64_Ehdr header;
    const void *at = part(image, 0, sizeof header);
    if (at == NULL || memcmp(at, ELFMAG, SELFMAG) != 0) return 0;
    memcpy(&header, at, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof *dynamic) return 0;
    for (uint32_t i = 0; section_at(image, &header, i, dynamic); i++)
        if (dynamic->sh_type == SHT_DYNAMIC) return section_at(image, &header, dynamic->sh_link, names);
    return 0;
}

static int is_runtime(const char *name)
{
    return strncmp(name, "libcudart.so.", strlen("libcudart.so.")) == 0;
}

// A library of CUDA that is not in the folder of those that `tmaref exec` brings.
static int is_missing(const char *folder, const char *name)
{
    static const char *const begins[] = {
        "libcudart.",    "libcublas",   "libcudnn",    "libcudss",    "libcufft", "libcufile",  "libcupti",
        "libcurand",     "libcusolver", "libcusparse", "libcutensor", "libnccl",  "libnpp",     "libnvJitLink",
        "libnvToolsExt", "libnvblas",   "libnvfatbin", "libnvjpeg",   "libnvrtc", "libnvshmem", "libnvvm",
    };
    char path[PATH_MAX];
    const int is_whole = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path;
    if (is_whole && access(path, R_OK) == 0) return 0;
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0) return 1;
    return 0;
}

static const char *advice(const char *name)
{
    static const char *const run[] = {"libnvrtc", "libnvJitLink", "libcurand"};
    if (is_runtime(name)) return "tmaref has the runtimes of CUDA 11, 12 and 13: build the program with nvcc 13";
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++)
        if (strncmp(name, run[i], strlen(run[i])) == 0) return "it needs no GPU: install NVIDIA's";
    return "tmaref does not have it, and NVIDIA's does not run without a GPU: let kernels of your own compute what it "
           "does";
}

static void tell(const struct image *image, const Elf64_Shdr *dynamic, const Elf64_Shdr *names, const char *folder)
{
    for (uint64_t i = 0; i + sizeof(Elf64_Dyn) <= dynamic->sh_size; i += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        const void *at = part(image, dynamic->sh_offset + i, sizeof entry);
        if (at == NULL) return;
        memcpy(&entry, at, sizeof entry);
        const char *name = entry.d_tag == DT_NEEDED ? part(image, names->sh_offset + entry.d_un.d_val, 1) : NULL;
        if (name != NULL && is_missing(folder, name))
            fprintf(stderr, "tmaref exec: the program is linked with %s: %s\n", name, advice(name));
    }
}

// The file that execvp() starts; the caller frees it.
static char *file_of(const char *program)
{
    const char *folders = getenv("PATH");
    if (strchr(program, '/') != NULL || folders == NULL) return strdup(program);
    for (; *folders != '\0'; folders += strcspn(folders, ":"), folders += *folders == ':') {
        char *file;
        if (asprintf(&file, "%.*s/%s", (int)strcspn(folders, ":"), folders, program) < 0) return NULL;
        if (access(file, X_OK) == 0) return file;
        free(file);
    }
    return NULL;
}

void exec_tell_needs(const char *program, const char *folder)
{
    struct image image = {0};
    struct text why;
    Elf64_Shdr dynamic, names;
    char *file = file_of(program);
    if (file != NULL) image.bytes = read_file(file, MOST_BYTES, &image.size_bytes, &why);
    if (image.bytes != NULL && find_dynamic(&image, &dynamic, &names)) tell(&image, &dynamic, &names, folder);
    free(image.bytes);
    free(file);
}
