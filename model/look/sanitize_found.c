// SPDX-License-Identifier: MIT
#include "sanitize_found.h"

#include <string.h>

#include "check_found.h"
#include "demangle.h"
#include "json_text.h"
#include "note.h"
#include "plain.h"
#include "where_text.h"

// `newer` and `older` name the two sides; older NULL: there is one side. missing: what orders them in a kernel that is
// right. first: which side's line leads, 1: the older's.
static const struct {
    const char *id, *sentence, *newer, *older, *missing, *advice;
    int first;
} kinds[] = {
    [SANITIZE_RACE] = {"SANITIZE_RACE", "nothing orders two accesses of threads to the same bytes, and one is a write",
                       "the access", "the other", "a barrier, or a release by the one thread that the other acquires",
                       "Put __syncthreads() (bar.sync) between them; cluster.sync() between CTAs of a cluster.", 0},
    [SANITIZE_GLOBAL_RACE] =
        {"SANITIZE_GLOBAL_RACE", "nothing orders two accesses to the same bytes of global memory, and one is a write",
         "the access", "the other", "a release by the one thread that the other acquires, of scopes that reach both",
         "In a CTA, put __syncthreads() (bar.sync) between them. Between CTAs, release behind the first "
         "(__threadfence() and an atomic, or red.release.gpu) and acquire before the second (ld.acquire.gpu, or a "
         "read of that word and __threadfence()); or split the kernel in two.",
         0},
    [SANITIZE_SCOPE] = {"SANITIZE_SCOPE", "the scope of an atomic access does not reach the other thread", "the access",
                        "the other", "a scope that reaches both threads",
                        "Use the scope .gpu between CTAs (.cluster in a cluster), on both sides.", 0},
    [SANITIZE_READ_BEFORE_COPY] =
        {"SANITIZE_READ_BEFORE_COPY", "a thread may read bytes before a copy has written them", "the read", "the copy",
         "a wait that acquires the phase in which the copy completes",
         "Wait for the mbarrier of the copy (mbarrier.try_wait.parity, with the parity of its phase) before the read.",
         0},
    [SANITIZE_WRITE_BEFORE_COPY] = {"SANITIZE_WRITE_BEFORE_COPY", "a thread may write bytes while a copy writes them",
                                    "the write", "the copy",
                                    "a wait that acquires the phase in which the copy completes",
                                    "Wait for the mbarrier of the copy (mbarrier.try_wait.parity) before the write.",
                                    0},
    [SANITIZE_OPERATION_BEFORE_COPY] =
        {"SANITIZE_OPERATION_BEFORE_COPY", "an operation may read bytes before a copy has written them",
         "the operation", "the copy", "a wait that acquires the phase in which the copy completes",
         "Wait for the mbarrier of the copy (mbarrier.try_wait.parity, with the parity of its phase) before the "
         "operation is issued.",
         0},
    [SANITIZE_OPERATION_BEFORE_WRITE] =
        {"SANITIZE_OPERATION_BEFORE_WRITE", "an operation may read bytes before a thread has written them",
         "the operation", "the write", "a barrier between the write and the issue",
         "Put fence.proxy.async and then __syncthreads() (bar.sync) between the write and the operation.", 0},
    [SANITIZE_REFILL] = {"SANITIZE_REFILL", "a copy may overwrite bytes that a thread still uses", "the copy",
                         "the thread's access", "a release by that thread that the copy's thread acquires",
                         "Let the thread arrive (mbarrier.arrive) behind its last access, and the thread of the copy "
                         "wait for it before it issues the copy.",
                         0},
    [SANITIZE_SOURCE_OVERWRITTEN] =
        {"SANITIZE_SOURCE_OVERWRITTEN", "bytes may be overwritten that an operation still reads", "the write",
         "the operation", "a wait for the operation by its thread",
         "Commit the operation and wait for it in its thread (cp.async.bulk.commit_group, "
         "cp.async.bulk.wait_group.read 0), then let that thread meet the others at a barrier, before the write.",
         0},
    [SANITIZE_PRODUCT_OVERWRITTEN] =
        {"SANITIZE_PRODUCT_OVERWRITTEN", "bytes may be overwritten that a wgmma still reads", "the write", "the wgmma",
         "a wait for the wgmma by each of its warps, which the writer then acquires",
         "Execute wgmma.commit_group and wgmma.wait_group before the arrive that lets the writer go on, and let the "
         "writer wait for that arrive.",
         0},
    [SANITIZE_PRODUCT_REGISTER] =
        {"SANITIZE_PRODUCT_REGISTER", "a register is used that a wgmma may not have written yet", "the use",
         "the wgmma", "a wait for the wgmma by the warp that uses the register",
         "Execute wgmma.commit_group and wgmma.wait_group, with a number that covers the group, before the use.", 0},
    [SANITIZE_PRODUCT_SOURCE] =
        {"SANITIZE_PRODUCT_SOURCE", "a register is overwritten that a wgmma may still read", "the write", "the wgmma",
         "a wait for the wgmma by the warp that writes the register",
         "Execute wgmma.commit_group and wgmma.wait_group before the write, or give the next A other registers.", 0},
    [SANITIZE_PRODUCT_FENCE] =
        {"SANITIZE_PRODUCT_FENCE", "wgmma.fence is missing between the use of a register and a wgmma that takes it",
         "the wgmma", "the use", "a wgmma.fence of all four warps behind the use",
         "Execute wgmma.fence.sync.aligned (warpgroup_arrive() in CUTLASS) in front of the first wgmma of each batch.",
         0},
    [SANITIZE_SMALL_COPY] = {"SANITIZE_SMALL_COPY", "bytes may be used before a cp.async has written them", "the use",
                             "the cp.async", "a wait for the cp.async by its thread",
                             "Execute cp.async.commit_group and cp.async.wait_group 0 (or cp.async.wait_all) in the "
                             "threads that copy, and then a barrier of all threads, before the use.",
                             0},
    [SANITIZE_COPIES] = {"SANITIZE_COPIES", "two copies may write the same bytes in either order", "the copy",
                         "the other copy", "a wait for the one before the other is issued",
                         "Wait for the mbarrier of the first copy before the second is issued, or give them bytes of "
                         "their own.",
                         0},
    [SANITIZE_FENCE] = {"SANITIZE_FENCE", "fence.proxy.async is missing between a thread's write and an operation",
                        "the operation", "the write", "a fence of the async proxy between the two",
                        "Execute fence.proxy.async.shared::cta in each thread that writes, before the barrier in front "
                        "of the operation. A GPU may read old bytes.",
                        0},
    [SANITIZE_GLOBAL_FENCE] =
        {"SANITIZE_GLOBAL_FENCE",
         "fence.proxy.async is missing between a thread's write to global memory and an operation", "the operation",
         "the write", "a fence of the async proxy between the two",
         "Execute fence.proxy.async.global in the thread that issues the operation, behind what orders it after the "
         "write. A GPU may read old bytes.",
         0},
    [SANITIZE_GLOBAL_STORE] =
        {"SANITIZE_GLOBAL_STORE", "bytes of global memory may be used before a bulk store has written them", "the use",
         "the store", "a wait for the writes of the store by its thread, which the user then acquires",
         "Execute cp.async.bulk.commit_group and cp.async.bulk.wait_group 0, without .read, in the thread of the "
         "store; "
         "then let that thread release (red.release.gpu, or __syncthreads() in a CTA) and the user acquire.",
         0},
    [SANITIZE_GLOBAL_SOURCE] =
        {"SANITIZE_GLOBAL_SOURCE", "an operation may read global memory before a thread has written it",
         "the operation", "the write", "a release by the writer that the thread of the operation acquires",
         "Release behind the write (red.release.gpu, or __syncthreads() in a CTA), acquire before the operation, and "
         "execute fence.proxy.async.global behind that.",
         0},
    [SANITIZE_GLOBAL_LOAD] =
        {"SANITIZE_GLOBAL_LOAD", "global memory may be overwritten that an operation still reads", "the write",
         "the operation", "a wait for the operation, which the writer then acquires",
         "Wait for the mbarrier of the operation before the write; if another thread writes, release and acquire "
         "between the two.",
         0},
    [SANITIZE_MAP_FENCE] =
        {"SANITIZE_MAP_FENCE", "a fence of the tensormap proxy is missing between the edit of a map and its use",
         "the use", "the edit", "a release behind the edit, and an acquire before the use",
         "Execute fence.proxy.tensormap::generic.release.gpu (or tensormap.cp_fenceproxy) behind the edit, and "
         "fence.proxy.tensormap::generic.acquire.gpu [map], 128 before the use.",
         0},
    [SANITIZE_MAP_RACE] =
        {"SANITIZE_MAP_RACE", "nothing orders the edit of a tensor map and its use", "the use", "the edit",
         "a release by the editor that the user acquires",
         "Put a barrier, or a release and an acquire, between the two, with the release and the acquire of "
         "fence.proxy.tensormap on their sides of it.",
         0},
    [SANITIZE_MAP_EDITED] = {"SANITIZE_MAP_EDITED", "a tensor map may be edited while an operation still uses it",
                             "the edit", "the operation", "a wait for the operation, which the editor then acquires",
                             "Wait for the mbarrier or the group of the operation before the edit.", 0},
    [SANITIZE_EXIT] = {"SANITIZE_EXIT", "a CTA may exit while its shared memory is still in use", "the use", NULL,
                       "a wait for the operation, or a barrier of the cluster, before the CTA exits",
                       "Wait for the operation before its CTA exits (its mbarrier, or cp.async.bulk.wait_group.read "
                       "0); if another CTA uses the memory, let all CTAs meet at cluster.sync() behind the last use.",
                       0},
    [SANITIZE_UNINITIALISED] =
        {"SANITIZE_UNINITIALISED", "an mbarrier is used that no mbarrier.init has created", "the use", NULL,
         "an init before it",
         "Initialise it in one thread; all others use it behind __syncthreads(), and other CTAs behind "
         "cluster.sync().",
         0},
    [SANITIZE_UNORDERED_INIT] =
        {"SANITIZE_UNORDERED_INIT", "an mbarrier may be used before it is initialised", "the use", "the init",
         "a barrier between the init and the use",
         "Put __syncthreads() (bar.sync) behind the init; where another CTA uses it, fence.mbarrier_init and "
         "cluster.sync().",
         0},
    [SANITIZE_AGAIN] = {"SANITIZE_AGAIN", "an mbarrier was initialised again without mbarrier.inval", "the init",
                        "the init before it", "mbarrier.inval between them",
                        "Initialise it once, in one thread. Each init discards what has arrived.", 0},
    [SANITIZE_UNEXPECTED] =
        {"SANITIZE_UNEXPECTED", "a copy brought bytes to an mbarrier which nobody had expected when its CTA exited",
         "the copy", NULL, "an expect_tx of all bytes in the phase of the copy",
         "Arrive with expect_tx of the bytes of the copy (mbarrier.arrive.expect_tx); else the phase completes before "
         "they arrive.",
         0},
    [SANITIZE_SAME_VALUE] =
        {"SANITIZE_SAME_VALUE",
         "nothing orders two writes to the same bytes of global memory; both wrote the same value in this run",
         "the write", "the other", "a release by the one thread that the other acquires, of scopes that reach both",
         "Let one thread write, or use an atomic (st.relaxed.gpu, atomicExch).", 0},
};

static const char *const edges[] = {
    [ORDER_EDGE_NONE] = "",
    [ORDER_EDGE_MBARRIER] = "mbarrier",
    [ORDER_EDGE_CTA] = "barrier of the CTA",
    [ORDER_EDGE_CLUSTER] = "barrier.cluster",
    [ORDER_EDGE_FENCE] = "a fence",
    [ORDER_EDGE_PROXY] = "fence.proxy.async",
    [ORDER_EDGE_GROUP] = "a group",
    [ORDER_EDGE_MEMORY] = "a strong access",
};

// --- What is kept ----------------------------------------------------------------------------------------------------

int sanitize_is_advice(enum sanitize_kind kind)
{
    return kind == SANITIZE_SAME_VALUE;
}

void sanitize_found_add(struct sanitize_found *found, const struct sanitize_finding *finding)
{
    for (uint32_t i = 0; i < found->count; i++) {
        struct sanitize_finding *one = &found->item[i];
        if (one->kind != finding->kind || one->older.line != finding->older.line ||
            one->newer.line != finding->newer.line)
            continue;
        one->seen++;
        return;
    }
    if (found->count == SANITIZE_KEPT) {
        found->lost++;
        return;
    }
    found->item[found->count] = *finding;
    found->item[found->count++].seen = 1;
}

// --- What is told ----------------------------------------------------------------------------------------------------

// A finding, and where its lines are: of each side, and of the notes of each.
struct told {
    const struct sanitize_finding *finding;
    struct machine_where newer, older, acquired, released;
};

static int has_older(const struct sanitize_finding *finding)
{
    return kinds[finding->kind].older != NULL && finding->older.line != 0;
}

static int is_of_register(const struct sanitize_finding *finding)
{
    return finding->bytes == 0 && finding->kind >= SANITIZE_PRODUCT_REGISTER && finding->kind <= SANITIZE_PRODUCT_FENCE;
}

// The one side of an exit is the older.
static const struct sanitize_side *main_side(const struct sanitize_finding *finding)
{
    return finding->kind == SANITIZE_EXIT ? &finding->older : &finding->newer;
}

// "copy.h:5, inlined at tile.cu:14", or "PTX line 25".
static void print_place(const struct machine_where *where)
{
    const struct machine_caller inner = {where->source_file, where->source_line};
    char text[256];
    if (where->source_line == 0) {
        fprintf(stderr, "PTX line %u", where->ptx_line);
        return;
    }
    plain_printf(stderr, "%s", where_place(&inner, 0, text, sizeof text));
    if (where->callers > 0)
        plain_printf(stderr, ", inlined at %s", where_place(&where->caller[where->callers - 1], 0, text, sizeof text));
}

static void print_thread(const struct sanitize_found *found, const struct sanitize_side *side)
{
    const uint32_t thread = side->warp * 32 + side->lane, *block = found->block, *grid = found->grid;
    fprintf(stderr, ", CTA (%llu,%llu,%llu)", (unsigned long long)(side->cta % grid[0]),
            (unsigned long long)(side->cta / grid[0] % grid[1]), (unsigned long long)(side->cta / grid[0] / grid[1]));
    if (side->is_product)
        fprintf(stderr, ", warps %u to %u, async proxy", side->warp, side->warp + 3);
    else
        fprintf(stderr, ", thread (%u,%u,%u), %s proxy", thread % block[0], thread / block[0] % block[1],
                thread / block[0] / block[1], side->flags & SHADOW_ASYNC ? "async" : "generic");
}

static void print_side(const struct sanitize_found *found, const char *role, const struct sanitize_side *side,
                       const struct machine_where *where)
{
    fprintf(stderr, "    %s: ", role);
    print_place(where);
    print_thread(found, side);
}

static void print_note(const char *before, const char *never, const struct sanitize_side *side,
                       const struct machine_where *where)
{
    fprintf(stderr, "%s", side->note.edge == ORDER_EDGE_NONE ? never : before);
    if (side->note.edge == ORDER_EDGE_NONE) return;
    print_place(where);
    fprintf(stderr, " (%s", edges[side->note.edge]);
    if (side->note.edge == ORDER_EDGE_MBARRIER) plain_printf(stderr, " %s", side->note_name);
    if (side->note.edge == ORDER_EDGE_CTA) fprintf(stderr, " %u", side->note.number);
    fprintf(stderr, ")");
}

static void print_why(const struct told *told)
{
    const struct sanitize_finding *finding = told->finding;
    const enum sanitize_kind kind = finding->kind;
    fprintf(stderr, "    missing: %s", kinds[kind].missing);
    if (finding->barrier[0] != '\0') plain_printf(stderr, "; the copy completes on mbarrier %s", finding->barrier);
    fputc('\n', stderr);
    if (!has_older(finding) || is_of_register(finding)) return;
    if (!finding->older.is_product) {
        fprintf(stderr, "    %s: ", kinds[kind].older);
        print_note("its thread next released at ", "its thread has released nothing since", &finding->older,
                   &told->released);
        fputc('\n', stderr);
    }
    if (finding->newer.is_product) return;
    fprintf(stderr, "    %s: ", kinds[kind].newer);
    print_note("its thread last acquired at ", "its thread had acquired nothing", &finding->newer, &told->acquired);
    fputc('\n', stderr);
}

static void print_bytes(const struct sanitize_finding *finding)
{
    plain_printf(stderr, ", %u bytes at %s", finding->bytes, finding->name);
    if (finding->space == SPACE_SHARED) fprintf(stderr, " of CTA %llu", (unsigned long long)finding->cta);
    fputc('\n', stderr);
}

static void print_text(const struct sanitize_found *found, const struct told *told)
{
    const struct sanitize_finding *finding = told->finding;
    const enum sanitize_kind kind = finding->kind;
    const struct machine_where *main = finding->kind == SANITIZE_EXIT ? &told->older : &told->newer;
    const struct machine_caller own = machine_where_own(main);
    char kernel[DEMANGLED_BYTES];
    demangle_function(found->kernel, strlen(found->kernel), kernel, sizeof kernel);
    if (own.line != 0)
        plain_printf(stderr, "%.*s:%u: ", (int)own.file.length, own.file.at, own.line);
    else
        plain_printf(stderr, "tmaref: ");
    plain_printf(stderr, "%s: sanitize: kernel %s: %s: %s\n", sanitize_is_advice(kind) ? "note" : "error", kernel,
                 kinds[kind].sentence, finding->name);
    print_side(found, kinds[kind].newer, main_side(finding), main);
    if (is_of_register(finding))
        fprintf(stderr, ", %s\n", finding->name);
    else
        print_bytes(finding);
    if (has_older(finding)) {
        print_side(found, kinds[kind].older, &finding->older, &told->older);
        fputc('\n', stderr);
    }
    print_why(told);
    fprintf(stderr, "    %s\n", kinds[kind].advice);
}

// --- For machines ----------------------------------------------------------------------------------------------------

static void print_json_side(const struct sanitize_found *found, const char *before, const char *role,
                            const struct sanitize_side *side, const struct machine_where *where)
{
    const uint32_t thread = side->warp * 32 + side->lane, *block = found->block, *grid = found->grid;
    look_print_json_place(role, where, before);
    fprintf(stderr, ", \"%scta\": [%llu, %llu, %llu], \"%sthread\": [%u, %u, %u], \"%sproxy\": \"%s\"", before,
            (unsigned long long)(side->cta % grid[0]), (unsigned long long)(side->cta / grid[0] % grid[1]),
            (unsigned long long)(side->cta / grid[0] / grid[1]), before, thread % block[0],
            thread / block[0] % block[1], thread / block[0] / block[1], before,
            side->flags & SHADOW_ASYNC ? "async" : "generic");
}

static void print_json(const struct sanitize_found *found, const struct told *told)
{
    const struct sanitize_finding *finding = told->finding;
    const enum sanitize_kind kind = finding->kind;
    char signature[DEMANGLED_BYTES];
    const size_t length = demangle_function(found->kernel, strlen(found->kernel), signature, sizeof signature);
    fprintf(stderr, "{\"sanitize\": \"%s\"", kinds[kind].id);
    look_print_key("kernel", found->kernel, strlen(found->kernel));
    look_print_key("signature", signature, length);
    look_print_key("message", kinds[kind].sentence, strlen(kinds[kind].sentence));
    print_json_side(found, "", kinds[kind].newer, main_side(finding),
                    finding->kind == SANITIZE_EXIT ? &told->older : &told->newer);
    if (has_older(finding)) print_json_side(found, "other_", kinds[kind].older, &finding->older, &told->older);
    look_print_key("name", finding->name, strlen(finding->name));
    look_print_key("mbarrier", finding->barrier, strlen(finding->barrier));
    fprintf(stderr, ", \"address\": \"0x%llx\", \"bytes\": %u, \"space\": \"%s\", \"times\": %llu",
            (unsigned long long)finding->address, finding->bytes, access_space_name(finding->space),
            (unsigned long long)finding->seen);
    if (finding->space == SPACE_SHARED) fprintf(stderr, ", \"memory_cta\": %llu", (unsigned long long)finding->cta);
    look_print_key("missing", kinds[kind].missing, strlen(kinds[kind].missing));
    look_print_key("advice", kinds[kind].advice, strlen(kinds[kind].advice));
    fprintf(stderr, "}\n");
}

static void print_verdict(const struct sanitize_found *found, uint32_t count, const char *incomplete)
{
    const char *verdict = count > 0 ? "findings" : incomplete != NULL ? "incomplete" : "clean";
    char kernel[DEMANGLED_BYTES];
    const size_t length = demangle_function(found->kernel, strlen(found->kernel), kernel, sizeof kernel);
    if (found->is_json) {
        fprintf(stderr, "{\"sanitize\": \"VERDICT\", \"verdict\": \"%s\"", verdict);
        look_print_key("kernel", found->kernel, strlen(found->kernel));
        look_print_key("signature", kernel, length);
        fprintf(stderr, ", \"findings\": %u", count);
        if (incomplete != NULL) look_print_key("incomplete", incomplete, strlen(incomplete));
        fprintf(stderr, "}\n");
        return;
    }
    plain_printf(stderr, "tmaref: sanitize: kernel %s: ", kernel);
    if (count > 0) fprintf(stderr, "%u finding%s", count, count == 1 ? "" : "s");
    if (count > 0 && incomplete != NULL) fprintf(stderr, ", and ");
    if (incomplete != NULL) fprintf(stderr, "incomplete: %s", incomplete);
    if (count == 0 && incomplete == NULL) fprintf(stderr, "clean");
    fputc('\n', stderr);
}

static int is_told(const struct told *told, uint32_t count, const struct told *one)
{
    for (uint32_t i = 0; i < count; i++)
        if (told[i].finding->kind == one->finding->kind && look_is_same_place(&told[i].newer, &one->newer) &&
            look_is_same_place(&told[i].older, &one->older))
            return 1;
    return 0;
}

// Is it what follows from bytes that nobody expected? A wait cannot know of their copy.
static int follows(const struct sanitize_found *found, const struct sanitize_finding *finding)
{
    if (finding->barrier[0] == '\0' || finding->kind == SANITIZE_UNEXPECTED) return 0;
    for (uint32_t i = 0; i < found->count; i++)
        if (found->item[i].kind == SANITIZE_UNEXPECTED && strcmp(found->item[i].barrier, finding->barrier) == 0)
            return 1;
    return 0;
}

void sanitize_found_tell(const struct sanitize_found *found, const struct look_tally *tally,
                         const struct machine_module *module, const char *incomplete)
{
    struct told told[SANITIZE_TOLD];
    uint32_t count = 0, advice = 0, left_out = found->lost;
    fflush(stdout);
    for (uint32_t i = 0; i < found->count; i++) {
        const struct sanitize_finding *finding = &found->item[i];
        const struct told one = {finding, look_where_of(tally, module, finding->newer.line),
                                 look_where_of(tally, module, finding->older.line),
                                 look_where_of(tally, module, finding->newer.note.line),
                                 look_where_of(tally, module, finding->older.note.line)};
        if (follows(found, finding) || is_told(told, count, &one)) continue;
        left_out += count == SANITIZE_TOLD;
        if (count == SANITIZE_TOLD) continue;
        told[count++] = one;
        advice += sanitize_is_advice(finding->kind) != 0;
        (found->is_json ? print_json : print_text)(found, &one);
    }
    if (left_out > 0 && !found->is_json)
        fprintf(stderr, "tmaref: sanitize: %u more findings are left out, at other lines. Mend these first\n",
                left_out);
    if (count > advice) note_add(found->notes, NOTE_ERROR);
    print_verdict(found, count - advice, incomplete);
}
