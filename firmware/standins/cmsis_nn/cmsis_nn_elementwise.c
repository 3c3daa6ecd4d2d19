/* Stand-ins for what CMSIS-NN does element by element; see cmsis_nn_standin.h. */
#include "cmsis_nn_standin.h"

arm_cmsis_nn_status arm_elementwise_add_s8(
    const int8_t *input_1_vect, const int8_t *input_2_vect, int32_t input_1_offset,
    int32_t input_1_mult, int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult,
    int32_t input_2_shift, int32_t left_shift, int8_t *output, int32_t out_offset,
    int32_t out_mult, int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
    int32_t block_size)
{
    const int32_t unit = (int32_t)1 << left_shift;
    for (int32_t i = 0; i < block_size; i++) {
        const int32_t a = (input_1_vect[i] + input_1_offset) * unit;
        const int32_t b = (input_2_vect[i] + input_2_offset) * unit;
        const int32_t sum = standin_requantize(a, input_1_mult, input_1_shift)
                            + standin_requantize(b, input_2_mult, input_2_shift);
        const int32_t scaled = standin_requantize(sum, out_mult, out_shift);
        output[i] = standin_clamp(scaled + out_offset, out_activation_min, out_activation_max);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s8(
    const int8_t *input_1_vect, const int8_t *input_2_vect, int32_t input_1_offset,
    int32_t input_2_offset, int8_t *output, int32_t out_offset, int32_t out_mult,
    int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
    int32_t block_size)
{
    for (int32_t i = 0; i < block_size; i++) {
        const int32_t product =
            (input_1_vect[i] + input_1_offset) * (input_2_vect[i] + input_2_offset);
        const int32_t scaled = standin_requantize(product, out_mult, out_shift);
        output[i] = standin_clamp(scaled + out_offset, out_activation_min, out_activation_max);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

static bool same(const cmsis_nn_dims *a, const cmsis_nn_dims *b)
{
    return a->n == b->n && a->h == b->h && a->w == b->w && a->c == b->c;
}

static arm_cmsis_nn_status choose(const int8_t *a, const cmsis_nn_dims *a_dims, const int8_t *b,
                                  const cmsis_nn_dims *b_dims, int8_t *y, bool greater)
{
    if (!same(a_dims, b_dims)) {
        return ARM_CMSIS_NN_NO_IMPL_ERROR; /* generated code does not broadcast */
    }
    for (int32_t i = 0; i < a_dims->n * a_dims->h * a_dims->w * a_dims->c; i++) {
        y[i] = (a[i] > b[i]) == greater ? a[i] : b[i];
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_minimum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims)
{
    (void)ctx;
    (void)output_dims;
    return choose(input_1_data, input_1_dims, input_2_data, input_2_dims, output_data, false);
}

arm_cmsis_nn_status arm_maximum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims)
{
    (void)ctx;
    (void)output_dims;
    return choose(input_1_data, input_1_dims, input_2_data, input_2_dims, output_data, true);
}
