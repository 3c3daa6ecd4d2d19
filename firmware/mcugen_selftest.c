#include "mcugen_selftest.h"

#include "mcugen_element.h"

/* What the trace hook has seen of the running inference. */
typedef struct layer_watch {
    const mcugen_selftest *test;
    const mcugen_selftest_port *port;
    uint32_t seen; /* layer tensors so far */
    bool differs;
    uint32_t step; /* of the first layer tensor that differs */
    uint32_t output;
    uint32_t got;
    uint32_t expected;
    uint64_t last_us;
} layer_watch;

/* An element by its bits: integers in decimal, floats as the bits themselves. */
static void print_value(mcugen_put_char put, uint64_t bits, mcugen_dtype dtype)
{
    if (mcugen_element_is_float(dtype)) {
        mcugen_print_text(put, "bits 0x");
        mcugen_print_hex(put, bits, 2U * mcugen_element_bytes(dtype));
    } else {
        mcugen_element_print_integer(put, bits, dtype);
    }
}

static void check_layer(void *context, uint32_t step, uint32_t output, const void *data,
                        uint32_t bytes)
{
    layer_watch *watch = (layer_watch *)context;
    if (watch->seen < watch->test->layer_tensor_count && !watch->differs) {
        const mcugen_selftest_tensor *wanted = &watch->test->layer_tensors[watch->seen];
        const uint32_t crc = mcugen_element_crc(data, bytes, wanted->dtype);
        if (crc != wanted->crc) {
            watch->differs = true;
            watch->step = step;
            watch->output = output;
            watch->got = crc;
            watch->expected = wanted->crc;
        }
    }
    watch->seen++;
}

static void print_layer(const mcugen_selftest_port *port, const mcugen_model *model, uint32_t step)
{
    mcugen_print_text(port->put_char, "layer ");
    mcugen_print_unsigned(port->put_char, step);
    mcugen_print_text(port->put_char, " ");
    mcugen_print_text(port->put_char, model->steps[step].op);
    mcugen_print_text(port->put_char, " \"");
    mcugen_print_text(port->put_char, model->steps[step].name);
    mcugen_print_text(port->put_char, "\"");
}

/* Prints the time since the last layer; printing itself is not counted. */
static void time_layer(void *context, uint32_t step, uint32_t output, const void *data,
                       uint32_t bytes)
{
    layer_watch *watch = (layer_watch *)context;
    const uint64_t now = watch->port->now_us();
    (void)data;
    (void)bytes;
    if (output == 0U) {
        print_layer(watch->port, watch->test->model, step);
        mcugen_print_text(watch->port->put_char, ": ");
        mcugen_print_unsigned(watch->port->put_char, now - watch->last_us);
        mcugen_print_line(watch->port->put_char, " us");
    }
    watch->last_us = watch->port->now_us();
}

static void print_crcs(const mcugen_selftest_port *port, uint32_t got, uint32_t expected)
{
    mcugen_print_text(port->put_char, ": CRC-32 got 0x");
    mcugen_print_hex(port->put_char, got, 8U);
    mcugen_print_text(port->put_char, ", expected 0x");
    mcugen_print_hex(port->put_char, expected, 8U);
    mcugen_print_line(port->put_char, "");
}

/* Names the first element of an output that differs; there must be one. */
static void print_element(const mcugen_selftest_port *port, const mcugen_tensor *tensor,
                          const void *got, const void *expected)
{
    const uint32_t size = mcugen_element_bytes(tensor->dtype);
    const uint8_t *a = (const uint8_t *)got;
    const uint8_t *b = (const uint8_t *)expected;
    for (uint32_t i = 0; i < tensor->elems; i++) {
        const uint64_t x = mcugen_element_bits(&a[i * size], tensor->dtype);
        const uint64_t y = mcugen_element_bits(&b[i * size], tensor->dtype);
        if (x != y) {
            mcugen_print_text(port->put_char, "  first difference: element ");
            mcugen_print_unsigned(port->put_char, i);
            mcugen_print_text(port->put_char, ", got ");
            print_value(port->put_char, x, tensor->dtype);
            mcugen_print_text(port->put_char, ", expected ");
            print_value(port->put_char, y, tensor->dtype);
            mcugen_print_line(port->put_char, "");
            return;
        }
    }
}

/* Whether the model's outputs are what they must be; says so where they are not. */
static bool check_outputs(const mcugen_selftest *test, const mcugen_selftest_port *port)
{
    bool good = true;
    for (uint32_t i = 0; i < test->model->output_count; i++) {
        const mcugen_tensor *tensor = &test->model->outputs[i];
        const void *got = test->output(i);
        const uint32_t crc = mcugen_element_crc(got, tensor->bytes, tensor->dtype);
        if (crc != test->outputs[i].crc) {
            good = false;
            mcugen_print_text(port->put_char, "FAIL: output \"");
            mcugen_print_text(port->put_char, tensor->name);
            mcugen_print_text(port->put_char, "\"");
            print_crcs(port, crc, test->outputs[i].crc);
            if (test->expected != NULL) {
                print_element(port, tensor, got, test->expected[i]);
            }
        }
    }
    return good;
}

/* Whether every layer was seen and gave the right bytes; says so where not. */
static bool check_layers(const mcugen_selftest *test, const mcugen_selftest_port *port,
                         const layer_watch *watch)
{
    if (watch->differs) {
        mcugen_print_text(port->put_char, "FAIL: ");
        print_layer(port, test->model, watch->step);
        mcugen_print_text(port->put_char, " output ");
        mcugen_print_unsigned(port->put_char, watch->output);
        print_crcs(port, watch->got, watch->expected);
        return false;
    }
    if (watch->seen != test->layer_tensor_count) {
        mcugen_print_text(port->put_char, "FAIL: saw ");
        mcugen_print_unsigned(port->put_char, watch->seen);
        mcugen_print_text(port->put_char, " layer outputs of ");
        mcugen_print_unsigned(port->put_char, test->layer_tensor_count);
        mcugen_print_line(port->put_char, "");
        return false;
    }
    return true;
}

static void print_header(const mcugen_selftest *test, const mcugen_selftest_port *port)
{
    const mcugen_model *model = test->model;
    mcugen_print_text(port->put_char, "mcugen ");
    mcugen_print_text(port->put_char, model->generator);
    mcugen_print_text(port->put_char, ": model \"");
    mcugen_print_text(port->put_char, model->name);
    mcugen_print_text(port->put_char, "\", ");
    mcugen_print_text(port->put_char, model->hash);
    mcugen_print_line(port->put_char, "");
    mcugen_print_text(port->put_char, "arena ");
    mcugen_print_unsigned(port->put_char, model->arena_bytes);
    mcugen_print_text(port->put_char, " bytes, ");
    mcugen_print_unsigned(port->put_char, model->step_count);
    mcugen_print_line(port->put_char, " layers");
}

/* Whether no kernel library asks for more working memory than was planned; says so where one
 * does: running its kernel would then overwrite other tensors. */
static bool check_scratch(const mcugen_model *model, const mcugen_selftest_port *port)
{
    for (uint32_t i = 0; model->steps != NULL && i < model->step_count; i++) {
        const mcugen_step *step = &model->steps[i];
        const int32_t needed = step->scratch_needed != NULL ? step->scratch_needed() : 0;
        if (needed > step->scratch_bytes) {
            mcugen_print_text(port->put_char, "FAIL: ");
            print_layer(port, model, i);
            mcugen_print_text(port->put_char, ": the kernel library asks for ");
            mcugen_print_unsigned(port->put_char, (uint64_t)needed);
            mcugen_print_text(port->put_char, " bytes of working memory, ");
            mcugen_print_unsigned(port->put_char, (uint64_t)step->scratch_bytes);
            mcugen_print_line(port->put_char, " are planned");
            return false;
        }
    }
    return true;
}

static bool check(const mcugen_selftest *test, const mcugen_selftest_port *port)
{
    layer_watch watch = {test, port, 0U, false, 0U, 0U, 0U, 0U, 0U};
    const bool traced = test->model->set_trace != NULL;
    int error;
    bool good = true;
    if (traced) {
        test->model->set_trace(check_layer, &watch);
    }
    error = test->invoke(test->inputs);
    if (traced) {
        test->model->set_trace(NULL, NULL);
    }
    if (error != MCUGEN_OK) {
        mcugen_print_text(port->put_char, "FAIL: the model returned an error, -");
        mcugen_print_unsigned(port->put_char, (uint64_t)(-(int64_t)error));
        mcugen_print_line(port->put_char, "");
        return false;
    }
    if (test->outputs == NULL) {
        mcugen_print_line(port->put_char, "NOT CHECKED: exported without a self-test");
        return true;
    }
    if (traced) {
        good = check_layers(test, port, &watch);
    } else {
        mcugen_print_line(port->put_char, "layers are not compared: built without -DNAME_TRACE");
    }
    good = check_outputs(test, port) && good;
    if (good) {
        mcugen_print_text(port->put_char, "PASS: ");
        mcugen_print_unsigned(port->put_char, watch.seen);
        mcugen_print_text(port->put_char, " layer outputs and ");
        mcugen_print_unsigned(port->put_char, test->model->output_count);
        mcugen_print_line(port->put_char, " model outputs equal the reference in every bit");
    }
    return good;
}

static void measure_time(const mcugen_selftest *test, const mcugen_selftest_port *port)
{
    layer_watch watch = {test, port, 0U, false, 0U, 0U, 0U, 0U, 0U};
    uint64_t start;
    if (test->model->set_trace != NULL) {
        test->model->set_trace(time_layer, &watch);
        watch.last_us = port->now_us();
        (void)test->invoke(test->inputs);
        test->model->set_trace(NULL, NULL);
    }
    start = port->now_us();
    (void)test->invoke(test->inputs);
    mcugen_print_text(port->put_char, "inference: ");
    mcugen_print_unsigned(port->put_char, port->now_us() - start);
    mcugen_print_line(port->put_char, " us");
}

int mcugen_selftest_run(const mcugen_selftest *test, const mcugen_selftest_port *port)
{
    bool good;
    print_header(test, port);
    if (!check_scratch(test->model, port)) {
        return MCUGEN_SELFTEST_FAIL;
    }
    good = check(test, port);
    if (port->now_us != NULL) {
        measure_time(test, port);
    }
    return good ? MCUGEN_SELFTEST_PASS : MCUGEN_SELFTEST_FAIL;
}
