/* Stand-ins for CMSIS-NN's pools, addition and product of int16; see cmsis_nn_standin.h. */
#include "cmsis_nn_standin.h"

static int16_t within(int32_t value, int32_t low, int32_t high)
{
    const int32_t raised = value < low ? low : value;
    return (int16_t)(raised > high ? high : raised);
}

/* One channel of one window: the greatest number inside the image, or the mean of them. */
static bool look(const cmsis_nn_pool_params *params, const cmsis_nn_dims *in, const int16_t *x,
                 const cmsis_nn_dims *filter, int32_t oh, int32_t ow, bool average,
                 int32_t *found)
{
    int32_t count = 0;
    int32_t sum = 0;
    int32_t greatest = INT16_MIN;
    for (int32_t kh = 0; kh < filter->h; kh++) {
        const int32_t ih = oh * params->stride.h - params->padding.h + kh;
        for (int32_t kw = 0; kw < filter->w; kw++) {
            const int32_t iw = ow * params->stride.w - params->padding.w + kw;
            if (ih >= 0 && ih < in->h && iw >= 0 && iw < in->w) {
                const int32_t value = x[(ih * in->w + iw) * in->c];
                count++;
                sum += value;
                greatest = value > greatest ? value : greatest;
            }
        }
    }
    if (count > 0) {
        *found = average ? (sum > 0 ? sum + count / 2 : sum - count / 2) / count : greatest;
    }
    return count > 0;
}

static arm_cmsis_nn_status pool(const cmsis_nn_pool_params *params, const cmsis_nn_dims *in,
                                const int16_t *x, const cmsis_nn_dims *filter,
                                const cmsis_nn_dims *out, int16_t *y, bool average)
{
    int16_t *to = y;
    for (int32_t n = 0; n < in->n; n++) {
        const int16_t *image = &x[n * in->h * in->w * in->c];
        for (int32_t pixel = 0; pixel < out->h * out->w; pixel++) {
            for (int32_t c = 0; c < in->c; c++) {
                int32_t value = 0;
                if (!look(params, in, &image[c], filter, pixel / out->w, pixel % out->w, average,
                          &value)) {
                    return ARM_CMSIS_NN_ARG_ERROR;
                }
                *to++ = within(value, params->activation.min, params->activation.max);
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_avgpool_s16_get_buffer_size(int output_x, int ch_src)
{
    (void)output_x;
    (void)ch_src;
    return 0; /* without SIMD */
}

arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *ctx,
                                    const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                    const cmsis_nn_dims *filter_dims,
                                    const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    if (!standin_take(ctx, 0) || input_dims->n < 1) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return pool(pool_params, input_dims, input_data, filter_dims, output_dims, output_data, true);
}

arm_cmsis_nn_status arm_max_pool_s16(const cmsis_nn_context *ctx,
                                     const cmsis_nn_pool_params *pool_params,
                                     const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                     const cmsis_nn_dims *filter_dims,
                                     const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    if (!standin_take(ctx, 0) || input_dims->n < 1) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return pool(pool_params, input_dims, input_data, filter_dims, output_dims, output_data, false);
}

arm_cmsis_nn_status arm_elementwise_add_s16(
    const int16_t *input_1_vect, const int16_t *input_2_vect, int32_t input_1_offset,
    int32_t input_1_mult, int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult,
    int32_t input_2_shift, int32_t left_shift, int16_t *output, int32_t out_offset,
    int32_t out_mult, int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
    int32_t block_size)
{
    const int32_t unit = (int32_t)1 << left_shift;
    (void)input_1_offset;
    (void)input_2_offset;
    (void)out_offset;
    for (int32_t i = 0; i < block_size; i++) {
        const int32_t sum =
            standin_requantize(input_1_vect[i] * unit, input_1_mult, input_1_shift)
            + standin_requantize(input_2_vect[i] * unit, input_2_mult, input_2_shift);
        output[i] = within(standin_requantize(sum, out_mult, out_shift), out_activation_min,
                           out_activation_max);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s16(
    const int16_t *input_1_vect, const int16_t *input_2_vect, int32_t input_1_offset,
    int32_t input_2_offset, int16_t *output, int32_t out_offset, int32_t out_mult,
    int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
    int32_t block_size)
{
    (void)input_1_offset;
    (void)input_2_offset;
    (void)out_offset;
    for (int32_t i = 0; i < block_size; i++) {
        const int32_t product = input_1_vect[i] * input_2_vect[i];
        output[i] = within(standin_requantize(product, out_mult, out_shift), out_activation_min,
                           out_activation_max);
    }
    return ARM_CMSIS_NN_SUCCESS;
}
