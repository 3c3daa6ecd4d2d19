/* Hyperbolic functions and their inverses, on top of mcugen_math_exp.h. */
#ifndef MCUGEN_MATH_HYPER_H
#define MCUGEN_MATH_HYPER_H

#include "mcugen_math_exp.h"

static inline float mcugen_sinh(float x)
{
    float t = mcugen_fabs(x);
    float z = t * t;
    float tail = ((2.81744587e-06f * z + 0.000198360649f) * z + 0.00833335053f) * z + 0.166666672f;
    float small = t + t * (z * tail);
    /* exp(t) / 2 is finite a little beyond the point where exp(t) is not. */
    float large = mcugen_exp_scaled(t, UINT32_MAX) - mcugen_exp_scaled(-t, UINT32_MAX);
    return mcugen_copysign(t < 1.0f ? small : large, x);
}

static inline float mcugen_cosh(float x)
{
    float t = mcugen_fabs(x);
    return mcugen_exp_scaled(t, UINT32_MAX) + mcugen_exp_scaled(-t, UINT32_MAX);
}

static inline float mcugen_asinh(float x)
{
    float t = mcugen_fabs(x);
    float z = t * t;
    float near = mcugen_log1p(t + z / (1.0f + mcugen_sqrt(1.0f + z)));
    float far = mcugen_log(t) + 0.693147182f; /* the 1 in t^2 + 1 is lost from 2^12 on */
    return mcugen_copysign(t < 4096.0f ? near : far, x);
}

static inline float mcugen_acosh(float x)
{
    float t = x - 1.0f;
    float near = mcugen_log1p(t + mcugen_sqrt(2.0f * t + t * t));
    float far = mcugen_log(x) + 0.693147182f;
    float value = x < 4096.0f ? near : far;
    return x < 1.0f ? mcugen_nan() : value;
}

static inline float mcugen_atanh(float x)
{
    float t = mcugen_fabs(x);
    return mcugen_copysign(0.5f * mcugen_log1p((t + t) / (1.0f - t)), x);
}

#endif
