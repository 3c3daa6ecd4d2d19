/*
 * A stand-in for the header of ESP-NN: the functions that generated code calls, with the names,
 * arguments and results of version 1.2.3, for running it on a computer. Written for mcugen from the
 * interface alone; it holds no text of Espressif's.
 *
 * Tensors are int8 [H, W, C]; an offset is minus the zero point of an input, plus that of an
 * output. A positive shift is a left shift. Working memory is given by a call of its own before the
 * kernel.
 */
#ifndef MCUGEN_STANDIN_ESP_NN_H
#define MCUGEN_STANDIN_ESP_NN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t height;
    int32_t channels;
    int32_t extra;
} data_dims_t;

typedef struct {
    int32_t width;
    int32_t height;
} data_2d_t;

typedef struct {
    int32_t min;
    int32_t max;
} act_params_t;

typedef struct {
    int32_t *shift;
    int32_t *mult;
} quant_data_t;

typedef struct {
    int32_t in_offset;
    int32_t out_offset;
    data_2d_t stride;
    data_2d_t padding;
    data_2d_t dilation;
    act_params_t activation;
} conv_params_t;

typedef struct {
    int32_t in_offset;
    int32_t out_offset;
    int32_t ch_mult; /* output channels per input channel */
    data_2d_t stride;
    data_2d_t padding;
    data_2d_t dilation;
    act_params_t activation;
} dw_conv_params_t;

/* The names are macros, as in the library, where they stand for the functions of one chip. */
#define esp_nn_conv_s8 esp_nn_conv_s8_standin
#define esp_nn_get_conv_scratch_size esp_nn_get_conv_scratch_size_standin
#define esp_nn_set_conv_scratch_buf esp_nn_set_conv_scratch_buf_standin
#define esp_nn_depthwise_conv_s8 esp_nn_depthwise_conv_s8_standin
#define esp_nn_get_depthwise_conv_scratch_size esp_nn_get_depthwise_conv_scratch_size_standin
#define esp_nn_set_depthwise_conv_scratch_buf esp_nn_set_depthwise_conv_scratch_buf_standin
#define esp_nn_fully_connected_s8 esp_nn_fully_connected_s8_standin
#define esp_nn_fully_connected_per_ch_s8 esp_nn_fully_connected_per_ch_s8_standin
#define esp_nn_avg_pool_s8 esp_nn_avg_pool_s8_standin
#define esp_nn_max_pool_s8 esp_nn_max_pool_s8_standin
#define esp_nn_mean_nhwc_s8 esp_nn_mean_nhwc_s8_standin
#define esp_nn_add_elementwise_s8 esp_nn_add_elementwise_s8_standin
#define esp_nn_mul_elementwise_s8 esp_nn_mul_elementwise_s8_standin
#define esp_nn_softmax_s8 esp_nn_softmax_s8_standin
#define esp_nn_get_softmax_scratch_size esp_nn_get_softmax_scratch_size_standin
#define esp_nn_set_softmax_scratch_buf esp_nn_set_softmax_scratch_buf_standin
#define esp_nn_logistic_s8 esp_nn_logistic_s8_standin /* of the version; not called */

/* Convolution; filters [O, KH, KW, I]. */
void esp_nn_conv_s8(const data_dims_t *input_dims, const int8_t *input_data,
                    const data_dims_t *filter_dims, const int8_t *filter_data, const int32_t *bias,
                    const data_dims_t *output_dims, int8_t *output_data,
                    const conv_params_t *conv_params, const quant_data_t *quant_data);

int esp_nn_get_conv_scratch_size(const data_dims_t *input_dims, const data_dims_t *filter_dims,
                                 const data_dims_t *output_dims, const conv_params_t *conv_params);

void esp_nn_set_conv_scratch_buf(const void *buf);

/* Depthwise convolution; filters [KH, KW, O]. */
void esp_nn_depthwise_conv_s8(const data_dims_t *input_dims, const int8_t *input_data,
                              const data_dims_t *filter_dims, const int8_t *filter_data,
                              const int32_t *bias, const data_dims_t *output_dims,
                              int8_t *output_data, const dw_conv_params_t *conv_params,
                              const quant_data_t *quant_data);

int esp_nn_get_depthwise_conv_scratch_size(const data_dims_t *input_dims,
                                           const data_dims_t *filter_dims,
                                           const data_dims_t *output_dims,
                                           const dw_conv_params_t *conv_params);

void esp_nn_set_depthwise_conv_scratch_buf(const void *buf);

/* One row of a fully connected layer; filters [out_channels, row_len]. */
void esp_nn_fully_connected_s8(const int8_t *input_data, int32_t input_offset, uint16_t row_len,
                               const int8_t *filter_data, int32_t filter_offset,
                               const int32_t *bias, int8_t *out_data, uint16_t out_channels,
                               int32_t out_offset, int32_t out_shift, int32_t out_mult,
                               int32_t activation_min, int32_t activation_max);

void esp_nn_fully_connected_per_ch_s8(const int8_t *input_data, int32_t input_offset,
                                      uint16_t row_len, const int8_t *filter_data,
                                      int32_t filter_offset, const int32_t *bias, int8_t *out_data,
                                      uint16_t out_channels, int32_t out_offset,
                                      const int32_t *out_shift, const int32_t *out_mult,
                                      int32_t activation_min, int32_t activation_max);

/* Pools; padding is never counted. */
void esp_nn_avg_pool_s8(const int8_t *input, uint16_t input_wd, uint16_t input_ht, int8_t *output,
                        uint16_t output_wd, uint16_t output_ht, uint16_t stride_wd,
                        uint16_t stride_ht, uint16_t filter_wd, uint16_t filter_ht,
                        uint16_t pad_wd, uint16_t pad_ht, int32_t activation_min,
                        int32_t activation_max, uint16_t channels);

void esp_nn_max_pool_s8(const int8_t *input, uint16_t input_wd, uint16_t input_ht, int8_t *output,
                        uint16_t output_wd, uint16_t output_ht, uint16_t stride_wd,
                        uint16_t stride_ht, uint16_t filter_wd, uint16_t filter_ht,
                        uint16_t pad_wd, uint16_t pad_ht, int32_t activation_min,
                        int32_t activation_max, uint16_t channels);

/* The mean over the image of every channel. */
void esp_nn_mean_nhwc_s8(const int8_t *input, int8_t *output, int32_t height, int32_t width,
                         int32_t channels, int32_t input_zero_point, int32_t output_zero_point,
                         int32_t multiplier, int32_t shift);

/* Element by element, without broadcasting. */
void esp_nn_add_elementwise_s8(const int8_t *input1_data, const int8_t *input2_data,
                               int32_t input1_offset, int32_t input2_offset, int32_t input1_mult,
                               int32_t input2_mult, int32_t input1_shift, int32_t input2_shift,
                               int32_t left_shift, int8_t *output, int32_t out_offset,
                               int32_t out_mult, int32_t out_shift, int32_t activation_min,
                               int32_t activation_max, int32_t size);

void esp_nn_mul_elementwise_s8(const int8_t *input1_data, const int8_t *input2_data,
                               int32_t input1_offset, int32_t input2_offset, int8_t *output,
                               int32_t out_offset, int32_t out_mult, int32_t out_shift,
                               int32_t activation_min, int32_t activation_max, int32_t size);

/* Softmax of every row; the output has scale 1/256 and zero point -128. */
void esp_nn_softmax_s8(const int8_t *input_data, int32_t height, int32_t width, int32_t mult,
                       int32_t shift, int32_t diff_min, int8_t *output_data);

int32_t esp_nn_get_softmax_scratch_size(int32_t width, int32_t height);

void esp_nn_set_softmax_scratch_buf(void *buffer);

#ifdef __cplusplus
}
#endif

#endif
