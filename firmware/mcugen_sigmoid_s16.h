/*
 * Sigmoid and tanh of int16 by a table with straight lines between its entries.
 *
 * Twin of codegen/mcugen/ops/qsigmoid.py. v: the input in steps of 1/12288; table: 65536 *
 * sigmoid(i / 24), 256 entries. The results are in steps of 1/32768.
 */
#ifndef MCUGEN_SIGMOID_S16_H
#define MCUGEN_SIGMOID_S16_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The table at size / 2^bits; `limit` beyond it. The result is below 2^25. */
static inline int32_t mcugen_on_lines(uint32_t size, uint32_t bits, int32_t limit,
                                      const uint16_t *table)
{
    const uint32_t index = size >> bits;
    if (index >= 255u) {
        return limit;
    }
    const int32_t low = table[index];
    const int32_t rest = (int32_t)(size & (((uint32_t)1 << bits) - 1u));
    return low * ((int32_t)1 << bits) + rest * ((int32_t)table[index + 1u] - low);
}

static inline int16_t mcugen_sigmoid_s16(int32_t v, const uint16_t *table)
{
    const uint32_t size = v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
    const int32_t value = (mcugen_on_lines(size, 9u, 0x7FFF << 10, table) + (1 << 9)) >> 10;
    return (int16_t)(v < 0 ? 32768 - value : value);
}

/* tanh(x) = 2 * sigmoid(2x) - 1 */
static inline int16_t mcugen_tanh_s16(int32_t v, const uint16_t *table)
{
    const uint32_t size = v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
    const int32_t twice = mcugen_on_lines(size, 8u, 0xFFFF << 8, table);
    const int32_t value = (twice - (1 << 23) + (1 << 7)) >> 8;
    return (int16_t)(v < 0 ? -value : value);
}

#ifdef __cplusplus
}
#endif

#endif
