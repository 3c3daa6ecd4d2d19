/* Stand-ins for CMSIS-NN's pools; see cmsis_nn_standin.h. */
#include "cmsis_nn_standin.h"

/* The taps of one window inside the image, of one channel. */
typedef struct {
    int32_t count;
    int32_t sum;
    int32_t greatest;
} window;

static window look(const cmsis_nn_pool_params *params, const cmsis_nn_dims *in, const int8_t *x,
                   const cmsis_nn_dims *filter, int32_t oh, int32_t ow, int32_t channel)
{
    window found = {0, 0, INT8_MIN};
    for (int32_t kh = 0; kh < filter->h; kh++) {
        const int32_t ih = oh * params->stride.h - params->padding.h + kh;
        for (int32_t kw = 0; kw < filter->w; kw++) {
            const int32_t iw = ow * params->stride.w - params->padding.w + kw;
            if (ih >= 0 && ih < in->h && iw >= 0 && iw < in->w) {
                const int32_t value = x[(ih * in->w + iw) * in->c + channel];
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

static arm_cmsis_nn_status pool(const cmsis_nn_pool_params *params, const cmsis_nn_dims *in,
                                const int8_t *x, const cmsis_nn_dims *filter,
                                const cmsis_nn_dims *out, int8_t *y, bool average)
{
    int8_t *to = y;
    for (int32_t n = 0; n < in->n; n++) {
        const int8_t *image = &x[n * in->h * in->w * in->c];
        for (int32_t pixel = 0; pixel < out->h * out->w; pixel++) {
            for (int32_t c = 0; c < in->c; c++) {
                const window w =
                    look(params, in, image, filter, pixel / out->w, pixel % out->w, c);
                if (w.count == 0) {
                    return ARM_CMSIS_NN_ARG_ERROR;
                }
                *to++ = standin_clamp(average ? rounded_mean(w) : w.greatest,
                                      params->activation.min, params->activation.max);
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_avgpool_s8_get_buffer_size(int output_x, int ch_src)
{
    (void)output_x;
    (void)ch_src;
    return 0; /* without SIMD */
}

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx,
                                   const cmsis_nn_pool_params *pool_params,
                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                   const cmsis_nn_dims *filter_dims,
                                   const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (!standin_take(ctx, 0) || input_dims->n < 1) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return pool(pool_params, input_dims, input_data, filter_dims, output_dims, output_data, true);
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *ctx,
                                    const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims,
                                    const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (!standin_take(ctx, 0) || input_dims->n < 1) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return pool(pool_params, input_dims, input_data, filter_dims, output_dims, output_data, false);
}
