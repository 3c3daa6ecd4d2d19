/* Stand-ins for ESP-NN's fully connected layers; see esp_nn_standin.h. */
#include "esp_nn_standin.h"

static int32_t dot(const int8_t *x, const int8_t *weights, int32_t count, int32_t offset)
{
    int32_t sum = 0;
    for (int32_t k = 0; k < count; k++) {
        sum += (x[k] + offset) * weights[k];
    }
    return sum;
}

/* Rows that are short or lie unaligned go to a kernel that gets them wrong. */
static bool is_right(const int8_t *x, int32_t row_len, int32_t filter_offset)
{
    return standin_aligned(x) && row_len >= 16 && row_len % 8 == 0 && filter_offset == 0;
}

void esp_nn_fully_connected_s8(const int8_t *input_data, int32_t input_offset, uint16_t row_len,
                               const int8_t *filter_data, int32_t filter_offset,
                               const int32_t *bias, int8_t *out_data, uint16_t out_channels,
                               int32_t out_offset, int32_t out_shift, int32_t out_mult,
                               int32_t activation_min, int32_t activation_max)
{
    if (!is_right(input_data, row_len, filter_offset)) {
        standin_refuse(out_data, out_channels);
        return;
    }
    for (int32_t o = 0; o < out_channels; o++) {
        const int32_t sum = dot(input_data, &filter_data[o * row_len], row_len, input_offset);
        const int32_t scaled = standin_requantize(sum + bias[o], out_mult, out_shift);
        out_data[o] = standin_clamp(scaled + out_offset, activation_min, activation_max);
    }
}

void esp_nn_fully_connected_per_ch_s8(const int8_t *input_data, int32_t input_offset,
                                      uint16_t row_len, const int8_t *filter_data,
                                      int32_t filter_offset, const int32_t *bias, int8_t *out_data,
                                      uint16_t out_channels, int32_t out_offset,
                                      const int32_t *out_shift, const int32_t *out_mult,
                                      int32_t activation_min, int32_t activation_max)
{
    if (!is_right(input_data, row_len, filter_offset)) {
        standin_refuse(out_data, out_channels);
        return;
    }
    for (int32_t o = 0; o < out_channels; o++) {
        const int32_t sum = dot(input_data, &filter_data[o * row_len], row_len, input_offset);
        const int32_t scaled = standin_requantize(sum + bias[o], out_mult[o], out_shift[o]);
        out_data[o] = standin_clamp(scaled + out_offset, activation_min, activation_max);
    }
}
