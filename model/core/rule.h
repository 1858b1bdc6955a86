// SPDX-License-Identifier: MIT
// What a rule of the machine is, and how to look one up. the page rules.md has all rules. They are the error type
// of every call that may be refused.
#ifndef TMAREF_RULE_H
#define TMAREF_RULE_H

// What happens to a program that breaks the rule (or, for WORKS, what simply holds).
enum outcome {
    OUTCOME_WORKS,       // it runs, as the row's sentence says
    OUTCOME_INVALID,     // the host call (or the assembler) refuses: CUDA_ERROR_INVALID_VALUE
    OUTCOME_FAULT,       // the kernel dies with the row's CUDA error
    OUTCOME_UNDEFINED,   // no promise is made
    OUTCOME_CRASH,       // the calling host process dies inside the driver
    OUTCOME_UNSUPPORTED, // not for this architecture, or not done by tmaref (the limits page says so)
    OUTCOME_SILENT,      // the document does not speak of it
};

// A rule keeps its number for ever; RULE_COUNT grows, and is not to be compared with what a call returns.
enum rule {
    RULE_OK,
#ifdef RULE_IDS_IN_ENUM // in the public header; here each file includes the groups whose ids it needs: rules/map.h, ...
#define RULE(number, id) RULE_##id = number,
#include "rule_ids.def"
#undef RULE
#define RULE(number, id) +1
    RULE_COUNT = 1
#include "rule_ids.def"
#undef RULE
    ,
#endif
    RULE_NONE = 0xffff // no rule has this name
};

// One row. `cuda_error` is the number an H200 returns (0: none). `sentence` states the rule in our words, `advice` what
// to do when it is broken, `source` the document, `evidence` the recording that shows the sm_90a column; "": none can,
// the assembler refuses, or none does yet.
struct rule_row {
    const char *id;
    enum outcome documented, sm_90a;
    int cuda_error;
    const char *sentence, *advice, *source, *evidence;
};

// How many rules this library has, RULE_OK among them: their numbers are 0 .. rule_count() - 1.
int rule_count(void);

// The rule at a place of the table, 0 .. rule_count() - 1, where relatives stand side by side.
enum rule rule_at(int place);

// The row of `rule`; RULE_OK has one too ("OK"). Never NULL for a value of the enum.
const struct rule_row *rule_row(enum rule rule);

// The CUDA error number an H200 gives for the first rule broken: 0 for RULE_OK and for rules that only warn.
int rule_cuda_error(enum rule rule);

// Of two rules that one instruction breaks, the one whose error an H200 reports: 715, 716 and 717 come before 700, 700
// before 719, any error before none.
enum rule rule_earlier(enum rule one, enum rule other);

// The rule named `id` (case does not matter), or RULE_NONE.
enum rule rule_find(const char *id);

// A broken rule that the documents forbid and an H200 accepts: worth a warning, never a refusal.
int rule_is_warning(enum rule rule);

// What becomes of a program that breaks a rule. Of the refusals only some have a CUDA error: what no assembler takes
// never reaches a GPU.
enum verdict {
    VERDICT_WORKS,             // it runs, as the rule says
    VERDICT_WARNS,             // it runs on an H200, though the documents forbid it: rule_is_warning()
    VERDICT_ASSEMBLER_REFUSES, // PTX has no such instruction: no CUDA error
    VERDICT_CALL_REFUSES,      // the call of the driver returns rule_cuda_error()
    VERDICT_LAUNCH_REFUSES,    // the launch returns rule_cuda_error()
    VERDICT_FAULTS,            // the kernel ends with rule_cuda_error(), and the context with it
    VERDICT_CRASHES,           // the calling process dies inside the driver
    VERDICT_UNDEFINED          // the documents promise nothing, and no recording shows that an H200 does
};
enum verdict rule_verdict(enum rule rule);

// May a program not break this rule? All verdicts but WORKS and WARNS: what a check returns is then not RULE_OK.
int rule_is_refusal(enum rule rule);

// "works", "is refused by the assembler", ...
const char *verdict_name(enum verdict verdict);

// "WORKS", "INVALID", ...
const char *outcome_name(enum outcome outcome);

// "CUDA_ERROR_MISALIGNED_ADDRESS" for 716, and so on; NULL for a number no rule uses.
const char *cuda_error_name(int cuda_error);

#endif
