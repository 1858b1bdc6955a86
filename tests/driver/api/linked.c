// SPDX-License-Identifier: MIT
// Device code in several parts: what nvlink leaves in a program, and objects and libraries that are linked.
#include <elf.h>
#include <stddef.h>

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
    SAYS("'far' is used in part 1, but nothing defines it");
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

// What it takes is a multiple of 8 bytes long, so that the next member follows at once.
static void library_add(struct image *library, const struct image *object)
{
    char head[61];
    snprintf(head, sizeof head, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", "part.o/", 0, 0, 0, 644, object->used);
    REQUIRE(sizeof library->bytes >= library->used + 60 + object->used);
    memcpy(library->bytes + library->used, head, 60);
    memcpy(library->bytes + library->used + 60, object->bytes, object->used);
    library->used += 60 + object->used;
}

static struct image library_of(const struct image *object)
{
    struct image image = {{0}, 0};
    append(&image, "!<arch>\n", 8);
    library_add(&image, object);
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
    part = part_of("not for us", 121);
    definer = object_of(&part);
    library = library_of(&definer);
    WORKS(cuLinkAddData_v2(link, INPUT_LIBRARY, library.bytes, library.used, "others.a", 0, NULL, NULL));
    SAYS_NOTHING();
    REFUSES(ERROR_INVALID_IMAGE, cuLinkAddData_v2(link, INPUT_OBJECT, user.bytes, 70, "cut.o", 0, NULL, NULL));
    SAYS("cut.o is no object");
    WORKS(cuLinkDestroy(link));
}

// --- Objects and libraries that are damaged --------------------------------------------------------------------------

static void refuse_image(uint32_t kind, const struct image *image, const char *why)
{
    struct CUlinkState_st *link;
    WORKS(cuLinkCreate_v2(0, NULL, NULL, &link));
    api_expect(__FILE__, __LINE__, why,
               (int)cuLinkAddData_v2(link, kind, (void *)(uintptr_t)image->bytes, image->used, "bad", 0, NULL, NULL),
               CUDA_ERROR_INVALID_IMAGE);
    SAYS(why);
    WORKS(cuLinkDestroy(link));
}

// One field of the head or of a section, of so many bytes, is set.
static void show_bad_objects(const struct image *whole)
{
    enum { HEAD = -1, CODE = 1, NAMES = 2, WORD = 4, LONG = 8 };
    static const char no_object[] = "is no object", no_code[] = "has no device code";
    static const struct {
        int section;
        size_t at, bytes;
        uint64_t value;
        const char *why;
    } damage[] = {{HEAD, EI_CLASS, 1, ELFCLASS32, no_object},
                  {HEAD, offsetof(Elf64_Ehdr, e_shstrndx), 2, 60000, no_object},
                  {HEAD, offsetof(Elf64_Ehdr, e_shoff), LONG, UINT64_MAX, no_object},
                  {HEAD, offsetof(Elf64_Ehdr, e_shoff), LONG, MOST_BYTES, no_object},
                  {HEAD, offsetof(Elf64_Ehdr, e_shnum), 2, 100, no_object},
                  {HEAD, offsetof(Elf64_Ehdr, e_shnum), 2, 0, no_object},
                  {NAMES, offsetof(Elf64_Shdr, sh_type), WORD, SHT_NOBITS, no_object},
                  {NAMES, offsetof(Elf64_Shdr, sh_offset), LONG, UINT64_MAX, no_object},
                  {NAMES, offsetof(Elf64_Shdr, sh_size), LONG, MOST_BYTES, no_object},
                  {NAMES, offsetof(Elf64_Shdr, sh_size), LONG, 1, no_code},
                  {NAMES, offsetof(Elf64_Shdr, sh_size), LONG, 10, no_code},
                  {CODE, offsetof(Elf64_Shdr, sh_offset), LONG, MOST_BYTES, no_object},
                  {CODE, offsetof(Elf64_Shdr, sh_size), LONG, MOST_BYTES, no_object},
                  {CODE, offsetof(Elf64_Shdr, sh_size), LONG, 8, no_code},
                  {CODE, offsetof(Elf64_Shdr, sh_name), WORD, 16, no_code},
                  {CODE, offsetof(Elf64_Shdr, sh_type), WORD, SHT_NOBITS, no_code}};
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        static struct image bad;
        Elf64_Ehdr head;
        bad = *whole;
        memcpy(&head, whole->bytes, sizeof head);
        const size_t of_section = head.e_shoff + (size_t)damage[i].section * sizeof(Elf64_Shdr);
        api_put(bad.bytes + (damage[i].section == HEAD ? 0 : of_section) + damage[i].at, damage[i].value,
                damage[i].bytes);
        refuse_image(INPUT_OBJECT, &bad, damage[i].why);
    }
}

// A member that says it is longer than the library, one that is no object, and an object in it that is damaged.
static void show_bad_libraries(const struct image *object)
{
    enum { MARK = 8, SIZE_AT = 48, MEMBER = 68 };
    static const char left_out[] = "the member part.o of bad is damaged, and is left out";
    static struct image bad;
    bad = library_of(object);
    memcpy(bad.bytes + MARK + SIZE_AT, "99999     ", 10);
    refuse_image(INPUT_LIBRARY, &bad, left_out);
    memcpy(bad.bytes + MARK + SIZE_AT, "2         ", 10);
    bad.used = MEMBER + 2;
    refuse_image(INPUT_LIBRARY, &bad, "has no device code");
    bad = library_of(object);
    bad.bytes[MEMBER] = 'x';
    memcpy(bad.bytes + MARK, "long name, of 16", 16);
    refuse_image(INPUT_LIBRARY, &bad, "has no device code");
    bad = library_of(object);
    bad.bytes[MEMBER + EI_CLASS] = ELFCLASS32;
    refuse_image(INPUT_LIBRARY, &bad, left_out);
}

// A library's damaged member is left out, wherever it is; the others are linked. So an H200's driver does.
static void show_half_library(const struct image *object)
{
    static struct image damaged, library;
    struct CUlinkState_st *link;
    damaged = *object;
    damaged.bytes[EI_CLASS] = ELFCLASS32;
    for (int is_first = 0; is_first < 2; is_first++) {
        library = library_of(is_first ? &damaged : object);
        library_add(&library, is_first ? object : &damaged);
        WORKS(cuLinkCreate_v2(0, NULL, NULL, &link));
        WORKS(cuLinkAddData_v2(link, INPUT_LIBRARY, library.bytes, library.used, "l.a", 0, NULL, NULL));
        SAYS("the member part.o of l.a is damaged, and is left out");
        REFUSES(ERROR_INVALID_SOURCE, cuLinkAddData_v2(link, INPUT_OBJECT, (void *)(uintptr_t)object->bytes,
                                                       object->used, "far.o", 0, NULL, NULL));
        SAYS("'far' is defined a second time in far.o; the first is in part.o");
        WORKS(cuLinkDestroy(link));
    }
}

// What is no number, list or handle.
static void show_bad_links(void)
{
    enum { INPUT_PTX = 1, PAST_LAST = 6 };
    struct CUlinkState_st *link, *none = NULL;
    struct CUmod_st *module = api_module("");
    void *linked, *text = (void *)(uintptr_t)has;
    size_t bytes;
    REFUSES(ERROR_INVALID_VALUE, cuLinkCreate_v2(0, NULL, NULL, NULL));
    WORKS(cuLinkCreate_v2(0, NULL, NULL, &link));
    REFUSES(ERROR_INVALID_VALUE, cuLinkAddData_v2(link, INPUT_PTX, NULL, sizeof has, "a", 0, NULL, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuLinkAddData_v2(link, INPUT_PTX, text, 0, "a", 0, NULL, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuLinkAddData_v2(link, PAST_LAST, text, sizeof has, "a", 0, NULL, NULL));
    REFUSES(ERROR_INVALID_HANDLE,
            cuLinkAddData_v2((struct CUlinkState_st *)module, INPUT_PTX, text, sizeof has, "a", 0, NULL, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuLinkAddFile_v2(link, INPUT_PTX, NULL, 0, NULL, NULL));
    REFUSES(ERROR_INVALID_HANDLE, cuLinkComplete(none, &linked, &bytes));
    REFUSES(ERROR_INVALID_VALUE, cuLinkComplete(link, NULL, &bytes));
    WORKS(cuLinkComplete(link, &linked, &bytes)); // of nothing
    REFUSES(ERROR_INVALID_HANDLE, cuLinkComplete(link, &linked, &bytes));
    REFUSES(ERROR_INVALID_VALUE, cuLinkAddData_v2(link, INPUT_PTX, text, sizeof has, "a", 0, NULL, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuModuleLoadData(NULL, has));
    WORKS(cuModuleLoadData(&module, linked));
    WORKS(cuModuleUnload(module));
    WORKS(cuLinkDestroy(link));
}

SECTION(bad_parts)
{
    static struct image object;
    static struct api_fatbin part;
    api_ready();
    part = part_of(has, 90);
    object = object_of(&part);
    show_bad_objects(&object);
    show_bad_libraries(&object);
    show_half_library(&object);
    show_bad_links();
}

SECTION(linked_parts)
{
    api_ready();
    show_programs();
    show_objects();
}

// --- One after the other, and all at once ----------------------------------------------------------------------------

enum { UNIT_BYTES = 2048, MOST_UNITS = 7, LISTS = 400 };
static uint32_t randoms = 1;

static uint32_t choose(uint32_t below)
{
    randoms = randoms * 1664525u + 1013904223u;
    return (randoms >> 8) % below;
}

// What a unit may have of a name; %s is the name.
static const char *const declarations[] = {
    "",
    ".visible .global .align 4 .u32 %s = 5;\n",
    ".extern .global .align 4 .u32 %s;\n",
    ".weak .global .align 4 .u32 %s;\n",
    ".visible .global .align 4 .b8 %s[8];\n",
    ".extern .global .align 4 .b8 %s[];\n",
    ".global .align 4 .u32 %s;\n",
    ".common .global .align 4 .u32 %s;\n",
    ".visible .func %s()\n{\nret;\n}\n",
    ".weak .func %s()\n{\nret;\n}\n",
    ".extern .func %s();\n",
    ".extern .func %s(.param .b32 a);\n",
    ".extern .func %s();\n.func of_%1$s()\n{\ncall %1$s;\nret;\n}\n",
};

static void make_unit(char unit[UNIT_BYTES])
{
    static const char *const names[] = {"first", "second", "third"};
    size_t used = (size_t)snprintf(unit, UNIT_BYTES, "%s", PTX_HEAD);
    for (int i = 0; i < 3; i++) {
        const char *form = declarations[choose(sizeof declarations / sizeof declarations[0])];
        for (const char *at = form; *at != '\0'; at++) {
            if (*at != '%') {
                unit[used++] = *at;
                continue;
            }
            used += (size_t)snprintf(unit + used, UNIT_BYTES - used, "%s", names[i]);
            at = strchr(at, 's');
        }
    }
    unit[used] = '\0';
}

static int add(struct CUlinkState_st *link, char *text)
{
    return (int)cuLinkAddData_v2(link, 1, text, strlen(text) + 1, "unit", 0, NULL, NULL);
}

// The first units of a list as one input.
static int add_together(char unit[][UNIT_BYTES], int count)
{
    static char text[MOST_UNITS * (UNIT_BYTES + 64)];
    struct CUlinkState_st *link;
    size_t used = 0;
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ".tmaref_unit \"unit\";\n%s\n", unit[i]);
    WORKS(cuLinkCreate_v2(0, NULL, NULL, &link));
    const int error = add(link, text);
    WORKS(cuLinkDestroy(link));
    return error;
}

// What is wrong between inputs is found as early as if all so far were looked at together.
SECTION(linked_one_by_one)
{
    static char unit[MOST_UNITS][UNIT_BYTES];
    int wrong = 0, right = 0;
    setenv("TMAREF_QUIET", "1", 1);
    api_ready();
    for (int list = 0; list < LISTS; list++) {
        struct CUlinkState_st *link;
        int error = 0;
        WORKS(cuLinkCreate_v2(0, NULL, NULL, &link));
        for (int i = 0; i < MOST_UNITS && error == 0; i++) {
            make_unit(unit[i]);
            error = add(link, unit[i]);
            REQUIRE(error == add_together(unit, i + 1));
            wrong += error != 0, right += error == 0;
        }
        WORKS(cuLinkDestroy(link));
    }
    REQUIRE(wrong > LISTS / 4 && right > LISTS);
}
