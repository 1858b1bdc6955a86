// SPDX-License-Identifier: MIT
// Device code in several parts: what nvlink leaves in a program, and objects and libraries that are linked.
#include <elf.h>

#include "api.h"

enum { INPUT_OBJECT = 3, INPUT_LIBRARY = 4, MOST_BYTES = 16384 };

static const char uses[] =
    PTX_HEAD ".extern .global .align 4 .u32 far;\n.visible .entry get(.param .u64 to)\n{\n.reg .b64 %rd<2>;\n.reg .b32 "
             "%r<2>;\nld.param.u64 %rd1, [to];\nld.global.u32 %r1, [far];\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
static const char has[] = PTX_HEAD ".visible .global .align 4 .u32 far = 23;\n";

static struct api_fatbin part_of(const char *ptx, uint32_t gpu)
{
    struct api_fatbin part = {{0}, 0};
    api_fatbin_add(&part, PTX, gpu, OF_ARCH, ptx, strlen(ptx) + 1, 0);
    return part;
}

// The kernel reads what the other part defines.
static void run(struct CUmod_st *module)
{
    struct CUfunc_st *get;
    unsigned long long to = api_memory(4, 0);
    void *parameters[] = {&to};
    WORKS(cuModuleGetFunction(&get, module, "get"));
    WORKS(cuLaunchKernel(get, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    REQUIRE(api_word(to) == 23);
    WORKS(cuModuleUnload(module));
}

// --- What nvlink leaves: a wrapper that names the fat binaries of all objects ----------------------------------------

struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *parts;
};

static void refuse(const void *const *parts, const char *why)
{
    struct CUmod_st *module;
    const struct wrapper wrapper = {0x466243b1, 2, parts[0], parts};
    REFUSES(ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, &wrapper));
    SAYS(why);
}

static void show_programs(void)
{
    static struct api_fatbin user, definer, newer, machine, empty;
    struct CUmod_st *module;
    user = part_of(uses, 90);
    definer = part_of(has, 90);
    newer = part_of("not for us", 121);
    empty = definer;
    api_put(empty.bytes + 8, 0, 8);
    api_fatbin_add(&machine, CUBIN, 90, 0, "cubin", 5, 0);
    const void *all[] = {user.bytes, newer.bytes, empty.bytes, definer.bytes, NULL};
    const void *lacking[] = {user.bytes, machine.bytes, NULL}, *none[] = {newer.bytes, NULL};
    const void *open[] = {user.bytes, newer.bytes, NULL};
    const struct wrapper whole = {0x466243b1, 2, machine.bytes, all}, half = {0x466243b1, 2, machine.bytes, open};
    WORKS(cuModuleLoadData(&module, &whole));
    run(module);
    refuse(lacking, "part 2 of a program of -rdc=true: the program carries machine code and no PTX");
    refuse(none, "the program's PTX is for other GPUs");
    REFUSES(ERROR_INVALID_PTX, cuModuleLoadData(&module, &half));
    SAYS("'far' is used in part 1, and nothing defines it");
}

// --- Objects and libraries -------------------------------------------------------------------------------------------

struct image {
    unsigned char bytes[MOST_BYTES];
    size_t used;
};

static void append(struct image *image, const void *bytes, size_t count)
{
    REQUIRE(image->used + count + 8 <= sizeof image->bytes);
    memcpy(image->bytes + image->used, bytes, count);
    image->used += (count + 7) / 8 * 8;
}

// ELF with the fat binary in a section that nvcc uses.
static struct image object_of(const struct api_fatbin *part)
{
    static const char names[] = "\0__nv_relfatbin\0.shstrtab";
    struct image image = {{0}, 0};
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = 3,
                       .e_shstrndx = 2};
    Elf64_Shdr section[3] = {{0}, {.sh_name = 1, .sh_type = SHT_PROGBITS}, {.sh_name = 16, .sh_type = SHT_STRTAB}};
    append(&image, &head, sizeof head);
    section[1].sh_offset = image.used;
    section[1].sh_size = part->used;
    append(&image, part->bytes, part->used);
    section[2].sh_offset = image.used;
    section[2].sh_size = sizeof names;
    append(&image, names, sizeof names);
    head.e_shoff = image.used;
    append(&image, section, sizeof section);
    memcpy(image.bytes, &head, sizeof head);
    return image;
}

static struct image library_of(const struct image *object)
{
    char head[61];
    struct image image = {{0}, 0};
    append(&image, "!<arch>\n", 8);
    snprintf(head, sizeof head, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", "part.o/", 0, 0, 0, 644, object->used);
    REQUIRE(sizeof image.bytes >= image.used + 60 + object->used);
    memcpy(image.bytes + image.used, head, 60);
    memcpy(image.bytes + image.used + 60, object->bytes, object->used);
    image.used += 60 + object->used;
    return image;
}

static void link_two(uint32_t kind, const struct image *first, struct image *second)
{
    struct CUlinkState_st *link;
    struct CUmod_st *module;
    void *linked;
    size_t bytes;
    WORKS(cuLinkCreate_v2(0, NULL, NULL, &link));
    WORKS(cuLinkAddData_v2(link, INPUT_OBJECT, (void *)(uintptr_t)first->bytes, first->used, "a.o", 0, NULL, NULL));
    WORKS(cuLinkAddData_v2(link, kind, second->bytes, second->used, "b", 0, NULL, NULL));
    WORKS(cuLinkComplete(link, &linked, &bytes));
    WORKS(cuModuleLoadData(&module, linked));
    WORKS(cuLinkDestroy(link));
    run(module);
}

static void show_objects(void)
{
    static struct image user, definer, library, nothing;
    static struct api_fatbin part;
    struct CUlinkState_st *link;
    part = part_of(uses, 90);
    user = object_of(&part);
    part = part_of(has, 90);
    definer = object_of(&part);
    library = library_of(&definer);
    part.used = 0;
    nothing = object_of(&part);
    link_two(INPUT_OBJECT, &user, &definer);
    link_two(INPUT_LIBRARY, &user, &library);
    WORKS(cuLinkCreate_v2(0, NULL, NULL, &link));
    REFUSES(ERROR_INVALID_IMAGE,
            cuLinkAddData_v2(link, INPUT_OBJECT, nothing.bytes, nothing.used, "none.o", 0, NULL, NULL));
    SAYS("none.o has no device code");
    REFUSES(ERROR_UNKNOWN, cuLinkAddData_v2(link, INPUT_OBJECT, library.bytes, library.used, "l.a", 0, NULL, NULL));
    SAYS("l.a is no object");
    REFUSES(ERROR_UNKNOWN, cuLinkAddData_v2(link, INPUT_OBJECT, user.bytes, 70, "cut.o", 0, NULL, NULL));
    SAYS("cut.o is no object");
    WORKS(cuLinkDestroy(link));
}

void show_linked_parts(void)
{
    api_ready();
    show_programs();
    show_objects();
}
