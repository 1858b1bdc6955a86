// SPDX-License-Identifier: MIT
// The suite `look`: what `tmaref exec` tells of kernels that run. Each test runs in a process of its own, whose
// standard error is a file.
#include <sys/stat.h>
#include <unistd.h>

#include "form_number.h"
#include "look.h"
#include "machine_test.h"
#include "sanitize_known.h"

enum { MOST_BYTES = 1 << 18 };

// --- Options ---------------------------------------------------------------------------------------------------------

static const struct {
    const char *text;
    bool is_read;
} breaks[] = {{"a.cu:5", true}, {"a:b:2147483647", true}, {"a.cu", false},          {":5", false}, {"a:0", false},
              {"a:x", false},   {"a:5x", false},          {"a:99999999999", false}, {"a:", false}},
  triples[] = {{"1", true},   {"1,2", true},  {"1,2,3", true},        {"1,2,3,4", false},
               {"1,", false}, {"1;2", false}, {"99999999999", false}, {"x", false}},
  lists[] = {{"all", true}, {"warp,shared", true}, {"wrap", false}, {"", false}, {"all,", false}};

TEST(options_are_read_whole_or_refused)
{
    size_t length;
    uint32_t line;
    unsigned what;
    for (int i = 0; i < ROWS_OF(breaks); i++)
        ck_assert_msg(look_break_read(breaks[i].text, &length, &line) == breaks[i].is_read, "%s", breaks[i].text);
    for (int i = 0; i < ROWS_OF(triples); i++) {
        struct look_triple triple;
        ck_assert_msg(look_triple_read(triples[i].text, &triple) == triples[i].is_read, "%s", triples[i].text);
    }
    for (int i = 0; i < ROWS_OF(lists); i++)
        ck_assert_msg(look_what_read(lists[i].text, &what) == lists[i].is_read, "%s", lists[i].text);
    ck_assert(look_break_read("a:b:7", &length, &line) && length == 3 && line == 7);
}

// With "" where nothing is asked for.
static struct look_options filled(struct look_options options)
{
    const char **const texts[] = {&options.break_at, &options.cta,      &options.thread, &options.dump,
                                  &options.trace,    &options.coverage, &options.run};
    for (int i = 0; i < ROWS_OF(texts); i++)
        if (*texts[i] == NULL) *texts[i] = "";
    return options;
}

TEST(what_cannot_be_read_is_named)
{
    static const struct look_options asked[] = {
        {.break_at = "a.cu"},
        {.stats = true, .cta = "1;2"},
        {.stats = true, .thread = "x"},
        {.dump = "everything"},
    };
    static const char *const wrong[] = {"'a.cu'", "'1;2'", "'x'", "'everything'"};
    const struct look_options nothing = filled((struct look_options){.stats = false});
    char why[200];
    for (int i = 0; i < ROWS_OF(asked); i++) {
        const struct look_options options = filled(asked[i]);
        ck_assert_ptr_null(look_open(&options, why, sizeof why));
        ck_assert_msg(strstr(why, wrong[i]) != NULL, "%s", why);
    }
    ck_assert_ptr_null(look_open(&nothing, why, sizeof why));
    ck_assert_str_eq(why, "");
    ck_assert_int_eq(look_close(NULL, why, sizeof why), 1);
}

// --- What is told ----------------------------------------------------------------------------------------------------

static char folder[] = "/tmp/tmaref-look-XXXXXX", trace_path[64], coverage_path[64], told_path[64], told[MOST_BYTES];

static const char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    size_t bytes = fread(told, 1, sizeof told - 1, file);
    told[bytes] = '\0';
    fclose(file);
    return told;
}

static void make_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(trace_path, sizeof trace_path, "%s/trace", folder);
    snprintf(coverage_path, sizeof coverage_path, "%s/coverage", folder);
    snprintf(told_path, sizeof told_path, "%s/told", folder);
}

static void remove_folder(void)
{
    unlink(trace_path);
    unlink(coverage_path);
    unlink(told_path);
    ck_assert_int_eq(rmdir(folder), 0);
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
}

// Runs the kernels of the names, in turn, with `block` threads, and dynamic shared memory. What was told lies in
// told_path.
static void run_seen(const char *text, struct look_options options, const char *const *kernels, uint32_t block)
{
    static struct machine_outcome outcome;
    struct ptx_errors errors;
    char why[200] = "";
    ck_assert_ptr_nonnull(freopen(told_path, "w", stderr));
    struct machine_module *module = machine_module_open(text, strlen(text), &errors);
    ck_assert_msg(module != NULL, "%u: %s", errors.item[0].line, errors.item[0].message);
    options = filled(options);
    struct look *look = look_open(&options, why, sizeof why);
    ck_assert_msg(look != NULL, "%s", why);
    for (; *kernels != NULL; kernels++) {
        struct machine_launch launch = {.module = module,
                                        .kernel = machine_module_kernel(module, *kernels),
                                        .grid = {1, 1, 1},
                                        .block = {block, 1, 1},
                                        .dynamic_shared_bytes = 64};
        struct look_launch *under_way = look_begin(look, &launch, *kernels);
        ck_assert_msg(machine_run(&launch, &outcome), "%s", outcome.message);
        look_end(under_way);
    }
    ck_assert_msg(look_close(look, why, sizeof why), "%s", why);
    fflush(stderr);
    machine_module_close(module);
}

static void has(const char *path, const char *wanted)
{
    ck_assert_msg(strstr(read_file(path), wanted) != NULL, "no '%s' in\n%s", wanted, told);
}

// Two files; a line of the second that is inlined into the first; two kernels of the first, one launched twice.
#define FILES ".file 1 \"of\\many/a.cu\"\n.file 2 \"b.cu\"\n"
#define SOURCE                                                                                                         \
    HEAD ".visible .entry one()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n.loc 1 5 0\nmov.u32 %r0, %tid.x;\n"           \
         ".loc 2 20 0, function_name $L__name, inlined_at 1 5 0\nadd.u32 %r1, %r0, 1;\n"                               \
         ".loc 1 6 0\nsetp.lt.u32 %p0, %r0, 40;\n@%p0 add.u32 %r1, %r1, 2;\n.loc 1 6 0\nadd.u32 %r2, %r1, 1;\n"        \
         "ret;\n}\n.visible .entry other()\n{\n.loc 1 9 0\nret;\n}\n"                                                  \
         ".visible .entry third()\n{\n.loc 2 30 0\nret;\n}\n" FILES                                                    \
         ".section .debug_str\n{\n$L__name:\n.b8 102, 0\n}\n"

TEST(coverage_counts_lines_of_all_files_and_launches)
{
    static const char *const kernels[] = {"one", "other", "one", "third", NULL};
    make_folder();
    run_seen(SOURCE, (struct look_options){.coverage = coverage_path}, kernels, 64);
    ck_assert_str_eq(read_file(coverage_path),
                     "TN:\nSF:of\\many/a.cu\nFN:5,one\nFN:9,other\nFNDA:4,one\nFNDA:2,other\nFNF:2\nFNH:2\n"
                     "DA:5,4\nDA:6,4\nDA:9,2\nLF:3\nLH:3\nend_of_record\n"
                     "TN:\nSF:b.cu\nFN:30,third\nFNDA:2,third\nFNF:1\nFNH:1\nDA:20,4\nDA:30,2\nLF:2\nLH:2\n"
                     "end_of_record\n");
    remove_folder();
}

// Stores of 32 lanes to addresses that lie 4, 8 and 128 bytes apart, at two lines, of two launches.
#define STORES                                                                                                         \
    HEAD ".visible .entry k()\n{\n.reg .b32 %r<8>;\n.shared .align 128 .b8 s[4096];\n.loc 1 5 0\n"                     \
         "mov.u32 %r0, %tid.x;\nmov.u32 %r1, s;\nshl.b32 %r2, %r0, 2;\nadd.u32 %r2, %r2, %r1;\n"                       \
         "shl.b32 %r3, %r0, 3;\nadd.u32 %r3, %r3, %r1;\nshl.b32 %r4, %r0, 7;\nadd.u32 %r4, %r4, %r1;\n"                \
         ".loc 1 6 0\nst.shared.u32 [%r2], %r0;\n.loc 1 7 0\nst.shared.u32 [%r3], %r0;\nld.shared.u32 %r5, [%r3];\n"   \
         ".loc 1 8 0\nst.shared.u32 [%r4], %r0;\nst.shared.u32 [%r4], %r0;\n"                                          \
         ".loc 1 9 0\nst.shared.v4.u32 [s], {%r0, %r0, %r0, %r0};\nret;\n}\n" FILES

TEST(conflicts_of_banks_are_told_by_line_the_worst_first)
{
    static const char *const kernels[] = {"k", "k", NULL};
    const char *last;
    make_folder();
    run_seen(STORES, (struct look_options){.stats = true}, kernels, 32);
    has(told_path, "statistics of kernel k: 2 launches, 30 warp instructions, 960 thread instructions");
    has(told_path, "a.cu:8                               st.shared                   4         128          4        "
                   "124     32\n");
    last = strstr(told, "a.cu:7                               st.shared                   2           4          2");
    ck_assert_msg(last != NULL && last > strstr(told, "a.cu:8 "), "%s", told);
    ck_assert_msg(strstr(last, "a.cu:6 ") != NULL, "%s", told);
    run_seen(STORES, (struct look_options){.stats = true, .lines.is_json = true}, kernels, 32);
    has(told_path, "{\"place\": \"of\\\\many/a.cu:8\", \"instruction\": \"st.shared\", \"accesses\": 4, "
                   "\"wavefronts\": 128, \"ideal\": 4, \"worst\": 32}");
    remove_folder();
}

TEST(many_lines_with_conflicts_are_cut_in_a_table_only)
{
    enum { STORED = 40 };
    static const char *const kernels[] = {"k", NULL};
    static char text[1 << 14];
    char *at = text + sprintf(text, HEAD ".visible .entry k()\n{\n.reg .b32 %%r<8>;\n.shared .align 128 .b8 s[4096];\n"
                                         "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, s;\nshl.b32 %%r2, %%r0, 3;\n"
                                         "add.u32 %%r2, %%r2, %%r1;\n");
    for (int i = 0; i < STORED; i++) at += sprintf(at, ".loc 1 %d 0\nst.shared.u32 [%%r2], %%r0;\n", 100 + i);
    sprintf(at, "ret;\n}\n" FILES);
    make_folder();
    run_seen(text, (struct look_options){.stats = true}, kernels, 32);
    has(told_path, "more lines with at most as many conflicts as the last");
    ck_assert_ptr_null(strstr(told, "a.cu:139"));
    run_seen(text, (struct look_options){.stats = true, .lines.is_json = true}, kernels, 32);
    has(told_path, "a.cu:139");
    remove_folder();
}

// A function by its mangled name, which calls nothing; registers of every kind; what the launch adds.
#define REGISTERS_OF_ALL                                                                                               \
    HEAD ".extern .shared .align 16 .b8 more[];\n.visible .entry _ZN3abc4loadEPf()\n{\n.reg .pred %p<2>;\n"            \
         ".reg .b16 %h;\n.reg .b32 %r<4>;\n.reg .f32 %f<2>;\n.reg .f64 %d<2>;\n.reg .b64 %rd<2>;\n.reg .b128 %q<2>;\n" \
         "mov.u32 %r0, %tid.x;\nmov.f32 %f0, 0f3FC00000;\nmov.f64 %d0, 0d4004000000000000;\nmov.b16 %h, 7;\n"          \
         "mov.u64 %rd0, 5;\nmov.b128 %q0, {%rd0, %rd0};\nsetp.eq.u32 %p0, %r0, %r0;\nst.shared.u32 [more], %r0;\n"     \
         "ret;\n}\n.visible .entry _Zload()\n{\nret;\n}\n"

TEST(a_break_shows_registers_by_their_types)
{
    static const char *const kernels[] = {"_ZN3abc4loadEPf", NULL};
    make_folder();
    run_seen(REGISTERS_OF_ALL, (struct look_options){.break_at = "load:21", .dump = "registers,shared"}, kernels, 32);
    has(told_path, "kernel abc::load(float*) reached load:21 (hit 1)");
    static const char *const shown[] = {"%f0       0x3fc00000  1.5\n",
                                        "%d0       0x4004000000000000  2.5\n",
                                        "%h        0x0007\n",
                                        "%p0       0x1\n",
                                        "%rd0      0x0000000000000005\n",
                                        "%q0       0x0000000000000005\n",
                                        "more at 0x400, dynamic: the launch gives its size\n"};
    for (int i = 0; i < ROWS_OF(shown); i++) has(told_path, shown[i]);
    remove_folder();
}

// The break, and what is said of it.
static const struct {
    const char *at, *thread, *said;
} missed[] = {
    {"load:2100", "", "no instruction is there; the nearest is at line 22"},
    {"loa:21", "", "no kernel that ran has code with that name"},
    {"abc4load:21", "", "no kernel that ran has code with that name"},
    {"load:21", "32", "it was hit 0 times, not 1"},
    {"load:21", "0,1", "it was hit 0 times, not 1"},
    {"load:21", "0,0,1", "it was hit 0 times, not 1"},
    {"_ZN3abc4loadEPf:21", "3", "reached _ZN3abc4loadEPf:21 (hit 1)"},
};

LOOP_TEST(a_break_that_nobody_comes_to_says_why, 0, ROWS_OF(missed))
{
    static const char *const kernels[] = {"_ZN3abc4loadEPf", "_Zload", NULL};
    make_folder();
    run_seen(REGISTERS_OF_ALL, (struct look_options){.break_at = missed[_i].at, .thread = missed[_i].thread}, kernels,
             32);
    has(told_path, missed[_i].said);
    remove_folder();
}

// A file is named by its path, or by the end of it behind a slash.
static const struct {
    const char *at, *said;
} files[] = {
    {"a.cu:6", "reached a.cu:6"},
    {"of\\many/a.cu:6", "reached of\\many/a.cu:6"},
    {"any/a.cu:6", "no kernel that ran has code with that name"},
    {"b.cu:20", "reached b.cu:20"},
    {"a.cu:7", "no instruction is there; the nearest is at line 6"},
};

LOOP_TEST(a_file_is_named_by_the_end_of_its_path, 0, ROWS_OF(files))
{
    static const char *const kernels[] = {"one", NULL};
    make_folder();
    run_seen(SOURCE, (struct look_options){.break_at = files[_i].at}, kernels, 32);
    has(told_path, files[_i].said);
    remove_folder();
}

// Barriers that are made, used, dropped and made anew, with a copy; the path has what JSON escapes.
#define BARRIERS                                                                                                       \
    HEAD ".visible .entry k()\n{\n.reg .b64 %rd<2>;\n.shared .align 8 .b64 a;\n.shared .align 8 .b64 b;\n.loc 1 5 0\n" \
         "mbarrier.init.shared.b64 [a], 1;\nmbarrier.init.shared.b64 [b], 2;\nmbarrier.arrive.shared.b64 %rd0, [a];\n" \
         ".loc 1 6 0\nmbarrier.inval.shared.b64 [a];\nmbarrier.init.shared.b64 [a], 1;\n"                              \
         "mbarrier.init.shared.b64 [a], 1;\nmbarrier.arrive.shared.b64 %rd0, [b];\nret;\n}\n" FILES

TEST(a_trace_shows_phases_of_barriers)
{
    static const char *const kernels[] = {"k", NULL};
    static const char *const shown[] = {"\"name\":\"phase 0\",\"args\":{\"arrivals\":1,",
                                        "\"name\":\"phase 1 (dropped)\"",
                                        "\"name\":\"phase 0 (made anew)\"",
                                        "\"name\":\"phase 0 (not complete)\",\"args\":{\"arrivals\":1,",
                                        "\"name\":\"mbarrier a at 0x400\"",
                                        "\"name\":\"a.cu:6\",\"args\":{\"place\":\"of\\\\many/a.cu:6\""};
    make_folder();
    run_seen(BARRIERS, (struct look_options){.trace = trace_path}, kernels, 1);
    for (int i = 0; i < ROWS_OF(shown); i++) has(trace_path, shown[i]);
    remove_folder();
}

// Each form that is more than a function of registers has one row, and each row has a form.
TEST(the_sanitizer_knows_every_form)
{
    static uint32_t rows[PTX_FORMS];
    for (uint32_t i = 0; sanitize_known_row(i) != NULL; i++)
        for (int form = sanitize_known_row(i)->first; form <= (int)sanitize_known_row(i)->last; form++) rows[form]++;
    for (int form = 0; form < PTX_FORMS; form++) {
        const struct ptx_form *row = ptx_form_row(form);
        const uint32_t wanted = row->support == PTX_ACCEPTED && row->runs != PTX_RUNS_ALU && row->runs != PTX_RUNS_NOT;
        ck_assert_msg(rows[form] == wanted, "%s: %u rows of model/look/sanitize_forms.def have it, not %u", row->name,
                      rows[form], wanted);
    }
}

TEST(what_ran_and_is_not_followed_is_named)
{
    char text[256];
    struct sanitize_ran ran;
    sanitize_ran_open(&ran);
    sanitize_ran_note(&ran, PTX_FORM_ADD_INT);
    sanitize_ran_note(&ran, PTX_FORM_LD);
    ck_assert(!sanitize_ran_unknown(&ran, text, sizeof text));
    sanitize_ran_note(&ran, PTX_FORM_DISCARD);
    ran.has_launched = true;
    ck_assert(sanitize_ran_unknown(&ran, text, sizeof text));
    ck_assert_str_eq(text, "discard (the bytes that it destroys), a launch by a kernel (what the kernels share)");
}
