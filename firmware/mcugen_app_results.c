/* What the last inference computed: as real values, and as bytes. */
#include "mcugen_app_parts.h"

#include <string.h>

#define BYTES_A_LINE 32U

uint32_t mcugen_app_real_bits(const mcugen_tensor *tensor, uint64_t bits)
{
    uint32_t result = (uint32_t)bits;
    if (tensor->scale > 0.0f) {
        const uint64_t sign = UINT64_C(1) << (8U * mcugen_element_bytes(tensor->dtype) - 1U);
        const bool is_signed = tensor->dtype == MCUGEN_INT8 || tensor->dtype == MCUGEN_INT16
                               || tensor->dtype == MCUGEN_INT32;
        int64_t value = (int64_t)bits;
        float real;
        if (is_signed && (bits & sign) != 0U) {
            value -= (int64_t)sign * 2;
        }
        real = tensor->scale * (float)(value - tensor->zero_point);
        (void)memcpy(&result, &real, sizeof(result));
    }
    return result;
}

static void print_element(mcugen_app *app, const mcugen_tensor *tensor, const uint8_t *data)
{
    mcugen_put_char put = app->hal->put_char;
    const uint64_t bits = mcugen_element_bits(data, tensor->dtype);
    if (mcugen_element_is_float(tensor->dtype)) {
        mcugen_print_real(put, bits, tensor->dtype == MCUGEN_FLOAT64);
    } else if (tensor->scale > 0.0f) {
        mcugen_print_real(put, mcugen_app_real_bits(tensor, bits), false);
    } else {
        mcugen_element_print_integer(put, bits, tensor->dtype);
        mcugen_print_text(put, ".000");
    }
}

void mcugen_app_results(mcugen_app *app)
{
    mcugen_put_char put = app->hal->put_char;
    const mcugen_model *model = mcugen_app_model(app);
    bool first = true;
    mcugen_print_text(put, "m-results-[");
    for (uint32_t i = 0; i < model->output_count; i++) {
        const mcugen_tensor *tensor = &model->outputs[i];
        const uint8_t *data = (const uint8_t *)app->project->selftest->output(i);
        const uint32_t size = mcugen_element_bytes(tensor->dtype);
        for (uint32_t at = 0; at < tensor->elems; at++) {
            if (!first) {
                put(',');
            }
            first = false;
            print_element(app, tensor, &data[at * size]);
        }
    }
    mcugen_print_line(put, "]");
}

static void print_bytes(mcugen_app *app, uint32_t index, uint32_t offset, uint32_t count)
{
    mcugen_put_char put = app->hal->put_char;
    const uint8_t *data = (const uint8_t *)app->project->selftest->output(index);
    for (uint32_t i = 0; i < count; i++) {
        if (i % BYTES_A_LINE == 0U) {
            mcugen_print_text(put, "m-output-");
            mcugen_print_unsigned(put, index);
            mcugen_print_text(put, "-");
            mcugen_print_unsigned(put, (uint64_t)offset + i);
            mcugen_print_text(put, "-[");
        }
        mcugen_print_hex(put, data[offset + i], 2U);
        if ((i + 1U) % BYTES_A_LINE == 0U || i + 1U == count) {
            mcugen_print_line(put, "]");
        }
    }
    mcugen_print_text(put, "m-output-done-");
    mcugen_print_hex(put, mcugen_element_crc(&data[offset], count, MCUGEN_UINT8), 8U);
    mcugen_print_line(put, "");
}

void mcugen_app_output(mcugen_app *app)
{
    const mcugen_model *model = mcugen_app_model(app);
    uint32_t index;
    uint32_t offset;
    uint32_t count;
    uint32_t all;
    if (!mcugen_app_number(app, 1U, 0U, 0U, &index)
        || !mcugen_app_number(app, 2U, 0U, 0U, &offset)) {
        return;
    }
    if (index >= model->output_count) {
        mcugen_app_print_number(app, "e-[output: the number of outputs is ", model->output_count,
                                "]");
        return;
    }
    all = model->outputs[index].bytes;
    if (!mcugen_app_number(app, 3U, 0U, (offset < all) ? all - offset : 0U, &count)) {
        return;
    }
    if (offset > all || count > all - offset) {
        mcugen_app_print_number(app, "e-[output: it has ", all, " bytes]");
        return;
    }
    print_bytes(app, index, offset, count);
}
