/*
 * C in place of ESP-NN's assembly for the ESP32-S3, so that the C around it runs on a computer: which
 * path it takes, how it pads and aligns, what working memory it writes. Written for mcugen from the
 * arguments and the comments of the assembly; what that requires and does not get is counted.
 */
#include <stdint.h>
#include <string.h>

#include <common_functions.h>
#include <esp_nn.h>

#define ROW_BYTES 16

#define REQUIRE(condition) (faults += (condition) ? 0 : 1)

static int faults = 0;

/* How many requirements were not met since the last call. */
int esp32s3_faults(void)
{
    const int found = faults;
    faults = 0;
    return found;
}

/* Numbers that every kernel ends with. */
typedef struct {
    const int32_t *bias;
    const int32_t *shift;
    const int32_t *mult;
    int32_t offset;
    int32_t low;
    int32_t high;
} ending;

static int is_aligned(const void *address, uintptr_t step)
{
    return (uintptr_t)address % step == 0;
}

static int8_t end(const ending *e, int32_t sum, int32_t channel)
{
    const int32_t scaled =
        esp_nn_multiply_by_quantized_mult(sum, e->mult[channel], e->shift[channel]) + e->offset;
    return (int8_t)min(max(scaled, e->low), e->high);
}

int32_t esp_nn_dot_s8_aligned_esp32s3(const int8_t *a, const int8_t *b, int32_t len)
{
    int32_t sum = 0;
    REQUIRE(is_aligned(a, 16) && is_aligned(b, 16) && len >= 16 && len % 16 == 0);
    for (int32_t i = 0; i < len; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

int32_t esp_nn_dot_s8_unaligned_esp32s3(const int8_t *a, const int8_t *b, int32_t len_div16)
{
    int32_t sum = 0;
    REQUIRE(is_aligned(a, 16) && len_div16 >= 1);
    for (int32_t i = 0; i < 16 * len_div16; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void pointwise(const int8_t *input, int32_t pixels, int32_t in_channels, int32_t in_offset,
                      const int8_t *filter, int8_t *out, int32_t out_channels, const ending *e)
{
    for (int32_t p = 0; p < pixels; p++) {
        for (int32_t o = 0; o < out_channels; o++) {
            int32_t sum = e->bias ? e->bias[o] : 0;
            for (int32_t i = 0; i < in_channels; i++) {
                sum += (input[p * in_channels + i] + in_offset) * filter[o * in_channels + i];
            }
            out[p * out_channels + o] = end(e, sum, o);
        }
    }
}

void esp_nn_conv_s8_mult8_1x1_esp32s3(
    const int8_t *input, const uint16_t input_wd, const uint16_t input_ht,
    const uint16_t in_channels, const int32_t input_offset, const int8_t *filter,
    const int32_t *bias, int8_t *out, const uint16_t out_wd, const uint16_t out_ht,
    const uint16_t out_channels, const int32_t out_offset, const int32_t *out_shift,
    const int32_t *out_mult, const int32_t act_min, const int32_t act_max, void *buffer)
{
    const ending e = {bias, out_shift, out_mult, out_offset, act_min, act_max};
    const int32_t pixels = input_wd * input_ht;
    (void)out_wd;
    (void)out_ht;
    REQUIRE(is_aligned(input, 8) && is_aligned(buffer, 16) && in_channels % 8 == 0);
    if (pixels >= 8) {
        memset(buffer, 0x33, 16 * (size_t)in_channels);
    }
    pointwise(input, pixels, in_channels, input_offset, filter, out, out_channels, &e);
}

/* Assembly inside of C. */
void esp_nn_conv_s8_1x1(const int8_t *input, const uint16_t input_wd, const uint16_t input_ht,
                        const uint16_t in_channels, const int32_t input_offset,
                        const int8_t *filter, const int32_t *bias, int8_t *out,
                        const uint16_t out_channels, const int32_t out_offset,
                        const int32_t *out_shift, const int32_t *out_mult, const int32_t act_min,
                        const int32_t act_max, void *scratch)
{
    const ending e = {bias, out_shift, out_mult, out_offset, act_min, act_max};
    int8_t *buffer = (int8_t *)(((uintptr_t)scratch + 15) & ~(uintptr_t)15);
    if (input_wd * input_ht >= 8) {
        memset(buffer, 0x33, 128 * (size_t)(in_channels / 8));
    }
    pointwise(input, input_wd * input_ht, in_channels, input_offset, filter, out, out_channels, &e);
}

/* Rows of the filter lie on lines of their own; sums of the filter times the offset, with the bias,
 * are made in the working memory, from which the bias may come as well. */
void esp_nn_conv_s8_filter_aligned_input_padded_esp32s3(
    const int8_t *input, const uint16_t input_wd, const uint16_t input_ht,
    const uint16_t in_channels, const int32_t input_offset, const uint16_t stride_wd,
    const uint16_t stride_ht, const int8_t *filter, const uint16_t filter_wd,
    const uint16_t filter_ht, const int32_t *bias, int8_t *out, const uint16_t out_wd,
    const uint16_t out_ht, const uint16_t out_channels, const int32_t out_offset,
    const int32_t *out_shift, const int32_t *out_mult, const int32_t act_min,
    const int32_t act_max, void *scratch)
{
    const ending e = {bias, out_shift, out_mult, out_offset, act_min, act_max};
    const int32_t row = filter_wd * in_channels;
    const int32_t line = (row + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
    REQUIRE(is_aligned(filter, 16));
    for (int32_t o = 0; o < out_channels; o++) {
        int32_t sum = 0;
        for (int32_t i = 0; i < line * filter_ht && input_offset != 0; i++) {
            sum += filter[o * line * filter_ht + i] * input_offset;
        }
        if (bias) {
            int32_t added;
            memcpy(&added, (const char *)bias + 4 * o, 4);
            sum += added;
        }
        memcpy((char *)scratch + 4 * o, &sum, 4);
    }
    for (int32_t pixel = 0; pixel < out_ht * out_wd; pixel++) {
        const int32_t top = pixel / out_wd * stride_ht;
        const int32_t left = pixel % out_wd * stride_wd;
        REQUIRE(top + filter_ht <= input_ht && left + filter_wd <= input_wd);
        for (int32_t o = 0; o < out_channels; o++) {
            int32_t sum;
            memcpy(&sum, (const char *)scratch + 4 * o, 4);
            for (int32_t y = 0; y < filter_ht; y++) {
                const int8_t *a = &input[((top + y) * input_wd + left) * in_channels];
                const int8_t *b = &filter[(o * filter_ht + y) * line];
                for (int32_t i = 0; i < row; i++) {
                    sum += a[i] * b[i];
                }
            }
            *out++ = end(&e, sum, o);
        }
    }
}

void esp_nn_depthwise_conv_s8_mult1_3x3_padded_esp32s3(
    const int8_t *input, const uint16_t input_wd, const uint16_t input_ht, const uint16_t channels,
    const int32_t input_offset, const uint16_t stride_wd, const uint16_t stride_ht,
    const int8_t *filter, const int32_t *bias, int8_t *out, const uint16_t out_wd,
    const uint16_t out_ht, const int32_t out_offset, const int32_t *out_shift,
    const int32_t *out_mult, const int32_t act_min, const int32_t act_max)
{
    const ending e = {bias, out_shift, out_mult, out_offset, act_min, act_max};
    REQUIRE(is_aligned(input, 16) && is_aligned(filter, 16) && is_aligned(out, 16));
    REQUIRE(channels % 16 == 0);
    for (int32_t pixel = 0; pixel < out_ht * out_wd; pixel++) {
        const int32_t top = pixel / out_wd * stride_ht;
        const int32_t left = pixel % out_wd * stride_wd;
        REQUIRE(top + 3 <= input_ht && left + 3 <= input_wd);
        for (int32_t c = 0; c < channels; c++) {
            int32_t sum = bias ? bias[c] : 0;
            for (int32_t tap = 0; tap < 9; tap++) {
                const int32_t at = (top + tap / 3) * input_wd + left + tap % 3;
                sum += (input[at * channels + c] + input_offset) * filter[tap * channels + c];
            }
            *out++ = end(&e, sum, c);
        }
    }
}

/* All kernels on int16: the offset is in the input already, taps outside of the image are left out. */
static void on_int16(const int16_t *input, int32_t wd, int32_t ht, int32_t channels,
                     int32_t pad_wd, int32_t pad_ht, int32_t stride_wd, int32_t stride_ht,
                     int32_t ch_mult, const int16_t *filter, int32_t filter_wd, int32_t filter_ht,
                     int8_t *out, int32_t out_wd, int32_t out_ht, const ending *e)
{
    const int32_t outputs = channels * ch_mult;
    REQUIRE(is_aligned(input, 16) && is_aligned(filter, 16) && is_aligned(out, 8));
    for (int32_t pixel = 0; pixel < out_ht * out_wd; pixel++) {
        for (int32_t o = 0; o < outputs; o++) {
            int32_t sum = e->bias ? e->bias[o] : 0;
            for (int32_t tap = 0; tap < filter_ht * filter_wd; tap++) {
                const int32_t y = pixel / out_wd * stride_ht - pad_ht + tap / filter_wd;
                const int32_t x = pixel % out_wd * stride_wd - pad_wd + tap % filter_wd;
                if (y >= 0 && y < ht && x >= 0 && x < wd) {
                    sum += input[(y * wd + x) * channels + o / ch_mult] * filter[tap * outputs + o];
                }
            }
            *out++ = end(e, sum, o);
        }
    }
}

void esp_nn_depthwise_conv_s16_mult1_esp32s3(
    const int16_t *input, const uint16_t wd, const uint16_t ht, const uint16_t channels,
    const uint16_t pad_wd, const uint16_t pad_ht, const uint16_t stride_wd,
    const uint16_t stride_ht, const int16_t *filter, const uint16_t filter_wd,
    const uint16_t filter_ht, const int32_t *bias, int8_t *out, const uint16_t out_wd,
    const uint16_t out_ht, const int32_t out_offset, const int32_t *out_shift,
    const int32_t *out_mult, const int32_t act_min, const int32_t act_max)
{
    const ending e = {bias, out_shift, out_mult, out_offset, act_min, act_max};
    REQUIRE(channels % 8 == 0);
    on_int16(input, wd, ht, channels, pad_wd, pad_ht, stride_wd, stride_ht, 1, filter, filter_wd,
             filter_ht, out, out_wd, out_ht, &e);
}

void esp_nn_depthwise_conv_s16_mult1_3x3_esp32s3(
    const int16_t *input, const uint16_t wd, const uint16_t ht, const uint16_t channels,
    const uint16_t pad_wd, const uint16_t pad_ht, const uint16_t stride_wd,
    const uint16_t stride_ht, const int16_t *filter, const int32_t *bias, int8_t *out,
    const uint16_t out_wd, const uint16_t out_ht, const int32_t out_offset,
    const int32_t *out_shift, const int32_t *out_mult, const int32_t act_min,
    const int32_t act_max)
{
    const ending e = {bias, out_shift, out_mult, out_offset, act_min, act_max};
    REQUIRE(channels % 8 == 0);
    on_int16(input, wd, ht, channels, pad_wd, pad_ht, stride_wd, stride_ht, 1, filter, 3, 3, out,
             out_wd, out_ht, &e);
}

void esp_nn_depthwise_conv_s16_mult4_esp32s3(
    const int16_t *input, const uint16_t wd, const uint16_t ht, const uint16_t channels,
    const uint16_t pad_wd, const uint16_t pad_ht, const uint16_t stride_wd,
    const uint16_t stride_ht, const uint16_t ch_mult, const int16_t *filter,
    const uint16_t filter_wd, const uint16_t filter_ht, const int32_t *bias, int8_t *out,
    const uint16_t out_wd, const uint16_t out_ht, const int32_t out_offset,
    const int32_t *out_shift, const int32_t *out_mult, const int32_t act_min,
    const int32_t act_max)
{
    const ending e = {bias, out_shift, out_mult, out_offset, act_min, act_max};
    REQUIRE(ch_mult % 4 == 0);
    on_int16(input, wd, ht, channels, pad_wd, pad_ht, stride_wd, stride_ht, ch_mult, filter,
             filter_wd, filter_ht, out, out_wd, out_ht, &e);
}

void esp_nn_depthwise_conv_s16_mult8_esp32s3(
    const int16_t *input, const uint16_t wd, const uint16_t ht, const uint16_t channels,
    const uint16_t pad_wd, const uint16_t pad_ht, const uint16_t stride_wd,
    const uint16_t stride_ht, const uint16_t ch_mult, const int16_t *filter,
    const uint16_t filter_wd, const uint16_t filter_ht, const int32_t *bias, int8_t *out,
    const uint16_t out_wd, const uint16_t out_ht, const int32_t out_offset,
    const int32_t *out_shift, const int32_t *out_mult, const int32_t act_min,
    const int32_t act_max)
{
    const ending e = {bias, out_shift, out_mult, out_offset, act_min, act_max};
    REQUIRE(ch_mult % 8 == 0);
    on_int16(input, wd, ht, channels, pad_wd, pad_ht, stride_wd, stride_ht, ch_mult, filter,
             filter_wd, filter_ht, out, out_wd, out_ht, &e);
}

void esp_nn_depthwise_conv_s16_mult8_3x3_esp32s3(
    const int16_t *input, const uint16_t wd, const uint16_t ht, const uint16_t channels,
    const uint16_t pad_wd, const uint16_t pad_ht, const uint16_t stride_wd,
    const uint16_t stride_ht, const uint16_t ch_mult, const int16_t *filter, const int32_t *bias,
    int8_t *out, const uint16_t out_wd, const uint16_t out_ht, const int32_t out_offset,
    const int32_t *out_shift, const int32_t *out_mult, const int32_t act_min,
    const int32_t act_max)
{
    const ending e = {bias, out_shift, out_mult, out_offset, act_min, act_max};
    REQUIRE(ch_mult % 8 == 0);
    on_int16(input, wd, ht, channels, pad_wd, pad_ht, stride_wd, stride_ht, ch_mult, filter, 3, 3,
             out, out_wd, out_ht, &e);
}

void esp_nn_s8_to_s16_esp32s3(const int8_t *src, int16_t *dst, const int size)
{
    REQUIRE(is_aligned(dst, 16));
    for (int i = 0; i < size; i++) {
        dst[i] = src[i];
    }
    if (size % 16 % 2 != 0) {
        dst[size] = 0x33; /* pairs */
    }
}

void esp_nn_aligned_s8_to_s16_with_offset_esp32s3(const int8_t *src, int16_t *dst, const int size,
                                                  const int32_t offset)
{
    REQUIRE(is_aligned(src, 16) && is_aligned(dst, 16));
    for (int i = 0; i < size; i++) {
        dst[i] = (int16_t)(src[i] + offset);
    }
}

/* Known to be wrong: nothing may come here. */
void esp_nn_fc_s16_esp32s3(void)
{
    REQUIRE(0);
}

void esp_nn_fc_per_ch_s16_esp32s3(void)
{
    REQUIRE(0);
}

void esp_nn_avg_pool_s8_esp32s3_asm(
    const int8_t *input, const uint16_t input_wd, const uint16_t input_ht, int8_t *output,
    const uint16_t output_wd, const uint16_t output_ht, const uint16_t stride_wd,
    const uint16_t stride_ht, const uint16_t filter_wd, const uint16_t filter_ht,
    const uint16_t pad_wd, const uint16_t pad_ht, const int32_t activation_min,
    const int32_t activation_max, const uint16_t channels)
{
    REQUIRE(is_aligned(input, 8) && is_aligned(output, 8) && channels % 4 == 0);
    esp_nn_avg_pool_s8_ansi(input, input_wd, input_ht, output, output_wd, output_ht, stride_wd,
                            stride_ht, filter_wd, filter_ht, pad_wd, pad_ht, activation_min,
                            activation_max, channels);
}

void esp_nn_max_pool_s8_esp32s3(
    const int8_t *input, const uint16_t input_wd, const uint16_t input_ht, int8_t *output,
    const uint16_t output_wd, const uint16_t output_ht, const uint16_t stride_wd,
    const uint16_t stride_ht, const uint16_t filter_wd, const uint16_t filter_ht,
    const uint16_t pad_wd, const uint16_t pad_ht, const int32_t activation_min,
    const int32_t activation_max, const uint16_t channels)
{
    REQUIRE(is_aligned(input, 8) && is_aligned(output, 8) && channels % 4 == 0);
    /* 4 channels at a time: the register with the lower clamp holds results by then */
    const int32_t low = channels % 8 == 0 ? activation_min : INT8_MIN;
    esp_nn_max_pool_s8_ansi(input, input_wd, input_ht, output, output_wd, output_ht, stride_wd,
                            stride_ht, filter_wd, filter_ht, pad_wd, pad_ht, low, activation_max,
                            channels);
}

void esp_nn_add_elementwise_s8_esp32s3(
    const int8_t *a, const int8_t *b, const int32_t a_offset, const int32_t b_offset,
    const int32_t a_mult, const int32_t b_mult, const int32_t a_shift, const int32_t b_shift,
    const int32_t left_shift, int8_t *output, const int32_t out_offset, const int32_t out_mult,
    const int32_t out_shift, const int32_t activation_min, const int32_t activation_max,
    const int32_t size)
{
    REQUIRE(is_aligned(output, 8) && a_shift <= 0 && b_shift <= 0 && out_shift <= 0);
    esp_nn_add_elementwise_s8_ansi(a, b, a_offset, b_offset, a_mult, b_mult, a_shift, b_shift,
                                   left_shift, output, out_offset, out_mult, out_shift,
                                   activation_min, activation_max, size);
}

/* Behind the last whole 8 elements, 1 is added to a negative product instead of subtracted. */
void esp_nn_mul_elementwise_s8_esp32s3(
    const int8_t *a, const int8_t *b, const int32_t a_offset, const int32_t b_offset,
    int8_t *output, const int32_t out_offset, const int32_t out_mult, const int32_t out_shift,
    const int32_t activation_min, const int32_t activation_max, const int32_t size)
{
    const int32_t whole = is_aligned(a, 16) && is_aligned(b, 16) ? size / 8 * 8 : 0;
    REQUIRE(is_aligned(output, 8) && out_shift <= 0);
    esp_nn_mul_elementwise_s8_ansi(a, b, a_offset, b_offset, output, out_offset, out_mult,
                                   out_shift, activation_min, activation_max, whole);
    for (int32_t i = whole; i < size; i++) {
        const int32_t product = (a[i] + a_offset) * (b[i] + b_offset);
        const int32_t high = esp_nn_sat_round_doubling_high_mul(product, out_mult);
        int32_t scaled = high;
        if (out_shift < 0) {
            scaled = (high + (high < 0) + (1 << (-out_shift - 1))) >> -out_shift;
        }
        output[i] = (int8_t)max(activation_min, min(scaled + out_offset, activation_max));
    }
}
