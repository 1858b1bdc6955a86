// SPDX-License-Identifier: MIT
#include "demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// What a text may grow to; further characters are dropped.
struct out {
    char *at;
    size_t used, room;
};

static void put(struct out *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length && out->used + 1 < out->room; i++) out->at[out->used++] = text[i];
    if (out->room > 0) out->at[out->used] = '\0';
}

// --- The C++ library -------------------------------------------------------------------------------------------------

typedef char *demangler(const char *name, char *to, size_t *bytes, int *status);

static struct {
    pthread_once_t once;
    demangler *call; // NULL: there is none
} library = {.once = PTHREAD_ONCE_INIT};

// Programs of nvcc have libstdc++ already.
static void find_library(void)
{
    static const char *const names[] = {NULL, "libstdc++.so.6", "libc++abi.so.1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && library.call == NULL; i++) {
        void *opened = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
        void *found = opened != NULL ? dlsym(opened, "__cxa_demangle") : NULL;
        memcpy(&library.call, &found, sizeof found);
    }
}

// To be freed; NULL if it is no name of C++, or nobody can tell.
static char *demangled(const char *name, size_t length)
{
    char *text = NULL, *copy;
    int status = 0;
    if (length < 3 || memcmp(name, "_Z", 2) != 0 || (copy = strndup(name, length)) == NULL) return NULL;
    pthread_once(&library.once, find_library);
    if (library.call != NULL) text = library.call(copy, NULL, NULL, &status);
    free(copy);
    return text;
}

// --- Shorter ---------------------------------------------------------------------------------------------------------

// Does a list of template arguments begin at `at`? An operator's name has '<' too.
static bool is_list(const char *text, const char *at)
{
    static const char word[] = "operator";
    const size_t before = (size_t)(at - text), length = sizeof word - 1;
    if (*at != '<' || before == 0 || (!isalnum((unsigned char)at[-1]) && strchr("_]", at[-1]) == NULL)) return false;
    return before < length || memcmp(at - length, word, length) != 0;
}

// The '>' that ends the list which begins at `open`; NULL if none does.
static const char *end_of_list(const char *open)
{
    int lists = 0, rounds = 0;
    for (const char *at = open; *at != '\0'; at++) {
        if (*at == '(') rounds++;
        if (*at == ')') rounds--;
        if (rounds > 0) continue;
        if (*at == '<') lists++;
        if (*at == '>' && at[-1] != '-' && --lists == 0) return at;
    }
    return NULL;
}

// Namespaces that nobody wrote: nvcc's _INTERNAL_2a84ef1e_7_ring_cu_ac6f9899:: of a file, and CCCL's __4:: of a
// release. Their length, 0 if there is none here.
static size_t unwritten(const char *at)
{
    static const char of_file[] = "_INTERNAL_";
    const size_t word = strspn(at, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const bool is_release = strncmp(at, "__", 2) == 0 && word > 2 && strspn(at + 2, "0123456789") == word - 2;
    if (strncmp(at + word, "::", 2) != 0) return 0;
    return is_release || strncmp(at, of_file, sizeof of_file - 1) == 0 ? word + 2 : 0;
}

// Where the argument that begins at `at` ends: at a comma, or with the list.
static const char *end_of_argument(const char *at, const char *end)
{
    for (int depth = 0; at < end && (*at != ',' || depth > 0); at++) {
        if (strchr("(<", *at) != NULL) depth++;
        if (*at == ')' || (*at == '>' && at[-1] != '-')) depth--;
    }
    return at;
}

static void put_short(struct out *out, const char *text, const char *from, const char *to);

// The first argument, and as many more as there is room for.
static void put_list(struct out *out, const char *text, const char *open, const char *close)
{
    enum { MOST = 48 };
    const size_t begun = out->used;
    put(out, "<", 1);
    for (const char *at = open + 1, *end; at < close; at = end + (*end == ',') + strspn(end + (*end == ','), " ")) {
        end = end_of_argument(at, close);
        const bool is_first = at == open + 1, fits = out->used - begun + (size_t)(end - at) <= MOST;
        if (!is_first) put(out, ", ", 2);
        if (is_first || fits) put_short(out, text, at, end);
        if (is_first || fits) continue;
        put(out, "...", 3);
        break;
    }
    put(out, ">", 1);
}

static void put_short(struct out *out, const char *text, const char *from, const char *to)
{
    for (const char *at = from; at < to; at++) {
        const bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        const size_t skipped = begins ? unwritten(at) : 0;
        if (skipped > 0) {
            at += skipped - 1;
            continue;
        }
        const char *end = is_list(text, at) ? end_of_list(at) : NULL;
        if (end == NULL || end >= to) {
            put(out, at, 1);
            continue;
        }
        put_list(out, text, at, end);
        at = end;
    }
}

// Numba's cudapy::__main__::add[abi:v1](Array<float, 1, C, mutable, aligned>) is __main__.add(Array<...>).
static void put_numba(struct out *out, const char *text)
{
    static const char tag[] = "[abi:", locals[] = "_3clocals_3e";
    for (bool is_name = true; *text != '\0';) {
        if (*text == '(') is_name = false;
        if (is_name && strncmp(text, tag, sizeof tag - 1) == 0 && strchr(text, ']') != NULL) {
            text = strchr(text, ']') + 1;
        } else if (is_name && strncmp(text, "::", 2) == 0) {
            put(out, ".", 1);
            text += 2;
        } else if (is_name && strncmp(text, locals, sizeof locals - 1) == 0) {
            put(out, "<locals>", 8);
            text += sizeof locals - 1;
        } else {
            put(out, text++, 1);
        }
    }
}

static void put_function(struct out *out, const char *text)
{
    static const char numba[] = "cudapy::", nothing[] = "void ";
    char room[4096];
    struct out whole = {room, 0, sizeof room};
    if (strncmp(text, nothing, sizeof nothing - 1) == 0) text += sizeof nothing - 1;
    if (strncmp(text, numba, sizeof numba - 1) == 0) {
        put_numba(&whole, text + sizeof numba - 1);
        text = room;
    }
    put_short(out, text, text, text + strlen(text));
}

// --- Names -----------------------------------------------------------------------------------------------------------

static size_t end(struct out *out)
{
    if (out->used + 1 == out->room && out->used > 3) memcpy(out->at + out->used - 3, "...", 3);
    return out->used;
}

// Of a name that no library can tell, such as those of CUTLASS's kernels by nvcc, what stands before its template
// arguments: _ZN7cutlass13device_kernelI... is cutlass::device_kernel<...>. How much of the name that is; 0: none.
static size_t put_qualified(struct out *out, const char *name, size_t length)
{
    const struct out before = *out;
    size_t at = 3;
    if (length < at || memcmp(name, "_ZN", at) != 0) return 0;
    while (at < length && isdigit((unsigned char)name[at])) {
        size_t count = 0;
        while (at < length && isdigit((unsigned char)name[at]) && count < length)
            count = 10 * count + (size_t)(name[at++] - '0');
        if (count == 0 || at + count > length) break;
        if (out->used > before.used) put(out, "::", 2);
        put(out, name + at, count);
        at += count;
    }
    if (at < length && name[at] == 'I' && out->used > before.used) {
        put(out, "<...>", 5);
        return at;
    }
    *out = before;
    return 0;
}

size_t demangle_function(const char *name, size_t length, char *text, size_t bytes)
{
    struct out out = {text, 0, bytes};
    char *known = demangled(name, length);
    if (known != NULL)
        put_function(&out, known);
    else if (library.call == NULL || put_qualified(&out, name, length) == 0)
        put(&out, name, length);
    free(known);
    return end(&out);
}

// _ZZ4loadPfE4full is `full` in load(float *): what stands behind an E with its length. 0: it is not so written.
static size_t inner_name(const char *name, size_t length, const char **inner)
{
    if (length < 3 || memcmp(name, "_ZZ", 3) != 0) return 0;
    for (size_t i = length - 1; i > 3; i--) {
        size_t count = 0, at = i + 1;
        if (name[i] != 'E') continue;
        while (at < length && isdigit((unsigned char)name[at]) && count < length)
            count = 10 * count + (size_t)(name[at++] - '0');
        if (count == 0 || at + count > length) continue;
        *inner = name + at;
        return count;
    }
    return 0;
}

size_t demangle_variable(const char *name, size_t length, char *text, size_t bytes)
{
    const char *inner;
    const size_t count = inner_name(name, length, &inner);
    struct out out = {text, 0, bytes};
    if (count == 0) return demangle_function(name, length, text, bytes);
    put(&out, inner, count);
    return end(&out);
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

size_t demangle_line(const char *line, size_t length, char *text, size_t bytes)
{
    struct out out = {text, 0, bytes};
    put(&out, "", 0);
    for (size_t i = 0, next; i < length; i = next) {
        char name[DEMANGLED_BYTES];
        for (next = i; next < length && is_of_name(line[next]);) next++;
        if (next == i) next++;
        if (next - i > 2 && memcmp(line + i, "_Z", 2) == 0)
            put(&out, name, demangle_variable(line + i, next - i, name, sizeof name));
        else
            put(&out, line + i, next - i);
    }
    return end(&out);
}
