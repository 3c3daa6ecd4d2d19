/*
 * Numbers and pixels into a model, numbers out of it: what each model's NAME_io.h is made of.
 *
 * C11 and C++17. Twin of codegen/mcugen/io_helpers.py, bit for bit, whatever the flags of the file
 * that includes it: unlike a model's own C it is compiled with the program's.
 */
#ifndef MCUGEN_IO_H
#define MCUGEN_IO_H

#include "mcugen_rt.h"

/* The shared headers are C: C++ programs that forbid its casts in their own text may include it. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#include "mcugen_math_bits.h"
#include "mcugen_math_convert.h"

/*
 * What a model was trained on: (pixel * scale - mean[c]) / std[c] for channel c of its tensor, every
 * step rounded to float. The first entry serves a grey image.
 */
typedef struct mcugen_normalization {
    float scale; /* 1.0f / 255.0f for pixels from 0 to 1 */
    float mean[3];
    float std[3];
    bool swap_red_blue; /* the image is BGR and the tensor RGB, or the other way round */
} mcugen_normalization;

static inline float mcugen_normalized(uint32_t pixel, const mcugen_normalization *how,
                                      uint32_t channel)
{
    /* volatile: a fused multiply-subtract would round once. */
    const volatile float scaled = (float)pixel * how->scale;
    return (scaled - how->mean[channel]) / how->std[channel];
}

/*
 * rint(real / scale) + zero_point within [lowest, highest], halves to even; NaN gives zero_point.
 * All of int8, uint8, int16 and uint16 lies within what mcugen_float_round takes.
 */
static inline int32_t mcugen_quantize(float real, float scale, int32_t zero_point, int32_t lowest,
                                      int32_t highest)
{
    const float low = (float)(lowest - zero_point);
    const float high = (float)(highest - zero_point);
    return mcugen_float_round(real / scale, low, high) + zero_point;
}

static inline int8_t mcugen_quantize_int8(float real, float scale, int32_t zero_point)
{
    return (int8_t)mcugen_quantize(real, scale, zero_point, INT8_MIN, INT8_MAX);
}

static inline uint8_t mcugen_quantize_uint8(float real, float scale, int32_t zero_point)
{
    return (uint8_t)mcugen_quantize(real, scale, zero_point, 0, UINT8_MAX);
}

static inline int16_t mcugen_quantize_int16(float real, float scale, int32_t zero_point)
{
    return (int16_t)mcugen_quantize(real, scale, zero_point, INT16_MIN, INT16_MAX);
}

static inline uint16_t mcugen_quantize_uint16(float real, float scale, int32_t zero_point)
{
    return (uint16_t)mcugen_quantize(real, scale, zero_point, 0, UINT16_MAX);
}

/* (q - zero_point) * scale; the zero point of int32 is 0. */
static inline float mcugen_dequantize(int32_t q, float scale, int32_t zero_point)
{
    return (float)(q - zero_point) * scale;
}

/* Whether `a` is before `b` from the largest down; NaN is above every number, as in ONNX's TopK. */
static inline bool mcugen_above_float(float a, float b)
{
    return a > b || (a != a && b == b);
}

static inline bool mcugen_above_double(double a, double b)
{
    return a > b || (a != a && b == b);
}

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
