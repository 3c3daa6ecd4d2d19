/* Stand-ins for ESP-NN's addition and multiplication; see esp_nn_standin.h. */
#include "esp_nn_standin.h"

static bool lie_aligned(const int8_t *a, const int8_t *b, const int8_t *y)
{
    return standin_aligned(a) && standin_aligned(b) && standin_aligned(y);
}

void esp_nn_add_elementwise_s8(const int8_t *input1_data, const int8_t *input2_data,
                               int32_t input1_offset, int32_t input2_offset, int32_t input1_mult,
                               int32_t input2_mult, int32_t input1_shift, int32_t input2_shift,
                               int32_t left_shift, int8_t *output, int32_t out_offset,
                               int32_t out_mult, int32_t out_shift, int32_t activation_min,
                               int32_t activation_max, int32_t size)
{
    /* left shifts are left out */
    if (input1_shift > 0 || input2_shift > 0 || out_shift > 0
        || !lie_aligned(input1_data, input2_data, output)) {
        standin_refuse(output, size);
        return;
    }
    for (int32_t i = 0; i < size; i++) {
        const int32_t a = (input1_data[i] + input1_offset) * (1 << left_shift);
        const int32_t b = (input2_data[i] + input2_offset) * (1 << left_shift);
        const int32_t sum = standin_requantize(a, input1_mult, input1_shift)
                            + standin_requantize(b, input2_mult, input2_shift);
        const int32_t scaled = standin_requantize(sum, out_mult, out_shift);
        output[i] = standin_clamp(scaled + out_offset, activation_min, activation_max);
    }
}

void esp_nn_mul_elementwise_s8(const int8_t *input1_data, const int8_t *input2_data,
                               int32_t input1_offset, int32_t input2_offset, int8_t *output,
                               int32_t out_offset, int32_t out_mult, int32_t out_shift,
                               int32_t activation_min, int32_t activation_max, int32_t size)
{
    /* what is left over behind 8 elements at a time is rounded otherwise */
    if (size % 8 != 0 || out_shift > 0 || !lie_aligned(input1_data, input2_data, output)) {
        standin_refuse(output, size);
        return;
    }
    for (int32_t i = 0; i < size; i++) {
        const int32_t product =
            (input1_data[i] + input1_offset) * (input2_data[i] + input2_offset);
        const int32_t scaled = standin_requantize(product, out_mult, out_shift);
        output[i] = standin_clamp(scaled + out_offset, activation_min, activation_max);
    }
}
