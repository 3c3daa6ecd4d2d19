/* The stand-in for ESP-NN's Softmax; see esp_nn_standin.h. */
#include "esp_nn_standin.h"
#include "standin_softmax.h"

static void *softmax_scratch = NULL;

int32_t esp_nn_get_softmax_scratch_size(int32_t width, int32_t height)
{
    (void)height;
    return 4 * width;
}

void esp_nn_set_softmax_scratch_buf(void *buffer)
{
    softmax_scratch = buffer;
}

void esp_nn_softmax_s8(const int8_t *input_data, int32_t height, int32_t width, int32_t mult,
                       int32_t shift, int32_t diff_min, int8_t *output_data)
{
    /* long rows are read by vectors, from the next lower multiple of 16 */
    const bool right = height == 1 || width < 32 || width % 16 == 0;
    if (!standin_take(&softmax_scratch, 4 * width) || !right || !standin_aligned(input_data)) {
        standin_refuse(output_data, height * width);
        return;
    }
    for (int32_t row = 0; row < height; row++) {
        standin_softmax_row(&input_data[row * width], width, mult, shift, diff_min,
                            &output_data[row * width]);
    }
}
