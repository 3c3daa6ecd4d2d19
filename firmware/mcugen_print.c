#include "mcugen_print.h"

void mcugen_print_text(mcugen_put_char put, const char *text)
{
    while (*text != '\0') {
        put(*text);
        text++;
    }
}

void mcugen_print_line(mcugen_put_char put, const char *text)
{
    mcugen_print_text(put, text);
    mcugen_print_text(put, "\r\n");
}

void mcugen_print_unsigned(mcugen_put_char put, uint64_t value)
{
    char digits[21]; /* 2^64 - 1 has 20 */
    uint32_t position = 20;
    digits[position] = '\0';
    do {
        position--;
        digits[position] = (char)('0' + (char)(value % 10U));
        value /= 10U;
    } while (value != 0U);
    mcugen_print_text(put, &digits[position]);
}

void mcugen_print_hex(mcugen_put_char put, uint64_t value, uint32_t digits)
{
    for (uint32_t left = digits; left > 0U; left--) {
        put("0123456789abcdef"[(value >> (4U * (left - 1U))) & 15U]);
    }
}

/* mantissa * 2^exponent for exponents from 0 on; digits that 64 bits do not hold are left out. */
static void print_large(mcugen_put_char put, uint64_t mantissa, int32_t exponent)
{
    uint32_t tens = 0U;
    while (exponent > 0 && mantissa != 0U) {
        if (mantissa <= UINT64_MAX / 2U) {
            mantissa *= 2U;
            exponent--;
        } else {
            mantissa = mantissa / 10U + ((mantissa % 10U >= 5U) ? 1U : 0U);
            tens++;
        }
    }
    mcugen_print_unsigned(put, mantissa);
    if (tens == 0U) {
        mcugen_print_text(put, ".000");
    } else {
        mcugen_print_text(put, "e");
        mcugen_print_unsigned(put, tens);
    }
}

/* mantissa / 2^shift for mantissas below 2^53 and shifts from 1 on. */
static void print_small(mcugen_put_char put, uint64_t mantissa, uint32_t shift)
{
    const uint64_t scaled = mantissa * 1000U; /* below 2^63 */
    uint64_t thousandths = 0U;                /* for shifts from 64 on: less than half of one */
    if (shift < 64U) {
        const uint64_t rest = scaled & ((UINT64_C(1) << shift) - 1U);
        const uint64_t half = UINT64_C(1) << (shift - 1U);
        thousandths = scaled >> shift;
        if (rest > half || (rest == half && (thousandths & 1U) != 0U)) {
            thousandths++;
        }
    }
    mcugen_print_unsigned(put, thousandths / 1000U);
    put('.');
    for (uint32_t unit = 100U; unit > 0U; unit /= 10U) {
        put((char)('0' + (char)(thousandths / unit % 10U)));
    }
}

void mcugen_print_real(mcugen_put_char put, uint64_t bits, bool is_double)
{
    const uint32_t fraction_bits = is_double ? 52U : 23U;
    const uint32_t exponent_bits = is_double ? 11U : 8U;
    const uint32_t top = (1U << exponent_bits) - 1U;
    const uint32_t field = (uint32_t)(bits >> fraction_bits) & top;
    const uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1U);
    const bool normal = field != 0U;
    const int32_t exponent = (int32_t)(normal ? field : 1U) - (int32_t)(top / 2U + fraction_bits);
    const uint64_t mantissa = fraction | (normal ? UINT64_C(1) << fraction_bits : 0U);
    const bool nan = field == top && fraction != 0U;
    if (!nan && ((bits >> (fraction_bits + exponent_bits)) & 1U) != 0U) {
        put('-');
    }
    if (nan) {
        mcugen_print_text(put, "nan");
    } else if (field == top) {
        mcugen_print_text(put, "inf");
    } else if (exponent >= 0) {
        print_large(put, mantissa, exponent);
    } else {
        print_small(put, mantissa, (uint32_t)(-exponent));
    }
}
