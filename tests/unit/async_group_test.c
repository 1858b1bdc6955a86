// SPDX-License-Identifier: MIT
// The suite `async_group`: what the waits of a thread promise, against a list of operations that is kept one by one,
// and what cp.async.mbarrier.arrive does to a barrier's word, as an H200 was seen to do it.
#include <string.h>

#include "async_list.h"
#include "mbarrier.h"
#include "rules/async.h"
#include "rules/mbarrier.h"

// Programs: i, I issue a copy, a bulk operation; c, C commit; w, W wait for groups of the kind, R with .read, each
// followed by a digit; a is wait_all. `states` has a character for each operation: may (.), read (r), complete (*).
static const struct {
    const char *why, *program, *states;
} vectors[] = {
    {"nothing was waited for", "icIC", ".."},
    {"wait 0", "icw0", "*"},
    {"wait 1 leaves the newest group", "icicw1", "*."},
    {"wait 2 of two groups waits for none", "icicw2", ".."},
    {"wait 9 of two groups waits for none", "icicw9", ".."},
    {"groups, not operations, are counted", "iiiciicw1", "***.."},
    {"an empty group counts", "iccw1", "*"},
    {"and is itself not in the way", "ccicw1", "."},
    {"not committed", "iw0", "."},
    {"committed later", "iw0c", "."},
    {"committed later, then waited for", "iw0cw0", "*"},
    {"only the committed ones", "iciw0", "*."},
    {"the commit of the other kind", "iCw0W0", "."},
    {"the wait of the other kind", "icICW0", ".*"},
    {"the other wait of the other kind", "icICw0", "*."},
    {"groups of the other kind do not count", "icICICw1", "..."},
    {"bulk, wait 0", "ICW0", "*"},
    {"bulk, wait 1", "ICICICW1", "**."},
    {"bulk, an empty group", "ICCW1", "*"},
    {"bulk, not committed", "ICIW0", "*."},
    {".read", "ICR0", "r"},
    {".read 1", "ICICR1", "r."},
    {".read after a wait takes nothing back", "ICW0R0", "*"},
    {".read, then one newer, then wait 1", "ICR0ICW1", "*."},
    {".read 0, then wait 1", "ICICR0W1", "*r"},
    {"a weaker wait takes nothing back", "icw0w9", "*"},
    {"nor does a newer group", "icw0icw1", "*."},
    {"wait_all covers what is not committed", "ia", "*"},
    {"and what is", "icia", "**"},
    {"but no bulk operation", "ICia", ".*"},
    {"and nothing later", "iai", "*."},
};
enum { VECTORS = ROWS_OF(vectors), OPERATIONS = 16 };

static enum async_kind kind_of(char letter)
{
    return letter == 'i' || letter == 'c' || letter == 'w' ? ASYNC_COPY : ASYNC_BULK;
}

// Runs one letter of a program; returns how many characters it took.
static int step(struct async_groups *groups, const char *at, struct async_operation *operations, int *count)
{
    switch (*at) {
    case 'i':
    case 'I':
        operations[(*count)++] = async_issue(groups, kind_of(*at), NULL);
        return 1;
    case 'c':
    case 'C':
        async_commit(groups, kind_of(*at), NULL);
        return 1;
    case 'a':
        async_wait_all(groups, NULL);
        return 1;
    case 'R':
        async_wait_group_read(groups, (uint32_t)(at[1] - '0'), NULL);
        return 2;
    default:
        async_wait_group(groups, kind_of(*at), (uint32_t)(at[1] - '0'), NULL);
        return 2;
    }
}

static struct async_groups run(const char *program, struct async_operation *operations, int *count)
{
    struct async_groups groups = {.thread = 3};
    *count = 0;
    while (*program != '\0') program += step(&groups, program, operations, count);
    return groups;
}

static void check_vector(int i)
{
    struct async_operation operations[OPERATIONS];
    int count;
    struct async_groups groups = run(vectors[i].program, operations, &count);
    ck_assert_uint_eq((unsigned)count, strlen(vectors[i].states));
    for (int j = 0; j < count; j++)
        ck_assert_msg(".r*"[async_state(&groups, operations[j])] == vectors[i].states[j], "%s: operation %d of %s",
                      vectors[i].why, j, vectors[i].program);
}

LOOP_TEST(async_group_order__is_that_of_the_commits, 0, VECTORS)
{
    check_vector(_i);
}

// --- The same by a list, right and wrong -----------------------------------------------------------------------------

static void list_run(struct async_list *list, const char *program, char *states)
{
    for (; *program != '\0'; program++) {
        if (*program == 'i' || *program == 'I') {
            async_list_issue(list, 0, kind_of(*program));
        } else if (*program == 'c' || *program == 'C') {
            async_list_commit(list, 0, kind_of(*program));
        } else if (*program == 'a') {
            async_list_wait_all(list, 0);
        } else {
            char wait = *program++;
            async_list_wait(list, 0, kind_of(wait), *program - '0', wait == 'R');
        }
    }
    for (int i = 0; i < list->count; i++) states[i] = list->operation[i].state;
    states[list->count] = '\0';
}

static int differing(enum async_mutant mutant)
{
    int different = 0;
    for (int i = 0; i < VECTORS; i++) {
        struct async_list list = {.mutant = mutant};
        char states[OPERATIONS + 1];
        list_run(&list, vectors[i].program, states);
        different += strcmp(states, vectors[i].states) != 0;
    }
    return different;
}

LOOP_TEST(async_group_vectors_tell_mutants, 0, ASYNC_THREADS_TOGETHER)
{
    enum async_mutant mutant = (enum async_mutant)_i;
    ck_assert_msg((differing(mutant) > 0) == (mutant != ASYNC_NO_MUTANT), "%s", async_mutant_names[mutant]);
}

// --- Rules -----------------------------------------------------------------------------------------------------------

static enum rule rule_of(const char *program, enum async_use use)
{
    struct async_operation operations[OPERATIONS];
    int count;
    struct async_groups groups = run(program, operations, &count);
    return async_check_use(&groups, operations[0], use);
}

TEST(async_group_order__is_broken_before_the_wait)
{
    ck_assert_int_eq(rule_of("IC", ASYNC_USES_DESTINATION), RULE_ASYNC_GROUP_ORDER);
    ck_assert_int_eq(rule_of("IC", ASYNC_WRITES_SOURCE), RULE_ASYNC_GROUP_ORDER);
    ck_assert_int_eq(rule_of("ICW1", ASYNC_USES_DESTINATION), RULE_ASYNC_GROUP_ORDER);
    ck_assert_int_eq(rule_of("ICW0", ASYNC_USES_DESTINATION), RULE_OK);
    ck_assert_int_eq(rule_of("icW0", ASYNC_USES_DESTINATION), RULE_ASYNC_GROUP_ORDER);
    ck_assert(!rule_is_warning(RULE_ASYNC_GROUP_ORDER));
}

TEST(async_group_uncommitted__is_never_waited_for)
{
    ck_assert_int_eq(rule_of("IW0", ASYNC_USES_DESTINATION), RULE_ASYNC_GROUP_UNCOMMITTED);
    ck_assert_int_eq(rule_of("IcW0R0w0", ASYNC_WRITES_SOURCE), RULE_ASYNC_GROUP_UNCOMMITTED);
    ck_assert_int_eq(rule_of("ICW0", ASYNC_WRITES_SOURCE), RULE_OK);
}

TEST(async_group_empty__counts)
{
    ck_assert_int_eq(rule_of("icw1", ASYNC_USES_DESTINATION), RULE_ASYNC_GROUP_ORDER);
    ck_assert_int_eq(rule_of("iccw1", ASYNC_USES_DESTINATION), RULE_OK);
    ck_assert_int_eq(rule_of("ICCCW2", ASYNC_USES_DESTINATION), RULE_OK);
}

TEST(async_wait_all__needs_no_commit)
{
    ck_assert_int_eq(rule_of("ia", ASYNC_USES_DESTINATION), RULE_OK);
    ck_assert_int_eq(rule_of("ICa", ASYNC_USES_DESTINATION), RULE_ASYNC_GROUP_ORDER);
}

TEST(async_group_read__frees_the_source_alone)
{
    ck_assert_int_eq(rule_of("ICR0", ASYNC_WRITES_SOURCE), RULE_OK);
    ck_assert_int_eq(rule_of("ICR0", ASYNC_USES_DESTINATION), RULE_ASYNC_GROUP_READ);
    ck_assert_int_eq(rule_of("ICR0W0", ASYNC_USES_DESTINATION), RULE_OK);
    ck_assert(rule_is_warning(RULE_ASYNC_GROUP_READ));
}

TEST(async_group_thread__waits_for_itself)
{
    struct async_groups one = {.thread = 1}, other = {.thread = 2};
    struct async_operation operation = async_issue(&one, ASYNC_BULK, NULL);
    async_commit(&one, ASYNC_BULK, NULL);
    async_commit(&other, ASYNC_BULK, NULL);
    async_wait_group(&other, ASYNC_BULK, 0, NULL);
    ck_assert_int_eq(async_state(&other, operation), ASYNC_MAY);
    ck_assert_int_eq(async_check_use(&other, operation, ASYNC_USES_DESTINATION), RULE_ASYNC_GROUP_THREAD);
    ck_assert_int_eq(async_check_use(&one, operation, ASYNC_USES_DESTINATION), RULE_ASYNC_GROUP_ORDER);
    async_wait_group(&one, ASYNC_BULK, 0, NULL);
    ck_assert_int_eq(async_check_use(&one, operation, ASYNC_USES_DESTINATION), RULE_OK);
    ck_assert_int_eq(async_check_use(&other, operation, ASYNC_USES_DESTINATION), RULE_ASYNC_GROUP_THREAD);
}

// On an H200 a wait of one kind waits for both, each but its newest N, and never for what is not committed.
TEST(async_group_kinds__are_one_on_sm_90a)
{
    struct async_groups groups = {0};
    struct async_operation copy = async_issue(&groups, ASYNC_COPY, NULL), bulk = async_issue(&groups, ASYNC_BULK, NULL);
    async_commit(&groups, ASYNC_COPY, NULL);
    async_wait_group_sm_90a(&groups, 1, NULL);
    ck_assert_int_eq(async_state(&groups, copy), ASYNC_MAY);
    async_wait_group_sm_90a(&groups, 0, NULL);
    ck_assert_int_eq(async_state(&groups, copy), ASYNC_COMPLETE);
    ck_assert_int_eq(async_state(&groups, bulk), ASYNC_MAY);
    async_commit(&groups, ASYNC_BULK, NULL);
    async_wait_group_sm_90a(&groups, 0, NULL);
    ck_assert_int_eq(async_state(&groups, bulk), ASYNC_COMPLETE);
}

// --- cp.async.mbarrier.arrive ----------------------------------------------------------------------------------------

// Words before, after the issue and after the copies, as recorded in probes of an H200.
static const struct {
    const char *why;
    struct mbarrier_fields before;
    uint32_t lanes;
    bool is_noinc;
    enum rule issue;
    struct mbarrier_fields issued, done;
} arrivals[] = {
    {"tx for a while", {0, 0, 0, 1, 1, 0}, 1, false, RULE_OK, {0, 0, 0, 1, 1, 1}, {0, 0, 0, 1, 1, 0}},
    {"32 lanes", {0, 0, 0, 32, 32, 0}, 32, false, RULE_OK, {0, 0, 0, 32, 32, 32}, {0, 0, 0, 32, 32, 0}},
    {"the end completes", {0, 0, 0, 0, 0, 0}, 1, false, RULE_OK, {0, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 0, 0}},
    {"so does the issue", {0, 0, 0, 0, 1, -1}, 1, false, RULE_OK, {1, 0, 0, 1, 1, 0}, {1, 0, 0, 1, 1, -1}},
    {"two lanes are one step", {0, 0, 0, 0, 1, -1}, 2, false, RULE_OK, {0, 0, 0, 0, 1, 1}, {0, 0, 0, 0, 1, -1}},
    {"up to 2^20",
     {0, 0, 0, 1, 1, MBARRIER_TX_MAX - 1},
     1,
     false,
     RULE_OK,
     {0, 0, 0, 1, 1, MBARRIER_TX_MAX},
     {0, 0, 0, 1, 1, MBARRIER_TX_MAX - 1}},
    {"past it",
     {0, 0, 0, 1, 1, MBARRIER_TX_MAX},
     1,
     false,
     RULE_MBARRIER_TX_RANGE,
     {0, 0, 0, 1, 1, MBARRIER_TX_MAX},
     {0, 0, 0, 1, 1, MBARRIER_TX_MAX}},
    {"the error bit", {0, 1, 0, 1, 1, 0}, 1, false, RULE_MBARRIER_ERROR, {0, 1, 0, 1, 1, 0}, {0, 1, 0, 1, 1, 0}},
    {"noinc arrives", {0, 0, 0, 2, 2, 0}, 1, true, RULE_OK, {0, 0, 0, 2, 2, 0}, {0, 0, 0, 1, 2, 0}},
    {"noinc completes", {0, 0, 0, 1, 1, 0}, 1, true, RULE_OK, {0, 0, 0, 1, 1, 0}, {1, 0, 0, 1, 1, 0}},
    {"noinc of a warp", {0, 0, 0, 32, 32, 0}, 32, true, RULE_OK, {0, 0, 0, 32, 32, 0}, {1, 0, 0, 32, 32, 0}},
    {"noinc of a warp on 16", {0, 0, 0, 16, 16, 0}, 32, true, RULE_OK, {0, 0, 0, 16, 16, 0}, {0, 1, 0, 16, 16, 0}},
    {"noinc with nothing pending", {0, 0, 0, 0, 1, 5}, 1, true, RULE_OK, {0, 0, 0, 0, 1, 5}, {0, 1, 0, 0, 1, 5}},
    {"noinc on the error bit", {0, 1, 0, 1, 1, 0}, 1, true, RULE_OK, {0, 1, 0, 1, 1, 0}, {0, 1, 0, 1, 1, 0}},
};

static void check_arrivals(bool is_noinc)
{
    for (int i = 0; i < ROWS_OF(arrivals); i++) {
        if (arrivals[i].is_noinc != is_noinc) continue;
        uint64_t word = mbarrier_pack(&arrivals[i].before);
        enum rule rule = mbarrier_copies_issue(&word, arrivals[i].lanes, is_noinc);
        ck_assert_msg(rule == arrivals[i].issue, "%s: %s", arrivals[i].why, rule_row(rule)->id);
        ck_assert_msg(word == mbarrier_pack(&arrivals[i].issued), "%s: issued", arrivals[i].why);
        if (rule != RULE_OK) continue;
        mbarrier_copies_done(&word, arrivals[i].lanes, is_noinc);
        ck_assert_msg(word == mbarrier_pack(&arrivals[i].done), "%s: done", arrivals[i].why);
    }
}

TEST_CALL(cp_async_mbarrier_arrive__holds_the_phase_by_tx, check_arrivals(0))
TEST_CALL(cp_async_mbarrier_noinc__is_one_arrival_that_cannot_fault, check_arrivals(1))
