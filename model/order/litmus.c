// SPDX-License-Identifier: MIT
// What every executor of litmus tests has to compute alike (litmus.h).
#include "litmus.h"

int64_t litmus_compute(enum litmus_operation operation, int64_t old, int64_t operand, int64_t swap)
{
    switch (operation) {
    case DO_ADD:
        return old + operand;
    case DO_SUB:
        return old - operand;
    case DO_MUL:
        return old * operand;
    case DO_DIV:
        return operand == 0 ? 0 : old / operand;
    case DO_AND:
        return old & operand;
    case DO_OR:
        return old | operand;
    case DO_XOR:
        return old ^ operand;
    case DO_MIN:
        return old < operand ? old : operand;
    case DO_MAX:
        return old > operand ? old : operand;
    case DO_COMPARE_SWAP:
        return old == operand ? swap : old;
    default:
        return operand; // moves and exchanges
    }
}

int litmus_compare(enum litmus_operation compare, int64_t left, int64_t right)
{
    switch (compare) {
    case IF_EQUAL:
        return left == right;
    case IF_NOT_EQUAL:
        return left != right;
    case IF_LESS:
        return left < right;
    case IF_LESS_EQUAL:
        return left <= right;
    case IF_GREATER:
        return left > right;
    case IF_GREATER_EQUAL:
        return left >= right;
    default:
        return 1;
    }
}

static int64_t leaf_value(const struct litmus_leaf *leaf, const struct litmus_end *end)
{
    if (leaf->kind == LEAF_NUMBER) return leaf->number;
    return leaf->kind == LEAF_PLACE ? end->place[leaf->index] : end->reg[leaf->thread][leaf->index];
}

int litmus_holds(const struct litmus *test, int term, const struct litmus_end *end)
{
    const struct litmus_term *at = &test->term[term];
    switch (at->kind) {
    case TERM_AND:
        return litmus_holds(test, at->left, end) && litmus_holds(test, at->right, end);
    case TERM_OR:
        return litmus_holds(test, at->left, end) || litmus_holds(test, at->right, end);
    case TERM_NOT:
        return !litmus_holds(test, at->left, end);
    case TERM_COMPARE:
        return litmus_compare(at->compare, leaf_value(&at->leaf[0], end), leaf_value(&at->leaf[1], end));
    default:
        return 1;
    }
}

static bool same_gpu(const struct litmus_thread *a, const struct litmus_thread *b)
{
    return !a->is_host && !b->is_host && a->gpu == b->gpu;
}

// Without a cluster launch every CTA is a cluster of its own.
static bool same_cluster(const struct litmus_thread *a, const struct litmus_thread *b)
{
    return same_gpu(a, b) && a->grid == b->grid && a->cluster == b->cluster && (a->cluster >= 0 || a->cta == b->cta);
}

bool litmus_in_scope(const struct litmus *test, int thread, enum access_scope scope, int other)
{
    const struct litmus_thread *a = &test->thread[thread], *b = &test->thread[other];
    if (thread == other) return true;
    switch (scope) {
    case SCOPE_CTA:
        return same_cluster(a, b) && a->cta == b->cta;
    case SCOPE_CLUSTER:
        return same_cluster(a, b);
    case SCOPE_GPU:
        return same_gpu(a, b);
    default:
        return scope == SCOPE_SYS;
    }
}
