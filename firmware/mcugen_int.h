/*
 * Integer operations that C leaves undefined for some operands, defined for all:
 * a division by zero gives 0, and so does its remainder; what overflows wraps around.
 */
#ifndef MCUGEN_INT_H
#define MCUGEN_INT_H

#include <stdint.h>

/* Towards zero. The lowest number divided by -1 is itself. */
static inline int32_t mcugen_div_int32(int32_t a, int32_t b)
{
    if (b == -1) {
        return (int32_t)(0u - (uint32_t)a);
    }
    return b == 0 ? 0 : a / b;
}

static inline int64_t mcugen_div_int64(int64_t a, int64_t b)
{
    if (b == -1) {
        return (int64_t)(0u - (uint64_t)a);
    }
    return b == 0 ? 0 : a / b;
}

static inline uint32_t mcugen_div_uint32(uint32_t a, uint32_t b)
{
    return b == 0u ? 0u : a / b;
}

static inline uint64_t mcugen_div_uint64(uint64_t a, uint64_t b)
{
    return b == 0u ? 0u : a / b;
}

/* The remainder of the division towards zero: it has the sign of a. */
static inline int64_t mcugen_rem_int64(int64_t a, int64_t b)
{
    return (b == 0 || b == -1) ? 0 : a % b;
}

static inline int32_t mcugen_rem_int32(int32_t a, int32_t b)
{
    return (b == 0 || b == -1) ? 0 : a % b;
}

static inline uint32_t mcugen_rem_uint32(uint32_t a, uint32_t b)
{
    return b == 0u ? 0u : a % b;
}

static inline uint64_t mcugen_rem_uint64(uint64_t a, uint64_t b)
{
    return b == 0u ? 0u : a % b;
}

/* The remainder of the division towards minus infinity: it has the sign of b. */
static inline int32_t mcugen_mod_int32(int32_t a, int32_t b)
{
    int32_t r = mcugen_rem_int32(a, b);
    return (r != 0 && (r < 0) != (b < 0)) ? r + b : r;
}

static inline int64_t mcugen_mod_int64(int64_t a, int64_t b)
{
    int64_t r = mcugen_rem_int64(a, b);
    return (r != 0 && (r < 0) != (b < 0)) ? r + b : r;
}

/* a^n modulo 2^64. */
static inline uint64_t mcugen_pow_uint64(uint64_t a, uint64_t n)
{
    uint64_t result = 1u;
    for (; n != 0u; n >>= 1) {
        if ((n & 1u) != 0u) {
            result *= a;
        }
        a *= a;
    }
    return result;
}

/* a^n for a signed n: towards zero where that is a fraction, 0 for 0 to a negative power. */
static inline uint64_t mcugen_pow_int64(uint64_t a, int64_t n)
{
    if (n >= 0) {
        return mcugen_pow_uint64(a, (uint64_t)n);
    }
    if (a == 1u) {
        return 1u;
    }
    if (a == UINT64_MAX) { /* -1 */
        return (n & 1) != 0 ? UINT64_MAX : 1u;
    }
    return 0u;
}

#endif
