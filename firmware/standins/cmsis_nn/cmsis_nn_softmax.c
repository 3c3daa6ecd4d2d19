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
