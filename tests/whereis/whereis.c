// SPDX-License-Identifier: MIT
// A preloaded library: which functions does a word reach? A build with TMAREF_WHEREIS calls __fentry__() first in every
// function, while the arguments are in their registers. A function that gets the word has it as an argument, in the
// bytes that an argument points to, or behind a pointer in these. The word may be a number of 32 or 64 bits, or text.
//
// $WHEREIS_WORDS has the words, one a line. $WHEREIS_LOG is the file that gets a line for each function and argument,
// in the order in which they first have a word: the module, the address in it, the word, the argument (6: the stack),
// how, and the offset. Registers hold more than arguments. whereis.py, which writes the words and reads the log, asks
// gdb what is a parameter.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    MOST_WORDS = 16,
    REGISTERS = 6,
    STRING_BYTES = 4096,
    OBJECT_BYTES = 256,
    INNER_BYTES = 64,
    LONGEST = 64,
    SLOTS = 1 << 16,
    PAGES = 4096,
    PAGE_BYTES = 4096
};

struct word {
    char text[LONGEST];
    size_t bytes;
    uint64_t number; // where it is one
    bool is_number;
};

// How a function has a word, and at which offset of its argument.
struct found {
    const char *how;
    int at;
};

static struct word words[MOST_WORDS];
static int word_count, log_file = -1;
static uint64_t changes; // of the mapping of memory
static uint64_t *seen;   // a hash table of functions, shared with the children of this process
static __thread bool is_busy;

// The words are numbers as C writes them, or text.
__attribute__((constructor)) static void begin(void)
{
    const char *list = getenv("WHEREIS_WORDS"), *log = getenv("WHEREIS_LOG");
    if (list == NULL || log == NULL) return;
    while (*list != '\0' && word_count < MOST_WORDS) {
        struct word *word = &words[word_count++];
        char *end;
        word->bytes = strcspn(list, "\n");
        snprintf(word->text, sizeof word->text, "%.*s", (int)word->bytes, list);
        word->bytes = strlen(word->text);
        word->number = strtoull(word->text, &end, 0);
        word->is_number = *end == '\0';
        list += strcspn(list, "\n");
        list += *list == '\n';
    }
    seen = mmap(NULL, SLOTS * sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    log_file = seen == MAP_FAILED ? -1 : open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static bool is_number(const struct word *word, uint64_t value)
{
    return word->is_number && (value == word->number || (uint32_t)value == word->number);
}

static bool is_text(const struct word *word, const void *at, size_t bytes)
{
    return bytes >= word->bytes && memcmp(at, word->text, word->bytes) == 0;
}

// The offset of the word in a string, or -1. A pointer to the middle of a string, which has no 0 before it, stands for
// its first word.
static int text_at(const struct word *word, const char *string, size_t bytes)
{
    if ((uintptr_t)string % PAGE_BYTES == 0 || bytes == 0 || string[-1] != '\0')
        return is_text(word, string, bytes) ? 0 : -1;
    const char *at = memmem(string, strnlen(string, bytes), word->text, word->bytes);
    return at == NULL ? -1 : (int)(at - string);
}

// May the page be read? process_vm_readv() says so of a wrong one too. The answer holds until this process unmaps or
// protects something.
static bool is_readable(uint64_t page)
{
    static __thread uint64_t known[PAGES];
    const uint64_t key = page << 16 | (__atomic_load_n(&changes, __ATOMIC_RELAXED) & 0xffff);
    uint64_t *slot = &known[page % PAGES];
    char byte;
    if (*slot == key) return true;
    struct iovec mine = {&byte, 1}, its = {(void *)(uintptr_t)(page * PAGE_BYTES), 1};
    if (process_vm_readv(getpid(), &mine, 1, &its, 1, 0) != 1) return false;
    *slot = key;
    return true;
}

// How many of the bytes at an address may be read, however wrong the address is. None lies below 4 GiB but numbers do.
static size_t readable(uint64_t address, size_t bytes)
{
    size_t known = 0;
    if (address >> 32 == 0 || address >> 47 != 0) return 0;
    while (known < bytes && is_readable((address + known) / PAGE_BYTES))
        known += PAGE_BYTES - (address + known) % PAGE_BYTES;
    return known < bytes ? known : bytes;
}

int munmap(void *at, size_t bytes)
{
    __atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED);
    return (int)syscall(SYS_munmap, at, bytes);
}

int mprotect(void *at, size_t bytes, int protection)
{
    __atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED);
    return (int)syscall(SYS_mprotect, at, bytes, protection);
}

// The offset of the number in the object, or -1.
static int number_at(const struct word *word, const uint8_t *object, size_t bytes)
{
    const uint32_t low = (uint32_t)word->number, high = (uint32_t)(word->number >> 32);
    for (size_t at = 0; word->is_number && at + 4 <= bytes; at += 4) {
        uint32_t value[2] = {0};
        memcpy(value, object + at, 4);
        if (value[0] != low) continue;
        if (high == 0) return (int)at;
        if (at + 8 > bytes) return -1;
        memcpy(value, object + at, 8);
        if (value[1] == high) return (int)at;
    }
    return -1;
}

// What is behind the pointers at the begin of an object: a number as launches pass it, or the text from there on.
static struct found find_behind(const struct word *word, const uint8_t *object, size_t bytes)
{
    for (int at = 0; at < INNER_BYTES && at + 8 <= (int)bytes; at += 8) {
        uint64_t address;
        memcpy(&address, object + at, sizeof address);
        const uint8_t *inner = (const uint8_t *)(uintptr_t)address;
        const size_t inner_bytes = readable(address, LONGEST);
        if (is_text(word, inner, inner_bytes)) return (struct found){"text behind", at};
        if (inner_bytes >= 8 && number_at(word, inner, 8) == 0) return (struct found){"number behind", at};
    }
    return (struct found){NULL, 0};
}

static struct found find(const struct word *word, uint64_t value)
{
    const uint8_t *object = (const uint8_t *)(uintptr_t)value;
    if (is_number(word, value)) return (struct found){"number", 0};
    const size_t string_bytes = readable(value, STRING_BYTES),
                 bytes = string_bytes < OBJECT_BYTES ? string_bytes : OBJECT_BYTES;
    const int text = text_at(word, (const char *)object, string_bytes), number = number_at(word, object, bytes);
    if (text >= 0) return (struct found){"text in", text};
    return number >= 0 ? (struct found){"number in", number} : find_behind(word, object, bytes);
}

// Is this new of the function? What each function had is kept in a hash table.
static bool is_new(uint64_t function, int word, int argument, struct found found)
{
    const uint64_t key =
        (function << 16 | (unsigned)word << 12 | (unsigned)argument << 8 | ((unsigned)found.at & 0xff)) ^
        (uint64_t)found.how[0] << 60;
    for (uint64_t slot = key * 0x9e3779b97f4a7c15u >> 48;; slot = (slot + 1) % SLOTS) {
        uint64_t held = __atomic_load_n(&seen[slot], __ATOMIC_RELAXED);
        if (held == 0 &&
            __atomic_compare_exchange_n(&seen[slot], &held, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return true;
        if (held == key) return false;
    }
}

static void log_found(uint64_t function, int word, int argument, struct found found)
{
    char line[4500];
    Dl_info info;
    if (!is_new(function, word, argument, found) || dladdr((void *)(uintptr_t)function, &info) == 0) return;
    const int bytes =
        snprintf(line, sizeof line, "%s\t%#llx\t%d\t%d\t%s\t%d\n", info.dli_fname,
                 (unsigned long long)(function - (uintptr_t)info.dli_fbase), word, argument, found.how, found.at);
    if (bytes > 0 && write(log_file, line, (size_t)bytes) != bytes) log_file = -1;
}

// Called by __fentry__: the address in the function, its arguments in registers, and those on the stack.
__attribute__((used, visibility("hidden"))) void whereis_look(uint64_t function, const uint64_t argument[REGISTERS],
                                                              uint64_t stack)
{
    if (log_file < 0 || is_busy) return;
    is_busy = true;
    for (int w = 0; w < word_count; w++) {
        for (int i = 0; i <= REGISTERS; i++) {
            const struct found found = find(&words[w], i < REGISTERS ? argument[i] : stack);
            if (found.how != NULL) log_found(function, w, i, found);
        }
    }
    is_busy = false;
}

// Keeps every register that can hold an argument: the general ones, and by xsave those of floating point.
__asm__(".globl __fentry__\n"
        ".type __fentry__, @function\n"
        "__fentry__:\n"
        "  pushq %rbp\n  movq %rsp, %rbp\n"
        "  pushq %rax\n  pushq %r10\n  pushq %r11\n  pushq %rbx\n"
        "  pushq %r9\n  pushq %r8\n  pushq %rcx\n  pushq %rdx\n  pushq %rsi\n  pushq %rdi\n"
        "  movq %rsp, %rbx\n  movq %rsp, %rsi\n"
        "  subq $1024, %rsp\n  andq $-64, %rsp\n"
        "  movq $0, 512(%rsp)\n  movq $0, 520(%rsp)\n  movq $0, 528(%rsp)\n  movq $0, 536(%rsp)\n"
        "  movq $0, 544(%rsp)\n  movq $0, 552(%rsp)\n  movq $0, 560(%rsp)\n  movq $0, 568(%rsp)\n"
        "  movl $7, %eax\n  xorl %edx, %edx\n  xsave (%rsp)\n"
        "  movq 8(%rbp), %rdi\n  leaq 24(%rbp), %rdx\n  call whereis_look\n"
        "  movl $7, %eax\n  xorl %edx, %edx\n  xrstor (%rsp)\n"
        "  movq %rbx, %rsp\n"
        "  popq %rdi\n  popq %rsi\n  popq %rdx\n  popq %rcx\n  popq %r8\n  popq %r9\n"
        "  popq %rbx\n  popq %r11\n  popq %r10\n  popq %rax\n  popq %rbp\n  ret\n");
