// SPDX-License-Identifier: MIT
// The suite `trace`: what is written is read back and agrees, nothing that differs agrees, and a mismatch is told
// where it lies. Traces as files: headers, compression, damage.
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include "json.h"
#include "rules/load.h"
#include "trace.h"
#include "trace_batch.h"

enum { CASES = 300, SEED = 2, RESULT_BYTES = 1 << 20 };
static const char *const family_names[] = {"encode", "load", "mbarrier"};

// Case `index` of the family on the model, in static memory.
struct sample {
    const struct family *family;
    _Alignas(16) char test_case[4096];
    uint8_t bytes[RESULT_BYTES];
    struct result result;
};

static void sample_make(struct sample *sample, const char *family, uint64_t index)
{
    struct random random = random_for(SEED, index);
    sample->family = family_find(family);
    ck_assert_uint_le(sample->family->case_bytes, sizeof sample->test_case);
    memset(sample->test_case, 0, sizeof sample->test_case);
    family_generate(sample->family, &random, sample->test_case);
    sample->result = result_at(sample->bytes);
    family_run_model(sample->family, sample->test_case, &sample->result);
}

// The sample as a line of a trace, parsed again.
static struct trace_entry sample_entry(const struct sample *sample, enum trace_detail detail)
{
    static _Alignas(16) char read_case[4096];
    struct trace_entry entry;
    struct text why = {""};
    json_t *json = trace_write(sample->family, sample->test_case, &sample->result, detail);
    char *line = json_dumps(json, JSON_COMPACT);
    memset(read_case, 0, sizeof read_case);
    ck_assert_msg(trace_read(sample->family, line, read_case, &entry, &why), "%s: %s", why.at, line);
    ck_assert_mem_eq(sample->test_case, read_case, sample->family->case_bytes);
    free(line);
    json_decref(json);
    return entry;
}

LOOP_TEST(what_is_written_agrees, 0, ROWS_OF(family_names))
{
    static struct sample sample;
    for (uint64_t i = 0; i < CASES; i++) {
        sample_make(&sample, family_names[_i], i);
        for (int detail = TRACE_DIGEST; detail <= TRACE_CURATED; detail++) {
            struct trace_difference difference = {0};
            struct trace_entry entry = sample_entry(&sample, (enum trace_detail)detail);
            ck_assert_msg(trace_agrees(&entry, sample.family, sample.test_case, &sample.result, &difference),
                          "case %d: %s", (int)i, difference.text.at);
            json_decref(entry.json);
        }
    }
}

// The first accepted case whose largest window has from .. to bytes.
static void sample_find(struct sample *sample, const char *family, uint32_t from, uint32_t to)
{
    for (uint64_t i = 0; i < 10000; i++) {
        sample_make(sample, family, i);
        uint32_t largest = 0;
        for (int w = 0; w < sample->result.windows; w++)
            if (sample->result.window[w].size_bytes > largest) largest = sample->result.window[w].size_bytes;
        if (largest >= from && largest <= to) return;
    }
    ck_abort_msg("no case of family %s has a window of %u to %u bytes", family, from, to);
}

static const struct {
    const char *family;
    uint32_t from, to; // bytes of the largest window: kept whole, and as digests
} flips[] = {{"encode", 128, 128}, {"mbarrier", 288, 2400}, {"load", 600, 2000}};

// What the complaint about byte `i` of a window has to say. Returns 0 where it cannot name the line.
static bool names_the_place(const struct window *window, uint32_t i, const char *difference)
{
    char place[80];
    ck_assert_msg(strncmp(difference, window->name, strlen(window->name)) == 0, "%s", difference);
    if (strstr(difference, "do not tell where") != NULL) return false;
    if (window->size_bytes <= TRACE_WHOLE_BYTES)
        snprintf(place, sizeof place, "%s+0x%x: ", window->name, i & ~7u);
    else
        snprintf(place, sizeof place, " 128 bytes at 0x%llx", (unsigned long long)(window->base + i / 128 * 128));
    ck_assert_msg(strstr(difference, place) != NULL, "byte %u: '%s', not '%s'", i, difference, place);
    return true;
}

// Each single-byte change is seen, and named by its line but for one in about 256, whose digest byte is the same.
LOOP_TEST(every_changed_byte_is_named, 0, ROWS_OF(flips))
{
    static struct sample sample;
    int changes = 0, unnamed = 0;
    sample_find(&sample, flips[_i].family, flips[_i].from, flips[_i].to);
    struct trace_entry entry = sample_entry(&sample, TRACE_DIGEST);
    for (int w = 0; w < sample.result.windows; w++) {
        struct window *window = &sample.result.window[w];
        for (uint32_t i = 0; i < window->size_bytes; i++, changes++) {
            struct trace_difference difference = {0};
            uint8_t kept = window->bytes[i];
            window->bytes[i] ^= (uint8_t)(1 << i % 8);
            ck_assert(!trace_agrees(&entry, sample.family, sample.test_case, &sample.result, &difference));
            unnamed += !names_the_place(window, i, difference.text.at);
            window->bytes[i] = kept;
        }
    }
    ck_assert_int_le(unnamed, changes / 64);
    json_decref(entry.json);
}

TEST(other_differences_are_named)
{
    static struct sample sample;
    struct trace_difference difference;
    sample_find(&sample, "load", 600, 2000);
    struct trace_entry entry = sample_entry(&sample, TRACE_CURATED);
    struct result other = sample.result;
    other.status = 700;
    other.rule = RULE_LOAD_UNMAPPED;
    ck_assert(!trace_agrees(&entry, sample.family, sample.test_case, &other, &difference));
    ck_assert_ptr_nonnull(strstr(difference.text.at, "recorded status 0"));
    ck_assert_ptr_nonnull(strstr(difference.text.at, "CUDA_ERROR_ILLEGAL_ADDRESS by rule LOAD_UNMAPPED"));
    other = sample.result;
    other.windows = 1;
    ck_assert(!trace_agrees(&entry, sample.family, sample.test_case, &other, &difference));
    ck_assert_str_eq(difference.text.at, "2 windows recorded, 1 found");
    other = sample.result;
    other.window[1].base += 128;
    ck_assert(!trace_agrees(&entry, sample.family, sample.test_case, &other, &difference));
    sample.result.window[0].bytes[0] ^= 1;
    ck_assert(!trace_agrees(&entry, sample.family, sample.test_case, &sample.result, &difference));
    ck_assert_ptr_nonnull(strstr(difference.text.at, "recorded \"mbar "));
    json_decref(entry.json);
}

// A change of one byte, and what its family says of the place.
static const struct {
    const char *family, *window;
    uint32_t byte;
    const char *words[3];
} places[] = {
    {"load", "shared", 300, {"of these 128 bytes", "(bank ", "likely rule "}},
    {"load", "mbarrier", 7, {"phase", "expected", "rule TILE_TX_BYTES"}},
    {"encode", "map", 3, {"word q0 of the map", "globalAddress: expected 0x", ", found 0x"}},
    {"mbarrier", "log", 0, {"ops[0]: mbarrier.", "found", "phase"}},
    {"mbarrier", "final", 7, {"the word of barrier 0", "expected", "found"}},
};

LOOP_TEST(a_place_is_explained, 0, ROWS_OF(places))
{
    static struct sample sample;
    struct trace_difference difference;
    char *text = NULL;
    size_t size_bytes;
    int w = 0;
    bool is_map = strcmp(places[_i].family, "encode") == 0;
    sample_find(&sample, places[_i].family, is_map ? 128 : 600, 2000);
    struct trace_entry entry = sample_entry(&sample, TRACE_DIGEST);
    while (strcmp(sample.result.window[w].name, places[_i].window) != 0) ck_assert_int_lt(++w, sample.result.windows);
    sample.result.window[w].bytes[places[_i].byte] ^= 1;
    ck_assert(!trace_agrees(&entry, sample.family, sample.test_case, &sample.result, &difference));
    ck_assert_str_eq(difference.place.window, places[_i].window);
    FILE *out = open_memstream(&text, &size_bytes);
    family_explain_place(sample.family, sample.test_case, &sample.result, &difference.place, out);
    fclose(out);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(strstr(text, places[_i].words[i]) != NULL, "no '%s' in: %s", places[_i].words[i], text);
    free(text);
    json_decref(entry.json);
}

// Lines that are none, with `mbarrier` as the family.
static const struct {
    const char *line, *complaint;
} refused[] = {
    {"", "expected near end of file"},
    {"[]", "trace line is not a JSON object"},
    {"{\"status\":0,\"windows\":{}}", "trace line: \"case\" is missing"},
    {"{\"case\":{},\"status\":0,\"windows\":{}}", "\"ops\" is an array"},
    {"{\"case\":{},\"status\":1000,\"windows\":{}}", "\"status\" is not in -64 .. 999"},
    {"{\"case\":{},\"status\":0,\"windows\":[]}", "\"windows\" is not an object"},
    {"{\"case\":{},\"status\":0,\"windows\":{},\"note\":1}", "there is no key \"note\" here"},
    {"{\"case\":{},\"case\":{},\"status\":0,\"windows\":{}}", "duplicate object key"},
    {"{\"case\":{\"ops\":[{\"op\":\"inval\"}]},\"status\":0,\"windows\":{}} x", "end of file expected"},
};

LOOP_TEST(a_line_that_is_none_is_refused, 0, ROWS_OF(refused))
{
    static _Alignas(16) char test_case[4096];
    struct trace_entry entry;
    struct text why = {""};
    ck_assert(!trace_read(family_find("mbarrier"), refused[_i].line, test_case, &entry, &why));
    ck_assert_msg(strstr(why.at, refused[_i].complaint) != NULL, "%s", why.at);
    ck_assert_ptr_null(entry.json);
}

// Recorded windows that are not what trace_write() writes: a difference, never a crash.
TEST(a_malformed_window_differs)
{
    static const char *const windows[] = {
        "{\"map\":0}",
        "{\"map\":{}}",
        "{\"map\":{\"base\":0}}",
        "{\"map\":{\"base\":0,\"bytes\":\"\"}}",
        "{\"map\":{\"base\":0,\"bytes\":\"zz\"}}",
        "{\"map\":{\"base\":0,\"bytes\":7}}",
        "{\"map\":{\"base\":\"0\",\"bytes\":\"\"}}",
        "{\"map\":{\"base\":0,\"size\":128,\"digest\":\"0\",\"lines\":\"\"}}",
        "{\"map\":{\"base\":0,\"size\":128,\"digest\":\"0\",\"lines\":\"00\"}}",
        "{\"map\":{\"base\":0,\"size\":-128,\"digest\":\"0\",\"lines\":\"00\"}}",
        "{\"other\":{\"base\":0,\"bytes\":\"\"}}",
    };
    static struct sample sample;
    sample_find(&sample, "encode", 128, 128);
    for (int i = 0; i < ROWS_OF(windows); i++) {
        struct trace_difference difference = {0};
        json_t *json = json_loads(windows[i], 0, NULL);
        struct trace_entry entry = {.windows = json};
        ck_assert_msg(!trace_agrees(&entry, sample.family, sample.test_case, &sample.result, &difference), "%s",
                      windows[i]);
        ck_assert_str_ne(difference.text.at, "");
        json_decref(json);
    }
}

// --- files -------------------------------------------------------------------------------------------------------

#define HEADER "{\"tmaref_trace\":1,\"family\":\"load\",\"cases\":2}\n"

LOOP_TEST(a_trace_is_saved_and_opened, 0, 2)
{
    char path[64];
    struct trace_text trace;
    struct text why = {""};
    struct trace_header header = {.family = family_find("load"),
                                  .recorded_by = "gpu",
                                  .device = "D",
                                  .toolkit = "T",
                                  .kernel = "K",
                                  .date = "2026-01-02",
                                  .seed = UINT64_MAX,
                                  .cases = 2};
    json_t *json = trace_header_write(&header);
    char *line = json_dumps(json, JSON_COMPACT), text[1024];
    int length = snprintf(text, sizeof text, "%s\nsecond\nthird", line);
    snprintf(path, sizeof path, "/tmp/tmaref-trace-%d.jsonl%s", (int)getpid(), _i == 0 ? "" : ".zst");
    ck_assert_msg(trace_save(path, text, (size_t)length, &why), "%s", why.at);
    ck_assert_msg(trace_open(path, &trace, &why), "%s", why.at);
    ck_assert_mem_eq(&trace.header, &header, sizeof header);
    ck_assert_str_eq(lines_next(&trace.lines), "second");
    ck_assert_str_eq(lines_next(&trace.lines), "third");
    ck_assert_uint_eq(trace.lines.number, 3);
    ck_assert_ptr_null(lines_next(&trace.lines));
    trace_close(&trace);
    ck_assert_int_eq(unlink(path), 0);
    free(line);
    json_decref(json);
}

static const struct {
    const char *text;
    size_t size_bytes; // 0: the length of the text
    const char *complaint;
} damaged[] = {
    {"", 0, "first line (trace header) is not a JSON object"},
    {"\n" HEADER, 0, "first line (trace header) is not a JSON object"},
    {"{\"tmaref_trace\":2,\"family\":\"load\",\"cases\":2}\n", 0, "version 2; this tmaref reads version 1"},
    {"{\"tmaref_trace\":1,\"family\":\"nosuch\",\"cases\":2}\n", 0, "there is no family \"nosuch\""},
    {"{\"tmaref_trace\":1,\"cases\":2}\n", 0, "there is no family \"\""},
    {"{\"tmaref_trace\":1,\"family\":\"load\"}\n", 0, "\"cases\" is missing"},
    {"{\"tmaref_trace\":1,\"family\":\"load\",\"cases\":2,\"colour\":3}\n", 0, "there is no key \"colour\" here"},
    {"{\"tmaref_trace\":1,\"family\":7,\"cases\":2}\n", 0, "\"family\" is not a string"},
    {"{\"tmaref_trace\":1,\"family\":\"load\",\"cases\":2,\"date\":\"a very long time ago\"}\n", 0, "\"date\" is not"},
    {HEADER "\0", sizeof HEADER, "NUL byte"},
    {"\x28\xb5\x2f\xfd", 4, "zstd frame"},
    {"\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x00\x00", 16, "damaged zstd frame"},
    {"\x28\xb5\x2f\xfd\x20\x10\x01\x00\x00", 9, "damaged zstd frame"},
};

LOOP_TEST(damage_is_named, 0, ROWS_OF(damaged))
{
    struct trace_text trace;
    struct text why = {""};
    size_t size_bytes = damaged[_i].size_bytes != 0 ? damaged[_i].size_bytes : strlen(damaged[_i].text);
    ck_assert(!trace_parse(damaged[_i].text, size_bytes, &trace, &why));
    ck_assert_msg(strstr(why.at, damaged[_i].complaint) != NULL, "%s", why.at);
    ck_assert_ptr_null(trace.lines.text);
}

// Every shorter piece of a compressed trace is refused.
TEST(a_cut_zstd_frame_is_refused)
{
    char packed[1024];
    struct trace_text trace;
    struct text why;
    size_t whole = ZSTD_compress(packed, sizeof packed, HEADER, sizeof HEADER - 1, 19);
    ck_assert(!ZSTD_isError(whole));
    for (size_t size_bytes = 0; size_bytes < whole; size_bytes++)
        ck_assert(!trace_parse(packed, size_bytes, &trace, &why));
    ck_assert(trace_parse(packed, whole, &trace, &why));
    trace_close(&trace);
}

// Compresses a piece `copies` times as a program does that writes to a pipe: the frame does not say how long its text
// is.
static size_t compress_stream(const void *piece, size_t piece_bytes, size_t copies, char *packed, size_t packed_bytes)
{
    ZSTD_outBuffer to = {packed, packed_bytes, 0};
    ZSTD_CStream *stream = ZSTD_createCStream();
    for (size_t i = 0; i <= copies; i++) {
        ZSTD_inBuffer from = {piece, i < copies ? piece_bytes : 0, 0};
        size_t left = ZSTD_compressStream2(stream, &to, &from, i < copies ? ZSTD_e_continue : ZSTD_e_end);
        ck_assert(!ZSTD_isError(left) && from.pos == from.size);
    }
    ZSTD_freeCStream(stream);
    return to.pos;
}

TEST(a_zstd_stream_without_a_size_is_read)
{
    static char packed[1 << 20];
    struct trace_text trace;
    struct text why;
    size_t copies = 5000, lines = 0,
           size_bytes = compress_stream(HEADER, sizeof HEADER - 1, copies, packed, sizeof packed);
    ck_assert(ZSTD_getFrameContentSize(packed, size_bytes) == ZSTD_CONTENTSIZE_UNKNOWN);
    ck_assert_msg(trace_parse(packed, size_bytes, &trace, &why), "%s", why.at);
    while (lines_next(&trace.lines) != NULL) lines++;
    ck_assert_uint_eq(lines, copies - 1);
    trace_close(&trace);
}

static size_t peak_bytes(void)
{
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return (size_t)usage.ru_maxrss * 1024;
}

// Some kilobytes that unfold to 256 MiB take no more memory than trace_file.h says.
TEST(a_zstd_bomb_is_refused_in_bounded_memory)
{
    static char packed[1 << 20];
    struct trace_text trace;
    struct text why;
    static const char spaces[1 << 20];
    size_t before = peak_bytes(), size_bytes = compress_stream(spaces, sizeof spaces, 256, packed, sizeof packed);
    ck_assert(!trace_parse(packed, size_bytes, &trace, &why));
    ck_assert_str_eq(why.at, "more than 134217728 bytes of text");
    ck_assert_uint_le(peak_bytes() - before, 3 * TRACE_MAX_BYTES);
}

// How many times its text a parsed value may take; a sanitizer keeps what was freed.
#ifdef __SANITIZE_ADDRESS__
enum { PARSED_TIMES = 200 };
#else
enum { PARSED_TIMES = 100 };
#endif

// The text that takes the most memory when it is parsed, one line of it too long.
TEST(a_long_line_is_refused)
{
    enum { COUNT = JSON_MAX_BYTES / 3 };
    static char line[3 * COUNT + 8] = "[{}";
    struct text why;
    struct trace_entry entry;
    json_error_t error;
    size_t before = peak_bytes();
    for (size_t i = 1; i < COUNT - 1; i++) memcpy(line + 3 * i, ",{}", 3);
    strcpy(line + 3 * (COUNT - 1), "]");
    json_t *json = json_parse(line, strlen(line), &error);
    ck_assert_ptr_nonnull(json);
    json_decref(json);
    ck_assert_uint_le(peak_bytes() - before, (size_t)PARSED_TIMES * JSON_MAX_BYTES);
    memset(line + strlen(line), ' ', 7);
    ck_assert_ptr_null(json_parse(line, JSON_MAX_BYTES + 1, &error));
    ck_assert_str_eq(error.text, "more than 1048576 bytes of JSON");
    ck_assert(!trace_read(family_find("load"), line, &why, &entry, &why));
}

// --- a core dump that tells of many ---------------------------------------------------------------------------------------

// A machine whose core dump says 719 of every case that it tells of together with others, as an H200's did of 700.
static int runs_together, runs_alone;

static int doubtful_open(struct batch *batch, struct text *why)
{
    (void)batch, (void)why;
    return 1;
}

static int doubtful_run(struct batch *batch, int first, int count, struct text *why)
{
    (void)why;
    for (int i = first; i < first + count; i++)
        family_run_model(batch->family, batch_case(batch, i), &batch->results[i]);
    return 1;
}

static int doubtful_run_apart(struct batch *batch, int first, int count, struct apart *apart, struct text *why)
{
    enum { LAUNCH_FAILED = 719 };
    doubtful_run(batch, first, count, why);
    *(apart->together ? &runs_together : &runs_alone) += count;
    for (int i = first; apart->together && i < first + count; i++) batch->results[i].status = LAUNCH_FAILED;
    return 1;
}

static void doubtful_close(void)
{
}

static int count_agreeing(const struct trace_batch *cases, int i, void *context)
{
    *(int *)context += trace_batch_agrees(cases, i, NULL);
    return 1;
}

TEST(a_fault_that_a_dump_contradicts_runs_again_alone)
{
    static const struct executor doubtful = {.name = "doubtful",
                                             .open = doubtful_open,
                                             .run = doubtful_run,
                                             .run_apart = doubtful_run_apart,
                                             .close = doubtful_close};
    struct trace_header header;
    struct text why = {""};
    int agreeing = 0;
    runs_together = runs_alone = 0;
    const struct trace_run run = {&doubtful, true, {0}, count_agreeing, &agreeing};
    ck_assert_msg(trace_run(TMAREF_TRACES "/bulk_limit.jsonl.zst", &run, &header, &why), "%s", why.at);
    ck_assert_int_eq(agreeing, 15);
    ck_assert_int_eq(runs_together, 15);
    ck_assert_int_eq(runs_alone, 15);
}
