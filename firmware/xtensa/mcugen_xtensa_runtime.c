/* What compilers call for Xtensa and no package brings: 64-bit products and quotients, and the
 * quotient of two floats, rounded to nearest even as everywhere. Doubles are not among it. */
#include <stdint.h>
#include <string.h>

int64_t __muldi3(int64_t a, int64_t b);
uint64_t __udivdi3(uint64_t a, uint64_t b);
uint64_t __umoddi3(uint64_t a, uint64_t b);
int64_t __divdi3(int64_t a, int64_t b);
int64_t __moddi3(int64_t a, int64_t b);
float __divsf3(float a, float b);

#define WORD_BITS 32U
#define HALF_BITS 16U
#define HALF 0xffffU

/* The 64 bits of a product of words, from products of halves. */
static uint64_t product(uint32_t a, uint32_t b)
{
    const uint32_t low = (a & HALF) * (b & HALF);
    const uint32_t first = (a >> HALF_BITS) * (b & HALF) + (low >> HALF_BITS);
    const uint32_t second = (a & HALF) * (b >> HALF_BITS) + (first & HALF);
    const uint32_t high = (a >> HALF_BITS) * (b >> HALF_BITS) + (first >> HALF_BITS)
                          + (second >> HALF_BITS);
    return ((uint64_t)high << WORD_BITS) | (uint64_t)((second << HALF_BITS) | (low & HALF));
}

int64_t __muldi3(int64_t a, int64_t b)
{
    const uint32_t a_low = (uint32_t)(uint64_t)a;
    const uint32_t b_low = (uint32_t)(uint64_t)b;
    const uint32_t a_high = (uint32_t)((uint64_t)a >> WORD_BITS);
    const uint32_t b_high = (uint32_t)((uint64_t)b >> WORD_BITS);
    const uint32_t cross = a_high * b_low + a_low * b_high;
    return (int64_t)(product(a_low, b_low) + ((uint64_t)cross << WORD_BITS));
}

/* Quotient and remainder, a bit at a time; of a division by zero neither means anything. */
static uint64_t divide(uint64_t a, uint64_t b, uint64_t *rest)
{
    uint64_t quotient = 0U;
    uint64_t left = 0U;
    for (uint32_t bit = 2U * WORD_BITS; bit > 0U; bit--) {
        const uint32_t carry = (uint32_t)(left >> (2U * WORD_BITS - 1U));
        left = (left << 1) | ((a >> (bit - 1U)) & 1U);
        quotient <<= 1;
        if (carry != 0U || left >= b) {
            left -= b;
            quotient |= 1U;
        }
    }
    *rest = left;
    return quotient;
}

static uint64_t magnitude(int64_t a)
{
    return (a < 0) ? (0U - (uint64_t)a) : (uint64_t)a;
}

uint64_t __udivdi3(uint64_t a, uint64_t b)
{
    uint64_t rest;
    return divide(a, b, &rest);
}

uint64_t __umoddi3(uint64_t a, uint64_t b)
{
    uint64_t rest;
    (void)divide(a, b, &rest);
    return rest;
}

int64_t __divdi3(int64_t a, int64_t b)
{
    uint64_t rest;
    const uint64_t quotient = divide(magnitude(a), magnitude(b), &rest);
    return (int64_t)(((a < 0) != (b < 0)) ? (0U - quotient) : quotient);
}

int64_t __moddi3(int64_t a, int64_t b)
{
    uint64_t rest;
    (void)divide(magnitude(a), magnitude(b), &rest);
    return (int64_t)((a < 0) ? (0U - rest) : rest);
}

#define SIGN 0x80000000U
#define INFINITE 0x7f800000U
#define QUIET_NAN 0x7fc00000U
#define MANTISSA_BITS 23U
#define ONE (1U << MANTISSA_BITS)
#define BIAS 127
#define MORE_BITS 3U /* of a quotient beyond the mantissa */
#define ALL_GONE 30U /* a quotient has 27 bits */

/* The mantissa of a number that is not 0, its first bit at MANTISSA_BITS, and its exponent. */
static uint32_t unpack(uint32_t bits, int32_t *exponent)
{
    uint32_t mantissa = bits & (ONE - 1U);
    *exponent = (int32_t)(bits >> MANTISSA_BITS);
    if (*exponent != 0) {
        return mantissa | ONE;
    }
    *exponent = 1;
    while (mantissa < ONE) {
        mantissa <<= 1;
        *exponent -= 1;
    }
    return mantissa;
}

/* The quotient of mantissas, a >= b, with MORE_BITS more bits; the last says that more follow. */
static uint32_t divide_mantissas(uint32_t a, uint32_t b)
{
    uint32_t rest = a - b;
    uint32_t quotient = 1U;
    for (uint32_t step = 0U; step < 3U; step++) { /* 8 bits each: rest < 2^24 */
        quotient = (quotient << 8) | ((rest << 8) / b);
        rest = (rest << 8) % b;
    }
    quotient = (quotient << 2) | ((rest << 2) / b);
    return quotient | (((rest << 2) % b != 0U) ? 1U : 0U);
}

/* `quotient` / 2^26 * 2^(exponent - BIAS) to the nearest float, ties to even. */
static uint32_t pack(uint32_t quotient, int32_t exponent)
{
    uint32_t shift = MORE_BITS;
    uint32_t whole;
    uint32_t below;
    if (exponent >= 2 * BIAS + 1) {
        return INFINITE;
    }
    if (exponent < 1) {
        shift += (uint32_t)(1 - exponent);
        exponent = 1;
    }
    shift = (shift > ALL_GONE) ? ALL_GONE : shift;
    whole = quotient >> shift;
    below = quotient & ((1U << shift) - 1U);
    if (below > (1U << (shift - 1U)) || (below == (1U << (shift - 1U)) && (whole & 1U) != 0U)) {
        whole++;
    }
    return ((uint32_t)(exponent - 1) << MANTISSA_BITS) + whole; /* a carry raises the exponent */
}

static uint32_t divide_magnitudes(uint32_t a, uint32_t b)
{
    int32_t a_exponent;
    int32_t b_exponent;
    uint32_t a_mantissa;
    uint32_t b_mantissa;
    if (a > INFINITE || b > INFINITE || (a == b && (a == 0U || a == INFINITE))) {
        return QUIET_NAN;
    }
    if (a == INFINITE || b == 0U) {
        return INFINITE;
    }
    if (a == 0U || b == INFINITE) {
        return 0U;
    }
    a_mantissa = unpack(a, &a_exponent);
    b_mantissa = unpack(b, &b_exponent);
    if (a_mantissa < b_mantissa) {
        a_mantissa <<= 1;
        a_exponent--;
    }
    return pack(divide_mantissas(a_mantissa, b_mantissa), a_exponent - b_exponent + BIAS);
}

float __divsf3(float a, float b)
{
    uint32_t x;
    uint32_t y;
    float quotient;
    (void)memcpy(&x, &a, sizeof(x));
    (void)memcpy(&y, &b, sizeof(y));
    x = divide_magnitudes(x & ~SIGN, y & ~SIGN) | ((x ^ y) & SIGN);
    (void)memcpy(&quotient, &x, sizeof(quotient));
    return quotient;
}
