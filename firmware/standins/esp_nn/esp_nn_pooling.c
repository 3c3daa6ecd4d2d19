/* Stand-ins for ESP-NN's pools and its mean; see esp_nn_standin.h. */
#include "esp_nn_standin.h"

#define MAX_INT16_WINDOW 256 /* elements whose sum fits int16 */

/* A pool's image and where one of its windows begins. */
typedef struct {
    const int8_t *x;
    int32_t height;
    int32_t width;
    int32_t channels;
    int32_t window_height;
    int32_t window_width;
} pooled;

/* The taps of one window inside the image, of one channel. */
typedef struct {
    int32_t count;
    int32_t sum;
    int32_t greatest;
} window;

static window look(const pooled *p, int32_t top, int32_t left, int32_t channel)
{
    window found = {0, 0, INT8_MIN};
    for (int32_t kh = 0; kh < p->window_height; kh++) {
        for (int32_t kw = 0; kw < p->window_width; kw++) {
            const int32_t ih = top + kh;
            const int32_t iw = left + kw;
            if (ih >= 0 && ih < p->height && iw >= 0 && iw < p->width) {
                const int32_t value = p->x[(ih * p->width + iw) * p->channels + channel];
                found.count++;
                found.sum += value;
                found.greatest = value > found.greatest ? value : found.greatest;
            }
        }
    }
    return found;
}

static int32_t rounded_mean(window w)
{
    const int32_t half = w.count / 2;
    return (w.sum > 0 ? w.sum + half : w.sum - half) / w.count;
}

void esp_nn_avg_pool_s8(const int8_t *input, uint16_t input_wd, uint16_t input_ht, int8_t *output,
                        uint16_t output_wd, uint16_t output_ht, uint16_t stride_wd,
                        uint16_t stride_ht, uint16_t filter_wd, uint16_t filter_ht,
                        uint16_t pad_wd, uint16_t pad_ht, int32_t activation_min,
                        int32_t activation_max, uint16_t channels)
{
    const pooled p = {input, input_ht, input_wd, channels, filter_ht, filter_wd};
    const int32_t count = output_ht * output_wd * channels;
    const bool fits = channels % 4 == 0 || filter_ht * filter_wd <= MAX_INT16_WINDOW;
    if (!fits || !standin_aligned(input) || !standin_aligned(output)) {
        standin_refuse(output, count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t pixel = i / channels;
        const window w = look(&p, pixel / output_wd * stride_ht - pad_ht,
                              pixel % output_wd * stride_wd - pad_wd, i % channels);
        const int32_t mean = w.count > 0 ? rounded_mean(w) : STANDIN_REFUSED;
        output[i] = standin_clamp(mean, activation_min, activation_max);
    }
}

void esp_nn_max_pool_s8(const int8_t *input, uint16_t input_wd, uint16_t input_ht, int8_t *output,
                        uint16_t output_wd, uint16_t output_ht, uint16_t stride_wd,
                        uint16_t stride_ht, uint16_t filter_wd, uint16_t filter_ht,
                        uint16_t pad_wd, uint16_t pad_ht, int32_t activation_min,
                        int32_t activation_max, uint16_t channels)
{
    const pooled p = {input, input_ht, input_wd, channels, filter_ht, filter_wd};
    const int32_t count = output_ht * output_wd * channels;
    /* 4 channels at a time lose the lower clamp */
    const bool right = channels % 8 == 0 || (channels % 4 == 0 && activation_min <= INT8_MIN);
    if (!right || !standin_aligned(input) || !standin_aligned(output)) {
        standin_refuse(output, count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t pixel = i / channels;
        const window w = look(&p, pixel / output_wd * stride_ht - pad_ht,
                              pixel % output_wd * stride_wd - pad_wd, i % channels);
        output[i] = standin_clamp(w.greatest, activation_min, activation_max);
    }
}

void esp_nn_mean_nhwc_s8(const int8_t *input, int8_t *output, int32_t height, int32_t width,
                         int32_t channels, int32_t input_zero_point, int32_t output_zero_point,
                         int32_t multiplier, int32_t shift)
{
    const pooled p = {input, height, width, channels, height, width};
    if (!standin_aligned(input) || !standin_aligned(output)) {
        standin_refuse(output, channels);
        return;
    }
    for (int32_t c = 0; c < channels; c++) {
        const window w = look(&p, 0, 0, c);
        const int32_t sum = w.sum - w.count * input_zero_point;
        const int32_t mean = standin_requantize(sum, multiplier, shift) + output_zero_point;
        output[c] = standin_clamp(mean, INT8_MIN, INT8_MAX);
    }
}
