/* The stand-in for CMSIS-NN's Softmax; see cmsis_nn_standin.h. */
#include "cmsis_nn_standin.h"
#include "standin_softmax.h"

void arm_softmax_s8(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult,
                    int32_t shift, int32_t diff_min, int8_t *output)
{
    for (int32_t row = 0; row < num_rows; row++) {
        standin_softmax_row(&input[row * row_size], row_size, mult, shift, diff_min,
                            &output[row * row_size]);
    }
}

void arm_softmax_s8_s16(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult,
                        int32_t shift, int32_t diff_min, int16_t *output)
{
    for (int32_t row = 0; row < num_rows; row++) {
        const int8_t *x = &input[row * row_size];
        const standin_softmax_line line = standin_softmax_sum(x, row_size, mult, shift, diff_min);
        for (int32_t i = 0; i < row_size; i++) {
            const int32_t share = standin_softmax_share(&line, x[i], mult, shift, diff_min, 16);
            const int32_t value = share + INT16_MIN;
            output[row * row_size + i] = (int16_t)(value > INT16_MAX ? INT16_MAX : value);
        }
    }
}
