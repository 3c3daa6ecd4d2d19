/* Stand-ins for CMSIS-NN's matrix products; see cmsis_nn_standin.h. */
#include "cmsis_nn_standin.h"

int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims *filter_dims)
{
    (void)filter_dims;
    return 0; /* without MVE */
}

/* One output: a row of the input by a row of the weights. */
static int32_t dot(const int8_t *a, const int8_t *b, int32_t count, int32_t a_offset,
                   int32_t b_offset)
{
    int32_t sum = 0;
    for (int32_t k = 0; k < count; k++) {
        sum += (a[k] + a_offset) * (b[k] + b_offset);
    }
    return sum;
}

/* Numbers of a fully connected layer; one multiplier and shift, or one for each row of weights. */
static arm_cmsis_nn_status rows(const cmsis_nn_fc_params *params, const int32_t *multiplier,
                                const int32_t *shift, int32_t step, const int8_t *x,
                                int32_t row_count, const int8_t *weights, int32_t inner,
                                const int32_t *bias, int32_t units, int8_t *y)
{
    if (bias == NULL) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    for (int32_t r = 0; r < row_count; r++) {
        for (int32_t u = 0; u < units; u++) {
            const int32_t sum = bias[u]
                                + dot(&x[r * inner], &weights[u * inner], inner,
                                      params->input_offset, params->filter_offset);
            const int32_t scaled = standin_requantize(sum, multiplier[u * step], shift[u * step]);
            y[r * units + u] = standin_clamp(scaled + params->output_offset,
                                             params->activation.min, params->activation.max);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_fully_connected_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    (void)bias_dims;
    if (!standin_take(ctx, 0)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return rows(fc_params, &quant_params->multiplier, &quant_params->shift, 0, input_data,
                input_dims->n, filter_data, filter_dims->n, bias_data, output_dims->c,
                output_data);
}

arm_cmsis_nn_status arm_fully_connected_per_channel_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    (void)bias_dims;
    if (!standin_take(ctx, 0)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return rows(fc_params, quant_params->multiplier, quant_params->shift, 1, input_data,
                input_dims->n, filter_data, filter_dims->n, bias_data, output_dims->c,
                output_data);
}

arm_cmsis_nn_status arm_fully_connected_s4(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    const int32_t inner = filter_dims->n;
    int8_t *to = output_data;
    (void)bias_dims;
    if (!standin_take(ctx, 0) || bias_data == NULL) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    for (int32_t r = 0; r < input_dims->n; r++) {
        for (int32_t u = 0; u < output_dims->c; u++) {
            int32_t sum = bias_data[u];
            for (int32_t k = 0; k < inner; k++) {
                sum += (input_data[r * inner + k] + fc_params->input_offset)
                       * standin_int4(filter_data, u * inner + k);
            }
            const int32_t scaled =
                standin_requantize(sum, quant_params->multiplier, quant_params->shift);
            *to++ = standin_clamp(scaled + fc_params->output_offset, fc_params->activation.min,
                                  fc_params->activation.max);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_vector_sum_s8(int32_t *vector_sum_buf, int32_t vector_cols,
                                      int32_t vector_rows, const int8_t *vector_data,
                                      int32_t lhs_offset, int32_t rhs_offset,
                                      const int32_t *bias_data)
{
    for (int32_t r = 0; r < vector_rows; r++) {
        int32_t sum = vector_cols * rhs_offset;
        for (int32_t k = 0; k < vector_cols; k++) {
            sum += vector_data[r * vector_cols + k];
        }
        vector_sum_buf[r] = sum * lhs_offset + (bias_data != NULL ? bias_data[r] : 0);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

/* The matrix that a product reads: a single one serves all. */
static int32_t matrix(const cmsis_nn_dims *dims, int32_t n, int32_t h)
{
    return (dims->n == 1 ? 0 : n) * dims->h + (dims->h == 1 ? 0 : h);
}

arm_cmsis_nn_status arm_batch_matmul_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_lhs_dims,
    const int8_t *input_lhs, const cmsis_nn_dims *input_rhs_dims, const int8_t *input_rhs,
    const cmsis_nn_dims *output_dims, int8_t *output)
{
    const cmsis_nn_fc_params *params = &bmm_params->fc_params;
    const int32_t inner = input_rhs_dims->c;
    int8_t *to = output;
    if (ctx == NULL || ctx->buf == NULL || bmm_params->adj_x || !bmm_params->adj_y
        || !standin_take(ctx, 0)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    for (int32_t i = 0; i < output_dims->n * output_dims->h; i++) {
        const int32_t n = i / output_dims->h;
        const int32_t h = i % output_dims->h;
        const int8_t *left = &input_lhs[matrix(input_lhs_dims, n, h) * input_lhs_dims->w * inner];
        const int8_t *right = &input_rhs[matrix(input_rhs_dims, n, h) * input_rhs_dims->w * inner];
        for (int32_t row = 0; row < input_lhs_dims->w; row++) {
            for (int32_t column = 0; column < input_rhs_dims->w; column++) {
                const int32_t sum = dot(&left[row * inner], &right[column * inner], inner,
                                        params->input_offset, params->filter_offset);
                const int32_t scaled =
                    standin_requantize(sum, quant_params->multiplier, quant_params->shift);
                *to++ = standin_clamp(scaled + params->output_offset, params->activation.min,
                                      params->activation.max);
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
