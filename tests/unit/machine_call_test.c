// SPDX-License-Identifier: MIT
// The suite `machine_call`: what kernels call and the host answers, printf, malloc and free.
#include <time.h>

#include "heap.h"
#include "machine_test.h"
#include "print.h"

static void keep_text(void *context, const char *text, size_t bytes)
{
    strncat(context, text, bytes);
}

TEST(printf_writes_what_lies_in_the_arguments)
{
    char printed[512] = "";
    run_well(HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                  ".global .align 1 .b8 format[20] = {37, 100, 32, 37, 115, 32, 37, 46, 50, 102, 32, 37, 108, "
                  "108, 120, 10, 0};\n.global .align 1 .b8 word[4] = {111, 110, 101, 0};\n"
                  ".visible .entry k(.param .u64 out)\n{\n.local .align 8 .b8 a[32];\n" REGISTERS
                  "mov.u32 %r0, %tid.x;\nmov.u64 %rd1, a;\ncvta.local.u64 %rd2, %rd1;\n"
                  "sub.u32 %r1, %r0, 1;\nst.local.u32 [%rd1], %r1;\nmov.u64 %rd3, word;\n"
                  "st.local.u64 [%rd1+8], %rd3;\nst.local.f64 [%rd1+16], 0d3FF8000000000000;\n"
                  "st.local.u64 [%rd1+24], 0x123456789a;\nmov.u64 %rd4, format;\n"
                  "{\n.param .b64 p;\n.param .b64 q;\n.param .b32 r;\nst.param.b64 [p], %rd4;\n"
                  "st.param.b64 [q], %rd2;\ncall (r), vprintf, (p, q);\nld.param.b32 %r2, [r];\n}\nret;\n}\n",
             (struct launch_of){.block = 2, .print = keep_text, .print_context = printed});
    ck_assert_str_eq(printed, "-1 one 1.50 123456789a\n0 one 1.50 123456789a\n");
}

static char *give_string(void *context, uint64_t address)
{
    (void)context;
    char *string = calloc(address + 1, 1);
    return memset(string, 'x', address);
}

static int give_value(void *context, uint64_t offset, void *to, size_t bytes)
{
    const uint64_t value = *(const uint64_t *)context;
    (void)offset;
    memcpy(to, &value, bytes);
    return 1;
}

// A width that nobody can write gives nothing; what does not fit is cut, and says so.
static const struct {
    const char *format;
    uint64_t value;
    size_t length;
    const char *end;
} prints[] = {
    {"%99999999999d|", 7, 1, "|"},
    {"%99999999999f|", 7, 1, "|"},
    {"%99999999999s|", 7, 1, "|"},
    {"%600d|", 7, 601, "7|"},
    {"%s|", 3000, 3001, "x|"},
    {"%s|", 60000, 60001, "x|"},
    {"%s", 1048575, 1048575, "xxx"},
    {"%s|", 1048575, 1048575, "x[cut]\n"},
    {"%2000000c|", 7, 1048575, "[cut]\n"},
};

LOOP_TEST(printf_writes_all_or_says_that_it_is_cut, 0, ROWS_OF(prints))
{
    int conversions;
    size_t length;
    uint64_t value = prints[_i].value;
    const struct print_source source = {&value, give_string, give_value};
    char *text = machine_print(prints[_i].format, &source, &length, &conversions);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(length, prints[_i].length);
    ck_assert_str_eq(text + length - strlen(prints[_i].end), prints[_i].end);
    ck_assert_int_eq(conversions, 1);
    free(text);
}

// A width and a precision cost no more than a text holds. Unbounded, these took seconds and gigabytes. The digits and
// blanks that a text shows are those of the whole.
static const struct {
    const char *format, *begin, *end;
    size_t length;
} vast[] = {
    {"%.1000000000f|%.1000000000f|", "1.0000", "000[cut]\n", 1048575},
    {"%1000000000d|%d|", "      ", "   [cut]\n", 1048575},
    {"%-2000000000d|", "7     ", "   [cut]\n", 1048575},
    {"%02000000000d|", "000000", "000[cut]\n", 1048575},
    {"%1999999.999999d|", "      ", "000[cut]\n", 1048575},
    {"%.2000000000s|%d", "xxxxxxx|7", "7", 9},
};

LOOP_TEST(printf_costs_no_more_than_its_text_holds, 0, ROWS_OF(vast))
{
    int conversions;
    size_t length;
    uint64_t value = 7;
    const double one = 1;
    const clock_t since = clock();
    const struct print_source source = {&value, give_string, give_value};
    if (strchr(vast[_i].format, 'f') != NULL) memcpy(&value, &one, sizeof value);
    char *text = machine_print(vast[_i].format, &source, &length, &conversions);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(length, vast[_i].length);
    ck_assert_msg(strncmp(text, vast[_i].begin, strlen(vast[_i].begin)) == 0, "%.20s", text);
    ck_assert_str_eq(text + length - strlen(vast[_i].end), vast[_i].end);
    ck_assert_int_lt(clock() - since, 2 * CLOCKS_PER_SEC);
    free(text);
}

// What CUDA's printf makes of each conversion; what is none is written as it stands. `there`: of that many arguments.
static const struct {
    const char *format;
    uint64_t value;
    int there, conversions;
    const char *text;
} conversions_of[] = {
    {"100%%|", 7, 0, 0, "100%|"},
    {"%*d|", 5, 2, 1, "    5|"},
    {"%p|", 0x12ab, 1, 1, "0x12ab|"},
    {"%c%c", 'x', 2, 2, "xx"},
    {"%i %u %hd", 0xffffffff, 3, 3, "-1 4294967295 -1"},
    {"%ld %llx %zu", 1000000000000, 3, 3, "1000000000000 e8d4a51000 1000000000000"},
    {"%n|", 7, 1, 0, "%n|"},
    {"a%", 7, 1, 0, "a%"},
    {"a%l", 7, 1, 0, "a%l"},
    {"%+-+-+-+-+-+-+-+-+-+-d", 7, 1, 0, "%+-+-+-+-+-+-+-+-+-+-d"},
    {"%d|%d|", 7, 1, 1, "7|%d|"},
    {"%*d|", 7, 0, 0, "%*d|"},
};

struct few {
    uint64_t value;
    int left;
};

static int give_few(void *context, uint64_t offset, void *to, size_t bytes)
{
    struct few *few = context;
    (void)offset;
    memcpy(to, &few->value, bytes);
    return few->left-- > 0;
}

LOOP_TEST(printf_knows_the_conversions_of_cuda, 0, ROWS_OF(conversions_of))
{
    int conversions;
    size_t length;
    struct few few = {conversions_of[_i].value, conversions_of[_i].there};
    const struct print_source source = {&few, give_string, give_few};
    char *text = machine_print(conversions_of[_i].format, &source, &length, &conversions);
    ck_assert_str_eq(text, conversions_of[_i].text);
    ck_assert_uint_eq(length, strlen(text));
    ck_assert_int_eq(conversions, conversions_of[_i].conversions);
    free(text);
}

TEST(a_heap_gives_each_byte_once)
{
    enum { BYTES = 4096 };
    struct machine_heap *heap = machine_heap_open(BYTES);
    ck_assert_ptr_nonnull(heap);
    ck_assert_ptr_null(machine_heap_open(0));
    ck_assert_ptr_null(machine_heap_open(UINT64_MAX));
    ck_assert_uint_eq(machine_heap_take(heap, 0), 0);
    ck_assert_uint_eq(machine_heap_take(heap, BYTES + 1), 0);
    const uint64_t a = machine_heap_take(heap, 1000), b = machine_heap_take(heap, 1000),
                   c = machine_heap_take(heap, 2064);
    ck_assert(a != 0 && b == a + 1008 && c == b + 1008);
    ck_assert_uint_eq(machine_heap_take(heap, 64), 0);
    ck_assert(machine_heap_give(heap, 0) && !machine_heap_give(heap, a + 16));
    ck_assert(machine_heap_give(heap, a) && !machine_heap_give(heap, a));
    ck_assert_uint_eq(machine_heap_take(heap, 1008), a); // all of the piece
    ck_assert(machine_heap_give(heap, a) && machine_heap_give(heap, c) && machine_heap_give(heap, b));
    ck_assert_uint_eq(machine_heap_take(heap, BYTES), a); // free pieces that touch are one
    machine_heap_close(heap);
}

// Pieces that walk all others took 7 s. Every second one is given back, so that no two join; then the rest.
TEST(a_heap_of_many_pieces_is_as_quick_as_one_of_few)
{
    enum { PIECES = 102400 };
    const clock_t since = clock();
    struct machine_heap *heap = machine_heap_open(PIECES * 16);
    uint64_t *piece = calloc(PIECES, sizeof *piece);
    for (int i = 0; i < PIECES; i++) ck_assert_uint_ne(piece[i] = machine_heap_take(heap, 16), 0);
    ck_assert_uint_eq(machine_heap_take(heap, 1), 0);
    for (int i = 0; i < PIECES; i += 2) ck_assert(machine_heap_give(heap, piece[i]));
    ck_assert_uint_eq(machine_heap_take(heap, 17), 0);
    for (int i = 1; i < PIECES; i += 2) ck_assert(machine_heap_give(heap, piece[i]));
    ck_assert_uint_eq(machine_heap_take(heap, PIECES * 16), machine_heap_memory(heap).base);
    ck_assert_int_lt(clock() - since, 2 * CLOCKS_PER_SEC);
    free(piece);
    machine_heap_close(heap);
}

TEST(malloc_and_free_take_from_the_heap)
{
    struct machine_heap *heap = machine_heap_open(1 << 16);
    struct ran *ran = run_well(
        HEAD ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
             ".visible .entry k(.param .u64 out)\n{\n" REGISTERS THREAD
             "{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], 64;\ncall (r), malloc, (n);\n"
             "ld.param.b64 %rd2, [r];\n}\nst.u32 [%rd2+60], %r0;\nld.u32 %r1, [%rd2+60];\n"
             "ld.u32 %r2, [%rd2+56];\nst.u32 [%rd2+56], %r0;\nst.global.u32 [%rd1+128], %r2;\n"
             "st.global.u32 [%rd1], %r1;\n{\n.param .b64 p;\nst.param.b64 [p], %rd2;\ncall free, (p);\n}\nret;\n}\n",
        (struct launch_of){.block = 32, .heap = heap});
    for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(ran->out[i], i);
    for (uint32_t i = 32; i < 64; i++) ck_assert_uint_eq(ran->out[i], 0xa5a5a5a5);
    machine_heap_close(heap);
}
