/* Stand-ins for CMSIS-NN's movement of data; see cmsis_nn_standin.h. */
#include "cmsis_nn_standin.h"

arm_cmsis_nn_status arm_pad_s8(const int8_t *input, int8_t *output, int8_t pad_value,
                               const cmsis_nn_dims *input_size, const cmsis_nn_dims *pre_pad,
                               const cmsis_nn_dims *post_pad)
{
    const int32_t size[4] = {input_size->n, input_size->h, input_size->w, input_size->c};
    const int32_t before[4] = {pre_pad->n, pre_pad->h, pre_pad->w, pre_pad->c};
    const int32_t after[4] = {post_pad->n, post_pad->h, post_pad->w, post_pad->c};
    int32_t whole[4];
    for (int32_t k = 0; k < 4; k++) {
        whole[k] = before[k] + size[k] + after[k];
    }
    for (int32_t i = 0; i < whole[0] * whole[1] * whole[2] * whole[3]; i++) {
        int32_t rest = i;
        int32_t from = 0;
        int32_t step = 1;
        bool inside = true;
        for (int32_t k = 3; k >= 0; k--) {
            const int32_t position = rest % whole[k] - before[k];
            rest /= whole[k];
            inside = inside && position >= 0 && position < size[k];
            from += position * step;
            step *= size[k];
        }
        output[i] = inside ? input[from] : pad_value;
    }
    return ARM_CMSIS_NN_SUCCESS;
}

void arm_concatenation_s8_z(const int8_t *input, uint16_t input_x, uint16_t input_y,
                            uint16_t input_z, uint16_t input_w, int8_t *output, uint16_t output_z,
                            uint32_t offset_z)
{
    const uint32_t plane = (uint32_t)input_x * input_y;
    for (uint32_t w = 0; w < input_w; w++) {
        (void)memcpy(&output[(w * output_z + offset_z) * plane], &input[w * input_z * plane],
                     input_z * plane);
    }
}

arm_cmsis_nn_status arm_transpose_s8(const int8_t *input, int8_t *output,
                                     const cmsis_nn_dims *input_dims,
                                     const cmsis_nn_dims *output_dims,
                                     const cmsis_nn_transpose_params *transpose_params)
{
    const int32_t rank = transpose_params->num_dims;
    const int32_t in[4] = {input_dims->n, input_dims->h, input_dims->w, input_dims->c};
    const int32_t out[4] = {output_dims->n, output_dims->h, output_dims->w, output_dims->c};
    int32_t steps[4]; /* of the input, elements */
    int32_t count = 1;
    if (rank < 1 || rank > 4) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    for (int32_t k = rank - 1; k >= 0; k--) {
        steps[k] = count;
        count *= in[k];
    }
    for (int32_t i = 0; i < count; i++) {
        int32_t rest = i;
        int32_t from = 0;
        for (int32_t k = rank - 1; k >= 0; k--) {
            from += (rest % out[k]) * steps[transpose_params->permutations[k]];
            rest /= out[k];
        }
        output[i] = input[from];
    }
    return ARM_CMSIS_NN_SUCCESS;
}
