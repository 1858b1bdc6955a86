// SPDX-License-Identifier: MIT
// A family of cases: one kind of work that every executor can do (encode a map, load a tile, step a barrier program).
// A family knows how to make a case, read and write it as JSON, run it on the model and on a GPU, and speak of it.
// To add one: docs/adding-a-family.md.
#ifndef TMAREF_FAMILY_H
#define TMAREF_FAMILY_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "difference.h"
#include "random.h"
#include "result.h"

struct gpu;
struct gpu_jobs;
struct feature;
struct fields;

// Where a result first differs from a recording: `size_bytes` bytes at `address` of the window named `window` (NULL:
// the difference is not in the bytes of a window). `found` are those bytes; `recorded` too, where `is_known`, else only
// a digest of them was kept.
struct place {
    const char *window;
    uint64_t address;
    uint32_t size_bytes;
    const uint8_t *found;
    bool is_known;
    uint8_t recorded[8];
};

// What a recorded result rests on beside what PTX promises:
//   PTX   nothing
//   H200  what an H200 waits for, orders or computes, and PTX does not promise
//   SLOW  that an asynchronous operation takes longer than the next instructions
//   TIME  how many clocks an H200 takes
enum family_ground { GROUND_PTX, GROUND_H200, GROUND_SLOW, GROUND_TIME };

struct family {
    const char *name, *summary;
    size_t case_bytes;

    // About how many loads a case costs the model; 0 counts as 1. `diff --family=all` gives a family fewer cases by it.
    unsigned cost;

    // A random case, biased to limits: the same generator state gives the same case on every machine. NULL: as the
    // fields say (field.h).
    void (*generate)(struct random *random, void *test_case);

    // The fields of a case, which give its JSON both ways: family_write(), family_read().
    const struct fields *fields;

    // Why the model cannot say what such a case leaves, or NULL. Nobody may ask for such a case; where a recording has
    // one, the model is at fault. May be NULL.
    const char *(*undecided)(const void *test_case);

    // The windows of a result: takes them from `result` with result_window(), and leaves their bytes alone. They lie so
    // on the model and on a GPU.
    void (*windows)(const void *test_case, struct result *result);

    // What they hold before the case runs; NULL: anything.
    void (*fill)(const void *test_case, const struct result *result);

    // What memory holds before, as far as a case reads it or keeps it (but the arena): as windows, of which those of
    // the result have the same names. NULL: what fill() says.
    void (*before)(const void *test_case, struct result *result);

    // Marks the bytes of a mixed window that the hardware decides: is_open[i] of byte i. NULL: it has no such window.
    void (*open_bytes)(const void *test_case, const struct window *window, uint8_t *is_open);

    // Runs one case on the model, into the windows. Returns the first rule broken; the result has no windows then.
    enum rule (*run_model)(const void *test_case, struct result *result);

    // How cases become jobs of a kernel; or start() launches a case, as gpu_run_each() says; or, where neither is all,
    // run_gpu() runs `count` cases in few launches, into their windows. It returns the CUDA error that killed the
    // context, or 0, and sets the status of those refused.
    const struct gpu_jobs *jobs;
    int (*start)(struct gpu *gpu, const void *test_case, struct result *result, uint64_t shift);
    int (*run_gpu)(struct gpu *gpu, const void *cases, int count, struct result *results);

    // The cubins whose kernels it launches, their names apart by a blank; NULL where the driver alone does the
    // work.
    const char *kernels;

    // The result in words, an array of strings, for curated traces; NULL for families whose windows say enough.
    json_t *(*describe)(const void *test_case, const struct result *result);

    // The windows' bytes back from describe()'s words, which then hold every byte and are always recorded; 0 if they do
    // not. May be NULL.
    int (*restore)(const void *test_case, const json_t *text, struct result *result);

    // Does an H200 decide on its own what this case leaves? Then it is not compared byte for byte: is_legal() says
    // whether a result is one of those that can be. Both NULL for families whose cases have one result each.
    int (*varies)(const void *test_case);
    int (*is_legal)(const void *test_case, const struct result *result);

    // What the result of a case rests on. Not every schedule of the executor sim has that (schedules.h): where it has
    // not, the windows that rest on it are not compared. NULL: GROUND_PTX. `grounded` has a bit for each of these
    // windows; 0: all, and the status alone is compared.
    enum family_ground (*ground)(const void *test_case);
    uint32_t grounded;

    // Lines that say what is wrong where a window of two results first differs. What any family can say stands around
    // them: family_explain(). Returns the rule that decides what belongs there, RULE_OK where no rule does. May
    // be NULL.
    enum rule (*explain)(const void *test_case, const struct difference *difference, FILE *out);

    // The same where only a digest of the bytes at `place` was recorded: what the case keeps there; may be NULL.
    enum rule (*explain_place)(const void *test_case, const struct place *place, FILE *out);

    // What a case that runs exercises (see coverage/feature.h); returns 0 for a case with no map. May be NULL.
    int (*feature)(const void *test_case, struct feature *feature);
};

// The name of a family, and what its cases are: structs of a type, and the table of their fields (field.h), which other
// members of struct fields may follow: FAMILY_CASES("bank", struct bank_case, field, .illegal = illegal).
#define FAMILY_CASES(of_name, type, ...)                                                                               \
    .name = of_name, .case_bytes = sizeof(type), .fields = &(const struct fields)                                      \
    {                                                                                                                  \
        .name = of_name " case", .bytes = sizeof(type), .field = __VA_ARGS__                                           \
    }

// What each family is called in C, whichever of its files has it: the family, its random cases, its words.
#define FAMILY(name)                                                                                                   \
    extern const struct family family_##name;                                                                          \
    void name##_generate(struct random *random, void *test_case);                                                      \
    enum rule name##_explain(const void *test_case, const struct difference *difference, FILE *out);
#include "family_ids.def"
#undef FAMILY

// All families, in the order of families.def; ends with NULL.
extern const struct family *const families[];

// A random case.
void family_generate(const struct family *family, struct random *random, void *test_case);

// A case as JSON, and back; family_read() returns 0 and fills `why` (a sentence naming the key) when the object is
// none.
// A recorded case may be one that the model takes for undecided: family_read_recorded().
json_t *family_write(const struct family *family, const void *test_case);
int family_read(const struct family *family, const json_t *json, void *test_case, struct text *why);
int family_read_recorded(const struct family *family, const json_t *json, void *test_case, struct text *why);

// The windows of a case with what they hold before, and the bytes that they take.
void family_open(const struct family *family, const void *test_case, struct result *result);
size_t family_result_bytes(const struct family *family, const void *test_case);

// What memory holds before, as windows; none if the family does not say. They take at most FAMILY_BEFORE_BYTES more
// than the result.
enum { FAMILY_BEFORE_BYTES = 1 << 18 };
void family_before(const struct family *family, const void *test_case, struct result *result);

// Of each byte of a mixed window whether it is open, for the caller to free; NULL for other windows.
uint8_t *family_open_bytes(const struct family *family, const void *test_case, const struct window *window);

// Do two windows of a case hold the same, but for what is open?
bool family_windows_agree(const struct family *family, const void *test_case, const struct window *expected,
                          const struct window *found);

// Leaves the windows open that rest on family->ground().
void family_open_grounded(const struct family *family, struct result *result);

// Runs a case on the model; `result` is empty.
void family_run_model(const struct family *family, const void *test_case, struct result *result);

// The windows of a result as they were recorded in words; 0 if they were not.
bool family_restore(const struct family *family, const void *test_case, const json_t *text, struct result *result);

// What is wrong in a result: another status; or of the first windows that differ the first byte, by its address, and
// what the family says of it. Then the likely rule: the one that the case breaks by the model, or that decides the
// byte.
void family_explain(const struct family *family, const void *test_case, const struct result *expected,
                    const struct result *found, FILE *out);

// The same at the place where a result first differs from a recording. Where that kept only a digest of the bytes, and
// the family has no explain_place(), the first of them stands with one bit turned for what was recorded, and that is
// said.
void family_explain_place(const struct family *family, const void *test_case, const struct result *found,
                          const struct place *place, FILE *out);

// The first rule that a case breaks, by the model.
enum rule family_rule(const struct family *family, const void *test_case);

// May the case end with either status, by the model? It cannot always know which of two errors a GPU reports.
bool family_may_end(const struct family *family, const void *test_case, int status, int other);

// Does an H200 not survive the rule: a sticky CUDA error, or a crash of the driver?
bool family_is_fatal(enum rule rule);

// The family named `name`, or NULL.
const struct family *family_find(const char *name);

#endif
