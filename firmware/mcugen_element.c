#include "mcugen_element.h"

uint32_t mcugen_element_bytes(mcugen_dtype dtype)
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

bool mcugen_element_is_float(mcugen_dtype dtype)
{
    return dtype == MCUGEN_FLOAT32 || dtype == MCUGEN_FLOAT64;
}

uint64_t mcugen_element_bits(const uint8_t *data, mcugen_dtype dtype)
{
    const uint32_t bytes = mcugen_element_bytes(dtype);
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

void mcugen_element_print_integer(mcugen_put_char put, uint64_t bits, mcugen_dtype dtype)
{
    const uint64_t sign = UINT64_C(1) << (8U * mcugen_element_bytes(dtype) - 1U);
    const bool is_signed = dtype == MCUGEN_INT8 || dtype == MCUGEN_INT16 || dtype == MCUGEN_INT32
                           || dtype == MCUGEN_INT64;
    if (is_signed && (bits & sign) != 0U) {
        put('-');
        bits = sign - (bits & (sign - 1U)); /* two's complement */
    }
    mcugen_print_unsigned(put, bits);
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

uint32_t mcugen_element_crc(const void *data, uint32_t bytes, mcugen_dtype dtype)
{
    const uint8_t *from = (const uint8_t *)data;
    const uint32_t size = mcugen_element_bytes(dtype);
    uint32_t crc = 0xffffffffU;
    for (uint32_t at = 0; at < bytes; at += size) {
        uint64_t bits = mcugen_element_bits(&from[at], dtype);
        for (uint32_t i = 0; i < size; i++) {
            crc = crc_of_byte(crc, (uint8_t)(bits & 255U));
            bits >>= 8;
        }
    }
    return ~crc;
}
