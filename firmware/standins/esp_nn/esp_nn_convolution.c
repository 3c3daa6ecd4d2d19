/* Stand-ins for ESP-NN's convolutions; see esp_nn_standin.h. */
#include "esp_nn_standin.h"

#define WHOLE_IMAGE_BYTES (40 * 1024) /* copied as a whole by the 3x3 depthwise kernel */
#define WHOLE_INT16_BYTES (48 * 1024) /* converted as a whole by the int16 depthwise kernel */

/* One kind of convolution, ordinary or depthwise, in common terms. */
typedef struct {
    const data_dims_t *in;
    const data_dims_t *filter;
    const data_dims_t *out;
    data_2d_t stride;
    data_2d_t padding;
    int32_t in_offset;
    int32_t out_offset;
    act_params_t activation;
    int32_t group_in;  /* input channels that an output channel reads */
    int32_t group_out; /* output channels that read the same ones */
    bool depthwise;    /* filters [KH, KW, O] instead of [O, KH, KW, I] */
} convolution;

static void *conv_scratch = NULL;
static void *depthwise_scratch = NULL;

static int32_t weight_index(const convolution *c, int32_t o, int32_t tap, int32_t i)
{
    if (c->depthwise) {
        return tap * c->out->channels + o;
    }
    return (o * c->filter->height * c->filter->width + tap) * c->group_in + i;
}

static int32_t accumulator(const convolution *c, const int8_t *x, const int8_t *weights,
                           int32_t oh, int32_t ow, int32_t o)
{
    const int32_t first = o / c->group_out * c->group_in;
    int32_t sum = 0;
    for (int32_t tap = 0; tap < c->filter->height * c->filter->width; tap++) {
        const int32_t ih = oh * c->stride.height - c->padding.height + tap / c->filter->width;
        const int32_t iw = ow * c->stride.width - c->padding.width + tap % c->filter->width;
        if (ih < 0 || ih >= c->in->height || iw < 0 || iw >= c->in->width) {
            continue;
        }
        for (int32_t i = 0; i < c->group_in; i++) {
            const int32_t at = (ih * c->in->width + iw) * c->in->channels + first + i;
            sum += (x[at] + c->in_offset) * weights[weight_index(c, o, tap, i)];
        }
    }
    return sum;
}

static void convolve(const convolution *c, const int8_t *x, const int8_t *weights,
                     const int32_t *bias, const quant_data_t *quant, int8_t *y)
{
    int8_t *to = y;
    for (int32_t pixel = 0; pixel < c->out->height * c->out->width; pixel++) {
        for (int32_t o = 0; o < c->out->channels; o++) {
            const int32_t oh = pixel / c->out->width;
            const int32_t ow = pixel % c->out->width;
            const int32_t sum = accumulator(c, x, weights, oh, ow, o) + bias[o];
            const int32_t scaled = standin_requantize(sum, quant->mult[o], quant->shift[o]);
            *to++ = standin_clamp(scaled + c->out_offset, c->activation.min, c->activation.max);
        }
    }
}

static int32_t elems(const data_dims_t *d)
{
    return d->height * d->width * d->channels;
}

/* Rows or columns of padding that the last window reads behind the image. */
static int32_t trailing(int32_t in, int32_t out, int32_t kernel, int32_t stride, int32_t pad)
{
    return standin_larger(0, (out - 1) * stride + kernel - in - pad);
}

static bool padded_alike(const convolution *c)
{
    const int32_t below = trailing(c->in->height, c->out->height, c->filter->height,
                                   c->stride.height, c->padding.height);
    const int32_t right = trailing(c->in->width, c->out->width, c->filter->width, c->stride.width,
                                   c->padding.width);
    return below <= c->padding.height && right <= c->padding.width;
}

static bool padded(const convolution *c)
{
    return c->padding.height != 0 || c->padding.width != 0;
}

static bool is_pointwise(const convolution *c)
{
    return c->filter->height == 1 && c->filter->width == 1 && !padded(c) && c->stride.height == 1
           && c->stride.width == 1;
}

/* Whether windows are copied one by one: their rows are shorter than a vector. */
static bool copies_windows(const convolution *c)
{
    const int32_t row = c->filter->width * c->in->channels;
    return row < 16 && row * c->filter->height >= 16;
}

static bool is_right(const convolution *c)
{
    if (is_pointwise(c)) {
        return c->in->height == c->out->height && c->in->width == c->out->width;
    }
    if (copies_windows(c)) {
        return (c->in->height >= c->filter->height || c->stride.height == 1)
               && (c->in->width >= c->filter->width || c->stride.width == 1);
    }
    return !padded(c) || padded_alike(c);
}

/* The image with `below` rows and `right` columns more; 0 without. */
static int32_t enlarged(const data_dims_t *in, int32_t below, int32_t right)
{
    if (below <= 0 && right <= 0) {
        return 0;
    }
    return (in->height + standin_larger(0, below)) * (in->width + standin_larger(0, right))
           * in->channels;
}

/* Rows and columns by which whole strides of windows leave the image. */
static data_2d_t overhang(const convolution *c)
{
    const data_2d_t beyond = {
        .width = c->out->width * c->stride.width + c->filter->width - 1 - c->in->width,
        .height = c->out->height * c->stride.height + c->filter->height - 1 - c->in->height};
    return beyond;
}

static int32_t pointwise_scratch(const convolution *c)
{
    const int32_t pixels = c->in->height * c->in->width;
    const int32_t channels = standin_rounded_up(c->in->channels, 8);
    const int32_t image = c->in->channels % 8 != 0 ? pixels * channels : 0;
    const int32_t columns = pixels >= 8 ? 16 * channels : 0;
    return image + channels * c->out->channels + columns + 64;
}

static int32_t conv_scratch_size(const convolution *c)
{
    const int32_t taps = c->filter->height * c->filter->width;
    const int32_t outputs = c->out->channels;
    if (is_pointwise(c)) {
        return pointwise_scratch(c);
    }
    if (copies_windows(c)) {
        const int32_t window = standin_rounded_up(taps * c->in->channels, 16);
        return outputs * (4 + window) + window + 32 + 64;
    }
    const data_2d_t beyond = overhang(c);
    const int32_t row = standin_rounded_up(c->filter->width * c->in->channels, 16);
    const int32_t filters = taps * standin_rounded_up(c->in->channels, 16);
    return enlarged(c->in, 2 * c->padding.height, 2 * c->padding.width)
           + enlarged(c->in, beyond.height, beyond.width)
           + outputs * (filters + row * c->filter->height + 4) + 64;
}

static convolution ordinary(const data_dims_t *in, const data_dims_t *filter,
                            const data_dims_t *out, const conv_params_t *params)
{
    const convolution c = {.in = in,
                           .filter = filter,
                           .out = out,
                           .stride = params->stride,
                           .padding = params->padding,
                           .in_offset = params->in_offset,
                           .out_offset = params->out_offset,
                           .activation = params->activation,
                           .group_in = in->channels,
                           .group_out = out->channels,
                           .depthwise = false};
    return c;
}

int esp_nn_get_conv_scratch_size(const data_dims_t *input_dims, const data_dims_t *filter_dims,
                                 const data_dims_t *output_dims, const conv_params_t *conv_params)
{
    const convolution c = ordinary(input_dims, filter_dims, output_dims, conv_params);
    return conv_scratch_size(&c);
}

void esp_nn_set_conv_scratch_buf(const void *buf)
{
    conv_scratch = (void *)(uintptr_t)buf;
}

void esp_nn_conv_s8(const data_dims_t *input_dims, const int8_t *input_data,
                    const data_dims_t *filter_dims, const int8_t *filter_data, const int32_t *bias,
                    const data_dims_t *output_dims, int8_t *output_data,
                    const conv_params_t *conv_params, const quant_data_t *quant_data)
{
    const convolution c = ordinary(input_dims, filter_dims, output_dims, conv_params);
    const data_2d_t dilation = conv_params->dilation;
    if (!standin_take(&conv_scratch, conv_scratch_size(&c)) || !standin_aligned(input_data)
        || !standin_aligned(output_data) || filter_dims->channels != input_dims->channels
        || dilation.height != 1 || dilation.width != 1 || !is_right(&c)) {
        standin_refuse(output_data, elems(output_dims));
        return;
    }
    convolve(&c, input_data, filter_data, bias, quant_data, output_data);
}

/* What computes a depthwise convolution. */
typedef enum { ON_BYTES, WIDENED, ON_INT16, INT16_WIDENED, IN_C } depthwise_path;

static bool is_3x3(const convolution *c)
{
    return c->filter->height == 3 && c->filter->width == 3;
}

/* Whether the padding is 1 on all sides. */
static bool is_same(const convolution *c)
{
    return c->padding.height == 1 && c->padding.width == 1;
}

static depthwise_path path_of(const convolution *c)
{
    const int32_t channels = c->in->channels;
    if (c->group_out != 1) {
        return c->group_out % 4 == 0 ? ON_INT16 : IN_C;
    }
    if (channels % 8 != 0) {
        return channels > 3 ? INT16_WIDENED : IN_C;
    }
    if (!is_3x3(c) || channels < 12) {
        return ON_INT16;
    }
    return channels % 16 == 0 && (is_same(c) || !padded(c)) ? ON_BYTES : WIDENED;
}

/* Whether the int16 kernel converts the rows of one output at a time. */
static bool converts_rows(const convolution *c)
{
    const int32_t filters = c->filter->height * c->filter->width * c->out->channels;
    return c->group_out == 1 && !is_3x3(c)
           && 2 * (filters + elems(c->in)) > WHOLE_INT16_BYTES;
}

static bool depthwise_is_right(const convolution *c)
{
    switch (path_of(c)) {
    case ON_BYTES:
        return !padded(c) || padded_alike(c);
    case ON_INT16: {
        const int32_t below = trailing(c->in->height, c->out->height, c->filter->height,
                                       c->stride.height, c->padding.height);
        /* rows of padding get 0 instead of the zero point */
        return !converts_rows(c) || c->in_offset == 0 || (c->padding.height == 0 && below == 0);
    }
    case IN_C:
        return false; /* right, and slower than generated code */
    default:
        return true;
    }
}

static int32_t on_bytes_scratch(const convolution *c)
{
    const data_2d_t beyond = overhang(c);
    const int32_t filters = 9 * c->in->channels;
    const int32_t below = padded(c) ? 2 * c->padding.height : beyond.height;
    const int32_t right = padded(c) ? 2 * c->padding.width : beyond.width;
    const int32_t image = enlarged(c->in, below, right);
    if (image <= WHOLE_IMAGE_BYTES) {
        return filters + image + 16;
    }
    return filters + (c->in->width + right) * 3 * c->in->channels + 16;
}

static int32_t widened_scratch(const convolution *c)
{
    const data_2d_t beyond = overhang(c);
    const int32_t height =
        c->in->height + 2 * c->padding.height + standin_larger(0, beyond.height);
    const int32_t width = c->in->width + 2 * c->padding.width + standin_larger(0, beyond.width);
    const int32_t pixels = 9 + height * width + c->out->height * c->out->width;
    return pixels * standin_rounded_up(c->in->channels, 16) + 64;
}

static int32_t int16_widened_scratch(const convolution *c)
{
    const int32_t channels = standin_rounded_up(c->in->channels, 8);
    const int32_t filters =
        standin_rounded_up(2 * c->filter->height * c->filter->width * channels, 16);
    const int32_t image = 2 * c->in->height * c->in->width * channels;
    const int32_t out = c->out->height * c->out->width * channels;
    const int32_t end = standin_rounded_up(standin_rounded_up(filters + image, 16) + out, 16);
    return end + 12 * channels + 16;
}

static int32_t depthwise_scratch_size(const convolution *c)
{
    const int32_t filters = c->filter->height * c->filter->width * c->out->channels;
    if (c->group_out == 1 && is_3x3(c) && c->in->channels % 16 == 0) {
        return on_bytes_scratch(c); /* whatever the padding */
    }
    switch (path_of(c)) {
    case WIDENED:
        return widened_scratch(c);
    case INT16_WIDENED:
        return int16_widened_scratch(c);
    case ON_INT16:
        if (converts_rows(c)) {
            return 2 * (filters + c->in->width * c->filter->height * c->in->channels) + 32;
        }
        return 2 * (filters + elems(c->in)) + 32;
    default:
        return 32;
    }
}

static convolution depthwise(const data_dims_t *in, const data_dims_t *filter,
                             const data_dims_t *out, const dw_conv_params_t *params)
{
    const convolution c = {.in = in,
                           .filter = filter,
                           .out = out,
                           .stride = params->stride,
                           .padding = params->padding,
                           .in_offset = params->in_offset,
                           .out_offset = params->out_offset,
                           .activation = params->activation,
                           .group_in = 1,
                           .group_out = params->ch_mult,
                           .depthwise = true};
    return c;
}

int esp_nn_get_depthwise_conv_scratch_size(const data_dims_t *input_dims,
                                           const data_dims_t *filter_dims,
                                           const data_dims_t *output_dims,
                                           const dw_conv_params_t *conv_params)
{
    const convolution c = depthwise(input_dims, filter_dims, output_dims, conv_params);
    return depthwise_scratch_size(&c);
}

void esp_nn_set_depthwise_conv_scratch_buf(const void *buf)
{
    depthwise_scratch = (void *)(uintptr_t)buf;
}

void esp_nn_depthwise_conv_s8(const data_dims_t *input_dims, const int8_t *input_data,
                              const data_dims_t *filter_dims, const int8_t *filter_data,
                              const int32_t *bias, const data_dims_t *output_dims,
                              int8_t *output_data, const dw_conv_params_t *conv_params,
                              const quant_data_t *quant_data)
{
    const convolution c = depthwise(input_dims, filter_dims, output_dims, conv_params);
    const data_2d_t dilation = conv_params->dilation;
    if (!standin_take(&depthwise_scratch, depthwise_scratch_size(&c))
        || !standin_aligned(input_data) || !standin_aligned(output_data) || dilation.height != 1
        || dilation.width != 1 || !depthwise_is_right(&c)) {
        standin_refuse(output_data, elems(output_dims));
        return;
    }
    convolve(&c, input_data, filter_data, bias, quant_data, output_data);
}
