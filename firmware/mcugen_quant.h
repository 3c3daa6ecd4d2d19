/*
 * Integer requantization, shared by the integer kernels.
 *
 * Twin of codegen/mcugen/quantize/fixed_point.py and requant.py, bit for bit. Right shifts of
 * negative numbers are taken to be arithmetic and conversions to a narrower signed type to wrap,
 * as every compiler for the supported cores does. Nothing here overflows a signed integer.
 */
#ifndef MCUGEN_QUANT_H
#define MCUGEN_QUANT_H

#include <stdint.h>

/*
 * Before a loop of multiply-accumulates: four turns at once, after vectorization. On cores without
 * vectors the counting is a third of the work.
 */
#if defined(__GNUC__) && __GNUC__ >= 8
#define MCUGEN_UNROLL_4 _Pragma("GCC unroll 4")
#else
#define MCUGEN_UNROLL_4
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline int32_t mcugen_clamp(int32_t value, int32_t low, int32_t high)
{
    const int32_t above = value < low ? low : value;
    return above > high ? high : above;
}

/* a + b modulo 2^32: an accumulator and a bias may overflow together. */
static inline int32_t mcugen_wrap_add(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

/* (a * b + 2^30) >> 31, ties upward; the one product that does not fit saturates. */
static inline int32_t mcugen_srdhm(int32_t a, int32_t b)
{
    const int64_t product = (int64_t)a * (int64_t)b + ((int64_t)1 << 30);
    const int64_t high = product >> 31;
    return high > INT32_MAX ? INT32_MAX : (int32_t)high;
}

/* value / 2^exponent, ties away from zero; exponent 0..31. */
static inline int32_t mcugen_rounding_divide_by_pot(int32_t value, int32_t exponent)
{
    const int32_t mask = (int32_t)(((uint32_t)1 << exponent) - 1u);
    const int32_t remainder = value & mask;
    const int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
    return (value >> exponent) + (remainder > threshold ? 1 : 0);
}

/*
 * value * multiplier * 2^(shift - 31), rounded twice.
 * multiplier 0..2^31-1 (never -2^31: the product needs no saturation); shift -31..31, positive is
 * left, and what the left shift pushes out is lost.
 */
static inline int32_t mcugen_requantize(int32_t value, int32_t multiplier, int32_t shift)
{
    const int32_t left = shift > 0 ? shift : 0;
    const int32_t right = shift > 0 ? 0 : -shift;
    const int32_t shifted = (int32_t)((uint32_t)value << left);
    const int64_t product = (int64_t)shifted * (int64_t)multiplier + ((int64_t)1 << 30);
    return mcugen_rounding_divide_by_pot((int32_t)(product >> 31), right);
}

/*
 * mcugen_requantize for a right shift of e = bits - 31 places, 1..31, in one 64-bit shift.
 * With p = value * multiplier, the first rounding gives t = floor((p + 2^30) / 2^31), the second
 * floor((t + 2^(e-1)) / 2^e), one less inside for t < 0. Floors nest, so both together are
 * floor((p + 2^30 + 2^(30+e)) / 2^(31+e)), 2^31 less inside for value < 0. (value < 0 with t = 0 is
 * no exception: both sides give 0.)
 */
static inline int32_t mcugen_requantize_once(int32_t value, int32_t multiplier, int32_t bits)
{
    const int64_t away = value < 0 ? ((int64_t)1 << 30) - ((int64_t)1 << 31) : (int64_t)1 << 30;
    const int64_t product = (int64_t)value * (int64_t)multiplier;
    return (int32_t)((product + away + ((int64_t)1 << (bits - 1))) >> bits);
}

/* The same where what is below 0 ends at 0 anyway: then it may come out rounded otherwise. */
static inline int32_t mcugen_requantize_once_up(int32_t value, int32_t multiplier, int32_t bits)
{
    const int64_t product = (int64_t)value * (int64_t)multiplier;
    return (int32_t)((product + ((int64_t)1 << 30) + ((int64_t)1 << (bits - 1))) >> bits);
}

/*
 * mcugen_requantize_once for bits = 32 + places, places 1..30: the lower word of the sum is only
 * its carry, and what is left are operations on 32 bits.
 */
static inline int32_t mcugen_requantize_high(int32_t value, int32_t multiplier, int32_t places)
{
    const int64_t away = value < 0 ? -((int64_t)1 << 30) : (int64_t)1 << 30;
    const int32_t high = (int32_t)(((int64_t)value * (int64_t)multiplier + away) >> 32);
    return (high + ((int32_t)1 << (places - 1))) >> places;
}

/* The same where what is below 0 ends at 0 anyway: then it may come out rounded otherwise. */
static inline int32_t mcugen_requantize_high_up(int32_t value, int32_t multiplier, int32_t places)
{
    const int64_t product = (int64_t)value * (int64_t)multiplier + ((int64_t)1 << 30);
    return ((int32_t)(product >> 32) + ((int32_t)1 << (places - 1))) >> places;
}

/* value * multiplier * 2^(shift - 31), rounded once; shift -31..30. */
static inline int32_t mcugen_requantize_single(int32_t value, int32_t multiplier, int32_t shift)
{
    const int32_t total = 31 - shift;
    const int64_t product = (int64_t)value * (int64_t)multiplier + ((int64_t)1 << (total - 1));
    return (int32_t)(product >> total);
}

/*
 * value * multiplier * 2^-bits, rounded once, halves upward, saturated: sums of int16 activations.
 * |value| < 2^47; multiplier 0..2^15-1; bits 1..46.
 */
static inline int32_t mcugen_requantize_wide(int64_t value, int32_t multiplier, int32_t bits)
{
    const int64_t scaled = (value * multiplier + ((int64_t)1 << (bits - 1))) >> bits;
    const int64_t above = scaled < INT32_MIN ? INT32_MIN : scaled;
    return above > INT32_MAX ? INT32_MAX : (int32_t)above;
}

/*
 * round(value) clamped to [low, high], halves to even.
 * |low|, |high| < 2^22: adding and subtracting 1.5 * 2^23 then rounds to an integer as the
 * processor rounds, without a call into libm.
 */
static inline int32_t mcugen_round_float(float value, float low, float high)
{
    const float above = value < low ? low : value;
    const float inside = above > high ? high : above;
    const float shifted = inside + 12582912.0f;
    return (int32_t)(shifted - 12582912.0f);
}

/* round(value * scale / out_scale) clamped to [low, high], every step in float. */
static inline int32_t mcugen_requantize_float(int32_t value, float scale, float out_scale,
                                              float low, float high)
{
    return mcugen_round_float((float)value * scale / out_scale, low, high);
}

/* The same of a sum of int16 activations. */
static inline int32_t mcugen_requantize_float_wide(int64_t value, float scale, float out_scale,
                                                   float low, float high)
{
    return mcugen_round_float((float)value * scale / out_scale, low, high);
}

#ifdef __cplusplus
}
#endif

#endif
