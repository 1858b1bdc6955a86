// SPDX-License-Identifier: MIT
// Which shared libraries a program names (DT_NEEDED of its ELF file), for one that the loader could not start.
#include "exec_needs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf_image.h"
#include "files.h"

#define MOST_BYTES ((size_t)1 << 30)

// The section that says what the loader needs, and the one with the names.
static bool find_dynamic(const struct elf *elf, Elf64_Shdr *dynamic, Elf64_Shdr *names)
{
    for (uint64_t i = 0; elf_section(elf, i, dynamic); i++)
        if (dynamic->sh_type == SHT_DYNAMIC) return elf_section(elf, dynamic->sh_link, names);
    return false;
}

static bool is_runtime(const char *name)
{
    return strncmp(name, "libcudart.so.", strlen("libcudart.so.")) == 0;
}

// A library of CUDA that is not in the folder of those that `tmaref exec` brings.
static bool is_missing(const char *folder, const char *name)
{
    static const char *const begins[] = {
        "libcudart.",    "libcublas",   "libcudnn",    "libcudss",    "libcufft", "libcufile",  "libcupti",
        "libcurand",     "libcusolver", "libcusparse", "libcutensor", "libnccl",  "libnpp",     "libnvJitLink",
        "libnvToolsExt", "libnvblas",   "libnvfatbin", "libnvjpeg",   "libnvrtc", "libnvshmem", "libnvvm",
    };
    char path[PATH_MAX];
    const bool is_whole = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path;
    if (is_whole && access(path, R_OK) == 0) return false;
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0) return true;
    return false;
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

static void tell(const struct elf *elf, const Elf64_Shdr *dynamic, const Elf64_Shdr *names, const char *folder)
{
    for (uint64_t i = 0; i + sizeof(Elf64_Dyn) <= dynamic->sh_size; i += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, elf_bytes(elf, dynamic) + i, sizeof entry);
        const char *name = entry.d_tag == DT_NEEDED ? elf_string(elf, names, entry.d_un.d_val) : "";
        if (is_missing(folder, name))
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
    char *image = NULL;
    size_t image_bytes;
    struct elf elf;
    struct text why;
    Elf64_Shdr dynamic, names;
    char *file = file_of(program);
    if (file != NULL) image = read_file(file, MOST_BYTES, &image_bytes, &why);
    if (image != NULL && elf_open(&elf, image, image_bytes) && find_dynamic(&elf, &dynamic, &names))
        tell(&elf, &dynamic, &names, folder);
    free(image);
    free(file);
}
