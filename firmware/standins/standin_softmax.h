/*
 * The Softmax of int8 of vendors' kernels, for their stand-ins: gemmlowp's exponential and
 * reciprocal in fixed point.
 */
#ifndef MCUGEN_STANDIN_SOFTMAX_H
#define MCUGEN_STANDIN_SOFTMAX_H

#include "standin_fixed_point.h"

#define STANDIN_SUM_BITS 12 /* integer bits of the sum of exponentials */

/* 1 / e^(2^k) for k = -2..4, in Q0.31. */
static const int32_t standin_powers[7] = {1672461947, 1302514674, 790015084, 290630308,
                                          39332535,   720401,     242};

/* e^x in Q0.31 of x in Q0.31, -1/4 <= x < 0: four terms around -1/8. */
static inline int32_t standin_small_exp(int32_t x)
{
    const int32_t d = x + (1 << 28);
    const int32_t d2 = standin_high_mul(d, d);
    const int32_t d3 = standin_high_mul(d2, d);
    const int32_t d4 = standin_divide_by_power(standin_high_mul(d2, d2), 2);
    const int32_t third = standin_high_mul(d4 + d3, 715827883);
    const int32_t series = d + standin_divide_by_power(third + d2, 1);
    return 1895147668 + standin_high_mul(series, 1895147668);
}

/* e^x in Q0.31 of x in Q5.26, x <= 0. */
static inline int32_t standin_exp(int32_t x)
{
    const int32_t quarter = 1 << 24;
    if (x == 0) {
        return INT32_MAX;
    }
    const int32_t rest = (int32_t)((uint32_t)x & (uint32_t)(quarter - 1)) - quarter;
    int32_t result = standin_small_exp(rest * 32);
    for (int32_t k = 0; k < 7; k++) {
        if ((((rest - x) >> (24 + k)) & 1) != 0) {
            result = standin_high_mul(result, standin_powers[k]);
        }
    }
    return result;
}

static inline int32_t standin_limited(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

/* 1 / (1 + x) in Q0.31 of x in Q0.31, 0 <= x < 1: three steps of Newton's method. */
static inline int32_t standin_reciprocal(int32_t x)
{
    const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
    int32_t guess = 1515870810 + standin_high_mul(half, -1010580540);
    for (int32_t step = 0; step < 3; step++) {
        const int32_t error = (1 << 29) - standin_high_mul(half, guess);
        guess += standin_limited((int64_t)standin_high_mul(guess, error) * 4);
    }
    return standin_limited((int64_t)guess * 2);
}

static inline int32_t standin_scaled_exp(int32_t difference, int32_t mult, int32_t shift)
{
    return standin_exp(standin_high_mul((int32_t)(difference * ((int64_t)1 << shift)), mult));
}

/* What all elements of a row share. */
typedef struct {
    int32_t greatest;
    int32_t scale;    /* 1 / sum in Q0.31, the sum scaled to 1..2 */
    int32_t exponent; /* of a result in whole numbers */
} standin_softmax_line;

static inline standin_softmax_line standin_softmax_sum(const int8_t *x, int32_t size, int32_t mult,
                                                       int32_t shift, int32_t diff_min)
{
    int32_t greatest = x[0];
    int32_t sum = 0;
    int32_t headroom = 0;
    for (int32_t i = 1; i < size; i++) {
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    for (int32_t i = 0; i < size; i++) {
        if (x[i] - greatest >= diff_min) {
            const int32_t e = standin_scaled_exp(x[i] - greatest, mult, shift);
            sum += standin_divide_by_power(e, STANDIN_SUM_BITS);
        }
    }
    while (headroom < 32 && ((uint32_t)sum >> (31 - headroom)) == 0U) {
        headroom++;
    }
    const int64_t fraction = ((int64_t)sum << headroom) - ((int64_t)1 << 31);
    const standin_softmax_line line = {greatest, standin_reciprocal((int32_t)fraction),
                                       STANDIN_SUM_BITS + 31 - headroom};
    return line;
}

/* The share of an element in 2^bits parts. */
static inline int32_t standin_softmax_share(const standin_softmax_line *line, int8_t x,
                                            int32_t mult, int32_t shift, int32_t diff_min,
                                            int32_t bits)
{
    const int32_t difference = x - line->greatest;
    if (difference < diff_min) {
        return 0;
    }
    const int32_t e = standin_scaled_exp(difference, mult, shift);
    return standin_divide_by_power(standin_high_mul(line->scale, e), line->exponent - bits);
}

static inline void standin_softmax_row(const int8_t *x, int32_t size, int32_t mult, int32_t shift,
                                       int32_t diff_min, int8_t *y)
{
    const standin_softmax_line line = standin_softmax_sum(x, size, mult, shift, diff_min);
    for (int32_t i = 0; i < size; i++) {
        const int32_t share = standin_softmax_share(&line, x[i], mult, shift, diff_min, 8);
        y[i] = standin_clamp(share + INT8_MIN, INT8_MIN, INT8_MAX);
    }
}

#endif
