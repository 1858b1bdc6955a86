// SPDX-License-Identifier: MIT
#include "swizzle_find.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "rules/map.h"

enum { MODES = SWIZZLE_128B + 1, CHUNK_BITS = 4 };

static bool skip_prefix(const char **text, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncasecmp(*text, prefix, length) != 0) return false;
    *text += length;
    return true;
}

// The words that stay when prefixes and suffixes are gone.
static bool find_word(const char *word, enum tensormap_swizzle *mode)
{
    static const char *const words[MODES][5] = {
        {"none", "inter", "interleave", "0B", NULL},
        {"32B", "32", "SW32", "B32", NULL},
        {"64B", "64", "SW64", "B64", NULL},
        {"128B", "128", "SW128", "B128", NULL},
    };
    for (int i = 0; i < MODES; i++)
        for (int j = 0; words[i][j] != NULL; j++)
            if (strcasecmp(word, words[i][j]) == 0) {
                *mode = (enum tensormap_swizzle)i;
                return true;
            }
    return false;
}

// CU_TENSOR_MAP_SWIZZLE_128B, GMMA::Layout_K_SW128_Atom and the like come down to 128B and SW128.
static bool find_name(const char *text, enum tensormap_swizzle *mode)
{
    static const char *const prefixes[] = {
        "cute::", "SM90::", "GMMA::", "LayoutType::", "CU_TENSOR_MAP_", "Layout_K_", "Layout_MN_", "SWIZZLE_"};
    char word[32];
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) skip_prefix(&text, prefixes[i]);
    if (strlen(text) >= sizeof word) return false;
    strcpy(word, text);
    char *atom = strrchr(word, '_');
    if (atom != NULL && strcasecmp(atom, "_atom") == 0) *atom = '\0';
    return find_word(word, mode);
}

static int find_cute(const char *text, enum tensormap_swizzle *mode, uint32_t *element_bytes, struct text *why)
{
    uint32_t bits, base, shift;
    int end = 0;
    if (sscanf(text, " < %2u , %2u , %2u > %n", &bits, &base, &shift, &end) != 3 || end == 0 || text[end] != '\0')
        return text_fail(why, "a CuTe swizzle is written Swizzle<B,M,S>, as in Swizzle<3,4,3>");
    if (bits >= MODES || base > CHUNK_BITS || shift != 3)
        return text_fail(
            why,
            "Swizzle<%u,%u,%u> is none that a tensor copy makes: B is 0 to 3 (none, 32B, 64B, 128B), S is 3, and M "
            "is 4 in bytes, 3, 2, 1 or 0 in elements of 2, 4, 8 or 16 bytes",
            bits, base, shift);
    *mode = (enum tensormap_swizzle)bits;
    *element_bytes = base == CHUNK_BITS ? 0 : 1u << (CHUNK_BITS - base);
    return 1;
}

// map:3, ptx:3, wgmma:1. Returns 1 found, 0 wrong code, -1 no such prefix.
static int find_code(const char *text, enum tensormap_swizzle *mode, struct text *why)
{
    bool wgmma = skip_prefix(&text, "wgmma:");
    if (!wgmma && !skip_prefix(&text, "map:") && !skip_prefix(&text, "tensormap:") && !skip_prefix(&text, "ptx:"))
        return -1;
    if (text[0] < '0' || text[0] > '3' || text[1] != '\0')
        return text_fail(why, "a swizzle code is 0, 1, 2 or 3 on sm_90a, not '%.32s'", text);
    uint32_t code = (uint32_t)(text[0] - '0');
    *mode = wgmma ? swizzle_of_wgmma(code) : (enum tensormap_swizzle)code;
    return 1;
}

static bool is_later_mode(const char *text)
{
    skip_prefix(&text, "CU_TENSOR_MAP_");
    skip_prefix(&text, "SWIZZLE_");
    return strncasecmp(text, "128B_ATOM_", strlen("128B_ATOM_")) == 0;
}

static void explain_unknown(const char *text, struct text *why)
{
    if (text[0] >= '0' && text[0] <= '9' && text[1] == '\0')
        text_set(why,
                 "the number %s alone is ambiguous: in a tensor map 1, 2, 3 are 32B, 64B, 128B, in a wgmma descriptor "
                 "128B, 64B, 32B; write map:%s, ptx:%s or wgmma:%s",
                 text, text, text, text);
    else if (is_later_mode(text))
        text_set(why, "%.64s: rule MAP_SWIZZLE_ATOM: %s %s", text, rule_row(RULE_MAP_SWIZZLE_ATOM)->sentence,
                 rule_row(RULE_MAP_SWIZZLE_ATOM)->advice);
    else
        text_set(why,
                 "there is no swizzle mode '%.64s': say none, 32B, 64B or 128B, or a name used elsewhere, such as "
                 "CU_TENSOR_MAP_SWIZZLE_128B, 'Swizzle<3,4,3>', Layout_K_SW128_Atom, map:3, ptx:3 or wgmma:1",
                 text);
}

int swizzle_find(const char *text, enum tensormap_swizzle *mode, uint32_t *element_bytes, struct text *why)
{
    const char *cute = text;
    *element_bytes = 0;
    skip_prefix(&cute, "cute::");
    if (skip_prefix(&cute, "Swizzle") && (cute[0] == '<' || cute[0] == ' '))
        return find_cute(cute, mode, element_bytes, why);
    int code = find_code(text, mode, why);
    if (code >= 0) return code;
    if (find_name(text, mode)) return 1;
    explain_unknown(text, why);
    return 0;
}
