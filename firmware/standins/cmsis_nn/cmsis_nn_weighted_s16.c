/* Stand-ins for CMSIS-NN's sums of products of int16 activations; see cmsis_nn_standin.h. */
#include "cmsis_nn_standin.h"

/* One kind of convolution, ordinary or depthwise, in common terms. */
typedef struct {
    const cmsis_nn_dims *in;
    const cmsis_nn_dims *filter;
    const cmsis_nn_dims *out;
    const int16_t *x;
    const int8_t *weights;
    const int64_t *bias;
    const cmsis_nn_per_channel_quant_params *quant;
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_tile dilation;
    cmsis_nn_activation activation;
    int32_t multiplier; /* depthwise: output channels per input channel; else 0 */
} convolution;

/* The multiplier in 15 bits; the sum times it, rounded once. */
static int16_t output(int64_t sum, int32_t multiplier, int32_t shift, cmsis_nn_activation range)
{
    const int64_t most = 0x7fff;
    const int64_t rounded = ((int64_t)multiplier + 0x8000) / 0x10000;
    const int64_t product = sum * (rounded < most ? rounded : most);
    const int64_t divisor = (int64_t)1 << (15 - shift);
    const int64_t raised = product + divisor / 2;
    int64_t value = raised / divisor;
    if (raised % divisor < 0) {
        value -= 1; /* down, not towards 0 */
    }
    value = value < range.min ? range.min : value;
    return (int16_t)(value > range.max ? range.max : value);
}

static int64_t tap_sum(const convolution *c, int32_t pixel, int32_t tap, int32_t o)
{
    const int16_t *x = &c->x[pixel * c->in->c];
    if (c->multiplier > 0) {
        return (int64_t)x[o / c->multiplier] * c->weights[tap * c->out->c + o];
    }
    const int8_t *weights = &c->weights[(o * c->filter->h * c->filter->w + tap) * c->in->c];
    int64_t sum = 0;
    for (int32_t i = 0; i < c->in->c; i++) {
        sum += (int64_t)x[i] * weights[i];
    }
    return sum;
}

static int64_t accumulator(const convolution *c, int32_t n, int32_t oh, int32_t ow, int32_t o)
{
    int64_t sum = c->bias[o];
    for (int32_t kh = 0; kh < c->filter->h; kh++) {
        const int32_t ih = oh * c->stride.h - c->padding.h + kh * c->dilation.h;
        for (int32_t kw = 0; kw < c->filter->w; kw++) {
            const int32_t iw = ow * c->stride.w - c->padding.w + kw * c->dilation.w;
            if (ih >= 0 && ih < c->in->h && iw >= 0 && iw < c->in->w) {
                sum += tap_sum(c, (n * c->in->h + ih) * c->in->w + iw, kh * c->filter->w + kw, o);
            }
        }
    }
    return sum;
}

static void convolve(const convolution *c, int16_t *y)
{
    int16_t *to = y;
    for (int32_t n = 0; n < c->out->n; n++) {
        for (int32_t oh = 0; oh < c->out->h; oh++) {
            for (int32_t ow = 0; ow < c->out->w; ow++) {
                for (int32_t o = 0; o < c->out->c; o++) {
                    *to++ = output(accumulator(c, n, oh, ow, o), c->quant->multiplier[o],
                                   c->quant->shift[o], c->activation);
                }
            }
        }
    }
}

int32_t arm_convolve_wrapper_s16_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                 const cmsis_nn_dims *input_dims,
                                                 const cmsis_nn_dims *filter_dims,
                                                 const cmsis_nn_dims *output_dims)
{
    (void)conv_params;
    (void)output_dims;
    return 4 * filter_dims->h * filter_dims->w * input_dims->c; /* two columns of int16 */
}

arm_cmsis_nn_status arm_convolve_wrapper_s16(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int16_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const cmsis_nn_bias_data *bias_data,
    const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    (void)bias_dims;
    if (!standin_take(ctx, arm_convolve_wrapper_s16_get_buffer_size(conv_params, input_dims,
                                                                    filter_dims, output_dims))
        || bias_data == NULL || bias_data->data == NULL || bias_data->is_int32_bias
        || filter_dims->c != input_dims->c) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const convolution c = {.in = input_dims,
                           .filter = filter_dims,
                           .out = output_dims,
                           .x = input_data,
                           .weights = filter_data,
                           .bias = (const int64_t *)bias_data->data,
                           .quant = quant_params,
                           .stride = conv_params->stride,
                           .padding = conv_params->padding,
                           .dilation = conv_params->dilation,
                           .activation = conv_params->activation,
                           .multiplier = 0};
    convolve(&c, output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size(
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    (void)dw_conv_params;
    (void)input_dims;
    (void)filter_dims;
    (void)output_dims;
    return 0; /* without SIMD */
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s16(
    const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int16_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int64_t *bias_data, const cmsis_nn_dims *output_dims,
    int16_t *output_data)
{
    (void)bias_dims;
    if (!standin_take(ctx, 0) || bias_data == NULL
        || dw_conv_params->ch_mult * input_dims->c != output_dims->c) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const convolution c = {.in = input_dims,
                           .filter = filter_dims,
                           .out = output_dims,
                           .x = input_data,
                           .weights = filter_data,
                           .bias = bias_data,
                           .quant = quant_params,
                           .stride = dw_conv_params->stride,
                           .padding = dw_conv_params->padding,
                           .dilation = dw_conv_params->dilation,
                           .activation = dw_conv_params->activation,
                           .multiplier = dw_conv_params->ch_mult};
    convolve(&c, output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_fully_connected_s16_get_buffer_size(const cmsis_nn_dims *filter_dims)
{
    (void)filter_dims;
    return 0;
}

arm_cmsis_nn_status arm_fully_connected_s16(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int16_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int64_t *bias_data, const cmsis_nn_dims *output_dims,
    int16_t *output_data)
{
    (void)bias_dims;
    if (!standin_take(ctx, 0) || bias_data == NULL) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t inner = filter_dims->n;
    const int32_t units = output_dims->c;
    for (int32_t row = 0; row < input_dims->n; row++) {
        for (int32_t u = 0; u < units; u++) {
            int64_t sum = bias_data[u];
            for (int32_t k = 0; k < inner; k++) {
                sum += (int64_t)input_data[row * inner + k] * filter_data[u * inner + k];
            }
            output_data[row * units + u] = output(sum, quant_params->multiplier,
                                                  quant_params->shift, fc_params->activation);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_batch_matmul_s16(
    const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_lhs_dims,
    const int16_t *input_lhs, const cmsis_nn_dims *input_rhs_dims, const int16_t *input_rhs,
    const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    const int32_t inner = input_rhs_dims->c;
    if (!standin_take(ctx, 0) || input_lhs_dims->c != inner || output_dims->n != 1
        || output_dims->h != 1) {
        return ARM_CMSIS_NN_ARG_ERROR; /* generated code gives one product at a time */
    }
    for (int32_t row = 0; row < input_lhs_dims->w; row++) {
        for (int32_t column = 0; column < input_rhs_dims->w; column++) {
            int64_t sum = 0;
            for (int32_t k = 0; k < inner; k++) {
                sum += (int64_t)input_lhs[row * inner + k] * input_rhs[column * inner + k];
            }
            output_data[row * input_rhs_dims->w + column] =
                output(sum, quant_params->multiplier, quant_params->shift,
                       bmm_params->fc_params.activation);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
