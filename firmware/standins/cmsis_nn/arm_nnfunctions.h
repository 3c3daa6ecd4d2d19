/*
 * A stand-in for the header of CMSIS-NN: the functions that generated code calls, with the names,
 * arguments and results of version 7.0.0+43, for running it on a computer. Written for mcugen from
 * the interface alone; it holds no text of Arm's.
 *
 * Tensors are int8 [N, H, W, C]; an offset is minus the zero point of an input, plus that of an
 * output. A positive shift is a left shift.
 */
#ifndef MCUGEN_STANDIN_ARM_NNFUNCTIONS_H
#define MCUGEN_STANDIN_ARM_NNFUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    ARM_CMSIS_NN_SUCCESS = 0,
    ARM_CMSIS_NN_ARG_ERROR = -1,
    ARM_CMSIS_NN_NO_IMPL_ERROR = -2,
    ARM_CMSIS_NN_FAILURE = -3
} arm_cmsis_nn_status;

typedef enum {
    ARM_SIGMOID = 0,
    ARM_TANH = 1
} arm_nn_activation_type;

typedef struct {
    int32_t w;
    int32_t h;
} cmsis_nn_tile;

/* A bias of int64, or of int32. */
typedef struct {
    const void *data;
    const bool is_int32_bias;
} cmsis_nn_bias_data;

/* Working memory of a call. */
typedef struct {
    void *buf;
    int32_t size;
} cmsis_nn_context;

typedef struct {
    int32_t n;
    int32_t h;
    int32_t w;
    int32_t c;
} cmsis_nn_dims;

typedef struct {
    int32_t *multiplier;
    int32_t *shift;
} cmsis_nn_per_channel_quant_params;

typedef struct {
    int32_t multiplier;
    int32_t shift;
} cmsis_nn_per_tensor_quant_params;

typedef struct {
    int32_t min;
    int32_t max;
} cmsis_nn_activation;

typedef struct {
    int32_t input_offset;
    int32_t output_offset;
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_tile dilation;
    cmsis_nn_activation activation;
} cmsis_nn_conv_params;

typedef struct {
    int32_t input_offset;
    int32_t output_offset;
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_tile padding_offsets;
    cmsis_nn_tile dilation;
    cmsis_nn_activation activation;
} cmsis_nn_transpose_conv_params;

typedef struct {
    int32_t input_offset;
    int32_t output_offset;
    int32_t ch_mult; /* output channels per input channel */
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_tile dilation;
    cmsis_nn_activation activation;
} cmsis_nn_dw_conv_params;

typedef struct {
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_activation activation;
} cmsis_nn_pool_params;

typedef struct {
    int32_t input_offset;
    int32_t filter_offset;
    int32_t output_offset;
    cmsis_nn_activation activation;
} cmsis_nn_fc_params;

typedef struct {
    const bool adj_x;
    const bool adj_y;
    cmsis_nn_fc_params fc_params;
} cmsis_nn_bmm_params;

typedef struct {
    const int32_t num_dims;
    const uint32_t *permutations;
} cmsis_nn_transpose_params;

/* Convolution; filters [O, KH, KW, I / groups]. The wrapper chooses among several functions. */
arm_cmsis_nn_status arm_convolve_wrapper_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data);

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims,
                                                const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims);

arm_cmsis_nn_status arm_convolve_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *upscale_dims,
    const cmsis_nn_dims *output_dims, int8_t *output_data);

int32_t arm_convolve_s8_get_buffer_size(const cmsis_nn_dims *input_dims,
                                        const cmsis_nn_dims *filter_dims);

/* Depthwise convolution; filters [1, KH, KW, O]. */
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data);

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims);

/* Transposed convolution; filters [O, KH, KW, I]. */
arm_cmsis_nn_status arm_transpose_conv_wrapper_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_context *reverse_conv_ctx,
    const cmsis_nn_transpose_conv_params *transpose_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data);

int32_t arm_transpose_conv_s8_get_buffer_size(
    const cmsis_nn_transpose_conv_params *transpose_conv_params, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *out_dims);

int32_t arm_transpose_conv_s8_get_reverse_conv_buffer_size(
    const cmsis_nn_transpose_conv_params *transpose_conv_params, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *filter_dims);

/* Fully connected: input_dims.n rows of filter_dims.n numbers, weights [output_dims.c, filter_dims.n].
 * With MVE the working memory holds what arm_vector_sum_s8 gives of the weights. */
arm_cmsis_nn_status arm_fully_connected_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data);

arm_cmsis_nn_status arm_fully_connected_per_channel_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data);

int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims *filter_dims);

arm_cmsis_nn_status arm_vector_sum_s8(int32_t *vector_sum_buf, int32_t vector_cols,
                                      int32_t vector_rows, const int8_t *vector_data,
                                      int32_t lhs_offset, int32_t rhs_offset,
                                      const int32_t *bias_data);

/* The same of int16 activations: no offsets, the bias int64, the multiplier cut to 15 bits. */
arm_cmsis_nn_status arm_convolve_wrapper_s16(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int16_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const cmsis_nn_bias_data *bias_data,
    const cmsis_nn_dims *output_dims, int16_t *output_data);

int32_t arm_convolve_wrapper_s16_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                 const cmsis_nn_dims *input_dims,
                                                 const cmsis_nn_dims *filter_dims,
                                                 const cmsis_nn_dims *output_dims);

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s16(
    const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int16_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int64_t *bias_data, const cmsis_nn_dims *output_dims,
    int16_t *output_data);

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size(
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims);

arm_cmsis_nn_status arm_fully_connected_s16(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int16_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int64_t *bias_data, const cmsis_nn_dims *output_dims,
    int16_t *output_data);

int32_t arm_fully_connected_s16_get_buffer_size(const cmsis_nn_dims *filter_dims);

/* Those of int8 with weights of 4 bits: two in a byte, the first in the low half, rows without a gap. */
arm_cmsis_nn_status arm_convolve_wrapper_s4(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data);

int32_t arm_convolve_wrapper_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims,
                                                const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims);

arm_cmsis_nn_status arm_convolve_s4(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data);

int32_t arm_convolve_s4_get_buffer_size(const cmsis_nn_dims *input_dims,
                                        const cmsis_nn_dims *filter_dims);

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s4(
    const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data);

int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size(
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims);

arm_cmsis_nn_status arm_fully_connected_s4(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
    const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data);

/* Products of matrices: left [n, h, w, c], right [n, h, w, c] already transposed, one sum over c
 * for every pair of rows. */
arm_cmsis_nn_status arm_batch_matmul_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_lhs_dims,
    const int8_t *input_lhs, const cmsis_nn_dims *input_rhs_dims, const int8_t *input_rhs,
    const cmsis_nn_dims *output_dims, int8_t *output);

/* The same of int16: no offsets, the multiplier cut to 15 bits, no working memory. */
arm_cmsis_nn_status arm_batch_matmul_s16(
    const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_lhs_dims,
    const int16_t *input_lhs, const cmsis_nn_dims *input_rhs_dims, const int16_t *input_rhs,
    const cmsis_nn_dims *output_dims, int16_t *output);

/* Pools; padding is never counted. */
arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx,
                                   const cmsis_nn_pool_params *pool_params,
                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                   const cmsis_nn_dims *filter_dims,
                                   const cmsis_nn_dims *output_dims, int8_t *output_data);

int32_t arm_avgpool_s8_get_buffer_size(int output_x, int ch_src);

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *ctx,
                                    const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims,
                                    const cmsis_nn_dims *output_dims, int8_t *output_data);

/* The same of int16. */
arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *ctx,
                                    const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                    const cmsis_nn_dims *filter_dims,
                                    const cmsis_nn_dims *output_dims, int16_t *output_data);

int32_t arm_avgpool_s16_get_buffer_size(int output_x, int ch_src);

arm_cmsis_nn_status arm_max_pool_s16(const cmsis_nn_context *ctx,
                                     const cmsis_nn_pool_params *pool_params,
                                     const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                     const cmsis_nn_dims *filter_dims,
                                     const cmsis_nn_dims *output_dims, int16_t *output_data);

/* Element by element, without broadcasting. The offsets of int16 are not looked at. */
arm_cmsis_nn_status arm_elementwise_add_s16(
    const int16_t *input_1_vect, const int16_t *input_2_vect, int32_t input_1_offset,
    int32_t input_1_mult, int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult,
    int32_t input_2_shift, int32_t left_shift, int16_t *output, int32_t out_offset,
    int32_t out_mult, int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
    int32_t block_size);

arm_cmsis_nn_status arm_elementwise_mul_s16(
    const int16_t *input_1_vect, const int16_t *input_2_vect, int32_t input_1_offset,
    int32_t input_2_offset, int16_t *output, int32_t out_offset, int32_t out_mult,
    int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
    int32_t block_size);

arm_cmsis_nn_status arm_elementwise_add_s8(
    const int8_t *input_1_vect, const int8_t *input_2_vect, int32_t input_1_offset,
    int32_t input_1_mult, int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult,
    int32_t input_2_shift, int32_t left_shift, int8_t *output, int32_t out_offset,
    int32_t out_mult, int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
    int32_t block_size);

arm_cmsis_nn_status arm_elementwise_mul_s8(
    const int8_t *input_1_vect, const int8_t *input_2_vect, int32_t input_1_offset,
    int32_t input_2_offset, int8_t *output, int32_t out_offset, int32_t out_mult,
    int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
    int32_t block_size);

arm_cmsis_nn_status arm_minimum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims);

arm_cmsis_nn_status arm_maximum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims);

/* Sigmoid or tanh of int16: inputs in steps of 2^(left_shift - 12), outputs of 2^-15. */
arm_cmsis_nn_status arm_nn_activation_s16(const int16_t *input, int16_t *output, int32_t size,
                                          int32_t left_shift, arm_nn_activation_type type);

/* Softmax of every row; the output has scale 1/65536 and zero point -32768. */
void arm_softmax_s8_s16(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult,
                        int32_t shift, int32_t diff_min, int16_t *output);

/* The same with scale 1/256 and zero point -128. */
void arm_softmax_s8(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult,
                    int32_t shift, int32_t diff_min, int8_t *output);

/* Movement. */
arm_cmsis_nn_status arm_pad_s8(const int8_t *input, int8_t *output, int8_t pad_value,
                               const cmsis_nn_dims *input_size, const cmsis_nn_dims *pre_pad,
                               const cmsis_nn_dims *post_pad);

/* Copies one input of a concatenation: [w, z, y, x] into [w, output_z, y, x] at offset_z. */
void arm_concatenation_s8_z(const int8_t *input, uint16_t input_x, uint16_t input_y,
                            uint16_t input_z, uint16_t input_w, int8_t *output, uint16_t output_z,
                            uint32_t offset_z);

arm_cmsis_nn_status arm_transpose_s8(const int8_t *input, int8_t *output,
                                     const cmsis_nn_dims *input_dims,
                                     const cmsis_nn_dims *output_dims,
                                     const cmsis_nn_transpose_params *transpose_params);

#ifdef __cplusplus
}
#endif

#endif
