// SPDX-License-Identifier: MIT
// The slow arithmetic of one element. A float is its exact value: an integer number of least subnormals, as many bits
// long as the format needs (2098 for float64). Sums of such integers are exact, and are rounded once, bit by bit.
#include "slow_store.h"

enum { LIMBS = 67 };

struct format {
    int exponent_bits, fraction_bits;
};

// `limb[0]` is the lowest 32 bits.
struct number {
    bool is_negative;
    uint32_t limb[LIMBS];
};

static struct format format_of(enum dtype dtype)
{
    if (dtype == DTYPE_FLOAT16) return (struct format){5, 10};
    if (dtype == DTYPE_BFLOAT16) return (struct format){8, 7};
    if (dtype == DTYPE_FLOAT64) return (struct format){11, 52};
    return (struct format){8, 23};
}

static uint64_t power(int bits)
{
    return (uint64_t)1 << bits;
}

static uint64_t sign_bit(struct format f)
{
    return power(f.exponent_bits + f.fraction_bits);
}

static uint64_t infinity(struct format f)
{
    return sign_bit(f) - power(f.fraction_bits);
}

static uint64_t magnitude(struct format f, uint64_t bits)
{
    return bits % sign_bit(f);
}

static bool is_nan(struct format f, uint64_t bits)
{
    return magnitude(f, bits) > infinity(f);
}

static bool is_subnormal(struct format f, uint64_t bits)
{
    return magnitude(f, bits) < power(f.fraction_bits);
}

// --- exact numbers ---------------------------------------------------------------------------------------------------

static int limbs_of(struct format f)
{
    return (int)(power(f.exponent_bits) + (uint64_t)f.fraction_bits) / 32 + 1;
}

static int bit_of(const struct number *number, int bit)
{
    return (int)(number->limb[bit / 32] >> bit % 32 & 1);
}

// A finite float.
static struct number number_of(struct format f, uint64_t bits)
{
    struct number number = {.is_negative = bits >= sign_bit(f)};
    uint64_t fraction = bits % power(f.fraction_bits);
    int exponent = (int)(magnitude(f, bits) >> f.fraction_bits);
    int shift = exponent > 0 ? exponent - 1 : 0;
    if (exponent > 0) fraction += power(f.fraction_bits);
    for (int bit = 0; bit <= f.fraction_bits; bit++) {
        uint32_t value = fraction >> bit & 1;
        number.limb[(shift + bit) / 32] += value << (shift + bit) % 32;
    }
    return number;
}

static bool is_less(const struct number *a, const struct number *b, int limbs)
{
    for (int i = limbs - 1; i >= 0; i--) {
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i];
    }
    return false;
}

// The exact sum; the sign of a zero is that of `a`.
static struct number sum_of(struct number a, struct number b, int limbs)
{
    int64_t carry = 0;
    if (a.is_negative != b.is_negative && is_less(&a, &b, limbs)) return sum_of(b, a, limbs);
    for (int i = 0; i < limbs; i++) {
        int64_t sum = a.limb[i] + carry + (a.is_negative == b.is_negative ? (int64_t)b.limb[i] : -(int64_t)b.limb[i]);
        a.limb[i] = (uint32_t)sum;
        carry = sum >> 32;
    }
    return a;
}

static int highest_bit(const struct number *number, int limbs)
{
    for (int bit = 32 * limbs - 1; bit >= 0; bit--) {
        if (number->limb[bit / 32] == 0)
            bit -= bit % 32;
        else if (bit_of(number, bit))
            return bit;
    }
    return -1;
}

// Is the number rounded up when its lowest `cut` bits are dropped and `kept` stays?
static int rounds_up(const struct number *number, int cut, uint64_t kept, enum slow_mutant mutant)
{
    bool is_above = false;
    if (cut == 0 || mutant == SLOW_ADD_TRUNCATES || !bit_of(number, cut - 1)) return 0;
    for (int bit = 0; bit < cut - 1; bit++) {
        if (number->limb[bit / 32] == 0) bit += 31 - bit % 32;
        if (bit < cut - 1 && bit_of(number, bit)) is_above = true;
    }
    return is_above || kept % 2 == 1 || mutant == SLOW_ADD_HALF_AWAY;
}

static uint64_t bits_of(struct format f, const struct number *number, enum slow_mutant mutant)
{
    int highest = highest_bit(number, limbs_of(f));
    int cut = highest > f.fraction_bits ? highest - f.fraction_bits : 0;
    uint64_t kept = 0;
    for (int bit = 0; bit <= f.fraction_bits; bit++) kept += (uint64_t)bit_of(number, cut + bit) << bit;
    kept += (uint64_t)rounds_up(number, cut, kept, mutant);
    uint64_t result = kept + ((uint64_t)cut << f.fraction_bits); // a carry goes into the exponent, as it should
    if (result >= infinity(f)) result = infinity(f) - (mutant == SLOW_ADD_SATURATES);
    return result + (number->is_negative ? sign_bit(f) : 0);
}

// --- operations ------------------------------------------------------------------------------------------------------

static uint64_t flush(struct format f, uint64_t bits, enum slow_mutant mutant)
{
    if (!is_subnormal(f, bits)) return bits;
    return mutant == SLOW_FTZ_UNSIGNED ? 0 : bits - magnitude(f, bits);
}

static uint64_t nan_sum(struct format f, uint64_t memory, uint64_t source, enum slow_mutant mutant)
{
    uint64_t quiet = power(f.fraction_bits - 1), found = is_nan(f, source) ? source : memory;
    bool is_new = !is_nan(f, found);
    if (f.fraction_bits == 52 && mutant != SLOW_F64_NAN_ONE) {
        if (is_new) return infinity(f) + quiet + (mutant == SLOW_F64_NAN_POSITIVE ? 0 : sign_bit(f));
        if (mutant == SLOW_F64_NAN_MEMORY && is_nan(f, memory)) found = memory;
        return mutant == SLOW_F64_NAN_QUIETED ? found | quiet : found;
    }
    if (mutant == SLOW_NAN_QUIET_BIT) return infinity(f) + quiet;
    return mutant == SLOW_NAN_PAYLOAD && !is_new ? found : sign_bit(f) - 1;
}

static uint64_t float_sum(struct format f, uint64_t memory, uint64_t source, enum slow_mutant mutant)
{
    bool is_opposite = (memory >= sign_bit(f)) != (source >= sign_bit(f));
    bool both_infinite = magnitude(f, memory) == infinity(f) && magnitude(f, source) == infinity(f);
    if (is_nan(f, memory) || is_nan(f, source)) return nan_sum(f, memory, source, mutant);
    if (both_infinite && is_opposite) return nan_sum(f, memory, source, mutant);
    if (magnitude(f, memory) == infinity(f)) return memory;
    if (magnitude(f, source) == infinity(f)) return source;
    struct number sum = sum_of(number_of(f, memory), number_of(f, source), limbs_of(f));
    uint64_t bits = bits_of(f, &sum, mutant);
    if (magnitude(f, bits) != 0 || highest_bit(&sum, limbs_of(f)) >= 0) return bits;
    if (is_opposite) return mutant == SLOW_ADD_MINUS_ZERO ? sign_bit(f) : 0;
    return mutant == SLOW_ADD_PLUS_ZERO ? 0 : bits;
}

static bool is_flushed(enum dtype dtype, enum slow_mutant mutant)
{
    if (dtype == DTYPE_FLOAT32_FTZ) return true;
    if (dtype == DTYPE_TFLOAT32_FTZ) return mutant != SLOW_FTZ_NOT_TF32;
    if (dtype == DTYPE_FLOAT64) return mutant == SLOW_F64_FLUSHES;
    if (dtype == DTYPE_FLOAT16 || dtype == DTYPE_BFLOAT16) return mutant == SLOW_F16_FLUSHES;
    return mutant == SLOW_F32_FLUSHES;
}

static uint64_t add_floats(enum dtype dtype, uint64_t memory, uint64_t source, enum slow_mutant mutant)
{
    struct format f = format_of(dtype);
    bool flushes = is_flushed(dtype, mutant);
    if (flushes && mutant != SLOW_FTZ_RESULTS) {
        memory = flush(f, memory, mutant);
        source = flush(f, source, mutant);
    }
    uint64_t sum = float_sum(f, memory, source, mutant);
    if (mutant == SLOW_ADD_TF32 && dtype == DTYPE_TFLOAT32) return slow_tf32((uint32_t)sum, SLOW_NONE);
    return flushes && mutant != SLOW_FTZ_OPERANDS ? flush(f, sum, mutant) : sum;
}

// A number that orders halves: -0 is -1, +0 is 0.
static int64_t order_of(struct format f, uint64_t bits, enum slow_mutant mutant)
{
    int64_t size = (int64_t)magnitude(f, bits);
    if (mutant == SLOW_MIN_FLUSHES && is_subnormal(f, bits)) size = 0;
    if (mutant == SLOW_MIN_ZEROS_EQUAL && size == 0) return 0;
    if (bits < sign_bit(f)) return size;
    return mutant == SLOW_MIN_BITS ? -(int64_t)sign_bit(f) + size : -1 - size;
}

static bool is_signalling(struct format f, uint64_t bits)
{
    return is_nan(f, bits) && magnitude(f, bits) < infinity(f) + power(f.fraction_bits - 1);
}

static uint64_t choose_half(enum reduce_op op, enum dtype dtype, uint64_t memory, uint64_t source,
                            enum slow_mutant mutant)
{
    struct format f = format_of(dtype);
    int nans = is_nan(f, memory) + is_nan(f, source);
    if (nans == 2) return mutant == SLOW_MIN_NAN_KEPT ? memory : sign_bit(f) - 1;
    if (nans == 1 && mutant == SLOW_MIN_NAN_WINS) return sign_bit(f) - 1;
    if (mutant == SLOW_MIN_NAN_SIGNALLING && (is_signalling(f, memory) || is_signalling(f, source))) return 0x7fff;
    if (nans == 1) return is_nan(f, memory) ? source : memory;
    int64_t old = order_of(f, memory, mutant), new = order_of(f, source, mutant);
    return op == REDUCE_MIN ? (new < old ? source : memory) : (new > old ? source : memory);
}

static uint64_t choose_integer(enum reduce_op op, enum dtype dtype, uint64_t memory, uint64_t source,
                               enum slow_mutant mutant)
{
    bool is_signed = dtype == DTYPE_INT32 || dtype == DTYPE_INT64;
    int top = dtype == DTYPE_INT32 || dtype == DTYPE_UINT32 ? 31 : 63;
    bool turn = (is_signed && mutant != SLOW_MIN_UNSIGNED) || mutant == SLOW_MIN_ALL_SIGNED;
    int old_top = (int)(memory >> top & 1), new_top = (int)(source >> top & 1);
    bool is_greater = old_top != new_top ? new_top > old_top : source > memory;
    if (turn && old_top != new_top) is_greater = !is_greater;
    if (source == memory) return memory;
    return is_greater == (op == REDUCE_MAX) ? source : memory;
}

// Byte by byte, with a carry.
static uint64_t add_integers(enum dtype dtype, uint64_t memory, uint64_t source, enum slow_mutant mutant)
{
    int bytes = dtype == DTYPE_UINT32 || dtype == DTYPE_INT32 ? 4 : 8;
    uint64_t sum = 0, carry = 0;
    for (int i = 0; i < bytes; i++) {
        if (i == 4 && mutant == SLOW_ADD_NO_CARRY) carry = 0;
        carry += (memory >> 8 * i & 255) + (source >> 8 * i & 255);
        sum += carry % 256 << 8 * i;
        carry /= 256;
    }
    return carry > 0 && mutant == SLOW_ADD_CLAMPS ? (bytes == 4 ? UINT32_MAX : UINT64_MAX) : sum;
}

static uint64_t count(enum reduce_op op, uint64_t memory, uint64_t source, enum slow_mutant mutant)
{
    if (mutant == SLOW_INC_SWAPPED) return count(op, source, memory, SLOW_NONE);
    if (op == REDUCE_INC) {
        if (memory == UINT32_MAX) return 0;
        if (mutant == SLOW_INC_PASSES && memory == source) return memory + 1;
        return memory < source ? memory + 1 : 0;
    }
    if (mutant == SLOW_DEC_EARLY && memory == source) return source;
    if (memory == 0) return source;
    return memory <= source || mutant == SLOW_DEC_PASSES ? memory - 1 : source;
}

static uint64_t combine(enum reduce_op op, uint64_t memory, uint64_t source)
{
    uint64_t result = 0;
    for (int bit = 0; bit < 64; bit++) {
        int ones = (int)(memory >> bit & 1) + (int)(source >> bit & 1);
        int value = op == REDUCE_AND ? ones == 2 : op == REDUCE_OR ? ones > 0 : ones == 1;
        result += (uint64_t)value << bit;
    }
    return result;
}

bool slow_reduce_is_legal(enum reduce_op op, enum dtype dtype, enum slow_mutant mutant)
{
    bool is_add = op == REDUCE_ADD, is_choice = op == REDUCE_MIN || op == REDUCE_MAX;
    bool is_count = op == REDUCE_INC || op == REDUCE_DEC;
    switch (dtype) {
    case DTYPE_UINT8:
    case DTYPE_UINT16:
        return mutant == SLOW_LEGAL_U16 && !is_add && !is_choice && !is_count;
    case DTYPE_UINT32:
        return true;
    case DTYPE_INT32:
        return !is_count || mutant == SLOW_LEGAL_S32_INC;
    case DTYPE_UINT64:
        return !is_count;
    case DTYPE_INT64:
        if (is_add) return mutant == SLOW_LEGAL_S64_ADD;
        return is_choice || (mutant == SLOW_LEGAL_S64_BITS && !is_count);
    case DTYPE_FLOAT16:
    case DTYPE_BFLOAT16:
        return is_add || is_choice;
    case DTYPE_FLOAT64:
        return is_add && mutant != SLOW_LEGAL_F64_NONE;
    default:
        return is_add || (is_choice && mutant == SLOW_LEGAL_F32_MIN);
    }
}

uint64_t slow_reduce(enum reduce_op op, enum dtype dtype, uint64_t memory, uint64_t source, enum slow_mutant mutant)
{
    bool is_integer = dtype <= DTYPE_INT64;
    bool is_half = dtype == DTYPE_FLOAT16 || dtype == DTYPE_BFLOAT16;
    switch (op) {
    case REDUCE_ADD:
        return is_integer ? add_integers(dtype, memory, source, mutant) : add_floats(dtype, memory, source, mutant);
    case REDUCE_MIN:
    case REDUCE_MAX:
        return is_half ? choose_half(op, dtype, memory, source, mutant)
                       : choose_integer(op, dtype, memory, source, mutant);
    case REDUCE_INC:
    case REDUCE_DEC:
        return count(op, memory, source, mutant);
    default:
        return combine(op, memory, source);
    }
}

void slow_reduce_bytes(enum reduce_op op, enum dtype dtype, uint8_t *memory, const uint8_t *source,
                       uint32_t element_bytes, enum slow_mutant mutant)
{
    uint64_t old = 0, new = 0;
    for (uint32_t i = 0; i < element_bytes; i++) {
        old += (uint64_t)memory[i] << 8 * i;
        new += (uint64_t)source[i] << 8 * i;
    }
    uint64_t result = slow_reduce(op, dtype, old, new, mutant);
    for (uint32_t i = 0; i < element_bytes; i++) memory[i] = (uint8_t)(result >> 8 * i);
}
