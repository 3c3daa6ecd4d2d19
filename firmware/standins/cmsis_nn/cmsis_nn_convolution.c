/* Stand-ins for CMSIS-NN's convolutions; see cmsis_nn_standin.h. */
#include "arm_nnsupportfunctions.h"
#include "cmsis_nn_standin.h"

/* One kind of convolution, ordinary or depthwise, in common terms. */
typedef struct {
    const cmsis_nn_dims *in;
    const cmsis_nn_dims *filter;
    const cmsis_nn_dims *out;
    const int8_t *x;
    const int8_t *weights;
    const int32_t *bias;
    const cmsis_nn_per_channel_quant_params *quant;
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_tile dilation;
    cmsis_nn_activation activation;
    int32_t input_offset;
    int32_t output_offset;
    int32_t group_in;  /* input channels of a group */
    int32_t group_out; /* output channels of a group */
    bool depthwise;    /* filters [1, KH, KW, O] instead of [O, KH, KW, group_in] */
    bool int4;         /* two weights in a byte */
} convolution;

static int32_t weight_index(const convolution *c, int32_t o, int32_t kh, int32_t kw, int32_t i)
{
    const int32_t tap = kh * c->filter->w + kw;
    if (c->depthwise) {
        return tap * c->out->c + o;
    }
    return (o * c->filter->h * c->filter->w + tap) * c->group_in + i;
}

/* The products of one tap of one output. */
static int32_t tap_sum(const convolution *c, int32_t n, int32_t ih, int32_t iw, int32_t kh,
                       int32_t kw, int32_t o)
{
    const int32_t first = (o / c->group_out) * c->group_in;
    const int32_t pixel = (n * c->in->h + ih) * c->in->w + iw;
    int32_t sum = 0;
    for (int32_t i = 0; i < c->group_in; i++) {
        const int32_t value = c->x[pixel * c->in->c + first + i] + c->input_offset;
        const int32_t index = weight_index(c, o, kh, kw, i);
        sum += value * (c->int4 ? standin_int4(c->weights, index) : c->weights[index]);
    }
    return sum;
}

static int32_t accumulator(const convolution *c, int32_t n, int32_t oh, int32_t ow, int32_t o)
{
    int32_t sum = c->bias[o];
    for (int32_t kh = 0; kh < c->filter->h; kh++) {
        const int32_t ih = oh * c->stride.h - c->padding.h + kh * c->dilation.h;
        for (int32_t kw = 0; kw < c->filter->w; kw++) {
            const int32_t iw = ow * c->stride.w - c->padding.w + kw * c->dilation.w;
            if (ih >= 0 && ih < c->in->h && iw >= 0 && iw < c->in->w) {
                sum += tap_sum(c, n, ih, iw, kh, kw, o);
            }
        }
    }
    return sum;
}

static int8_t output(const convolution *c, int32_t sum, int32_t o)
{
    const int32_t scaled = standin_requantize(sum, c->quant->multiplier[o], c->quant->shift[o]);
    return standin_clamp(scaled + c->output_offset, c->activation.min, c->activation.max);
}

static void convolve(const convolution *c, int8_t *y)
{
    int8_t *to = y;
    for (int32_t n = 0; n < c->out->n; n++) {
        for (int32_t oh = 0; oh < c->out->h; oh++) {
            for (int32_t ow = 0; ow < c->out->w; ow++) {
                for (int32_t o = 0; o < c->out->c; o++) {
                    *to++ = output(c, accumulator(c, n, oh, ow, o), o);
                }
            }
        }
    }
}

static bool is_pointwise(const cmsis_nn_conv_params *params, const cmsis_nn_dims *in,
                         const cmsis_nn_dims *filter)
{
    return filter->h == 1 && filter->w == 1 && filter->c == in->c && params->padding.h == 0
           && params->padding.w == 0 && params->dilation.h == 1 && params->dilation.w == 1;
}

int32_t arm_convolve_s8_get_buffer_size(const cmsis_nn_dims *input_dims,
                                        const cmsis_nn_dims *filter_dims)
{
    const int32_t taps = filter_dims->h * filter_dims->w * input_dims->c;
    return 4 * ((taps + 3) / 4 * 4); /* two columns of int16 */
}

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims,
                                                const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims)
{
    (void)output_dims;
    if (is_pointwise(conv_params, input_dims, filter_dims)) {
        return 0;
    }
    return arm_convolve_s8_get_buffer_size(input_dims, filter_dims);
}

static arm_cmsis_nn_status ordinary(
    const cmsis_nn_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
    const cmsis_nn_dims *in, const int8_t *x, const cmsis_nn_dims *filter, const int8_t *weights,
    const int32_t *bias, const cmsis_nn_dims *out, int8_t *y, bool int4)
{
    if (bias == NULL || filter->c < 1 || in->c % filter->c != 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t groups = in->c / filter->c;
    if (out->c % groups != 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const convolution c = {.in = in,
                           .filter = filter,
                           .out = out,
                           .x = x,
                           .weights = weights,
                           .bias = bias,
                           .quant = quant,
                           .stride = params->stride,
                           .padding = params->padding,
                           .dilation = params->dilation,
                           .activation = params->activation,
                           .input_offset = params->input_offset,
                           .output_offset = params->output_offset,
                           .group_in = filter->c,
                           .group_out = out->c / groups,
                           .depthwise = false,
                           .int4 = int4};
    convolve(&c, y);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_convolve_wrapper_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    (void)bias_dims;
    if (!standin_take(ctx, arm_convolve_wrapper_s8_get_buffer_size(conv_params, input_dims,
                                                                   filter_dims, output_dims))) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return ordinary(conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                    bias_data, output_dims, output_data, false);
}

arm_cmsis_nn_status arm_convolve_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *upscale_dims,
    const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    if (upscale_dims != NULL) {
        return ARM_CMSIS_NN_NO_IMPL_ERROR;
    }
    if (!standin_take(ctx, arm_convolve_s8_get_buffer_size(input_dims, filter_dims))) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return ordinary(conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                    bias_data, output_dims, output_data, false);
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    (void)dw_conv_params;
    (void)input_dims;
    (void)filter_dims;
    (void)output_dims;
    return 0; /* without SIMD */
}

static arm_cmsis_nn_status depthwise(
    const cmsis_nn_dw_conv_params *dw_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data, bool int4)
{
    if (bias_data == NULL || dw_conv_params->ch_mult * input_dims->c != output_dims->c) {
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
                           .input_offset = dw_conv_params->input_offset,
                           .output_offset = dw_conv_params->output_offset,
                           .group_in = 1,
                           .group_out = dw_conv_params->ch_mult,
                           .depthwise = true,
                           .int4 = int4};
    convolve(&c, output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    (void)bias_dims;
    if (!standin_take(ctx, 0)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return depthwise(dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                     filter_data, bias_data, output_dims, output_data, false);
}

int32_t arm_convolve_s4_get_buffer_size(const cmsis_nn_dims *input_dims,
                                        const cmsis_nn_dims *filter_dims)
{
    return 4 * filter_dims->h * filter_dims->w * input_dims->c; /* two columns of int16 */
}

int32_t arm_convolve_wrapper_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims,
                                                const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims)
{
    (void)output_dims;
    if (is_pointwise(conv_params, input_dims, filter_dims)) {
        return 0;
    }
    return arm_convolve_s4_get_buffer_size(input_dims, filter_dims);
}

static arm_cmsis_nn_status ordinary_int4(
    const cmsis_nn_context *ctx, int32_t needed, const cmsis_nn_conv_params *params,
    const cmsis_nn_per_channel_quant_params *quant, const cmsis_nn_dims *in, const int8_t *x,
    const cmsis_nn_dims *filter, const int8_t *weights, const int32_t *bias,
    const cmsis_nn_dims *out, int8_t *y)
{
    if (!standin_take(ctx, needed) || filter->c != in->c) { /* there are no groups */
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return ordinary(params, quant, in, x, filter, weights, bias, out, y, true);
}

arm_cmsis_nn_status arm_convolve_wrapper_s4(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    const int32_t needed =
        arm_convolve_wrapper_s4_get_buffer_size(conv_params, input_dims, filter_dims, output_dims);
    (void)bias_dims;
    return ordinary_int4(ctx, needed, conv_params, quant_params, input_dims, input_data,
                         filter_dims, filter_data, bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_convolve_s4(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    const int32_t needed = arm_convolve_s4_get_buffer_size(input_dims, filter_dims);
    (void)bias_dims;
    return ordinary_int4(ctx, needed, conv_params, quant_params, input_dims, input_data,
                         filter_dims, filter_data, bias_data, output_dims, output_data);
}

int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size(
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    const cmsis_nn_tile dilation = dw_conv_params->dilation;
    if (input_dims->c != output_dims->c || input_dims->n != 1 || dilation.w != 1
        || dilation.h != 1) {
        return 0;
    }
    return 2 * input_dims->c * filter_dims->w * filter_dims->h; /* a column of int16 */
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s4(
    const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    const int32_t needed = arm_depthwise_conv_wrapper_s4_get_buffer_size(
        dw_conv_params, input_dims, filter_dims, output_dims);
    (void)bias_dims;
    if (!standin_take(ctx, needed)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return depthwise(dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                     filter_data, bias_data, output_dims, output_data, true);
}

static bool is_reverse(const cmsis_nn_transpose_conv_params *params, const cmsis_nn_dims *in)
{
    return params->stride.h <= 2 && params->stride.w <= 2
           && in->c > REVERSE_TCOL_EFFICIENT_THRESHOLD;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

int32_t arm_transpose_conv_s8_get_buffer_size(
    const cmsis_nn_transpose_conv_params *transpose_conv_params, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *out_dims)
{
    const cmsis_nn_tile stride = transpose_conv_params->stride;
    if (is_reverse(transpose_conv_params, input_dims)) {
        return arm_convolve_s8_get_buffer_size(input_dims, filter_dims);
    }
    const int32_t width = (input_dims->w - 1) * stride.w + larger(filter_dims->w, stride.h);
    return 4 * width * out_dims->c * larger(filter_dims->h, stride.h);
}

int32_t arm_transpose_conv_s8_get_reverse_conv_buffer_size(
    const cmsis_nn_transpose_conv_params *transpose_conv_params, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *filter_dims)
{
    if (!is_reverse(transpose_conv_params, input_dims)) {
        return 0;
    }
    return filter_dims->n * filter_dims->h * filter_dims->w * filter_dims->c;
}

/* The input position whose tap `tap` adds to output position `out`; -1 when there is none. */
static int32_t source(int32_t out, int32_t tap, int32_t pad, int32_t stride, int32_t size)
{
    const int32_t distance = out + pad - tap;
    if (distance < 0 || distance % stride != 0 || distance / stride >= size) {
        return -1;
    }
    return distance / stride;
}

static int32_t transposed_sum(const convolution *c, int32_t n, int32_t oh, int32_t ow, int32_t o)
{
    int32_t sum = c->bias[o];
    for (int32_t kh = 0; kh < c->filter->h; kh++) {
        const int32_t ih = source(oh, kh, c->padding.h, c->stride.h, c->in->h);
        for (int32_t kw = 0; kw < c->filter->w; kw++) {
            const int32_t iw = source(ow, kw, c->padding.w, c->stride.w, c->in->w);
            if (ih >= 0 && iw >= 0) {
                sum += tap_sum(c, n, ih, iw, kh, kw, o);
            }
        }
    }
    return sum;
}

arm_cmsis_nn_status arm_transpose_conv_wrapper_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_context *reverse_conv_ctx,
    const cmsis_nn_transpose_conv_params *transpose_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    const cmsis_nn_transpose_conv_params *params = transpose_conv_params;
    const int32_t needed =
        arm_transpose_conv_s8_get_buffer_size(params, input_dims, filter_dims, output_dims);
    const int32_t reversed =
        arm_transpose_conv_s8_get_reverse_conv_buffer_size(params, input_dims, filter_dims);
    (void)bias_dims;
    if (!standin_take(ctx, needed) || !standin_take(reverse_conv_ctx, reversed)
        || bias_data == NULL) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const convolution c = {.in = input_dims,
                           .filter = filter_dims,
                           .out = output_dims,
                           .x = input_data,
                           .weights = filter_data,
                           .bias = bias_data,
                           .quant = quant_params,
                           .stride = params->stride,
                           .padding = params->padding,
                           .dilation = {.w = 1, .h = 1},
                           .activation = params->activation,
                           .input_offset = params->input_offset,
                           .output_offset = params->output_offset,
                           .group_in = input_dims->c,
                           .group_out = output_dims->c,
                           .depthwise = false,
                           .int4 = false};
    int8_t *to = output_data;
    for (int32_t n = 0; n < output_dims->n; n++) {
        for (int32_t oh = 0; oh < output_dims->h; oh++) {
            for (int32_t ow = 0; ow < output_dims->w; ow++) {
                for (int32_t o = 0; o < output_dims->c; o++) {
                    *to++ = output(&c, transposed_sum(&c, n, oh, ow, o), o);
                }
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
