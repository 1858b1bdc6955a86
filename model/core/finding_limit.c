// SPDX-License-Identifier: MIT
#include "finding_limit.h"

#include <stdbool.h>
#include <string.h>

#include "rules/acquire.h"
#include "rules/bulk.h"
#include "rules/cache.h"
#include "rules/cluster.h"
#include "rules/copy.h"
#include "rules/im2col.h"
#include "rules/instruction.h"
#include "rules/load.h"
#include "rules/map.h"
#include "rules/matrix.h"
#include "rules/mbarrier.h"
#include "rules/multicast.h"
#include "rules/operand.h"
#include "rules/prefetch.h"
#include "rules/reduce.h"
#include "rules/replace.h"
#include "rules/store.h"
#include "rules/wgmma.h"

// The ids say of most rules what their limit is: LOAD_SMEM_ALIGN, MAP_STRIDE_ALIGN_32.
static bool id_says(enum rule rule, const char *word)
{
    const char *at = strstr(rule_row(rule)->id, word);
    return at != NULL && (at[strlen(word)] == '\0' || at[strlen(word)] == '_');
}

static bool is_multiple(const struct finding *finding)
{
    switch ((int)finding->rule) {
    case RULE_MAP_INNER_BYTES:
    case RULE_BULK_SIZE:
    case RULE_LOAD_MAP_ADDRESS:
    case RULE_CLUSTER_GRID_DIVISIBLE:
        return true;
    case RULE_REPLACE_VALUE: // of one rule for all fields
        return finding->limit <= 32 &&
               (strcmp(finding->argument, "global_address") == 0 || strcmp(finding->argument, "global_stride") == 0);
    default:
        return id_says(finding->rule, "_ALIGN");
    }
}

static bool is_exact(enum rule rule)
{
    switch ((int)rule) {
    case RULE_LOAD_RANK:
    case RULE_STORE_RANK:
    case RULE_LOAD_MODE:
    case RULE_STORE_MODE:
    case RULE_LOAD_OTHER_BARRIER:
    case RULE_MAP_BITS_RESERVED:
    case RULE_MAP_BITS_REDUNDANT:
    case RULE_MAP_INTERLEAVE_32B_SWIZZLE:
    case RULE_REPLACE_TF32:
    case RULE_IM2COL_STORE_CORNERS:
        return true;
    default:
        return false;
    }
}

static bool is_below(enum rule rule)
{
    return rule == RULE_OPERAND_RANK || rule == RULE_MATRIX_ROW_RANK || id_says(rule, "_WINDOW");
}

// Rules whose numbers are of different kinds, or sets: an address and a rank, a mask, an enumeration.
static bool is_only_nearest(enum rule rule)
{
    switch ((int)rule) {
    case RULE_ACQUIRE_MAP_LIMIT:
    case RULE_PREFETCH_ADDRESS_LIMIT:
    case RULE_CLUSTER_EXITED:
    case RULE_MULTICAST_MASK:
    case RULE_OPERAND_NOWHERE:
    case RULE_OPERAND_BARRIER_NOWHERE:
    case RULE_MAP_BITS_FIELD:
    case RULE_REDUCE_TYPE:
    case RULE_REPLACE_ADDRESS_NULL:
    case RULE_WGMMA_N:
    case RULE_WGMMA_DESCRIPTOR_BITS:
    case RULE_WGMMA_SPARSE_METADATA:
    case RULE_WGMMA_SPARSE_SELECTOR:
        return true;
    default:
        return id_says(rule, "_UNMAPPED");
    }
}

static bool is_none(enum rule rule)
{
    switch ((int)rule) {
    case RULE_INSTRUCTION_FORM:
    case RULE_CACHE_POLICY:
    case RULE_BULK_REDUCE_TYPE:
    case RULE_MAP_LOCATION_SPACE:
    case RULE_MAP_LOCATION_UNMAPPED:
    case RULE_COPY_MAP_SPACE:
    case RULE_MBARRIER_GENERIC_SPACE:
    case RULE_CLUSTER_NONE:
        return true;
    default:
        return false;
    }
}

static bool is_less(const struct finding *finding, uint64_t a, uint64_t b)
{
    return finding->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static bool is_end(enum rule rule)
{
    return id_says(rule, "_BOUNDS") || rule == RULE_BULK_REMOTE_LIMIT || rule == RULE_LOAD_REMOTE_LIMIT ||
           rule == RULE_CLUSTER_LIMIT;
}

// Where the nearest legal value is past the limit, more has to change than this number, so the limit is left out.
static enum finding_limit limit_of_range(const struct finding *finding)
{
    if (is_less(finding, finding->limit, finding->value)) {
        if (is_less(finding, finding->limit, finding->nearest)) return LIMIT_NEAREST;
        return finding->limit == 0 && !finding->is_signed ? LIMIT_EXACT : LIMIT_MOST;
    }
    if (!is_less(finding, finding->value, finding->limit)) return LIMIT_NEAREST;
    return is_less(finding, finding->nearest, finding->limit) ? LIMIT_NEAREST : LIMIT_LEAST;
}

enum finding_limit finding_limit(const struct finding *finding)
{
    enum rule rule = finding->rule;
    if (is_none(rule)) return LIMIT_NONE;
    if (is_only_nearest(rule)) return LIMIT_NEAREST;
    if (is_multiple(finding) && finding->limit != 0 && finding->value % finding->limit != 0) return LIMIT_MULTIPLE;
    if (is_exact(rule)) return LIMIT_EXACT;
    if (is_below(rule)) return LIMIT_BELOW;
    if (is_end(rule) && finding->limit != finding->nearest)
        return finding->nearest < finding->limit ? LIMIT_END : LIMIT_NEAREST; // a rank stands in the address alone
    if (rule == RULE_CLUSTER_COMPILED && strcmp(finding->argument, "clusterDim") == 0) return LIMIT_EXACT;
    return limit_of_range(finding);
}
