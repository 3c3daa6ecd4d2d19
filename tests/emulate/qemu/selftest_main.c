/* The exported self-test, then the bytes of the model's outputs. */
#include "semihost.h"

#include "MODEL.h"
#include "MODEL_selftest.h"

START_SECTION static void put_text(const char *text)
{
    for (; *text != '\0'; text++) {
        semihost_put_char(*text);
    }
}

START_SECTION static void put_bytes(const uint8_t *from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        semihost_put_char("0123456789abcdef"[from[i] >> 4]);
        semihost_put_char("0123456789abcdef"[from[i] & 15U]);
    }
    put_text("\n");
}

START_SECTION int qemu_main(void)
{
    const mcugen_selftest_port port = {semihost_put_char, NULL};
    const int failed = mcugen_selftest_run(&MODEL_selftest, &port);
    for (uint32_t i = 0; i < MODEL_model.output_count; i++) {
        put_text("output ");
        put_bytes((const uint8_t *)MODEL_output(i), MODEL_model.outputs[i].bytes);
    }
    return failed;
}
