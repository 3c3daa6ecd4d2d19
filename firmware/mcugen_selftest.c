#include "mcugen_selftest.h"

#include <string.h>

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

static void print_text(const mcugen_selftest_port *port, const char *text)
{
    while (*text != '\0') {
        port->put_char(*text);
        text++;
    }
}

static void print_unsigned(const mcugen_selftest_port *port, uint64_t value)
{
    char digits[21]; /* 2^64 - 1 has 20 */
    uint32_t position = 20;
    digits[position] = '\0';
    do {
        position--;
        digits[position] = (char)('0' + (char)(value % 10U));
        value /= 10U;
    } while (value != 0U);
    print_text(port, &digits[position]);
}

static void print_hex(const mcugen_selftest_port *port, uint64_t value, uint32_t digits)
{
    print_text(port, "0x");
    for (uint32_t left = digits; left > 0U; left--) {
        port->put_char("0123456789abcdef"[(value >> (4U * (left - 1U))) & 15U]);
    }
}

/* An element by its bits: integers in decimal, floats as the bits themselves. */
static void print_value(const mcugen_selftest_port *port, uint64_t bits, mcugen_dtype dtype,
                        uint32_t size)
{
    const uint64_t sign = UINT64_C(1) << (8U * size - 1U);
    const bool is_signed = dtype == MCUGEN_INT8 || dtype == MCUGEN_INT16 || dtype == MCUGEN_INT32
                           || dtype == MCUGEN_INT64;
    if (dtype == MCUGEN_FLOAT32 || dtype == MCUGEN_FLOAT64) {
        print_text(port, "bits ");
        print_hex(port, bits, 2U * size);
    } else if (is_signed && (bits & sign) != 0U) {
        print_text(port, "-");
        print_unsigned(port, (sign - (bits & (sign - 1U)))); /* two's complement */
    } else {
        print_unsigned(port, bits);
    }
}

static uint32_t element_bytes(mcugen_dtype dtype)
{
    switch (dtype) {
    case MCUGEN_INT16:
    case MCUGEN_UINT16:
        return 2U;
    case MCUGEN_FLOAT32:
    case MCUGEN_INT32:
    case MCUGEN_UINT32:
        return 4U;
    case MCUGEN_FLOAT64:
    case MCUGEN_INT64:
    case MCUGEN_UINT64:
        return 8U;
    case MCUGEN_UINT8:
    case MCUGEN_INT8:
    case MCUGEN_BOOL:
    default:
        return 1U;
    }
}

/* The bits of one element, zero-extended; every NaN gives the same ones. */
static uint64_t element_bits(const uint8_t *data, mcugen_dtype dtype)
{
    const uint32_t bytes = element_bytes(dtype);
    uint64_t bits = 0U;
    for (uint32_t i = 0; i < bytes; i++) {
        bits |= (uint64_t)data[i] << (8U * i); /* all supported cores are little-endian */
    }
    if (dtype == MCUGEN_FLOAT32 && (bits & UINT64_C(0x7fffffff)) > UINT64_C(0x7f800000)) {
        bits = UINT64_C(0x7fc00000);
    }
    if (dtype == MCUGEN_FLOAT64
        && (bits & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000)) {
        bits = UINT64_C(0x7ff8000000000000);
    }
    return bits;
}

static uint32_t crc_of_byte(uint32_t crc, uint8_t byte)
{
    /* CRC-32 of the 16 values of four bits, reflected polynomial 0xedb88320 */
    static const uint32_t table[16] = {
        0x00000000U, 0x1db71064U, 0x3b6e20c8U, 0x26d930acU, 0x76dc4190U, 0x6b6b51f4U,
        0x4db26158U, 0x5005713cU, 0xedb88320U, 0xf00f9344U, 0xd6d6a3e8U, 0xcb61b38cU,
        0x9b64c2b0U, 0x86d3d2d4U, 0xa00ae278U, 0xbdbdf21cU};
    crc ^= byte;
    crc = (crc >> 4) ^ table[crc & 15U];
    return (crc >> 4) ^ table[crc & 15U];
}

uint32_t mcugen_selftest_crc(const void *data, uint32_t bytes, mcugen_dtype dtype)
{
    const uint8_t *from = (const uint8_t *)data;
    const uint32_t size = element_bytes(dtype);
    uint32_t crc = 0xffffffffU;
    for (uint32_t at = 0; at < bytes; at += size) {
        uint64_t bits = element_bits(&from[at], dtype);
        for (uint32_t i = 0; i < size; i++) {
            crc = crc_of_byte(crc, (uint8_t)(bits & 255U));
            bits >>= 8;
        }
    }
    return ~crc;
}

static void check_layer(void *context, uint32_t step, uint32_t output, const void *data,
                        uint32_t bytes)
{
    layer_watch *watch = (layer_watch *)context;
    if (watch->seen < watch->test->layer_tensor_count && !watch->differs) {
        const mcugen_selftest_tensor *wanted = &watch->test->layer_tensors[watch->seen];
        const uint32_t crc = mcugen_selftest_crc(data, bytes, wanted->dtype);
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
    print_text(port, "layer ");
    print_unsigned(port, step);
    print_text(port, " ");
    print_text(port, model->steps[step].op);
    print_text(port, " \"");
    print_text(port, model->steps[step].name);
    print_text(port, "\"");
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
        print_text(watch->port, ": ");
        print_unsigned(watch->port, now - watch->last_us);
        print_text(watch->port, " us\n");
    }
    watch->last_us = watch->port->now_us();
}

static void print_crcs(const mcugen_selftest_port *port, uint32_t got, uint32_t expected)
{
    print_text(port, ": CRC-32 got ");
    print_hex(port, got, 8U);
    print_text(port, ", expected ");
    print_hex(port, expected, 8U);
    print_text(port, "\n");
}

/* Names the first element of an output that differs; there must be one. */
static void print_element(const mcugen_selftest_port *port, const mcugen_tensor *tensor,
                          const void *got, const void *expected)
{
    const uint32_t size = element_bytes(tensor->dtype);
    const uint8_t *a = (const uint8_t *)got;
    const uint8_t *b = (const uint8_t *)expected;
    for (uint32_t i = 0; i < tensor->elems; i++) {
        const uint64_t x = element_bits(&a[i * size], tensor->dtype);
        const uint64_t y = element_bits(&b[i * size], tensor->dtype);
        if (x != y) {
            print_text(port, "  first difference: element ");
            print_unsigned(port, i);
            print_text(port, ", got ");
            print_value(port, x, tensor->dtype, size);
            print_text(port, ", expected ");
            print_value(port, y, tensor->dtype, size);
            print_text(port, "\n");
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
        const uint32_t crc = mcugen_selftest_crc(got, tensor->bytes, tensor->dtype);
        if (crc != test->outputs[i].crc) {
            good = false;
            print_text(port, "FAIL: output \"");
            print_text(port, tensor->name);
            print_text(port, "\"");
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
        print_text(port, "FAIL: ");
        print_layer(port, test->model, watch->step);
        print_text(port, " output ");
        print_unsigned(port, watch->output);
        print_crcs(port, watch->got, watch->expected);
        return false;
    }
    if (watch->seen != test->layer_tensor_count) {
        print_text(port, "FAIL: saw ");
        print_unsigned(port, watch->seen);
        print_text(port, " layer outputs of ");
        print_unsigned(port, test->layer_tensor_count);
        print_text(port, "\n");
        return false;
    }
    return true;
}

static void print_header(const mcugen_selftest *test, const mcugen_selftest_port *port)
{
    const mcugen_model *model = test->model;
    print_text(port, "mcugen ");
    print_text(port, model->generator);
    print_text(port, ": model \"");
    print_text(port, model->name);
    print_text(port, "\", ");
    print_text(port, model->hash);
    print_text(port, "\narena ");
    print_unsigned(port, model->arena_bytes);
    print_text(port, " bytes, ");
    print_unsigned(port, model->step_count);
    print_text(port, " layers\n");
}

/* Whether no kernel library asks for more working memory than was planned; says so where one
 * does: running its kernel would then overwrite other tensors. */
static bool check_scratch(const mcugen_model *model, const mcugen_selftest_port *port)
{
    for (uint32_t i = 0; model->steps != NULL && i < model->step_count; i++) {
        const mcugen_step *step = &model->steps[i];
        const int32_t needed = step->scratch_needed != NULL ? step->scratch_needed() : 0;
        if (needed > step->scratch_bytes) {
            print_text(port, "FAIL: ");
            print_layer(port, model, i);
            print_text(port, ": the kernel library asks for ");
            print_unsigned(port, (uint64_t)needed);
            print_text(port, " bytes of working memory, ");
            print_unsigned(port, (uint64_t)step->scratch_bytes);
            print_text(port, " are planned\n");
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
    error = test->invoke();
    if (traced) {
        test->model->set_trace(NULL, NULL);
    }
    if (error != MCUGEN_OK) {
        print_text(port, "FAIL: the model returned an error, -");
        print_unsigned(port, (uint64_t)(-(int64_t)error));
        print_text(port, "\n");
        return false;
    }
    if (test->outputs == NULL) {
        print_text(port, "NOT CHECKED: exported without a self-test\n");
        return true;
    }
    if (traced) {
        good = check_layers(test, port, &watch);
    } else {
        print_text(port, "layers are not compared: built without -DNAME_TRACE\n");
    }
    good = check_outputs(test, port) && good;
    if (good) {
        print_text(port, "PASS: ");
        print_unsigned(port, watch.seen);
        print_text(port, " layer outputs and ");
        print_unsigned(port, test->model->output_count);
        print_text(port, " model outputs equal the reference in every bit\n");
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
        (void)test->invoke();
        test->model->set_trace(NULL, NULL);
    }
    start = port->now_us();
    (void)test->invoke();
    print_text(port, "inference: ");
    print_unsigned(port, port->now_us() - start);
    print_text(port, " us\n");
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
